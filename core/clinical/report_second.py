"""The section of a report about a second cohort: where its patients go, and its outcomes there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..exports.report import Report
from ..release.allowed import ALLOWED
from ..release.door import only_named
from ..statistics.suppression import HIDDEN, suppress_sizes
from ..wording import listed, p_text, percent
from .disclosure import are_patients_told, sizes
from .second_cohort import SecondCohort
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
    table = only_named(second_sizes(found, groups, least), ALLOWED["second"])
    report.table(table, "Group sizes in both cohorts, small ones hidden.")
    if found.absent:
        report.paragraph(f"Outcomes that it lacks: {listed(found.absent, 20)}.")
    outcomes = second_outcomes(found, groups, least)
    if not outcomes.empty:
        report.note(CAUTION)
        report.table(
            only_named(outcomes, ALLOWED["second-outcomes"]),
            f"Outcomes of the second cohort, all groups at once. "
            f"{found.validators.overall_adjusted.sentence}. Left out: those of which a count below "
            f"{least} could be worked out.",
        )


def second_sizes(found: SecondCohort, groups: Subgroups, least: int) -> pd.DataFrame:
    """Group sizes of both cohorts, each fit to be told."""
    names = [*groups.titles, NONE_OF_THESE]
    counts = np.bincount(found.labels).tolist()
    second = suppress_sizes(counts, least, names[: len(counts)])
    told = second.as_text()["Patients"]
    first = sizes(groups, least).as_text()["Patients"]
    n = found.labels.size
    lines = []
    for name, own in zip(names, [*list(first)[:-1], "0"], strict=True):
        # A group that nobody is in is as small as any.
        count = told.get(name, HIDDEN)
        share = HIDDEN if count == HIDDEN else percent(int(count), n)
        lines.append((name, "" if name == NONE_OF_THESE else own, count, share))
    columns = ["Group", "First cohort", "Second cohort", "Share in the second"]
    return pd.DataFrame(lines, columns=columns)


def second_outcomes(found: SecondCohort, groups: Subgroups, least: int) -> pd.DataFrame:
    """Tests of all groups at once in the second cohort, of the columns that may be told."""
    inside = found.labels[found.labels < groups.model.n_clusters_]
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
            and all(
                are_patients_told(column.variable, inside == k, least)
                for k in column.overall.groups
            )
        ]
    )
