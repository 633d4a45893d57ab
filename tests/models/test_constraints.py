"""Rows that must or must not be together: met to the letter, and the best of all that meet them."""

from __future__ import annotations

import numpy as np
import pytest

from core import MAPDP
from core.engine.partition import Partition
from core.models.constraints import Constraints

RANDOM = np.random.default_rng(3)
ROWS = np.vstack([RANDOM.normal(m, 1.0, (30, 2)) for m in (0.0, 8.0, 16.0)])


def _partitions(n):
    """Every partition of n rows, as labels."""
    found = [[0]]
    for _ in range(n - 1):
        found = [[*labels, k] for labels in found for k in range(max(labels) + 2)]
    return np.array(found)


def test_of_all_partitions_that_meet_the_constraints_it_nearly_always_finds_the_best():
    every, gaps = _partitions(8), []
    for seed in range(12):
        random = np.random.default_rng(seed)
        rows = np.concatenate([random.normal(0.0, 1.0, 4), random.normal(6.0, 1.0, 4)])[:, None]
        (a, b), cannot = random.choice(8, 2, replace=False), [(0, 1), (5, 7)]
        a, b = (0, 4) if {a, b} in ({0, 1}, {5, 7}) else (a, b)
        model = MAPDP(prior="empirical", random_state=0)
        model.fit(rows, must_link=[(a, b)], cannot_link=cannot)
        allowed = every[every[:, a] == every[:, b]]
        allowed = allowed[(allowed[:, 0] != allowed[:, 1]) & (allowed[:, 5] != allowed[:, 7])]
        best = min(Partition(model.columns_, 3.0, labels).objective() for labels in allowed)
        gaps.append(model.objective_ - best)
    assert min(gaps) > -1e-9
    assert np.sum(np.array(gaps) < 1e-9) >= 11
    assert max(gaps) < 0.1


def test_constraints_are_met_and_the_rest_of_the_table_is_as_it_was():
    free = MAPDP(random_state=0).fit(ROWS)
    assert free.n_clusters_ == 3
    must, cannot = [(0, 30, 61), (5, 6)], [(7, 8, 9)]
    held = MAPDP(random_state=0).fit(ROWS, must_link=must, cannot_link=cannot)
    labels = held.labels_
    assert all(np.unique(labels[list(rows)]).size == 1 for rows in must)
    assert all(np.unique(labels[list(rows)]).size == len(rows) for rows in cannot)
    assert held.objective_ == pytest.approx(held.partition_.objective())
    assert held.objective_ == held.objective_trace_[-1] > free.objective_
    assert np.array_equal(held.labels_, held.partition_.labels)
    assert (np.diff(held.result_.sizes) <= 0).all()
    others = np.setdiff1d(np.arange(90), [0, 30, 61, 5, 6, 7, 8, 9])
    assert (labels[others[others < 30]] == labels[others[0]]).all()
    assert held.predict(ROWS[[1]]) == labels[1]


def test_constraints_that_hold_anyway_change_nothing():
    free = MAPDP(random_state=0).fit(ROWS)
    same = MAPDP(random_state=0).fit(ROWS, must_link=[range(10)], cannot_link=[(0, 30, 60)])
    assert np.array_equal(same.labels_, free.labels_)
    assert same.objective_ == pytest.approx(free.objective_)


def test_links_are_transitive_and_contradictions_get_a_sentence():
    wanted = Constraints.of([(0, 1), (1, 2)], [(2, 3)], 5)
    assert [chunk.tolist() for chunk in wanted.chunks] == [[0, 1, 2], [3]]
    assert wanted.apart == ((1,), (0,))
    assert wanted.free.tolist() == [4]
    fit = MAPDP(random_state=0, patience=0).fit
    with pytest.raises(ValueError, match=r"Rows 0 and 2 .* must be together and must not be"):
        fit(ROWS, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
    for rows in ([(0, 90)], [(0.5, 1.0)], [(-1, 2)]):
        with pytest.raises(ValueError, match="counted from 0 to 89"):
            fit(ROWS, must_link=rows)
    with pytest.raises(ValueError, match="need missing='marginalize'"):
        MAPDP(missing="impute").fit(ROWS, must_link=[(0, 1)])
