"""Rows that are scored together choose as numpy's argmax says."""

from __future__ import annotations

import numpy as np

from core.parts.choose import choose


def test_the_choice_is_the_best_of_the_others():
    random = np.random.default_rng(0)
    n_rows, k = 400, 5
    scores = random.normal(size=(n_rows, 8))
    own = random.integers(k, size=n_rows)
    members = np.array([1, 7, 9, 1, 20, 0, 0, 0])
    weights = np.append(random.normal(size=k), 0.3)
    without = random.normal(size=k)
    best, slack, fits = np.empty(n_rows, dtype=np.int64), np.empty(n_rows), np.empty(n_rows)
    choose(scores, weights, own, without, members, best, slack, fits)
    costs, rows = scores[:, : k + 1] + weights, np.arange(n_rows)
    stay = scores[rows, own] + without[own]
    alone = members[own] == 1
    stay[alone], costs[alone, k] = costs[alone, k], -np.inf
    costs[rows, own] = -np.inf
    np.testing.assert_array_equal(best, costs.argmax(axis=1))
    np.testing.assert_array_equal(slack, stay - costs.max(axis=1))
    np.testing.assert_array_equal(fits, scores[rows, own])


def test_the_only_row_of_the_only_cluster_stays():
    best, slack, fits = np.empty(1, dtype=np.int64), np.empty(1), np.empty(1)
    own, members = np.zeros(1, dtype=np.int64), np.array([1, 0])
    choose(np.ones((1, 2)), np.zeros(2), own, np.zeros(1), members, best, slack, fits)
    assert slack[0] == np.inf
