"""Over which powers the same groups stay."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.models.plateaus import count_clusters, finest_plateau

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
