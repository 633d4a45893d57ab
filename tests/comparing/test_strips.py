"""K along a setting, and results laid side by side."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing import strips
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.profiling.what_if import find_groups
from tests.classroom import SETTINGS
from tests.tables.labelled import FRAME, SCHEMA

VISITS = partial(SCHEMA.with_column, "visits")


def test_a_strip_agrees_with_the_panels_and_ends_with_more_clusters_than_asked_for(ellipses):
    here, results = ellipses
    classes = here.truth.classes
    data = here.encoded, here.schema, SETTINGS, classes
    shared: list[strips.Strip] = []
    values = [1.0, 3.0, 300.0, 700.0]
    strip = strips.measure_strip(strips.CONCENTRATION, values, *data, share=shared.append, most=9)
    assert [len(one.values) for one in shared] == [1, 2, 3]
    assert strip.n_clusters[1] <= 9 < strip.n_clusters[2]
    model = results.get(here.tasks["MAPDP"])
    assert strip.n_clusters[1] == model.n_clusters_
    assert strip.nmi[1] == pytest.approx(nmi(classes, model.labels_))
    strip = strips.measure_strip(strips.PENALTY, strips.penalties(4.0), *data)
    at = int(np.argmin(abs(strip.values - SETTINGS.penalty)))
    assert strip.n_clusters[at] == results.get(here.tasks["DPMeans"]).n_clusters_
    assert (strip.n_clusters[0], strip.n_clusters[-1]) == (strip.n_clusters.max(), 1)
    by_bic = replace(SETTINGS, bic=True)  # which a strip over K does not
    strip = strips.measure_strip(strips.CLUSTERS, range(1, 21), *data[:2], by_bic, classes)
    model = KMeansBIC(3, 3, 10, random_state=SETTINGS.seed).fit(here.frame, here.schema)
    assert strip.bic[2] == pytest.approx(model.bic_[3])
    own = nmi(classes, results.get(here.tasks["KMeansBIC"]).labels_)
    assert strip.nmi[2] == pytest.approx(own, abs=0.02)


def test_a_plateau_is_the_longest_unbroken_run_and_is_said():
    strip = strips.Strip("penalty", np.arange(1.0, 8.0), np.array([4, 2, 3, 3, 3, 1, 3]))
    assert strip.in_words(3).endswith("it is the true 3 from 3 to 5 without a break.")
    assert strip.in_words(5).endswith("found nowhere.")


@pytest.fixture(scope="module")
def kept() -> dict[str, Snapshot]:
    return {name: find_groups(FRAME, SCHEMA, Settings(), name) for name in ("MAPDP", "KMeansBIC")}


def test_two_methods_under_one_model_have_costs_that_compare(kept):
    table, difference, changes = side_by_side(kept["MAPDP"], kept["KMeansBIC"])
    assert changes == ["K-means instead of MAP-DP"]
    assert difference == kept["KMeansBIC"].objective - kept["MAPDP"].objective
    assert table.counts.sum() == 90
    assert side_by_side(kept["MAPDP"], kept["MAPDP"])[0].ari == 1.0


@pytest.mark.parametrize(
    ("change", "said", "compares"),
    [
        ({"schema": VISITS(role="ignore")}, ["without visits"], False),
        ({"schema": VISITS(family="normal")}, ["visits typed otherwise"], False),
        ({"settings": Settings(concentration=5.0)}, ["other settings"], False),
        ({"settings": Settings(likelihood_power=0.5)}, ["other settings"], False),
        ({"settings": Settings(bic=False)}, ["other settings"], True),
        ({"prior_scale": 77.0}, [], False),
    ],
    ids=str,
)
def test_a_snapshot_says_what_was_changed_and_whether_costs_compare(kept, change, said, compares):
    _, difference, changes = side_by_side(kept["MAPDP"], replace(kept["MAPDP"], **change))
    assert changes == said
    assert (difference is not None) == compares
