"""A clinical study in one object: lock, groups, verdict, t-tests, outcomes and the report.

The steps are those of the page Clinical, in its order: the roles are locked before the first
search, and whoever looks at outcomes before seeking groups again has it on record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from ..clinical.checks import Checks, run_checks
from ..clinical.groups import SMALLEST, find_subgroups
from ..clinical.outcomes import Validation, overall, printed, validate
from ..clinical.small_counts import THRESHOLDS
from ..clinical.study import Lock, Plan
from ..clinical.study import Study as Record
from ..clinical.t_tests import Choice, TTests, leave_out
from ..clinical.tables import Tables
from ..clinical.verdict import Light
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..schema.frames import as_frame
from ..schema.infer import infer_schema
from ..schema.schema import Schema

#: Whether the full protocol is carried out, or the preview of 20 draws.
EFFORTS = {"preview": False, "full": True}


class Study:
    """Groups of patients, tested honestly.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, Arrow table, shape (N, M)
        One row a patient.
    schema : Schema or mapping, optional
        Guessed by ``infer_schema`` when absent; a mapping as for ``Schema.with_columns``.
    outcomes : sequence of str
        Columns kept out of the groups, to be tested between them (role "validator").
    controls : sequence of str
        Columns that should show no difference (role "control").
    covariates : sequence of str
        Columns that the effects on outcomes are adjusted for in the report.
    name : str
        Of the table, in the report.
    as_rows : bool
        Go on where rows repeat patients: every p-value is then marked.
    concentration, restarts, seed, purpose, why, judged
        Of the plan that is locked, as in ``Plan``.

    Attributes
    ----------
    record : clinical.study.Study
        The lock, with its time and hash, and what happened since.
    model_ : MAPDP
        The search of lowest E.
    labels_ : ndarray of int64, shape (N,)
        Group of every patient, 0 the largest.
    groups : DataFrame
        One row a group: patients, share, how it is treated, how often it comes back.
    verdict : Light
        ``colour``, ``headline``, ``clauses`` and ``advice``: how far the groups may be trusted.
    t_tests : DataFrame
        One row a column and pair of groups. ``p_left_out`` is that of groups found without the
        column, and decides (``differs``); NaN where those two groups are not found without it, or
        are too small to be tested: the column is then neither shown to differ nor not to.
    outcomes, outcome_pairs : DataFrame
        Each outcome, between all groups and between every two.

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
    >>> len(study.record.lock.hash)
    64
    """

    def __init__(
        self,
        frame: Any,
        schema: Any = None,
        *,
        outcomes: Sequence[str] = (),
        controls: Sequence[str] = (),
        name: str = "the table",
        as_rows: bool = False,
        **plan: Any,
    ) -> None:
        self.frame, self.name = as_frame(frame), name
        if not isinstance(schema, Schema):
            schema = infer_schema(self.frame).with_columns(schema or {})
        roles = dict.fromkeys(_names(outcomes), "validator")
        roles |= dict.fromkeys(_names(controls), "control")
        self.record = Record()
        plan["covariates"] = _names(plan.get("covariates", ()))
        locked = schema.with_columns(roles)
        self.record.lock_in(self.frame, locked, Plan(**plan), as_rows=as_rows)

    def run(self, effort: str = "preview", callback: Callback | None = None) -> Self:
        """Seek the groups, check them, find them again without each column, and test outcomes.

        Parameters
        ----------
        effort : {"preview", "full"}
            20 draws of each check, or the full protocol, without which no light is green: it takes
            minutes.
        callback : callable, optional
            Called with a ``Progress`` at every step; what it raises ends the work.
        """
        if effort not in EFFORTS:
            raise ValueError(f"effort={effort!r} is not allowed: give {' or '.join(EFFORTS)}.")
        work, lock = _Work(callback), self.lock
        cohort = lock.cohort(self.frame)
        self.record.note_search()
        found = find_subgroups(cohort, lock, work)
        checks = Checks(found)
        tests = TTests.of(cohort, lock, found)
        if found.found_any:
            checks = run_checks(cohort, lock, found, EFFORTS[effort], work)
            tests = leave_out(tests, found, work)
        self._checks = replace(checks, tests=tests)
        self._validation = validate(cohort, lock, found.labels, work)
        return self

    @property
    def lock(self) -> Lock:
        """Roles, likelihoods and plan, with the time and the hash of their lock."""
        return self.record.lock

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
        """The light: ``colour``, ``headline``, ``clauses`` and ``advice``."""
        return self._seen.light

    @property
    def t_tests(self) -> pd.DataFrame:
        """One line a column and pair of groups, as on the page *t-tests*.

        ``p`` compares the groups as they are, which the column itself helped to make;
        ``p_left_out`` those found without it, NaN where they are not found or too small;
        ``judged`` is the latter corrected for the number of tests, ``differs`` whether it is at
        most .05.
        """
        tests = self._tested.tests
        pairs = tests.pairs(SMALLEST)
        if not pairs:
            return pd.DataFrame(columns=["column", "p", "p_left_out", "judged", "differs"])
        return self.lock.table(tests.lines(pairs, Choice()))

    @property
    def outcomes(self) -> pd.DataFrame:
        """One row an outcome: the test of all groups at once, ready to print."""
        groups = self._tested.groups
        table = overall(self._validation.validators, groups.labels, groups.titles)
        return self.lock.table(table)

    @property
    def outcome_pairs(self) -> pd.DataFrame:
        """One row an outcome and pair of groups, with the effect and its interval."""
        _ = self._tested
        return self.lock.table(printed(self._validation.validators))

    def tables(self, least: int = THRESHOLDS[0]) -> Tables:
        """The tables that may leave, by name: counts below ``least`` are hidden."""
        return self._package(least).tables

    def report(self, path: str | Path, least: int = THRESHOLDS[0]) -> str:
        """Write the report, with counts of fewer than ``least`` patients hidden.

        Parameters
        ----------
        path : str or Path
            Ends in .html.
        least : int
            Counts below it are hidden, and the next smallest where one would follow from a printed
            total; 0 hides nothing, for a ward's own records and public data. A person should look
            before the report is passed on.

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
        from ..clinical import report as reports  # whose figures need a package of the app

        checks = self._tested
        validation: Validation = self._validation
        about = self.record, checks, validation, checks.tests, self.name
        return reports.package(*about, least=least)

    @property
    def _seen(self) -> Checks:
        """What was found; asking for it is seeing the groups."""
        if not hasattr(self, "_checks"):
            raise AttributeError("Nothing has been sought yet: call run() first.")
        self.record.note_groups()
        return self._checks

    @property
    def _tested(self) -> Checks:
        """The same with the tests; asking for it is seeing the outcomes."""
        found = self._seen
        self.record.note_validators()
        return found

    def _repr_html_(self) -> str:
        if not hasattr(self, "_checks"):
            return f"<p>{self!r}</p>"
        # No count of patients: a notebook is passed on as it is.
        light = self.verdict
        clauses = pd.DataFrame([vars(clause) for clause in light.clauses])
        said = f"<p><b>{light.headline}</b>. {light.advice}</p>"
        return said + clauses.to_html(index=False, border=0)

    def __repr__(self) -> str:
        if not hasattr(self, "_checks"):
            return f"Study locked {self.lock.time}, {self.lock.n_rows:,} patients, not run yet"
        return f"Study locked {self.lock.time}: {self.verdict.headline}"


class _Work:
    """Passes progress on to a callback, and keeps nothing of what there is in between."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback

    def __call__(self, progress: Progress) -> None:
        if self._callback is not None:
            self._callback(progress)

    def share(self, partial: Any) -> None:
        """Nobody waits for parts."""


def _names(names: str | Sequence[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
