"""The groups that survive an imperfect model: the path of powers and its plateaus."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from mapdp_studio.core import MAPDP, tolerance_path
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.wording import percent
from tests.misfit_tables import NOISES, load_misfit


@pytest.fixture(scope="module")
def wine() -> tuple[MAPDP, TolerancePath]:
    model = MAPDP(patience=5, random_state=0).fit(load_wine().data)
    return model, tolerance_path(model)


def test_wine_and_iris_stay_as_their_strong_groups(wine):
    model, path = wine
    assert path.n_clusters[0] > 4
    assert path.n_clusters[path.proposed] == 3
    assert nmi(load_wine().target, path.labels[path.proposed]) >= 0.85
    iris = tolerance_path(MAPDP(patience=5, random_state=0).fit(load_iris().data))
    assert nmi(load_iris().target, iris.labels[iris.proposed]) >= 0.70
    assert np.array_equal(path.labels[0], model.labels_)


def test_the_sentence_names_the_range_over_which_the_groups_stay(wine):
    _, path = wine
    kept = [_finds(path.labels[path.proposed], labels) for labels in path.labels]
    at = path.proposed
    start = at - kept[:at][::-1].index(False)
    stop = at + kept[at:].index(False)
    high, low = path.powers[[start, stop - 1]]
    n_groups = int((np.bincount(path.labels[at]) >= 5).sum())
    assert path.sentence == (
        f"{path.n_clusters[0]} groups; as the evidence counts less, {n_groups} groups stay from "
        f"{percent(high)} of its weight down to {percent(low)}."
    )


def _finds(groups: np.ndarray, labels: np.ndarray) -> bool:
    """Whether every group of five rows and more is some cluster, to a Jaccard similarity of .75."""
    found = []
    for rows in (groups == k for k in np.flatnonzero(np.bincount(groups) >= 5)):
        clusters = [labels == k for k in np.unique(labels)]
        found.append(max((rows & c).sum() / (rows | c).sum() for c in clusters))
    return min(found) >= 0.75


def test_powers_fall_from_1_and_every_partition_is_lower_than_its_cut(wine):
    model, path = wine
    assert path.powers[0] == 1.0
    assert path.powers[-1] == pytest.approx(0.02)
    assert len(path.powers) == len(path.labels) == len(path.n_clusters) == 40
    assert np.diff(np.log(path.powers)) == pytest.approx(np.log(0.02) / 39)
    on_path = [model.merge_path_.labels_at(k) for k in range(1, model.n_clusters_ + 1)]
    for power, labels, objective in zip(path.powers, path.labels, path.objectives, strict=True):
        columns = model.columns_.with_power(power)
        assert Partition(columns, 3.0, labels).objective() == pytest.approx(objective)
        assert objective <= min(Partition(columns, 3.0, cut).objective() for cut in on_path) + 1e-9
    table = path.as_frame()
    assert list(table) == ["power", "n_clusters", "largest", "objective", "agreement"]
    assert table["agreement"].iloc[1:].between(0.0, 1.0).all()


@pytest.mark.parametrize("noise", NOISES)
def test_every_deviation_makes_a_group_and_the_plateau_finds_three(noise):
    frame, truth = load_misfit(noise)
    model = MAPDP(random_state=0).fit(frame)
    path = tolerance_path(model)
    assert model.n_clusters_ >= 7
    assert path.n_clusters[path.proposed] == 3
    assert nmi(truth, path.labels[path.proposed]) > 0.9


def test_one_population_has_no_groups_that_stay():
    rows = np.random.default_rng(0).standard_t(4, (300, 4))
    path = tolerance_path(MAPDP(patience=5, random_state=0).fit(rows), [1.0, 0.8, 0.5, 0.2, 0.05])
    assert path.n_clusters[-1] == 1
    assert path.n_clusters.min() == 1


@pytest.mark.parametrize("powers", [[], [0.5, 0.2], [1.0, 1.0], [1.0, 0.0]])
def test_powers_that_do_not_fall_from_1_are_refused(wine, powers):
    with pytest.raises(ValueError, match="powers"):
        tolerance_path(wine[0], powers)


def test_a_model_at_another_power_is_searched_at_1_first(wine):
    rows = load_iris().data
    coarse = MAPDP(likelihood_power=0.3, patience=5, random_state=0).fit(rows)
    assert tolerance_path(coarse, [1.0, 0.3]).n_clusters[0] > coarse.n_clusters_
    assert coarse.likelihood_power == 0.3
