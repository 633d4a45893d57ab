"""The lessons that no paper has say nothing false: each number in them is computed."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import choose_model
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.demo_datasets.generators import TOP
from mapdp_studio.pages.parts.teach.controls import N_ROWS, set_at
from tests.lesson_screens import (
    crossed,
    fitted,
    k_of,
    labels,
    model,
    of,
    score,
    scores,
    shown,
    walked,
)
from tests.pages.test_predictions import DP_MEANS, E_M, GIBBS, K_MEANS, distances

EVERYONE = {"MAPDP", DP_MEANS, K_MEANS, E_M, GIBBS}


def rounded(key: str, stop: int, *names: str) -> list[float]:
    return [round(score(key, stop, name), 2) for name in names]


def test_map_dp_reaches_the_nine_by_splits():
    here, run = walked("starts", 3)
    assert np.bincount(here.truth.classes).max() == 67
    found = [(step.kind, step.n_clusters) for step in run.steps]
    assert found[:3] == [("start: one cluster", 1), ("sweep 1", 2), ("sweep 2", 2)]
    assert [kind for kind, _ in found].count("split") == 7
    assert found[-1][1] == 9
    more = of("starts", 4, **{N_ROWS: 2000})
    assert fitted("MAPDP", more, more.frame).n_clusters_ == 9


def test_top_incomes_trouble_k_means_and_then_map_dp():
    assert rounded("units", 1, K_MEANS) == [0.93]
    assert set_at("units", "3")["top_incomes"] * TOP == 120_000
    assert set_at("units", "4")["top_incomes"] * TOP == 420_000
    assert k_of("units", 3) == 3
    assert score("units", 3, "MAPDP") > 0.9
    assert crossed("units", 4, "MAPDP").max(axis=0).tolist() == [294, 12]
    assert score("units", 4, E_M) > 0.9


def test_noise_drowns_what_two_columns_tell():
    near = scores("high", 1)
    assert {round(reached, 1) for reached in near.values()} == {0.8}
    assert k_of("high", 1) == k_of("high", 1, GIBBS) == 3
    assert rounded("high", 2, DP_MEANS, K_MEANS, "MAPDP", E_M) == [0.1, 0.47, 0.64, 0.89]
    assert k_of("high", 2) == 2
    assert max(scores("high", 3).values()) < 0.05
    apart, classes = distances(3), shown("high", 3)[0].truth.classes
    pairs = np.triu_indices(len(apart), 1)
    same = classes[pairs[0]] == classes[pairs[1]]
    means = [apart[pairs][which].mean().round(1) for which in (same, ~same)]
    assert means == [11.9, 12.0]
    assert rounded("high", 4, K_MEANS, E_M) == [0.07, 0.55]


def test_who_says_that_one_cloud_has_no_groups():
    shares = np.bincount(labels("none", 1, K_MEANS)) / 2000
    assert np.round(100 * shares).tolist() == [34, 34, 32]
    assert [k_of("none", 1, name) for name in (DP_MEANS, E_M, "MAPDP")] == [3, 3, 1]
    few = of("none", 3, **{N_ROWS: 600})
    assert fitted("MAPDP", few, few.frame).n_clusters_ == 4
    assert k_of("none", 4, K_MEANS) == 4


def test_the_model_is_at_fault_where_columns_vary_together():
    assert max(rounded("dependence", 1, *EVERYONE)) == 0.8
    here, fit = shown("dependence", 2)[0], model("dependence", 2, "MAPDP")
    truth = Partition(fit.columns_, fit.concentration, here.truth.classes)
    assert fit.n_clusters_ == 14
    assert truth.settle() > fit.objective_
    assert rounded("dependence", 2, "MAPDP") == [0.55]
    assert k_of("dependence", 3) == 3
    assert rounded("dependence", 3, "MAPDP") == [0.91]
    choice = choose_model(here.frame, here.schema)
    assert choice.suggested_objective - choice.objective == pytest.approx(160.0, abs=5.0)
    assert nmi(choice.model.labels_, labels("dependence", 3, "MAPDP")) > 0.9
    assert k_of("dependence", 4) == 3
    sizes = np.sort(np.bincount(labels("dependence", 4, GIBBS)))[::-1]
    assert sizes[2] > 100 > 20 > sizes[3] > 0


def test_holes_cost_k_means_more_than_map_dp():
    assert rounded("mixed", 1, K_MEANS, DP_MEANS, "MAPDP") == [0.84, 0.82, 0.88]
    holes = np.isnan(shown("mixed", 3)[0].points)
    assert (~holes).all(axis=1).sum() == 30 == len(holes) / 10
    assert holes.sum(axis=1).mean() < 2
    assert rounded("mixed", 2, K_MEANS, "MAPDP") == [0.6, 0.73]
    assert (~np.isnan(shown("mixed", 4)[0].points)).all(axis=1).sum() == 6
    assert rounded("mixed", 4, "MAPDP", K_MEANS) == [0.52, 0.38]
