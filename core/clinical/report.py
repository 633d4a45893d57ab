"""Everything a study leaves behind: one report, tables and the settings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import pandas as pd

from ..exports.report import Report, Table
from ..families import FAMILIES
from ..models.estimator import Callback
from ..schema.spec import TIME_TO_EVENT, ColumnSpec
from ..schema.transforms import of_what
from ..statistics.correct import HOLM_UP_TO, LEVEL
from .checks import Checks
from .distinctions import Distinctions
from .exported import Tables, exported_tables, hidden_in
from .methods import APPLICABILITY, LIMITATIONS, checklist, methods_paragraph, versions
from .report_groups import differences, overview, severity, stability
from .report_outcomes import controls, follow_up, further, validators
from .report_parts import LEADING, add_by_group
from .report_second import Brought, second_cohort
from .small_counts import OFF, THRESHOLDS
from .study import JUDGED, PARTS, Lock, Study, without_reasons
from .subgroups import SMALLEST
from .t_test_appendix import t_test_appendix
from .t_test_lines import TTests
from .table_one import CAPTION
from .validation import Validation

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
NOTHING_HIDDEN = (
    "Small counts are not hidden: this is for who may see every patient, or public data."
)


@dataclass(frozen=True, eq=False)
class Package:
    """What may leave the room."""

    #: To be written as HTML.
    report: Report
    #: By file name, without its ending; small counts hidden.
    tables: Tables
    #: JSON: roles, plan, hashes, seed, versions, log.
    settings: str
    #: What was hidden.
    sentence: str

    @cached_property
    def html(self) -> str:
        """The report as one file that needs no network."""
        return self.report.html()


def package(
    study: Study,
    checks: Checks,
    validation: Validation,
    table_name: str,
    answers: Sequence[str] = (),
    least: int = THRESHOLDS[0],
    tests: TTests | None = None,
    callback: Callback | None = None,
    second: Brought | None = None,
) -> Package:
    """Write the report, the tables and the settings of a locked study.

    ``answers`` are those to the questions of ``APPLICABILITY``, empty where none was given. Counts
    below ``least`` are hidden; ``OFF`` hides nothing. ``tests`` gives Table 1 and the appendix of
    t-tests, and the validators are adjusted for the covariates that were locked. What the callback,
    told of every table, raises ends it.
    """
    groups, lock, checks = checks.groups, study.lock, replace(checks, tests=tests)
    covariates, least = lock.plan.covariates, lock.least(least)
    seen = Distinctions(groups)
    hidden = hidden_in(seen, validation, tests, least)
    about = seen, checks, validation, tests, lock
    tables = exported_tables(*about, hidden, least, callback)
    tables["columns"] = columns_table(lock)
    sentence = NOTHING_HIDDEN if least == OFF else small_counts_sentence(least)
    report = Report(f"Patient subgroups in {table_name}", f"Roles locked {lock.time}")
    report.note(CAVEAT)
    _methods(report, study, checks, validation, table_name)
    _participants(report, study, groups.titles, tables)
    follow_up(report, validation)
    overview(report, study, checks, tables, sentence)
    if groups.found_any:
        severity(report, checks)
        stability(report, checks)
        differences(report, seen, tables, hidden)
        _rule(report)
        validators(report, validation, groups, tables, hidden, least)
        further(report, tests, tables, covariates)
        controls(report, validation, groups, tables, hidden)
        second_cohort(report, second, groups, least)
    report.heading("Limitations and interpretation")
    report.paragraph(LIMITATIONS)
    _applicability(report, answers)
    _checklist(report, study, checks, validation)
    if "t-tests" in tables:
        t_test_appendix(report, tables["t-tests"], checks.light)
    _record(report, study, tables["columns"], least)
    report.note(CAVEAT)
    report.blocks = [
        replace(block, frame=lock.table(block.frame)) if isinstance(block, Table) else block
        for block in report.blocks
    ]
    tables = {name: lock.table(table) for name, table in tables.items()}
    return Package(report, tables, settings_json(study, table_name), sentence)


def small_counts_sentence(least: int) -> str:
    """What was hidden, and what that is worth."""
    return (
        f"Counts of patients below {least} are hidden, and so is the next smallest where one would "
        "follow from a printed total. This guards no combination of several tables or reports: a "
        "person should look before it is passed on."
    )


def columns_table(lock: Lock) -> pd.DataFrame:
    """Every column that takes part, its role, and as what it is read; no cell of the table."""
    return pd.DataFrame(
        [
            {
                "Column": name,
                "Role": doing,
                "Read as": _read_as(lock.schema[name]),
                "Counted": lock.schema[name].title.removeprefix(name).removeprefix(" = "),
            }
            for part, doing in PARTS.items()
            for name in lock.columns(part)
        ],
        columns=["Column", "Role", "Read as", "Counted"],
    )


def _read_as(spec: ColumnSpec) -> str:
    if spec.family is None:
        return "nothing that is known"
    if spec.family == TIME_TO_EVENT:
        codes = " or ".join(map(str, spec.event_codes or ()))
        return f"time until {spec.event} = {codes}"
    return FAMILIES[spec.family].label + of_what(spec.transform)


def _methods(
    report: Report, study: Study, checks: Checks, validation: Validation, table_name: str
) -> None:
    plan = study.lock.plan
    report.heading("Objectives")
    report.paragraph(plan.purpose or "Not stated.")
    report.heading("Methods")
    report.paragraph(methods_paragraph(study, checks, validation, table_name))
    report.paragraph(f"Why these columns make the groups: {plan.why or 'no reason was stated'}.")
    if plan.covariates:
        report.paragraph(f"Effects on validators were adjusted for {', '.join(plan.covariates)}.")


def _participants(report: Report, study: Study, titles: Sequence[str], tables: Tables) -> None:
    """Who was in the study, and what is not known of them."""
    report.heading("Participants and descriptive data")
    # How many are atypical is told only with the sizes of the groups.
    report.paragraph(
        f"{study.lock.preparation} {study.lock.who} were in it, and all of them took "
        f"part in the search for groups. Patients in groups of fewer than {SMALLEST} were left out "
        "of every description and test."
    )
    report.table(
        tables["participants"],
        "Participants' flow. Who was left out before the file was made, and why, is "
        "for the authors to add.",
    )
    if "table-1" in tables:
        add_by_group(report, tables["table-1"], titles, CAPTION)
    if "missing" in tables:
        said = "Missing cells by group, the most first."
        add_by_group(report, tables["missing"].head(LEADING), titles, said)


def _rule(report: Report) -> None:
    """How somebody else could find a patient's group."""
    report.heading("The rule that assigns a patient")
    report.paragraph(
        "A patient belongs to the group under which the observed cells are the most probable, by "
        "the model that comes with the study."
    )


