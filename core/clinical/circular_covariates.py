"""Adjusting for a column that made the groups: what is asked then is something else."""

from __future__ import annotations

from collections.abc import Sequence


def circular_warning(covariates: Sequence[str], made: Sequence[str]) -> str:
    """What adjusting for columns that ``made`` the groups asks; empty where no covariate did."""
    circular = [name for name in covariates if name in made]
    if not circular:
        return ""
    return (
        f"{', '.join(circular)} made the groups. Adjusting for a column that made the groups "
        "compares patients who are alike in "
        "what tells the groups apart: it no longer asks whether the groups differ, but whether "
        "they differ beyond what made them. Such an effect can vanish or turn round (a hazard "
        "ratio of 0.87 became 1.78), and rests on the few patients of both groups who are alike. "
        "Adjust for what was there before and made no group, such as age, sex or site."
    )
