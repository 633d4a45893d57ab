"""A clinical study: what was decided before anyone saw the groups, and what happened since.

Testing the columns that made the groups proves nothing, so the roles of the columns and the
settings are fixed, with the time and a hash, before the first fit. Taking that back stays possible
and stays on record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import pandas as pd

from ..schema.chosen import in_words
from ..schema.rows import copies, with_copies
from ..schema.schema import Schema, SchemaError
from ..schema.spec import TIME_TO_EVENT
from ..wording import counted, times
from .concerns import Repeats, marked, repeats_of

#: Roles that the study reads; the columns in any other role take no part in it.
PARTS = {
    "cluster": "to make the groups",
    "validator": "to test them against",
    "control": "that should show no difference",
}
#: Groups that a study may judge.
JUDGED = {
    "finest": "All that the data show",
    "surviving": "Those that stay as the evidence counts less",
}

#: What to do about rows that repeat patients.
WAYS_OUT = (
    "Make one row a patient (Prepare, on Data), give the column another role if it names no "
    "patients, or choose to go on with rows, every p-value marked."
)

#: What a study remembers beside its lock and its log.
_NOTED = {
    "chosen_afterwards": bool,
    "groups_seen": bool,
    "validators_seen": bool,
    "fits_after_validators": int,
    "declared_unseen": int,
}


@dataclass(frozen=True)
class Plan:
    """How a study is carried out, locked together with the roles."""

    #: N_0 of MAP-DP.
    concentration: float = 3.0
    #: Independent searches; the one of lowest E gives the groups.
    restarts: int = 10
    seed: int = 0
    #: What the study is for, in its author's words.
    purpose: str = ""
    #: Why these columns make the groups.
    why: str = ""
    #: Key of ``JUDGED``: at the likelihood itself, or at its power on the finest plateau.
    judged: str = "finest"
    #: Columns that the effects on validators are adjusted for.
    covariates: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # A list, as it comes from JSON, could not be looked up.
        object.__setattr__(self, "covariates", tuple(self.covariates))


@dataclass(frozen=True)
class Lock:
    """Roles, likelihoods and plan as they stood at one time."""

    schema: Schema
    plan: Plan
    #: SHA-256 of the table's names and cells.
    data_hash: str
    #: Patients, where rows repeat none: rows of the table, as often as each counts.
    n_rows: int
    #: With its time zone.
    when: datetime
    #: The patient's id, where rows repeat patients and somebody chose to go on with rows.
    repeats: Repeats | None = None
    #: The steps that had made the table what it was, a sentence each.
    prepared: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that was locked but the time: 64 hexadecimal digits."""
        plan = asdict(self.plan)
        # Locks that were made before there was a choice keep their hash.
        for name in ("judged", "covariates"):
            if plan[name] == getattr(Plan, name):
                del plan[name]
        locked = (without_reasons(self.schema), plan, self.data_hash)
        locked += (self.prepared,) if self.prepared else ()
        return hashlib.sha256(json.dumps(locked, sort_keys=True).encode()).hexdigest()

    @property
    def time(self) -> str:
        """When it was locked, to the second, in UTC."""
        return f"{self.when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"

    @property
    def model(self) -> str:
        """What the groups are sought under, in a sentence or two."""
        if not self.schema.priors:
            return "Likelihoods as suggested or set by hand, each under a weak default prior."
        return (
            f"{in_words(self.schema.chosen)} Likelihoods, joint blocks and priors were chosen with "
            "the groups, by E, before the lock, and are locked as they are."
        )

    @property
    def preparation(self) -> str:
        """How the table was made ready, in sentences."""
        return " ".join(self.prepared) or "The table is the file as it was read."

    @property
    def adjustment(self) -> str:
        """What effects on outcomes are adjusted for, in a sentence."""
        names = [self.schema[name].title for name in self.plan.covariates]
        if not names:
            return "Effects on outcomes are not adjusted: no covariate was locked."
        return f"Effects on outcomes are adjusted for {', '.join(names)}, as was locked."

    def columns(self, part: str) -> tuple[str, ...]:
        """Columns in a role, such as "validator"."""
        return self.schema.names(part)

    def titles(self, part: str) -> tuple[str, ...]:
        """The same, of yes/no with the level that is counted."""
        return tuple(self.schema[name].title for name in self.columns(part))

    @property
    def who(self) -> str:
        """How many patients took part; of how many the rows are where they repeat patients."""
        if self.repeats is None:
            return f"{self.n_rows:,} patients"
        return f"{self.n_rows:,} rows of {counted(self.repeats.n_patients, 'patient')}"

    def table(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table to hand out: marked where rows repeat patients."""
        return table if self.repeats is None else marked(table)

    def least(self, patients: int) -> int:
        """Counts below which are hidden: of rows that repeat patients, so many more."""
        return patients if self.repeats is None else self.repeats.rows_of(patients)

    def cohort(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The table with one row a patient: each row as often as it counts."""
        return with_copies(frame, self.schema)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON."""
        return {
            "schema": self.schema.to_dict(),
            "plan": asdict(self.plan),
            "data hash": self.data_hash,
            "rows": self.n_rows,
            "when": self.when.isoformat(),
            **({} if self.repeats is None else {"repeats": asdict(self.repeats)}),
            **({"prepared": list(self.prepared)} if self.prepared else {}),
        }

    def to_json(self, versions: Mapping[str, str]) -> str:
        """The lock by itself, to take away: it holds nobody's data."""
        saved = self.to_dict() | {"schema": without_reasons(self.schema)}
        about = {"hash": self.hash, "made by": dict(versions), "lock": saved, "model": self.model}
        return json.dumps(about, indent=2, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Lock:
        """Rebuild from ``to_dict``; a ValueError or TypeError says that it cannot be."""
        plan = Plan(**data["plan"])
        for kept in fields(plan):
            value, kind = getattr(plan, kept.name), type(kept.default)
            if isinstance(value, bool) or not isinstance(value, (kind, int)[: 1 + (kind is float)]):
                raise ValueError(f"'{kept.name}' of a plan is no {kind.__name__}")
        when = datetime.fromisoformat(data["when"])
        schema = Schema.from_dict(data["schema"])
        check_covariates(schema, plan.covariates)
        repeats = Repeats(**data["repeats"]) if data.get("repeats") else None
        prepared = tuple(map(str, data.get("prepared", ())))
        digest, n_rows = str(data["data hash"]), int(data["rows"])
        return cls(schema, plan, digest, n_rows, when, repeats, prepared)


@dataclass(frozen=True)
class Event:
    """Something that happened in a study."""

    when: datetime
    #: One sentence.
    what: str

    @property
    def time(self) -> str:
        """In UTC, to the second."""
        return f"{self.when.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


@dataclass(frozen=True, eq=False)
class SecondTable:
    """A table of other patients, brought to look up the groups there."""

    #: Of its file.
    name: str
    #: Shape (n, M).
    frame: pd.DataFrame


@dataclass
class Study:
    """The lock of one table's study and its history.

    Attributes
    ----------
    lock : Lock or None
    log : list of Event
    chosen_afterwards : bool
        Groups had been seen before the roles now locked were chosen.
    groups_seen, validators_seen : bool
        Whether anyone has looked at the groups, and at how the validators differ between them.
    fits_after_validators : int
        Searches for groups made after the validators were seen.
    declared_unseen : int
        Clusterings made on other pages that nobody has looked at, on somebody's word.
    second : SecondTable or None
        The second cohort, if one was brought.
    """

    lock: Lock | None = None
    log: list[Event] = field(default_factory=list)
    chosen_afterwards: bool = False
    groups_seen: bool = False
    validators_seen: bool = False
    fits_after_validators: int = 0
    declared_unseen: int = 0
    second: SecondTable | None = None

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
        fits_elsewhere : int
            Clusterings of this table that were looked at on other pages.
        as_rows : bool
            Go on although rows repeat patients: every p-value is then marked.

        Raises
        ------
        SchemaError
            Nothing to cluster on, rows that repeat patients, a column that does not suit its
            likelihood, a covariate that cannot be adjusted for, or weights that are no numbers of
            patients.
        """
        if len(schema.names("cluster")) < 2:
            raise SchemaError(
                "A study needs at least two columns with the role 'cluster' to make groups from."
            )
        check_covariates(schema, plan.covariates)
        repeats = repeats_of(frame, schema)
        if repeats is not None and not as_rows:
            raise SchemaError(f"{repeats.sentence} {WAYS_OUT}")
        completed, n_patients = schema.completed(frame), copies(frame, schema).size
        now = datetime.now(UTC)
        prepared = tuple(frame.attrs.get("prepared", ()))
        self.lock = Lock(completed, plan, data_hash(frame), n_patients, now, repeats, prepared)
        fits = fits_elsewhere - self.declared_unseen
        if fits > 0 and not self.groups_seen:
            self._note(
                f"Before the lock, {fits:,} clusterings of this table had been made on other pages."
            )
            self.chosen_afterwards = True
        self._note(
            "Locked: "
            + "; ".join(
                f"{counted(len(self.lock.columns(part)), 'column')} {doing}"
                for part, doing in PARTS.items()
            )
            + f"; adjusted for {', '.join(plan.covariates) or 'nothing'}. Hash "
            f"{self.lock.hash[:12]}."
        )
        if self.lock.schema.priors:
            self._note(self.lock.model)
        if repeats is not None:
            self._note(f"Somebody chose to go on with rows. {repeats.sentence}")

    def declare_unseen(self, fits_elsewhere: int) -> None:
        """Take somebody's word that nobody looked at the clusterings made so far; on record."""
        self.declared_unseen = fits_elsewhere
        self._note(
            f"{counted(fits_elsewhere, 'clustering')} made on other pages before the lock: "
            "declared not to have been looked at."
        )

    def unlock(self) -> None:
        """Allow other roles; if the groups were seen, every later p-value is marked for it."""
        if self.lock is None:
            return
        self.lock = None
        if self.groups_seen:
            self.chosen_afterwards = True
            self._note("Unlocked after the groups had been seen.")
        else:
            self._note("Unlocked before the groups were seen.")

    def note_groups(self) -> None:
        """The groups were shown."""
        if not self.groups_seen:
            self.groups_seen = True
            self._note("The groups were seen for the first time.")

    def note_validators(self) -> None:
        """The validators were shown beside the groups."""
        if not self.validators_seen:
            self.validators_seen = True
            self._note("The validators were seen for the first time.")

    def note_search(self) -> None:
        """A search for groups was begun."""
        if self.validators_seen:
            self.fits_after_validators += 1
            self._note("Groups were sought again after the validators had been seen.")

    @property
    def reservation(self) -> str:
        """What a reader must know about every p-value of this study; empty if there is nothing."""
        said = []
        if self.lock is not None and self.lock.repeats is not None:
            said.append(self.lock.repeats.reservation)
        if self.chosen_afterwards:
            said.append(
                "Roles were chosen after groups of this table had been seen: read every p-value "
                "here as chosen afterwards."
            )
        if self.fits_after_validators:
            often = times(self.fits_after_validators)
            said.append(f"Groups were sought {often} after the validators had been seen.")
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON; the second cohort left out."""
        return {
            "lock": None if self.lock is None else self.lock.to_dict(),
            "log": [[event.when.isoformat(), event.what] for event in self.log],
            **{name: getattr(self, name) for name in _NOTED},
        }

    def beside(self, frame: pd.DataFrame) -> Study:
        """The same on its table: a lock of an older version never asked whether patients recur."""
        if self.lock is None or self.lock.repeats is not None:
            return self
        repeats = repeats_of(frame, self.lock.schema)
        return replace(self, lock=replace(self.lock, repeats=repeats))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], second: SecondTable | None = None) -> Study:
        """Rebuild from ``to_dict``; a ValueError or TypeError says that it cannot be."""
        lock = None if data["lock"] is None else Lock.from_dict(data["lock"])
        log = [Event(datetime.fromisoformat(when), str(what)) for when, what in data["log"]]
        noted = {name: kind(data[name]) for name, kind in _NOTED.items()}
        return cls(lock, log, **noted, second=second)

    def _note(self, what: str) -> None:
        self.log.append(Event(datetime.now(UTC), what))


def possible_covariates(schema: Schema) -> list[str]:
    """Columns that can be adjusted for, those kept out first; no time to an event."""
    names = [name for part in ("validator", "control", "cluster") for name in schema.names(part)]
    return [name for name in names if schema[name].family not in (None, TIME_TO_EVENT)]


def check_covariates(schema: Schema, names: Sequence[str]) -> None:
    """Raise a SchemaError for a column that cannot be adjusted for."""
    known = possible_covariates(schema)
    for name in names:
        if name not in known:
            raise SchemaError(
                f"Column '{name}' cannot be adjusted for: it must take part in the study, and be "
                "no time to an event. Choose another one."
            )


def without_reasons(schema: Schema) -> dict[str, Any]:
    """A schema for JSON without the reasons of its guesses, which tell of values in the table."""
    saved = schema.to_dict()
    for column in saved["columns"]:
        column.pop("reason", None)
    return saved


def data_hash(frame: pd.DataFrame) -> str:
    """SHA-256 of a table's column names and cells: 64 hexadecimal digits."""
    digest = hashlib.sha256("\x1f".join(map(str, frame.columns)).encode())
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()
