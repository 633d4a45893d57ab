"""The paper's test of every column, and how many differ by chance."""

from __future__ import annotations

import pytest

from mapdp_studio.core.clinical.tables import Replication


def test_about_61_columns_differ_between_the_two_largest_groups(cohort):
    view = Replication(cohort["seen"], cohort["tests"])
    counts = view.counts().iloc[0]
    assert counts["Groups"] == "Group 1 and Group 2"
    assert 55 <= counts["Differ at 0.01"] <= 68
    assert counts["Expected by chance"] == pytest.approx(2.1)
    assert "Facial expression" in set(view.table_4()["Column"])
