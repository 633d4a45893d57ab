"""Roles, likelihoods and plan that a study fixes before groups are seen, with a hash."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Self

import pandas as pd

from ..plain import from_fields, saved_as, to_plain
from ..schema.chosen import in_words
from ..schema.schema import Schema
from ..schema.spec import TIME_TO_EVENT
from ..wording import counted
from .concerns import MARK, Repeats

#: Roles that the study reads; the columns in any other role take no part in it.
PARTS = {
    "cluster": "to make the groups",
    "validator": "to test them against",
    "control": "that should show no difference",
}
#: Options that older plans lack, at the values that these had; left out of the hash.
_OLD_DEFAULTS = {"put_together": False, "likelihood_power": 1.0, "covariates": ()}


@dataclass(frozen=True)
class Plan:
    """How a study is carried out, locked together with the roles."""

    #: N_0 of MAP-DP, its independent searches, of which that of lowest E counts, and their seed.
    concentration: float = 3.0
    restarts: int = 1
    seed: int = 0
    purpose: str = ""
    why: str = ""
    put_together: bool = True
    #: To which the likelihood is taken: 1 counts every deviation from it, less forgives more.
    likelihood_power: float = 1.0
    covariates: tuple[str, ...] = ()

    @property
    def merges(self) -> bool:
        """Whether clusters are merged: as on Compare, of the likelihood itself alone."""
        return self.put_together and self.likelihood_power == 1.0


class _Dated:
    when: datetime

    @property
    def time(self) -> str:
        """When it was, to the second, in UTC."""
        return f"{self.when:%Y-%m-%d %H:%M:%S} UTC"


@dataclass(frozen=True)
class Lock(_Dated):
    """Roles, likelihoods and plan as they stood at one time."""

    schema: Schema
    plan: Plan
    #: SHA-256 of the table's names and cells.
    data_hash: str = field(metadata=saved_as("data hash"))
    #: Patients, where rows repeat none: rows of the table, as often as each counts.
    n_rows: int = field(metadata=saved_as("rows"))
    when: datetime
    #: The patient's id, where rows repeat patients and somebody chose to go on with rows.
    repeats: Repeats | None = None
    #: The steps that had made the table what it was, a sentence each.
    prepared: tuple[str, ...] = ()

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that was locked but the time: 64 hexadecimal digits."""
        plan = asdict(self.plan).items()
        plan = {name: of for name, of in plan if (name, of) not in _OLD_DEFAULTS.items()}
        locked = (without_reasons(self.schema), plan, self.data_hash)
        locked += (self.prepared,) if self.prepared else ()
        return hashlib.sha256(json.dumps(locked, sort_keys=True).encode()).hexdigest()

    @property
    def model(self) -> str:
        """The model of the search, in a sentence or two."""
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

    def columns(self, part: str) -> tuple[str, ...]:
        """Columns in a role, such as "validator"."""
        return self.schema.names(part)

    def titles(self, part: str) -> tuple[str, ...]:
        """The same, of yes/no with the level that is counted, of a time with its event."""
        specs = [self.schema[name] for name in self.columns(part)]
        return tuple(f"{s.title} (event: {s.event})" if s.event else s.title for s in specs)

    @property
    def participants(self) -> str:
        """Number of patients; with repeated patients, of rows and of patients."""
        if self.repeats is None:
            return f"{self.n_rows:,} patients"
        return f"{self.n_rows:,} rows of {counted(self.repeats.n_patients, 'patient')}"

    def marked(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table with a note if it has p-values and rows repeat patients."""
        has_p = any(re.match(r"p\b|p_", str(name), re.IGNORECASE) for name in table)
        return table.assign(Note=MARK) if has_p and self.repeats is not None else table

    def least_count(self, patients: int) -> int:
        """Least count of rows that is shown for a least count of patients."""
        return patients * (1 if self.repeats is None else self.repeats.most)

    def to_json(self, versions: Mapping[str, str]) -> str:
        """The lock by itself, to take away: it holds nobody's data."""
        saved = to_plain(self) | {"schema": without_reasons(self.schema)}
        content = {"hash": self.hash, "made by": dict(versions), "lock": saved, "model": self.model}
        return json.dumps(content, indent=2, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from plain values; a ValueError or TypeError says that it cannot be."""
        return from_fields(cls, {**data, "plan": _OLD_DEFAULTS | data["plan"]}, "lock")


@dataclass(frozen=True)
class Event(_Dated):
    """Something that happened in a study."""

    when: datetime
    what: str


def possible_covariates(schema: Schema) -> list[str]:
    """Columns that can be adjusted for, those kept out first; no time to an event."""
    names = [name for part in ("validator", "control", "cluster") for name in schema.names(part)]
    return [name for name in names if schema[name].family not in (None, TIME_TO_EVENT)]


def without_reasons(schema: Schema) -> dict[str, Any]:
    """A schema for JSON without the reasons of its guesses, which disclose values of the table."""
    saved = schema.to_dict()
    for column in saved["columns"]:
        column.pop("reason", None)
    return saved


def data_hash(frame: pd.DataFrame) -> str:
    """SHA-256 of a table's column names and cells: 64 hexadecimal digits."""
    digest = hashlib.sha256("\x1f".join(map(str, frame.columns)).encode())
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()
