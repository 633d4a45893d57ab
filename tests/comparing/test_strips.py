"""K along a setting."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing.strips import (
    CONCENTRATION,
    PENALTY,
    Strip,
    bic_strip,
    penalties,
    setting_strip,
)
from mapdp_studio.core.methods.centroids import DP_MEANS
from mapdp_studio.core.methods.mixtures import MAP_DP
from mapdp_studio.core.partitions.scores import nmi
from tests.classroom import SETTINGS


def test_a_strip_agrees_with_the_panels(ellipses):
    here, results = ellipses
    data, classes = (here.encoded, here.schema, SETTINGS), here.truth.classes
    shared: list[Strip] = []
    strip = setting_strip(
        MAP_DP, CONCENTRATION, *data, [1.0, 3.0, 100.0], classes, share=shared.append
    )
    assert [len(one.values) for one in shared] == [1, 2, 3]
    model = results.get(here.tasks["MAPDP"])
    assert strip.n_clusters[1] == model.n_clusters_
    assert strip.nmi[1] == pytest.approx(nmi(classes, model.labels_))
    strip = setting_strip(DP_MEANS, PENALTY, *data, penalties(4.0), classes)
    at = int(np.argmin(abs(strip.values - SETTINGS.penalty)))
    assert strip.n_clusters[at] == results.get(here.tasks["DPMeans"]).n_clusters_
    assert (strip.n_clusters[0], strip.n_clusters[-1]) == (strip.n_clusters.max(), 1)
    strip = bic_strip(*data, classes)
    model = KMeansBIC(3, 3, 10, random_state=SETTINGS.seed).fit(here.frame, here.schema)
    assert strip.bic[2] == pytest.approx(model.bic_[3])
    assert strip.values.tolist() == list(range(1, 21))
    assert strip.nmi[2] == pytest.approx(
        nmi(classes, results.get(here.tasks["KMeansBIC"]).labels_), abs=0.02
    )


def test_a_plateau_is_the_longest_unbroken_run():
    strip = Strip("penalty", np.arange(1.0, 8.0), np.array([3, 2, 3, 3, 3, 1, 3]))
    assert strip.plateau(3) == (3.0, 5.0)
    assert strip.plateau(4) is None


def test_a_strip_ends_with_the_first_value_of_more_clusters_than_asked_for(ellipses):
    here, values = ellipses[0], [1.0, 3.0, 300.0, 700.0]
    strip = setting_strip(
        MAP_DP, CONCENTRATION, here.encoded, here.schema, SETTINGS, values, most=9
    )
    assert strip.values.tolist() == values[:3]
    assert strip.n_clusters[1] <= 9 < strip.n_clusters[2]
