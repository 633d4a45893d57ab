"""MAP-DP as it was published, and what every prior scale makes of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..models.mapdp import MAPDP
from ..models.priors import default_priors
from ..partitions.scores import nmi
from ..schema.encoded import Encoded
from ..schema.schema import Schema


def published_mapdp(
    encoded: Encoded, schema: Schema, concentration: float, prior: object = "scale-grid"
) -> MAPDP:
    """R16 Algorithm 2 to the letter: single rows move, in the table's order, from one start."""
    model = MAPDP(concentration, prior=prior, refine=False, n_init=1, shuffle=False)
    return model.fit_encoded(encoded, schema=schema)


def by_prior_scale(
    encoded: Encoded, schema: Schema, model: MAPDP, classes: np.ndarray
) -> pd.DataFrame:
    """What the published algorithm finds under each prior scale that a fit has tried.

    Parameters
    ----------
    encoded : Encoded
    schema : Schema
    model : MAPDP
        From ``published_mapdp``, its scale chosen by E.
    classes : ndarray of int, shape (N,)

    Returns
    -------
    DataFrame
        ``scale``, rising; ``n_clusters``, ``objective`` in nats, ``nmi``, ``is_chosen``.
    """
    rows = []
    for scale in sorted(model.result_.details["scale_objectives"]):
        prior = list(default_priors(encoded, scale))
        one = published_mapdp(encoded, schema, model.concentration, prior)
        rows.append((scale, one.n_clusters_, one.objective_, nmi(classes, one.labels_)))
    table = pd.DataFrame(rows, columns=["scale", "n_clusters", "objective", "nmi"])
    return table.assign(is_chosen=table["scale"] == model.prior_scale_)
