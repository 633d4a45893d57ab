"""Sections of a report about outcomes: tests, survival, adjusted effects, negative controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from ..exports.report import Report
from ..plots.validators import forest_figure, survival_figure
from ..statistics.association import Associations
from ..statistics.multiplicity import LEVEL
from ..statistics.survival import coarsened
from .disclosure import is_told, told_pairs
from .report_parts import add_figure
from .report_tables import WITH_COVARIATES, restricted_means, survival_table
from .strobe import ADJUSTED, FOLLOW_UP, OUTCOMES
from .subgroups import Subgroups
from .t_test_lines import TTests
from .tables import overall_table, pairs_text
from .validation import CAUTION, Validation, refused_shares, survival_curves


def follow_up(report: Report, validation: Validation, tables: dict[str, pd.DataFrame]) -> None:
    """Until when patients were seen, and how many events there were."""
    timed = [c for c in validation.validators.columns if c.variable.kind == "time to event"]
    report.heading(f"{FOLLOW_UP} (STROBE 14c)", 3)
    if not timed:
        report.paragraph("No time to an event was named: follow-up is for the authors to tell.")
        return
    names = ", ".join(column.variable.title for column in timed)
    where = "Table 1" if "table-1" in tables else "the tables of outcomes"
    report.paragraph(
        f"Events of {names}, and the median time to them, stand in {where}. Patients without the "
        "event count until they were last seen."
    )


def validators(
    report: Report,
    validation: Validation,
    groups: Subgroups,
    tables: dict[str, pd.DataFrame],
    least: int,
) -> None:
    """Tests, effects and curves of the columns kept out."""
    report.heading(f"{OUTCOMES}: columns kept out of the search (STROBE 15 and 16)")
    report.paragraph("What each group is like on them stands in Table 1.")
    report.note(CAUTION)
    _family(report, validation.validators, groups, tables.get("validators"), least)
    for reason in refused_shares(validation.validators):
        report.note(reason)
    columns = {column.variable.title: column for column in validation.validators.columns}
    for survival in survival_curves(validation.validators, groups.labels):
        column = columns[survival.name]
        curves = {
            group: curve
            for group, curve in survival.curves.items()
            if is_told(column, (group,), groups, least)
        }
        if curves:
            told = coarsened(replace(survival, curves=curves), least)
            add_figure(
                report,
                survival_figure(told, groups.titles, least),
                f"{survival.name}: Kaplan-Meier curves with patients at risk, of the groups whose "
                "numbers may be told.",
            )
            report.table(
                survival_table(told, groups.titles),
                f"{survival.name}: share without the event at fixed times.",
            )


def controls(
    report: Report,
    validation: Validation,
    groups: Subgroups,
    tables: dict[str, pd.DataFrame],
    least: int,
) -> None:
    """The same tests of columns that should show nothing."""
    report.heading("Negative controls", 3)
    _family(report, validation.controls, groups, tables.get("controls"), least)


def further(
    report: Report,
    validation: Validation,
    tests: TTests | None,
    tables: dict[str, pd.DataFrame],
    told: pd.DataFrame,
    covariates: Sequence[str],
) -> None:
    """Adjusted effects and times to events, of the columns and groups (rows) that may be told."""
    if tests is None:
        return
    report.heading(f"{ADJUSTED} (STROBE 16)", 3)
    if "adjusted" in tables:
        table, said = tables["adjusted"], f"alone and adjusted for {', '.join(covariates)}"
        if not covariates:
            table, said = (
                table.drop(columns=list(WITH_COVARIATES)),
                ("not adjusted: no covariate was locked"),
            )
        report.table(
            table,
            f"Validators between every two groups, {said}. Ratios above 1 and differences above 0: "
            "more, or sooner, in the group named first.",
        )
    else:
        report.paragraph("No validator could be put into a regression here.")
    for column in validation.validators.columns:
        if column.variable.kind != "time to event" or column.variable.no_share:
            continue
        means = restricted_means(tests, column, told)
        if not means.empty:
            report.table(
                means,
                f"{column.variable.title}: restricted mean times without the event, up to a round "
                "time that was seen in both groups.",
            )


def _family(
    report: Report,
    found: Associations,
    groups: Subgroups,
    pairs: pd.DataFrame | None,
    least: int,
) -> None:
    if not found.columns:
        report.paragraph("None was named.")
        return
    report.table(
        overall_table(found, groups, least),
        f"All groups at once. {found.overall_adjusted.sentence}.",
    )
    figure = forest_figure(told_pairs(found, groups, least))
    if figure is not None:
        add_figure(
            report,
            figure,
            "Effects between every two groups with 95 % intervals; filled squares: corrected p at "
            f"most {LEVEL:g}; the line marks no difference.",
        )
    told = pd.DataFrame() if pairs is None else pairs_text(pairs)
    if told.empty:
        report.paragraph(
            f"No two groups can be compared here: a count below {least} could be worked out, or "
            "too few are observed to test."
        )
    else:
        report.table(
            told,
            f"Every two groups. {found.pairs_adjusted.sentence}. Pairs from whose numbers a count "
            f"below {least} could be worked out are left out, as are those too small to test.",
        )
    for column, reason in found.refused.items():
        report.paragraph(f"{column} was not tested. {reason}")
