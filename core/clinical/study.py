"""A clinical study: lock, groups, verdict, t-tests, outcomes and report."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..plain import from_plain, to_plain
from ..schema.frames import as_frame
from ..schema.infer import infer_schema
from ..schema.rows import copies, with_copies
from ..schema.schema import Schema, SchemaError
from ..schema.spec import TIME_TO_EVENT
from ..statistics.resampling import EFFORTS
from ..wording import counted
from .concerns import MARK, concerns, repeats_of
from .groups import find_subgroups
from .lock import PARTS, Event, Lock, Plan, data_hash, possible_covariates
from .outcomes import overall_table, validate
from .small_counts import THRESHOLDS
from .t_tests import TTests, leave_out
from .verdict import Checks, Light, run_checks

#: Attributes that are saved besides lock and log.
_SAVED = ("chosen_afterwards", "groups_seen", "validators_seen")


@dataclass(frozen=True, eq=False)
class SecondTable:
    """A table of other patients, brought to look up the groups there."""

    name: str
    #: Shape (n, M).
    frame: pd.DataFrame


class Study:
    """Groups of patients, tested honestly; with a table it is locked at once, else by ``lock_in``.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Arrow table, shape (N, M), optional
        One row a patient.
    schema : Schema or mapping, optional
        Guessed by ``infer_schema`` when absent; a mapping as for ``Schema.with_columns``.
    outcomes : sequence of str
        Columns kept out of the groups, to be tested between them (role "validator"). A time with
        its event column is taken as one, with a warning, unless the schema says otherwise.
    controls : sequence of str
        Columns that should show no difference (role "control").
    covariates : sequence of str
        Columns that the effects on outcomes are adjusted for.
    name : str
        Of the table, in the report.
    as_rows : bool
        Go on where rows repeat patients: every p-value is then marked.
    put_together : bool
        Merge clusters until every group comes back (one if chance makes as many), or not at all.
    concentration, restarts, seed, likelihood_power, purpose, why
        Of the plan that is locked, as in ``Plan``.

    Attributes
    ----------
    lock : Lock or None
        Roles, likelihoods and plan, with the time and the hash of their lock.
    log : list of Event
        What happened since.
    chosen_afterwards, groups_seen, validators_seen : bool
        Roles were chosen after groups had been seen; groups, and their outcomes, were looked at.

    Raises
    ------
    SchemaError
        Nothing to cluster on, an unknown column, or rows that repeat patients.

    Examples
    --------
    >>> from mapdp_studio import Study
    >>> from mapdp_studio.demo_datasets import load_parkinsonism
    >>> frame, schema, _ = load_parkinsonism()
    >>> study = Study(frame, schema, seed=1)
    >>> len(study.lock.hash)
    64
    """

    def __init__(
        self,
        frame: Any = None,
        schema: Any = None,
        *,
        outcomes: Sequence[str] = (),
        controls: Sequence[str] = (),
        covariates: Sequence[str] = (),
        name: str = "the table",
        as_rows: bool = False,
        **plan: Any,
    ) -> None:
        self.lock: Lock | None = None
        self.log: list[Event] = []
        self.chosen_afterwards = self.groups_seen = self.validators_seen = False
        self.second: SecondTable | None = None
        self.name = name
        if frame is None:
            return
        self.frame = as_frame(frame)
        guessed, said = infer_schema(self.frame), {}
        if not isinstance(schema, Schema):
            said = schema or {}
            schema = guessed.with_columns(said)
        schema, events, remarks = _with_times(schema, guessed, said)
        outcomes = (name for name in _names(outcomes) if name not in events)
        schema = schema.with_columns(dict.fromkeys(outcomes, "validator"))
        schema = schema.with_columns(dict.fromkeys(_names(controls), "control"))
        plan = Plan(covariates=_names(covariates), **plan)
        self.lock_in(self.frame, schema, plan, as_rows=as_rows)
        for sentence in (*remarks, *concerns(self.frame, schema)):
            warnings.warn(sentence, stacklevel=2)
            self._log(sentence)

    def lock_in(
        self,
        frame: pd.DataFrame,
        schema: Schema,
        plan: Plan,
        fits_elsewhere: int = 0,
        as_rows: bool = False,
    ) -> None:
        """Fix the roles and the plan.

        Parameters
        ----------
        frame : DataFrame, shape (N, M)
        schema : Schema
        plan : Plan
        fits_elsewhere : int
            Clusterings of this table that were looked at on other pages.
        as_rows : bool
            Go on although rows repeat patients: every p-value is then marked.

        Raises
        ------
        SchemaError
            Nothing to cluster on, repeated patients, or an unsuitable column, covariate or weight.
        """
        if len(schema.names("cluster")) < 2:
            raise SchemaError(
                "A study needs at least two columns with the role 'cluster' to make groups from."
            )
        for name in set(plan.covariates).difference(possible_covariates(schema)):
            raise SchemaError(
                f"Column '{name}' cannot be adjusted for: it must take part in the study, and be "
                "no time to an event. Choose another one."
            )
        repeats = repeats_of(frame, schema)
        if repeats is not None and not as_rows:
            raise SchemaError(
                f"{repeats.sentence} Make one row a patient (Prepare, on Data), give the column "
                "another role if it names no patients, or go on with rows, every p-value marked."
            )
        self.lock = Lock(
            schema.completed(frame),
            plan,
            data_hash(frame),
            copies(frame, schema).size,
            datetime.now(UTC),
            repeats,
            tuple(frame.attrs.get("prepared", ())),
        )
        if fits_elsewhere > 0 and not self.groups_seen:
            made = counted(fits_elsewhere, "clustering")
            self._log(f"Before the lock, {made} of this table had been made on other pages.")
            self.chosen_afterwards = True
        adjusted = ", ".join(schema[name].title for name in plan.covariates) or "nothing"
        self._log(f"Locked; adjusted for {adjusted}. Hash {self.lock.hash[:12]}.")
        if self.lock.schema.priors:
            self._log(self.lock.model)
        if repeats is not None:
            self._log(f"Somebody chose to go on with rows. {repeats.sentence}")

    def unlock(self) -> None:
        """Allow other roles; if the groups were seen, every later p-value is marked for it."""
        self.lock = None
        self.chosen_afterwards |= self.groups_seen
        self._log(f"Unlocked {'after' if self.groups_seen else 'before'} the groups were seen.")

    def note_groups(self) -> None:
        """The groups were shown."""
        if not self.groups_seen:
            self.groups_seen = True
            self._log("The groups were seen for the first time.")

    def note_validators(self) -> None:
        """The validators were shown beside the groups."""
        if not self.validators_seen:
            self.validators_seen = True
            self._log("The validators were seen for the first time.")

    @property
    def reservation(self) -> str:
        """What a reader must know about every p-value of this study; empty if there is nothing."""
        found = []
        if self.lock is not None and self.lock.repeats is not None:
            found.append(
                f"{self.lock.repeats.sentence} Groups, counts and tests are of rows, also where "
                f"they are said to be of patients, and {MARK}."
            )
        if self.chosen_afterwards:
            found.append(
                "Roles were chosen after groups of this table had been seen: read every p-value "
                "here as chosen afterwards."
            )
        return " ".join(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON: lock, log and notes."""
        return {
            "lock": to_plain(self.lock),
            "log": to_plain([(event.when, event.what) for event in self.log]),
            **{name: getattr(self, name) for name in _SAVED},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from ``to_dict``; a ValueError or TypeError says that it cannot be."""
        study = cls()
        study.lock = from_plain(Lock | None, data["lock"], "study", "lock")
        log = from_plain(tuple[tuple[datetime, str], ...], data["log"], "study", "log")
        study.log = [Event(*entry) for entry in log]
        for name in _SAVED:
            setattr(study, name, from_plain(bool, data[name], "study", name))
        return study

    def run(self, effort: str = "preview", callback: Callback | None = None) -> Self:
        """Seek the groups, check them, find them again without each column, and test outcomes.

        Parameters
        ----------
        effort : {"preview", "full"}
            20 draws of each check, or the full protocol, without which no light is green.
        callback : callable, optional
            Called with a ``Progress`` at every step; what it raises ends the work.
        """
        if effort not in EFFORTS:
            raise ValueError(f"effort={effort!r} is not allowed: give {' or '.join(EFFORTS)}.")
        lock, cohort = self.lock, with_copies(self.frame, self.lock.schema)
        found = find_subgroups(cohort, lock, callback)
        checks = Checks(found)
        if found.found_any:
            checks = run_checks(cohort, lock, found, effort == "full", callback)
        found = checks.groups
        tests = TTests.of(cohort, lock, found)
        if found.found_any:
            tests = leave_out(tests, found, callback)
        self._checks = replace(checks, tests=tests)
        self._validation = validate(cohort, lock, found.labels, callback)
        return self

    @property
    def model_(self) -> MAPDP:
        """The search of lowest E; ``describe(study.model_)`` says what its groups are like."""
        return self._seen.groups.model

    @property
    def labels_(self) -> np.ndarray:
        """Group of every patient, 0 the largest, shape (N,)."""
        return self._seen.groups.labels

    @property
    def groups(self) -> pd.DataFrame:
        """One row a group: patients, share, how it is treated, how often it comes back."""
        return self._seen.group_table()

    @property
    def verdict(self) -> Light:
        """How far the groups may be trusted: colour, headline, clauses and advice."""
        return self._seen.light

    @property
    def t_tests(self) -> pd.DataFrame:
        """One line a column that made the groups and pair of groups, as on the page *t-tests*.

        ``p`` compares the groups shown, ``p_left_out`` those found without the column (NaN where
        not found or too small); ``judged`` is the latter corrected for all tests, ``differs`` if at
        most .05.
        """
        return self.lock.marked(self._tested.tests.lines())

    @property
    def outcomes(self) -> pd.DataFrame:
        """One row an outcome: the test of all groups at once."""
        groups = self._tested.groups
        table = overall_table(self._validation.validators, groups.labels, groups.titles)
        return self.lock.marked(table)

    def tables(self, least: int = THRESHOLDS[0]) -> dict[str, pd.DataFrame]:
        """The tables that may leave, by name: counts below ``least`` are hidden."""
        return self._package(least).tables

    def report(self, path: str | Path, least: int = THRESHOLDS[0]) -> str:
        """Write the report, with counts of fewer than ``least`` patients hidden.

        Parameters
        ----------
        path : str or Path
            Ends in .html.
        least : int
            0 hides nothing; else the next smallest count is hidden, too, where one would follow.

        Returns
        -------
        str
            What was hidden, in a sentence.

        Raises
        ------
        ValueError
            Another ending.
        """
        path = Path(path)
        if path.suffix != ".html":
            raise ValueError(f"{path.name} is not allowed: end it in .html.")
        written = self._package(least)
        path.write_text(written.html, encoding="utf-8", newline="")
        return written.sentence

    def _package(self, least: int) -> Any:
        from .report import make_package  # whose figures need a make_package of the app

        return make_package(self, self._tested, self._validation, self.name, least)

    @property
    def _seen(self) -> Checks:
        """What was found; asking for it is seeing the groups."""
        if not hasattr(self, "_checks"):
            raise AttributeError("Nothing has been sought yet: call run() first.")
        self.note_groups()
        return self._checks

    @property
    def _tested(self) -> Checks:
        """The same with the tests; asking for it is seeing the outcomes."""
        found = self._seen
        self.note_validators()
        return found

    def __repr__(self) -> str:
        if self.lock is None:
            return "Study not locked"
        what = self.verdict.headline if hasattr(self, "_checks") else "not run yet"
        return f"Study locked {self.lock.time}: {what}"

    def _log(self, what: str) -> None:
        self.log.append(Event(datetime.now(UTC), what))


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _with_times(
    schema: Schema, guessed: Schema, said: Mapping[str, Any]
) -> tuple[Schema, set[str], list[str]]:
    """Take times to events as such where nobody said otherwise; their event columns; sentences."""
    events, remarks = set(), []
    for question in guessed.questions:
        answer, (time, *others) = question.answers[0], question.columns
        if answer.changes.get(time, {}).get("family") != TIME_TO_EVENT or time not in schema:
            continue
        how = "each by itself, though they look like a time and whether it was censored"
        is_guessed = all(schema.get(name) == guessed[name] for name in question.columns)
        if is_guessed and said.keys().isdisjoint(question.columns):
            schema, how = answer(schema), f"as a time to an event ({answer.text})"
            events |= {*others}
        elif schema[time].family == TIME_TO_EVENT or schema[time].role not in PARTS:
            continue
        columns = " and ".join(f"“{name}”" for name in question.columns)
        taken = f"{columns} are taken {how}"
        remarks.append(f"{taken}: if that is wrong, say what they are in `schema`.")
    return schema, events, remarks
