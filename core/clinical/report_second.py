"""The section of a report about a second cohort: where its patients go, and its outcomes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..exports.report import Report
from ..wording import listed, p_text, percent
from .second_cohort import SecondCohort
from .small_counts import HIDDEN, TOTAL, hide_small, sizes_shown
from .subgroups import Subgroups
from .validation import CAUTION

NONE_OF_THESE = "none of these"


@dataclass(frozen=True, eq=False)
class Brought:
    """A second cohort that was brought, and what came of it."""

    #: Of its file.
    name: str
    #: None where nobody has looked yet.
    found: SecondCohort | None


def second_cohort(report: Report, second: Brought | None, groups: Subgroups, least: int) -> None:
    """What became of the groups in other patients."""
    report.heading("A second cohort")
    if second is None:
        report.paragraph("None was brought: whether the groups are found elsewhere is not known.")
        return
    if second.found is None:
        report.paragraph(f"{second.name} was brought, and its patients have not been placed yet.")
        return
    found = second.found
    report.paragraph(
        f"Each patient of {second.name} ({found.labels.size:,} patients) was placed in the group "
        f"of the first cohort that suits best, or in none, on {found.n_columns:,} columns; nothing "
        f"was fitted to it. Mean log predictive density of an observed cell: {found.density:.2f}, "
        f"in the first cohort {found.own_density:.2f} (every patient left out in turn); much lower "
        "means that the second cohort is unlike the first."
    )
    sizes = second_sizes(found, groups, least)
    report.table(sizes, "Group sizes in both cohorts.")
    if found.absent:
        report.paragraph(f"Outcomes that it lacks: {listed(found.absent, 20)}.")
    outcomes = second_outcomes(found)
    if not outcomes.empty:
        report.note(CAUTION)
        report.table(
            outcomes,
            f"Outcomes of the second cohort, all groups at once. "
            f"{found.validators.overall_adjusted.sentence}.",
        )


def second_sizes(found: SecondCohort, groups: Subgroups, least: int) -> pd.DataFrame:
    """Group sizes of both cohorts, small ones hidden."""
    names = [*groups.titles, NONE_OF_THESE]
    n = found.labels.size
    counts = pd.Series([*np.bincount(found.labels, minlength=len(names)), n], [*names, TOTAL])
    first = sizes_shown(groups, least)
    second = hide_small(counts.to_frame(), least)[0]
    return pd.DataFrame(
        {
            "Group": names,
            "First cohort": [*map(_count, first.iloc[:-1]), ""],
            "Second cohort": [*map(_count, second.iloc[:-1])],
            "Share in the second": [
                HIDDEN if np.isnan(count) else percent(int(count), n) for count in second.iloc[:-1]
            ],
        }
    )


def _count(count: float) -> str:
    return HIDDEN if np.isnan(count) else f"{count:,.0f}"


def second_outcomes(found: SecondCohort) -> pd.DataFrame:
    """Tests of all groups at once in the second cohort."""
    return pd.DataFrame(
        [
            {
                "Column": column.variable.title,
                "Groups": ", ".join(str(k + 1) for k in column.overall.groups),
                "Test": column.overall.test.name,
                "p": p_text(column.overall.test.p),
                "p, corrected": p_text(column.overall.adjusted),
            }
            for column in found.validators.columns
            if column.overall.test.p is not None
        ]
    )
