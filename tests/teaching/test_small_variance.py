"""Clusters of a known width that shrink to DP-means."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.panels import RADIUS
from mapdp_studio.core.models.dpmeans import DPMeans
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.small_variance import spherical_fit
from tests.classroom import room


@pytest.mark.parametrize("key", ["5.4", "5.5"])
def test_a_shrinking_width_ends_at_dp_means(key):
    here = room(key, 600)
    limit = DPMeans(penalty=4.0).fit(here.frame, here.schema).labels_
    narrow, wide = (spherical_fit(here.encoded, 4.0, sd) for sd in (0.06, 1.0))
    assert nmi(limit, narrow.labels) > 0.98
    assert wide.n_clusters < narrow.n_clusters
    # One cluster of one row more, at squared distance 4 of the others, costs the same either way.
    variance = narrow.sd**2
    log_ratio = narrow.log_concentration - np.log1p(1.0 / variance)
    assert log_ratio * -2.0 * variance == pytest.approx(4.0)
    assert pytest.approx(2.4477, abs=1e-3) == RADIUS
