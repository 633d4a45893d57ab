"""Sections of a report about the groups: which, chance or severity, stability, differences."""

from __future__ import annotations

import pandas as pd

from ..exports.report import Report
from ..plots.clinical import jaccard_figure, objectives_figure, pair_figure, reference_figure
from ..plots.heat_maps import differences_figure
from ..statistics.bootstraps import BANDS_SENTENCE
from ..statistics.chance import LIMITS
from .checks import Checks
from .distinctions import BY_CONSTRUCTION, Distinctions
from .report_parts import LEADING, add_by_group, add_figure
from .small_counts import Hidden
from .study import Study


def overview(
    report: Report, study: Study, checks: Checks, tables: dict[str, pd.DataFrame], sentence: str
) -> None:
    """The verdict with its clauses, and how large the groups are."""
    report.heading("Groups at a glance")
    for said in filter(None, (study.reservation, checks.groups.sites)):
        report.note(said)
    light = checks.light
    name = f"{light.colour}, provisional" if light.provisional else light.colour
    report.paragraph(f"Verdict: {name}. {light.headline}. {light.advice}")
    report.points(f"{clause.name} ({clause.colour}): {clause.sentence}" for clause in light.clauses)
    if not checks.groups.found_any:
        report.paragraph(
            "No groups were found: one group describes these patients best. What follows a "
            "grouping (profiles, validators) is therefore absent."
        )
    report.table(tables["groups"], sentence)
    if checks.groups.atypical:
        report.paragraph(
            "A few patients resemble nobody enough to be in a group; they are atypical, described "
            "by no average and left out of every test."
        )


def severity(report: Report, checks: Checks) -> None:
    """Whether there is more than chance, or than steps along one line."""
    report.heading("Chance or severity?")
    reference = checks.reference
    if reference is None or not reference.n_drawn:
        report.paragraph("Not compared with tables that have no groups.")
    else:
        report.paragraph(reference.sentence)
        add_figure(
            report,
            reference_figure(reference.beside),
            "What groups gain: tables drawn without groups, beside this cohort at 0.",
        )
    report.note(LIMITS)
    if checks.rank_one is not None:
        report.paragraph(
            f"Rank-1 share {checks.rank_one:.2f}: near 1 the groups are steps along one line, the "
            "lower the more they differ in kind."
        )


def stability(report: Report, checks: Checks) -> None:
    """Whether the groups come back, with other patients, starts and settings."""
    report.heading("Stability")
    stability = checks.stability
    if stability is None or stability.bootstraps is None:
        report.paragraph("Not checked.")
        return
    draws = stability.bootstraps
    add_figure(
        report,
        jaccard_figure(checks.groups.titles, draws.mean_jaccard, draws.jaccard),
        "Overlap of every group with its best match when the patients are drawn anew: "
        f"{BANDS_SENTENCE}.",
    )
    if draws.held_out is not None:
        report.paragraph(draws.held_out.sentence)
    if stability.restarts is not None:
        add_figure(
            report,
            objectives_figure(stability.restarts.objectives),
            "Score of every restart above the best: minus the log probability of its grouping (E), "
            "lower is better.",
        )
    settings = checks.settings_table()
    if not settings.empty:
        report.table(
            settings,
            "Groups under other settings of the prior. ARI, the adjusted Rand index: 1 is the same "
            "groups, 0 no more than chance.",
        )


def differences(
    report: Report, seen: Distinctions, tables: dict[str, pd.DataFrame], hidden: Hidden
) -> None:
    """What the groups, two at least, are like in the columns that made them; no p-value."""
    report.heading("What distinguishes the groups")
    report.note(BY_CONSTRUCTION)
    groups = seen.groups
    titles = groups.titles
    leading = seen.leading(LEADING)
    away = hidden.figures.loc[leading.index.get_level_values("column")]
    add_figure(
        report,
        differences_figure(
            leading.mask(away[[titles[k] for k in leading]].to_numpy()),
            [titles[k] for k in leading],
        ),
        f"Means in standard deviations from all patients, for the {len(leading)} columns that "
        "drove the grouping most. Empty where small counts are hidden.",
    )
    a, b = groups.profiled[:2]
    between = seen.between(a, b, LEADING)
    away = hidden.figures.loc[between.index.get_level_values("column"), [titles[a], titles[b]]]
    add_figure(
        report,
        pair_figure(between[~away.any(axis=1).to_numpy()], (titles[a], a), (titles[b], b)),
        f"Largest differences between {titles[a]} and {titles[b]}.",
    )
    for name, caption in (
        ("yes-no", "Probability of “yes” (available cases), the widest differences first."),
        ("scores", "Mean score of ratings (available cases), the widest differences first."),
    ):
        if name in tables:
            add_by_group(report, tables[name].head(LEADING), titles, caption)
