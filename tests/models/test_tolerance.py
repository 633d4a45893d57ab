"""The groups that survive an imperfect model: the path of powers and its plateaus."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from mapdp_studio.core import MAPDP, tolerance_path
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.tolerance import TolerancePath, count_clusters, finest_plateau
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


@pytest.mark.parametrize("powers", [[], [0.5, 0.2], [1.0, 1.0], [1.0, 0.0]])
def test_powers_that_do_not_fall_from_1_are_refused(wine, powers):
    with pytest.raises(ValueError, match="powers"):
        tolerance_path(wine[0], powers)


#: Steps of a factor 1.105: a plateau of five is just too short, one of six within others is not.
POWERS = np.geomspace(1.0, 0.1, 24)
ONE = np.zeros(200, dtype=int)


def partition(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


def path(*runs: tuple[int, np.ndarray]) -> list[np.ndarray]:
    labels = [found for times, found in runs for _ in range(times)]
    return labels + [ONE] * (len(POWERS) - len(labels))


def found(*runs: tuple[int, np.ndarray]) -> tuple[int, int, int] | None:
    plateau = finest_plateau(POWERS, path(*runs))
    return None if plateau is None else (plateau.first, plateau.start, plateau.stop)


@pytest.mark.parametrize(("times", "expected"), [(4, None), (5, (2, 2, 7)), (9, (2, 2, 11))])
def test_a_plateau_spans_the_factor(times, expected):
    five = partition(40, 40, 40, 40, 40)
    assert found((1, five), (1, partition(50, 50, 50, 50)), (times, partition(120, 80))) == expected


def test_a_plateau_from_power_1_on_is_seen_from_one_side_and_may_be_shorter():
    two = partition(120, 80)
    assert found((3, two)) is None
    assert found((4, two)) == (0, 0, 4)


def test_of_two_plateaus_the_finer_one_is_taken():
    assert (
        found((2, partition(*[20] * 10)), (6, partition(80, 70, 50)), (12, partition(150, 50)))[0]
        == 2
    )


def test_outliers_that_come_and_go_break_no_plateau_of_the_groups():
    coming = [partition(100, 100), partition(100, 92, 8), partition(91, 9, 100)]
    assert found(*[(1, coming[i % 3]) for i in range(9)]) == (0, 0, 9)
    assert found(*[(1, coming[1 + i % 2]) for i in range(4)], (2, coming[0])) == (4, 0, 6)


def test_other_groups_of_the_same_number_are_no_plateau():
    turning = [np.roll(partition(100, 100), 30 * i) for i in range(8)]
    assert len({count_clusters(labels) for labels in turning}) == 1
    assert found(*[(1, labels) for labels in turning]) is None


def test_one_group_beside_its_tail_is_no_grouping():
    assert found((12, partition(183, 17))) is None
    assert found((12, partition(181, 19))) == (0, 0, 12)
    few = [partition(71, 9), partition(70, 10)]
    assert [finest_plateau(POWERS, [some] * 24) is None for some in few] == [True, False]


def test_a_tail_makes_no_plateau_finer():
    two, tail = partition(110, 90), partition(107, 87, 6)
    five = partition(40, 40, 40, 40, 40)
    assert found((1, five), (6, tail)) == (1, 1, 7)
    assert found((1, five), (6, tail), (2, two)) == (7, 1, 9)
    assert found((1, five), (6, partition(80, 70, 50)), (6, two)) == (1, 1, 7)
    # Of a fit that needs no more groups every one counts.
    assert found((6, tail), (2, two)) == (0, 0, 6)


def test_weights_count_as_copies():
    runs = [(4, partition(30, 20, 20)), (8, partition(50, 20))]
    labels = [np.resize(some, 70) for some in path(*runs)[:12]]
    weights = np.resize([1, 2, 3], 70)
    copied = [np.repeat(some, weights) for some in labels]
    some_powers = POWERS[:12]
    assert finest_plateau(some_powers, labels, weights) == finest_plateau(some_powers, copied)
    assert count_clusters(partition(4, 3), np.full(7, 2)) == 2


def test_clusters_count_from_5_rows_and_1_percent():
    assert count_clusters(np.repeat([0, 1, 2, 3], [980, 12, 9, 4])) == 1 + 1
    assert count_clusters(np.repeat([0, 1, 2], [20, 5, 4])) == 2
    assert count_clusters(np.arange(4)) == 1
