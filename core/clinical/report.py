"""What a study leaves behind: a report whose first two pages suffice, tables and settings."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cached_property

import pandas as pd

from ..exports.report import Report
from ..families import FAMILIES
from ..models.estimator import Callback
from ..plots.heat_maps import differences_figure
from ..schema.spec import TIME_TO_EVENT, ColumnSpec
from ..schema.transforms import of_what
from ..statistics.chance import LIMITS
from ..statistics.correct import LEVEL
from ..wording import listed
from .checks import Checks
from .groups import SMALLEST, Distinctions
from .methods import methods_paragraph, versions
from .outcomes import (
    CAUTION,
    Validation,
)
from .small_counts import OFF, THRESHOLDS
from .study import PARTS, Lock, Study, without_reasons
from .supplement import Brought, Supplement, add_figure
from .t_tests import TTests
from .tables import Tables, exported_tables, hidden_in, table_one

CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
NOTHING_HIDDEN = (
    "Small counts are not hidden: this is for who may see every patient, or public data."
)
#: What must be known of any such study.
THREE_LIMITS = (
    "The groups describe the patients in whom they were found, by the columns that made them: "
    "whether they are found elsewhere needs other patients.",
    CAUTION,
    "Adjustment removes only what was measured, and no p-value here says what would help a "
    "patient.",
)
#: Lines of each table on the first two pages.
FIRST = 8


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
    tests: TTests,
    table_name: str,
    least: int = THRESHOLDS[0],
    callback: Callback | None = None,
    second: Brought | None = None,
) -> Package:
    """Write the report, the tables and the settings of a locked study.

    Counts below ``least`` are hidden; ``OFF`` hides nothing. What the callback, told of every
    table, raises ends the work.
    """
    lock, checks = study.lock, replace(checks, tests=tests)
    least, seen = lock.least(least), Distinctions(checks.groups)
    hidden = hidden_in(seen, validation, tests, least)
    tables = exported_tables(seen, checks, validation, tests, lock, hidden, least, callback)
    tables["columns"] = columns_table(lock)
    sentence = NOTHING_HIDDEN if least == OFF else small_counts_sentence(least)
    writer = _Writer(study, checks, seen, validation, tests, tables, hidden, least)
    report = writer.write(table_name, sentence, second)
    marked = {name: lock.table(table) for name, table in tables.items()}
    return Package(report, marked, settings_json(study, table_name), sentence)


def small_counts_sentence(least: int) -> str:
    """What was hidden, and what that is worth."""
    return (
        f"Counts of patients below {least} are hidden, and so is the next smallest where one would "
        "follow from a printed total. This guards no combination of several tables or reports: a "
        "person should look before it is passed on."
    )


class _Writer(Supplement):
    """Writes the first two pages, and the supplement after them."""

    def write(self, table_name: str, sentence: str, second: Brought | None) -> Report:
        """Two pages first, then the supplement."""
        lock = self.study.lock
        report = Report(
            f"Patient subgroups in {table_name}",
            f"MAP-DP Studio {versions()['mapdp-studio']}; roles locked {lock.time}, before the "
            "search.",
        )
        self._in_short(report)
        self._question(report)
        self._groups(report)
        if self.groups.found_any:
            self._outcomes(report)
        self._verdict(report)
        report.heading("Three limits")
        report.points(THREE_LIMITS)
        report.paragraph(sentence)
        report.heading("Supplement", new_page=True)
        report.heading("Methods", 3)
        report.paragraph(methods_paragraph(self.study, self.checks, self.validation, table_name))
        self.write_supplement(report, second)
        return report

    def _in_short(self, report: Report) -> None:
        n, groups = len(self.groups.profiled), self.groups
        found = f"{n} groups were found" if groups.found_any else "No groups were found"
        report.note(
            f"In short: {found} among {self.study.lock.who}. Verdict: {self._colour}. "
            f"{self.checks.light.headline}. {CAVEAT}"
        )
        for said in filter(None, (self.study.reservation, groups.sites)):
            report.note(said)

    @property
    def _colour(self) -> str:
        light = self.checks.light
        return f"{light.colour}, provisional" if light.provisional else light.colour

    def _question(self, report: Report) -> None:
        lock = self.study.lock
        report.heading("The question")
        report.paragraph(lock.plan.purpose or "What the study is for was not stated.")
        names = lock.titles("validator")
        report.paragraph(
            f"Groups of patients were sought in {len(lock.columns('cluster')):,} columns "
            f"({lock.plan.why.rstrip('.') or 'why these, was not stated'}). Kept out, to test the "
            f"groups against: {listed(names, 2 * FIRST) if names else 'nothing'}."
        )

    def _groups(self, report: Report) -> None:
        """How many, how large, what each is like, and one figure."""
        report.heading("The groups")
        if not self.groups.found_any:
            report.paragraph(
                "No groups were found: one group describes these patients best. What follows a "
                "grouping (profiles, outcomes) is therefore absent."
            )
        few = (
            f"Atypical: in groups of fewer than {SMALLEST}, described by no average and left out "
            "of every test."
        )
        report.table(self.tables["groups"], few if self.groups.atypical else "")
        if not self.groups.found_any:
            return
        bare = table_one(self.tests, self.seen, is_counted=False)
        bare = bare.loc[[name for name in bare.index if name in self.tests.made][:FIRST]]
        self.by_group(
            report,
            self.hidden.over(bare, bare.index, bare),
            f"Table 1, its {len(bare)} columns that drove the grouping most (in full, and of how "
            "many patients, in the supplement). Mean (SD) or median [quartiles], of yes/no the "
            "share of the level counted. SMD: the largest standardised difference of two groups. "
            "These columns made the groups, so the groups differ in them by construction.",
        )
        self._differences(report, 2 * FIRST)

    def _differences(self, report: Report, count: int) -> None:
        titles, leading = self.groups.titles, self.seen.leading(count)
        away = self.hidden.figures.loc[leading.index.get_level_values("column")]
        named = [titles[k] for k in leading]
        figure = differences_figure(leading.mask(away[named].to_numpy()), named)
        add_figure(
            report,
            figure.update_traces(showscale=False).update_layout(margin_b=8),
            f"Means in standard deviations from all patients, for the {len(leading)} columns that "
            "drove the grouping most. Empty where small counts are hidden.",
        )

    def _outcomes(self, report: Report) -> None:
        """What each group is like on every outcome, then p."""
        found = self.validation.validators
        report.heading("Outcomes")
        if not found.columns:
            report.paragraph("No column was kept out to test the groups against.")
            return
        table = self.at_once(found).drop(columns=["Groups", "Test", "Kind"])
        report.table(
            table,
            "Columns kept out of the search: what each group is like, of how many patients (n), "
            f"and a test of all groups at once. {found.overall_adjusted.sentence}; a corrected p "
            f"of at most {LEVEL:g} counts as a difference.",
        )
        for column, reason in found.refused.items():
            report.paragraph(f"{column} was not tested. {reason}")

    def _verdict(self, report: Report) -> None:
        light = self.checks.light
        report.heading("How sure is this?")
        report.paragraph(f"Verdict: {self._colour}. {light.headline}. {light.advice}")
        clauses = (clause for clause in light.clauses if clause.sentence != LIMITS)
        report.points(f"{one.name} ({one.colour}): {one.sentence}" for one in clauses)


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
