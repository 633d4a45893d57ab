"""Sections of a report about outcomes: tests, survival, adjusted effects, negative controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ..exports.report import Report
from ..plots.validators import forest_figure
from ..statistics.compare import Associations, ColumnAssociation
from ..statistics.correct import LEVEL
from .circular_covariates import circular_warning
from .report_parts import add_figure
from .small_counts import HIDDEN, Hidden
from .subgroups import Subgroups
from .t_test_lines import TTests
from .tables import pairs_text
from .times_to_events import add_times_to_events, times_to_events
from .validation import CAUTION, Validation, overall


def follow_up(report: Report, validation: Validation) -> None:
    """Until when patients were seen, and how many events there were."""
    timed = times_to_events(validation.validators)
    report.heading("Follow-up", 3)
    if not timed:
        report.paragraph("No time to an event was named: follow-up is for the authors to tell.")
        return
    names = ", ".join(column.variable.title for column in timed)
    report.paragraph(
        f"Patients, events and median follow-up of {names} by group stand under “Times to events”. "
        "Patients without the event count until they were last seen, or another event came first."
    )


def validators(
    report: Report,
    validation: Validation,
    groups: Subgroups,
    tables: dict[str, pd.DataFrame],
    hidden: Hidden,
    least: int,
) -> None:
    """Tests, effects and curves of the columns kept out."""
    report.heading("Validators: columns kept out of the search")
    report.paragraph("What each group is like on them stands in Table 1.")
    report.note(CAUTION)
    _family(report, validation.validators, groups, tables.get("validators"), hidden)
    add_times_to_events(report, validation.validators, groups, hidden, least)


def controls(
    report: Report,
    validation: Validation,
    groups: Subgroups,
    tables: dict[str, pd.DataFrame],
    hidden: Hidden,
) -> None:
    """The same tests of columns that should show nothing."""
    report.heading("Negative controls", 3)
    _family(report, validation.controls, groups, tables.get("controls"), hidden)


def further(
    report: Report,
    tests: TTests | None,
    tables: dict[str, pd.DataFrame],
    covariates: Sequence[str],
) -> None:
    """Adjusted effects."""
    if tests is None:
        return
    report.heading("Adjusted effects", 3)
    if warning := circular_warning(covariates, tests.made):
        report.note(warning)
    if not covariates:
        report.paragraph("No covariate was locked: the effects above are not adjusted.")
    elif "adjusted" in tables:
        report.table(
            tables["adjusted"],
            f"Validators between every two groups, alone and adjusted for {', '.join(covariates)}. "
            "Ratios above 1 and differences above 0: more, or sooner, in the group named first.",
        )
    else:
        report.paragraph("No validator could be put into a regression here.")


def _family(
    report: Report,
    found: Associations,
    groups: Subgroups,
    pairs: pd.DataFrame | None,
    hidden: Hidden,
) -> None:
    if not found.columns:
        report.paragraph("None was named.")
        return
    at_once = overall(found)
    names = [column.variable.name for column in found.columns]
    uncounted = hidden.counts.loc[names, list(groups.titles)].any(axis=1).to_numpy()
    report.table(
        at_once.assign(n=at_once["n"].mask(uncounted, HIDDEN)),
        f"All groups at once. {found.overall_adjusted.sentence}.",
    )
    figure = forest_figure([_shown(column, hidden, groups) for column in found.columns])
    if figure is not None:
        add_figure(
            report,
            figure,
            "Effects between every two groups with 95 % intervals; filled squares: corrected p at "
            f"most {LEVEL:g}; the line marks no difference.",
        )
    told = pd.DataFrame() if pairs is None else pairs_text(pairs)
    if told.empty:
        report.paragraph("No two groups can be compared here: too few are observed to test.")
    else:
        report.table(
            told,
            f"Every two groups. {found.pairs_adjusted.sentence}. Pairs too small to test are left "
            "out.",
        )
    for column, reason in found.refused.items():
        report.paragraph(f"{column} was not tested. {reason}")


def _shown(column: ColumnAssociation, hidden: Hidden, groups: Subgroups) -> ColumnAssociation:
    """A column with those pairs of groups of which the figures are shown."""
    away = hidden.figures.loc[column.variable.name, list(groups.titles)].to_numpy()
    return replace(
        column, pairs=tuple(pair for pair in column.pairs if not away[list(pair.groups)].any())
    )
