"""Sections of a report about the groups: which, chance or severity, stability, differences."""

from __future__ import annotations

import pandas as pd

from ..exports.report import Report
from ..plots.clinical import jaccard_figure, objectives_figure, pair_figure, reference_figure
from ..plots.heat_maps import differences_figure
from ..statistics.bootstraps import BANDS_SENTENCE
from ..statistics.copula import LIMITS
from .checks import Checks
from .disclosure import shown, told_means
from .distinctions import BY_CONSTRUCTION, Distinctions
from .report_parts import LEADING, add_by_group, add_figure
from .study import Study


def overview(
    report: Report, study: Study, checks: Checks, tables: dict[str, pd.DataFrame], hidden: str
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
    report.table(tables["groups"], hidden)
    if checks.groups.atypical:
        report.paragraph(
            "A few patients resemble nobody enough to be in a group; they are atypical, described "
            "by no average and left out of every test."
        )


def severity(report: Report, checks: Checks) -> None:
    """Whether there is more than chance, or than steps along one line."""
    report.heading("Chance or severity?")
    reference = checks.reference
    if reference is None or not reference.draws.size:
        report.paragraph("Not compared with tables that have no groups.")
    else:
        report.paragraph(reference.sentence)
        add_figure(
            report,
            reference_figure(reference.observed, reference.kinds),
            "Gain over one group: this cohort beside tables drawn without groups.",
        )
    report.note(LIMITS)
    if checks.rank_one is not None:
        report.paragraph(
            f"Rank-1 share {checks.rank_one:.2f}: near 1 the groups are steps along one line, the "
            "lower the more they differ in kind."
        )


def stability(report: Report, checks: Checks, least: int) -> None:
    """Whether the groups come back, with other patients, starts and settings."""
    report.heading("Stability")
    stability = checks.stability
    if stability is None or stability.bootstraps is None:
        report.paragraph("Not checked.")
        return
    draws, kept = stability.bootstraps, shown(checks.groups, least)
    means = [mean if k in kept else None for k, mean in enumerate(draws.mean_jaccard)]
    add_figure(
        report,
        jaccard_figure(checks.groups.titles, means, draws.jaccard),
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
    report: Report, seen: Distinctions, tables: dict[str, pd.DataFrame], least: int
) -> None:
    """What the groups are like in the columns that made them; no p-value."""
    report.heading("What distinguishes the groups")
    report.note(BY_CONSTRUCTION)
    kept = [k for k in shown(seen.groups, least) if k in seen.groups.profiled]
    if not kept:
        report.paragraph("Every group is too small for its means to be shown here.")
        return
    titles = seen.groups.titles
    # Two digits: more would tell counts that the tables hide.
    leading = seen.leading(LEADING)[kept].round(2)
    told = told_means(seen, leading.index.get_level_values("column"), least)[kept]
    leading = leading.where(told.loc[leading.index.get_level_values("column")].to_numpy())
    add_figure(
        report,
        differences_figure(leading, [titles[k] for k in kept]),
        f"Means in standard deviations from all patients, for the {len(leading)} columns that "
        f"drove the grouping most. Empty where a count below {least} would follow; groups whose "
        "size is hidden are left out.",
    )
    if len(kept) > 1:
        a, b = kept[:2]
        between = seen.between(a, b, LEADING).round(2)
        told = told_means(seen, between.index.get_level_values("column"), least)
        between = between[told[[a, b]].all(axis=1).to_numpy()]
        add_figure(
            report,
            pair_figure(between, (titles[a], a), (titles[b], b)),
            f"Largest differences between {titles[a]} and {titles[b]}, of the columns without "
            f"counts below {least}.",
        )
    for name, caption in (
        ("yes-no", "Probability of “yes” (available cases), the widest differences first."),
        ("scores", "Mean score of ratings (available cases), the widest differences first."),
    ):
        if name in tables:
            add_by_group(report, tables[name].head(LEADING), titles, caption)
