"""Ties between columns, and how well the others predict one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats.contingency import association
from sklearn.metrics import cohen_kappa_score

from mapdp_studio.core.schema.ties import foreseen, ties_of


def columns(n=60, seed=0):
    random = np.random.default_rng(seed)
    known = random.integers(3, size=n) * 1.0
    noisy = np.where(random.random(n) < 0.4, random.integers(3, size=n), known)
    other = random.integers(2, size=n) * 1.0
    noisy[:5], known[7] = np.nan, np.nan
    return {"known": known, "noisy": noisy, "other": other, "twin": 2 - known}


def by_hand(codes, name):
    """Naive Bayes with half a row a value, every row said from all the others."""
    rows = [i for i, value in enumerate(codes[name]) if not np.isnan(value)]
    classes = sorted({codes[name][i] for i in rows})
    said = []
    for i in rows:
        rest = [j for j in rows if j != i]
        scores = []
        for value in classes:
            score = np.log(sum(codes[name][j] == value for j in rest) + 0.5)
            for other in codes:
                if other in (name, "twin") or np.isnan(codes[other][i]):
                    continue
                seen = [j for j in rest if not np.isnan(codes[other][j])]
                here = [codes[other][j] for j in seen if codes[name][j] == value]
                levels = len({codes[other][j] for j in [*seen, i]})
                score += np.log(sum(v == codes[other][i] for v in here) + 0.5)
                score -= np.log(len(here) + 0.5 * levels)
            scores.append(score)
        said.append(classes[int(np.argmax(scores))])
    return cohen_kappa_score([codes[name][i] for i in rows], said)


def test_what_the_others_predict_is_naive_bayes_without_the_row_and_without_twins():
    codes = columns()
    assert foreseen(codes, "known") == pytest.approx(by_hand(codes, "known"), abs=1e-12)
    assert foreseen(codes, "known") > 0.3 > abs(foreseen(codes, "other"))
    assert foreseen({"one": np.zeros(9), "two": np.arange(9.0)}, "one") == 0.0


def test_ties_are_cramers_v():
    codes = columns(n=5000)
    v, p = ties_of(codes, "known")["noisy"]
    both = ~np.isnan(codes["known"]) & ~np.isnan(codes["noisy"])
    table = np.zeros((3, 3), int)
    np.add.at(table, (codes["known"][both].astype(int), codes["noisy"][both].astype(int)), 1)
    assert v == pytest.approx(association(table, method="cramer"), abs=1e-3)
    assert p < 1e-10
    assert ties_of(codes, "known")["other"][1] > 1e-4
