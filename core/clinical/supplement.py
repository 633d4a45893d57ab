"""The supplement of a study's report: everything that its first two pages rest on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..exports.report import Report
from ..plots.clinical import jaccard_figure, objectives_figure, pair_figure, reference_figure
from ..plots.validators import forest_figure, survival_figure
from ..statistics.bootstraps import BANDS_SENTENCE
from ..statistics.chance import LIMITS
from ..statistics.compare import Associations
from ..statistics.correct import LEVEL
from ..statistics.hazards import SCOPE
from ..statistics.survival import Curve, Survival
from ..wording import listed, p_text
from .checks import Checks
from .groups import BY_CONSTRUCTION, Distinctions, Subgroups
from .methods import settings_table
from .outcomes import (
    CAUTION,
    ESTIMATES,
    INTERVALS,
    Validation,
    circular_warning,
    effects_table,
    follow_up_table,
    overall,
    refused_shares,
    survival_curves,
    survival_table,
    times_to_events,
)
from .placing import SecondCohort
from .small_counts import ALL, HIDDEN, Hidden, shown
from .study import PARTS, Study
from .t_tests import BANNER, LIMIT, OPPOSED, TTests
from .tables import CAPTION, Tables, pairs_text, second_sizes
from .verdict import VERDICTS, heading

#: Columns in each figure and table of what distinguishes the groups.
LEADING = 25
#: Lines of t-tests, and what each shows.
MOST_LINES = 60
T_TEST_COLUMNS = {
    **{"title": "Column", "groups": "Groups", "differs": "Differs"},
    **{"n_1": "n 1st", "n_2": "n 2nd", "mean_1": "mean 1st", "mean_2": "mean 2nd"},
    **{"difference_left_out": "Difference", "low_left_out": "95 % from", "high_left_out": "to"},
    **{"p_left_out": "p, column left out", "judged": "corrected", "overlap": "Overlap"},
    **{"p": "p, as the paper"},
}
T_TEST_CAPTION = (
    "Welch's t-test on every column that made the groups, between every two of them. Differs: p, "
    f"column left out, at most {LEVEL:g} after Benjamini-Hochberg over all columns and pairs, in "
    "the direction in which the groups shown differ. 1st is the group named first. “As the paper”: "
    "the test between the groups shown (Raykov et al. 2016), and so are n and means; the rest is "
    "of the groups found without the column. Overlap is the lower Jaccard similarity of the two "
    "with those shown. Empty: a small count is hidden, or the groups were not sought, or not "
    "found, without the column."
)


@dataclass(frozen=True, eq=False)
class Brought:
    """A second cohort that was brought, and what came of it."""

    #: Of its file.
    name: str
    #: None where nobody has looked yet.
    found: SecondCohort | None


@dataclass(frozen=True, eq=False)
class Supplement:
    """What the report of a study is written from, and its sections after the first two pages."""

    study: Study
    checks: Checks
    seen: Distinctions
    validation: Validation
    tests: TTests
    tables: Tables
    hidden: Hidden
    least: int

    @property
    def groups(self) -> Subgroups:
        """Those found."""
        return self.checks.groups

    def write_supplement(self, report: Report, second: Brought | None) -> None:
        """Everything behind the first two pages."""
        if self.groups.found_any:
            self._distinguished(report)
            self._t_tests(report)
            self._outcomes_in_full(report)
            self._chance(report)
            self._stability(report)
            self._second_cohort(report, second)
        self._record(report)

    def at_once(self, found: Associations) -> pd.DataFrame:
        """Tests of all groups at once with what each group is like, small counts hidden."""
        labels, titles = self.groups.labels, self.groups.titles
        table, bare = (overall(found, labels, titles, is_counted) for is_counted in (True, False))
        return self.hidden.over(table, [c.variable.name for c in found.columns], bare)

    def _distinguished(self, report: Report) -> None:
        """What the groups are like in the columns that made them; no p-value."""
        report.heading("What the groups are like", 3)
        report.note(BY_CONSTRUCTION)
        self.by_group(report, self.tables["table-1"], CAPTION)
        titles = self.groups.titles
        a, b = self.groups.profiled[:2]
        between = self.seen.between(a, b, LEADING)
        away = self.hidden.figures.loc[
            between.index.get_level_values("column"), [titles[a], titles[b]]
        ]
        add_figure(
            report,
            pair_figure(between[~away.any(axis=1).to_numpy()], (titles[a], a), (titles[b], b)),
            f"Largest differences between {titles[a]} and {titles[b]}.",
        )
        for name, caption in (
            ("yes-no", "Probability of “yes” (available cases), the widest differences first."),
            ("scores", "Mean score of ratings (available cases), the widest differences first."),
            ("missing", "Missing cells by group, the most first."),
        ):
            if name in self.tables:
                self.by_group(report, self.tables[name].head(LEADING), caption)

    def by_group(self, report: Report, table: pd.DataFrame, caption: str) -> None:
        """A table without the lines of which every cell is hidden: the caption names them."""
        across = [name for name in (*self.groups.titles, ALL) if name in table]
        away = (table[across] == HIDDEN).all(axis=1)
        if away.any():
            caption += f" Hidden in every group: {listed(table.loc[away, 'Column'], LEADING)}."
        report.table(table[~away], caption)

    def _t_tests(self, report: Report) -> None:
        """The clearest lines, headed with the light where it is not green."""
        if "t-tests" not in self.tables:
            return
        report.heading("Per-cluster t-tests", 3)
        if said := heading(self.checks.light):
            report.note(said)
        report.note(BANNER)
        lines = self.tables["t-tests"]
        lines = lines[lines["made"].astype(bool)]
        told = lines[lines["t"].notna()].head(MOST_LINES)
        differs, other, opposed, testable = VERDICTS
        told = told.assign(
            differs=np.select(
                [told["differs"].astype(bool), told["judged"].isna(), told["remark"] == OPPOSED],
                [differs, testable, opposed],
                other,
            )
        )
        for name in ("p", "p_left_out", "judged"):
            told[name] = [p_text(p) if pd.notna(p) else "" for p in told[name]]
        report.table(
            told[list(T_TEST_COLUMNS)].rename(columns=T_TEST_COLUMNS),
            f"{T_TEST_CAPTION} The {len(told):,} clearest of {len(lines):,} lines, all of which "
            "are in the CSV.",
        )
        report.points(f"{verdict}: {meaning}" for verdict, meaning in VERDICTS.items())
        report.paragraph(LIMIT)

    def _outcomes_in_full(self, report: Report) -> None:
        """Effects and curves of the columns kept out, adjusted effects, negative controls."""
        report.heading("Outcomes in full", 3)
        report.note(CAUTION)
        tested = self.at_once(self.validation.validators)
        report.table(tested[["Column", "Groups", "p", "Test", "Kind"]], "All groups at once.")
        self._pairs(report, self.validation.validators, "validators")
        self._times(report)
        covariates = self.study.lock.plan.covariates
        if warning := circular_warning(covariates, self.tests.made):
            report.note(warning)
        if not covariates:
            report.paragraph("No covariate was locked: no effect is adjusted.")
        elif "adjusted" in self.tables:
            report.table(
                self.tables["adjusted"],
                "Outcomes between every two groups, alone and adjusted for "
                f"{', '.join(covariates)}. Ratios above 1 and differences above 0: more, or "
                "sooner, in the group named first.",
            )
        report.heading("Negative controls", 3)
        controls = self.validation.controls
        if not controls.columns:
            report.paragraph("None was named.")
            return
        report.table(
            self.at_once(controls), f"All groups at once. {controls.overall_adjusted.sentence}."
        )
        self._pairs(report, controls, "controls")

    def _pairs(self, report: Report, found: Associations, name: str) -> None:
        """A figure and a table of the effects between every two groups."""
        kept = []
        for column in found.columns:
            away = self.hidden.figures.loc[column.variable.name, list(self.groups.titles)]
            pairs = (pair for pair in column.pairs if not away.iloc[list(pair.groups)].any())
            kept.append(replace(column, pairs=tuple(pairs)))
        figure = forest_figure(kept)
        if figure is not None:
            add_figure(
                report,
                figure,
                "Effects between every two groups with 95 % intervals; filled squares: corrected "
                f"p at most {LEVEL:g}; the line marks no difference.",
            )
        told = pairs_text(self.tables.get(name, pd.DataFrame()))
        if told.empty:
            report.paragraph("No two groups can be compared here: too few are observed to test.")
        else:
            report.table(
                told,
                f"Every two groups. {found.pairs_adjusted.sentence}. Pairs too small to test are "
                "left out.",
            )

    def _times(self, report: Report) -> None:
        """Curves, follow-up and effects of every time to an event, small counts hidden."""
        found, labels, titles = self.validation.validators, self.groups.labels, self.groups.titles
        columns = times_to_events(found)
        if not columns:
            return
        report.paragraph(f"{SCOPE} {INTERVALS}")
        for reason in refused_shares(found):
            report.note(reason)
        curves = {survival.name: survival for survival in survival_curves(found, labels)}
        for column in columns:
            title, name = column.variable.title, column.variable.name
            away = self.hidden.figures.loc[name] | self.hidden.counts.loc[name]
            if title in curves:
                kept = {k: c for k, c in curves[title].curves.items() if not away[titles[k]]}
                self._curves(report, replace(curves[title], curves=kept))
            follow_up = follow_up_table(column, labels, titles)
            few = follow_up["Group"].map(away).astype(bool)
            follow_up.loc[few, follow_up.columns.drop("Group")] = HIDDEN
            report.table(
                follow_up,
                f"{title}: patients, events and median follow-up (Kaplan and Meier's curve the "
                "other way round) by group.",
            )
            effects = effects_table(column)
            if not effects.empty:
                said = column.hazards.sentence if column.hazards is not None else ""
                report.table(effects, f"{title}: every two groups. {said}")

    def _curves(self, report: Report, survival: Survival) -> None:
        """Curves as far as ``least`` patients are at risk, and shares at fixed times."""
        curves = {
            group: _watched(curve, self.least)
            for group, curve in survival.curves.items()
            if curve.durations.size >= self.least
        }
        if not curves:
            return
        survival, titles = replace(survival, curves=curves), self.groups.titles
        end = f" Each curve ends where fewer than {self.least} are at risk." if self.least else ""
        add_figure(
            report,
            survival_figure(survival, titles, lambda n: shown(n, self.least)),
            f"{survival.name}: {ESTIMATES[survival.is_incidence]}, with patients at risk.{end}",
        )
        of = "who have had" if survival.is_incidence else "without"
        report.table(
            survival_table(survival, titles),
            f"{survival.name}: share {of} the event at fixed times.{end}",
        )

    def _chance(self, report: Report) -> None:
        """Whether there is more than chance, or than steps along one line."""
        report.heading("Chance or severity?", 3)
        reference = self.checks.reference
        if reference is None or not reference.n_drawn:
            report.paragraph("Not compared with tables that have no groups.")
        else:
            add_figure(
                report,
                reference_figure(reference.beside),
                "What groups gain: tables drawn without groups, beside this cohort at 0. "
                f"{reference.sentence}",
            )
        report.note(LIMITS)

    def _stability(self, report: Report) -> None:
        """Whether the groups come back, with other patients, starts and settings."""
        report.heading("Stability", 3)
        stability = self.checks.stability
        if stability is None or stability.bootstraps is None:
            report.paragraph("Not checked.")
            return
        draws = stability.bootstraps
        add_figure(
            report,
            jaccard_figure(self.groups.titles, draws.mean_jaccard, draws.jaccard),
            "Overlap of every group with its best match when the patients are drawn anew: "
            f"{BANDS_SENTENCE}.",
        )
        if draws.held_out is not None:
            report.paragraph(draws.held_out.sentence)
        if stability.restarts is not None:
            add_figure(
                report,
                objectives_figure(stability.restarts.objectives),
                "Score of every restart above the best: minus the log probability of its grouping "
                "(E), lower is better.",
            )
        settings = self.checks.settings_table()
        if not settings.empty:
            report.table(
                settings,
                "Groups under other settings of the prior. ARI, the adjusted Rand index: 1 is the "
                "same groups, 0 no more than chance.",
            )

    def _second_cohort(self, report: Report, second: Brought | None) -> None:
        """What became of the groups in other patients."""
        report.heading("A second cohort", 3)
        if second is None or second.found is None:
            report.paragraph(
                "None was brought: whether the groups are found elsewhere is not known."
                if second is None
                else f"{second.name} was brought, and its patients have not been placed yet."
            )
            return
        found = second.found
        report.paragraph(
            f"Each patient of {second.name} ({found.labels.size:,} patients) was placed in the "
            f"group of the first cohort that suits best, or in none, on {found.n_columns:,} "
            "columns; nothing was fitted to it. Mean log predictive density of an observed cell: "
            f"{found.density:.2f}, in the first cohort {found.own_density:.2f} (every patient left "
            "out in turn); much lower means that the second cohort is unlike the first."
        )
        report.table(second_sizes(found, self.groups, self.least), "Group sizes in both cohorts.")
        if found.absent:
            report.paragraph(f"Outcomes that it lacks: {listed(found.absent, 20)}.")
        tested = [c.overall.test.p is not None for c in found.validators.columns]
        if any(tested):
            report.note(CAUTION)
            names = ["Column", "p", "p, corrected", "Groups", "Test"]
            report.table(
                overall(found.validators, found.labels, self.groups.titles).loc[tested, names],
                "Outcomes of the second cohort, all groups at once. "
                f"{found.validators.overall_adjusted.sentence}.",
            )

    def _record(self, report: Report) -> None:
        report.heading("Roles and record", 3)
        lock = self.study.lock
        report.table(settings_table(lock, self.least), "Settings.")
        report.points(
            f"Columns {doing}: {', '.join(lock.titles(part)) or 'none'}."
            for part, doing in PARTS.items()
        )
        report.points(f"{event.time}: {event.what}" for event in self.study.log)
        report.paragraph(f"SHA-256 of roles, likelihoods, plan and data: {lock.hash}")
        report.paragraph(f"SHA-256 of the data: {lock.data_hash}")


def add_figure(report: Report, figure: go.Figure, caption: str) -> None:
    """A figure on white paper."""
    report.figure(figure.update_layout(template="plotly_white"), caption)


def _watched(curve: Curve, least: int) -> Curve:
    """A curve up to the last time at which so many patients are at risk."""
    if not least:
        return curve
    end = np.sort(curve.durations)[-least]
    kept = curve.times <= end
    return replace(
        curve,
        times=curve.times[kept],
        share=curve.share[kept],
        low=curve.low[kept],
        high=curve.high[kept],
        durations=np.minimum(curve.durations, end),
    )
