"""Outcomes and negative controls."""

from __future__ import annotations


def test_outcomes_differ_and_negative_controls_do_not(cohort):
    validation = cohort["validation"]
    by_name = {c.variable.name: c for c in validation.validators.columns}
    assert len(by_name) == 6
    assert by_name["Motor decline a year (points)"].overall.adjusted < 0.001
    assert all(c.overall.adjusted > 0.05 for c in validation.controls.columns)
