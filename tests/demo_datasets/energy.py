"""The objective of a given partition under default priors."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition


def energy(encoded, labels, scale=1.0):
    columns = Columns.pack(encoded, default_priors(encoded, scale))
    _, codes = np.unique(labels, return_inverse=True)
    return Partition(columns, 3.0, codes.astype(np.int64)).objective()
