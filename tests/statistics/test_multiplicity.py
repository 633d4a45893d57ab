"""Corrections for the number of tests."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from mapdp_studio.core.statistics.correct import adjust


@pytest.mark.parametrize("n_columns", [20, 21])
def test_corrections_leave_out_what_was_not_tested(n_columns):
    p = np.random.default_rng(n_columns).random(40) ** 3
    p[5:8] = p[4]
    given = [None, *p[:10], None, *p[10:], None]
    found = adjust(given, n_columns)
    method = "holm" if n_columns <= 20 else "fdr_bh"
    theirs = multipletests(p, method=method)[1]
    assert [q for q in found.p if q is not None] == pytest.approx(theirs, rel=1e-14)
    assert [place for place, q in enumerate(found.p) if q is None] == [0, 11, 42]
    name = "Holm" if n_columns <= 20 else "Benjamini-Hochberg"
    assert found.sentence == f"{name} over 40 tests"
    assert adjust([None, None], 3).sentence == "No test was made"
