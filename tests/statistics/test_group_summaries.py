"""A column within each group."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from mapdp_studio.core.statistics.compare import compare
from mapdp_studio.core.statistics.group_summaries import summarise
from mapdp_studio.core.statistics.variables import Variable


def test_wilson_interval_and_hidden_groups():
    labels = np.repeat([0, 1, 2], [30, 7, 4])
    variable = Variable("x", "yes/no", (np.arange(41) % 3 == 0).astype(float), ("no", "yes"))
    summary = summarise(variable, labels, 0, 5)
    share = summary.numbers["share"], summary.numbers["low"], summary.numbers["high"]
    assert share == pytest.approx((1 / 3, *proportion_confint(10, 30, method="wilson")))
    assert summary.counts == (20, 10)
    few = summarise(variable, labels, 2, 5)
    assert few.hidden
    assert not few.numbers
    assert not few.counts
    described = compare(variable, labels, (0, 1), 0)
    assert described.test.p is None
    assert "described" in described.test.reason
