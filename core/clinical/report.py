"""Everything a study leaves behind: one offline report, tables, and the settings as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd

from ..exports.report import Report
from ..models.estimator import Callback
from ..plots.clinical import jaccard_figure, objectives_figure, pair_figure, reference_figure
from ..plots.heat_maps import differences_figure
from ..plots.validators import forest_figure, survival_figure
from ..release.report import ReleasedReport
from ..statistics.association import Associations
from ..statistics.bootstraps import BANDS_SENTENCE
from ..statistics.copula import LIMITS
from ..statistics.multiplicity import LEVEL
from ..statistics.suppression import OFF
from ..statistics.survival import coarsened
from ..wording import counted
from .checks import Checks
from .disclosure import is_told, outward, shown, sizes, told_means, told_pairs
from .distinctions import BY_CONSTRUCTION, Distinctions
from .exported import exported_tables
from .let_out import let_out
from .methods import (
    APPLICABILITY,
    LIMITATIONS,
    STROBE,
    checklist,
    methods_paragraph,
    versions,
)
from .releases import Earlier
from .repeats import RowsReport
from .report_parts import LEADING, add_by_group, add_figure
from .report_tables import CAPTIONS, appendix, restricted_means, survival_table
from .study import PARTS, Study, without_reasons
from .subgroups import SMALLEST, Subgroups
from .t_test_lines import BANNER, LIMIT, TTests
from .tables import overall_table, pairs_text
from .validation import CAUTION, Validation, refused_shares, survival_curves

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
NOTHING_HIDDEN = (
    "Small counts are not hidden: this is for who may see every patient, or public data."
)


@dataclass(frozen=True)
class Package:
    """What may leave the room."""

    #: The report, one file that needs no network.
    html: str
    #: By file name, without its ending; small counts hidden.
    tables: dict[str, pd.DataFrame]
    #: JSON: roles, plan, hashes, seed, versions, log.
    settings: str
    #: What was hidden.
    sentence: str
    #: Above the tables that papers print, by file name.
    captions: dict[str, str]

    @property
    def for_papers(self) -> dict[str, pd.DataFrame]:
        """Those that papers print, by their captions."""
        return {said: self.tables[name] for name, said in self.captions.items()}


def package(
    study: Study,
    checks: Checks,
    validation: Validation,
    table_name: str,
    answers: Sequence[str] = (),
    least: int = 5,
    tests: TTests | None = None,
    callback: Callback | None = None,
    earlier: Sequence[Earlier] = (),
) -> Package:
    """Write the report, the tables and the settings of a locked study.

    ``answers`` are those to the questions of ``APPLICABILITY``, empty where none was given. Counts
    below ``least`` are hidden, with those from which they could be worked out; ``OFF`` hides
    nothing. ``tests`` gives Table 1 and the appendix of t-tests, and the validators are adjusted
    for the covariates that were locked. What the callback, told of every table, raises ends it.
    The study remembers whom its reports told of, ``earlier`` are those of other tables, and
    ``Refused`` is raised where this one would tell of few patients beside one of them.
    """
    groups, covariates = checks.groups, study.lock.plan.covariates
    seen = Distinctions(groups)
    validation = Validation(
        outward(validation.validators, groups, least), outward(validation.controls, groups, least)
    )
    tables, told = exported_tables(seen, checks, validation, tests, covariates, least, callback)
    if least != OFF and tests is not None:
        let_out(study, groups, told, tables, tests, least, earlier)
    tables = {name: study.lock.table(table) for name, table in tables.items()}
    hidden = study.lock.said(NOTHING_HIDDEN if least == OFF else sizes(groups, least).sentence)
    report = _report(study, table_name, answers)
    report.titles = groups.titles
    report.note(CAVEAT)
    report.paragraph(STROBE)
    report.heading("Objectives (STROBE 3)")
    report.paragraph(study.lock.plan.purpose or "Not stated.")
    report.heading("Methods (STROBE 4 to 12)")
    report.paragraph(methods_paragraph(study, checks, validation, table_name))
    if covariates:
        report.paragraph(f"Effects on validators were adjusted for {', '.join(covariates)}.")
    _participants(report, study, groups.titles, tables)
    _overview(report, study, checks, tables, hidden)
    if groups.found_any:
        _severity(report, checks)
        _stability(report, checks, least)
        _differences(report, seen, tables, least)
        _validators(report, validation, groups, tables, least)
        _further(report, validation, tests, tables, told, covariates)
    report.heading("Limitations and interpretation (STROBE 19 to 21)")
    report.paragraph(LIMITATIONS)
    _applicability(report, answers)
    report.heading("Checklist")
    items = checklist(study, checks, validation)
    report.table(pd.DataFrame(items, columns=["Item", "Here"]))
    if "t-tests" in tables:
        _appendix(report, tables["t-tests"])
    _record(report, study)
    report.note(CAVEAT)
    captions = {name: study.lock.said(said) for name, said in CAPTIONS.items() if name in tables}
    return Package(report.html(), tables, settings_json(study, table_name), hidden, captions)


def _report(study: Study, table_name: str, answers: Sequence[str]) -> ReleasedReport:
    """An empty report, of rows where those repeat patients; what somebody wrote stays."""
    lock, about = study.lock, f"Roles locked {study.lock.time}"
    if lock.repeats is None:
        return ReleasedReport(f"Patient subgroups in {table_name}", about)
    written = table_name, *answers, *lock.written
    return RowsReport(f"Subgroups of rows in {table_name}", about, lock.repeats, written)


def _participants(
    report: Report, study: Study, titles: Sequence[str], tables: dict[str, pd.DataFrame]
) -> None:
    """Who was in the study, and what is not known of them."""
    report.heading("Participants and descriptive data (STROBE 13 and 14)")
    # How many are atypical is told only with the sizes of the groups.
    report.paragraph(
        f"{study.lock.preparation} {study.lock.n_rows:,} patients were in it, and all of them took "
        f"part in the search for groups. Patients in groups of fewer than {SMALLEST} were left out "
        "of every description and test."
    )
    if "table-1" in tables:
        add_by_group(report, tables["table-1"], titles, CAPTIONS["table-1"])
    if "missing" in tables:
        said = "Missing cells by group, the most first (STROBE 14b)."
        add_by_group(report, tables["missing"].head(LEADING), titles, said)


def _further(
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
    report.heading("Adjusted effects (STROBE 16)", 3)
    if "adjusted" in tables:
        table, said = tables["adjusted"], f"alone and adjusted for {', '.join(covariates)}"
        if not covariates:
            table, said = (
                table.filter(regex="^(?!Adjusted)"),
                "not adjusted: no covariate was named",
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


def _appendix(report: Report, lines: pd.DataFrame) -> None:
    report.heading("Appendix: per-cluster t-tests")
    report.note(BANNER)
    shown = appendix(lines)
    report.table(
        shown,
        f"Welch's t-test on every column between every two groups, not corrected; the "
        f"{len(shown):,} clearest of {len(lines):,} lines, all of which are in the CSV. 1st is the "
        "group named first; g is the difference in pooled standard deviations (Hedges). “As the "
        "paper”: the test as Raykov et al. (2016, the paper of the method) made it, between the "
        "groups shown, as are n and means. The rest is of the groups found without the column; "
        "overlap is the lower Jaccard similarity of the two with those shown. Where a small count "
        "would follow from who is in one and not in the other, p is rounded up to one digit, g "
        "to tenths, and difference, interval, t and overlap stay out. No p-value of a "
        "column left out: the groups were not sought, or not found, without it.",
    )
    report.paragraph(LIMIT)


def settings_json(study: Study, table_name: str) -> str:
    """Everything needed to repeat the study on the same table."""
    lock = study.lock
    return json.dumps(
        {
            "table": table_name,
            "rows": lock.n_rows,
            "locked": lock.time,
            "hash": lock.hash,
            "data_hash": lock.data_hash,
            "plan": asdict(lock.plan),
            "schema": without_reasons(lock.schema),
            "versions": versions(),
            "reservation": study.reservation,
            "log": [f"{event.time}: {event.what}" for event in study.log],
        },
        indent=2,
        ensure_ascii=False,
    )


def _overview(
    report: Report, study: Study, checks: Checks, tables: dict[str, pd.DataFrame], hidden: str
) -> None:
    report.heading("Groups at a glance")
    if study.reservation:
        report.note(study.reservation)
    light = checks.light
    name = f"{light.colour}, provisional" if light.provisional else light.colour
    report.paragraph(f"Verdict: {name}. {light.headline}.")
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


def _severity(report: Report, checks: Checks) -> None:
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


def _stability(report: Report, checks: Checks, least: int) -> None:
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


def _differences(
    report: Report, seen: Distinctions, tables: dict[str, pd.DataFrame], least: int
) -> None:
    report.heading("What distinguishes the groups")
    report.note(BY_CONSTRUCTION)
    kept = list(shown(seen.groups, least))
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


def _validators(
    report: Report,
    validation: Validation,
    groups: Subgroups,
    tables: dict[str, pd.DataFrame],
    least: int,
) -> None:
    report.heading("Validators: columns kept out of the search")
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
    report.heading("Negative controls", 3)
    _family(report, validation.controls, groups, tables.get("controls"), least)


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
            "Effects between every two groups with 95 % intervals; filled squares: adjusted p at "
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
            f"Every two groups. {found.pairs_adjusted.sentence}. Pairs from whose numbers a "
            f"count below {least} could be worked out are left out, as are those too small to "
            "test; in the correction a pair left out counts as one of p = 1.",
        )
    for column, reason in found.refused.items():
        report.paragraph(f"{column} was not tested. {reason}")


def _applicability(report: Report, answers: Sequence[str]) -> None:
    report.heading("Is it applicable? Questions for the clinician")
    given = [*answers, *[""] * len(APPLICABILITY)]
    for question, answer in zip(APPLICABILITY, given, strict=False):
        report.heading(question, 4)
        report.paragraph(answer or "Not answered.")


def _record(report: Report, study: Study) -> None:
    report.heading("Roles and record")
    lock = study.lock
    for part, doing in PARTS.items():
        report.heading(f"{counted(len(lock.columns(part)), 'column')} {doing}", 4)
        report.paragraph(", ".join(lock.titles(part)) or "none")
    report.points(f"{event.time}: {event.what}" for event in study.log)
    report.paragraph(f"SHA-256 of roles, likelihoods, plan and data: {lock.hash}")
    report.paragraph(f"SHA-256 of the data: {lock.data_hash}")