def _applicability(report: Report, answers: Sequence[str]) -> None:
    report.heading("Is it applicable? Questions for the clinician")
    given = [*answers, *[""] * len(APPLICABILITY)]
    for question, answer in zip(APPLICABILITY, given, strict=False):
        report.heading(question, 4)
        report.paragraph(answer or "Not answered.")


def _checklist(report: Report, study: Study, checks: Checks, validation: Validation) -> None:
    """What a reader of a clustering study looks for."""
    report.heading("Checklist")
    own = pd.DataFrame(checklist(study, checks, validation), columns=["Item", "Here"])
    report.table(own, "What a clustering study should tell.")


def settings_table(lock: Lock, least: int) -> pd.DataFrame:
    """How the study was carried out, as it was locked, and what the report hides."""
    plan = lock.plan
    rows = [
        ("Concentration N₀", f"{plan.concentration:g}"),
        ("Searches", f"{plan.restarts:,}"),
        ("Seed", f"{plan.seed}"),
        ("Groups judged", JUDGED[plan.judged]),
        ("Model", lock.model),
        ("Adjustment", adjustment_said(lock)),
        ("Multiplicity", multiplicity(lock)),
        ("Counts hidden", "none" if least == OFF else f"below {least}"),
        *((name, version) for name, version in versions().items()),
    ]
    return pd.DataFrame(rows, columns=["Setting", "Value"])


def adjustment_said(lock: Lock) -> str:
    """What effects are adjusted for, in a sentence."""
    names = [lock.schema[name].title for name in lock.plan.covariates]
    if not names:
        return "Effects on outcomes are not adjusted: no covariate was named."
    return f"Effects on outcomes are also shown adjusted for {', '.join(names)}."


def multiplicity(lock: Lock) -> str:
    """How p-values are corrected, in a sentence."""
    n = len(lock.columns("validator"))
    method = "Holm" if n <= HOLM_UP_TO else "Benjamini-Hochberg"
    return (
        f"P-values of the outcomes are corrected by {method} over outcomes x pairs of groups; "
        f"a corrected p of at most {LEVEL:g} counts as a difference. Available cases; fewer than "
        "10 observed in a group are described and not tested, 10 to 19 tested exactly or by "
        "permutation."
    )


def _record(report: Report, study: Study, columns: pd.DataFrame, least: int) -> None:
    report.heading("Roles and record")
    lock = study.lock
    report.table(settings_table(lock, least), "Settings.")
    report.table(columns, "Columns of the study: role, likelihood, and the level that is counted.")
    report.points(f"{event.time}: {event.what}" for event in study.log)
    report.paragraph(f"SHA-256 of roles, likelihoods, plan and data: {lock.hash}")
    report.paragraph(f"SHA-256 of the data: {lock.data_hash}")


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
