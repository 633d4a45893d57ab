"""What a study has let out, and why a further report may not: two tell of those who are in one.

Of every report it is remembered which patients were told of together, on which column. A second
report of other covariates, other groups or a table with a patient more tells, less the first, of
the few in whom they differ.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain, combinations
from typing import Any

import numpy as np
import pandas as pd

from ..release.cells import ALL, tells_of_few
from ..statistics.variables import Variable
from ..wording import counted

#: Of up to so many groups, every union is looked at; of more, each alone and all together.
MOST_UNITED = 6
#: In the place of a column: the sizes of the groups.
SIZES = ""


class Refused(ValueError):
    """A report that would tell, beside an earlier one, of few patients."""


@dataclass(frozen=True, eq=False)
class Release:
    """Whom one report told of together.

    Parameters
    ----------
    when : datetime
    data_hash : str
        Of the table, as its lock has it.
    least : int
        Counts below it were hidden.
    labels : ndarray of int, shape (N,)
        Group of every patient.
    told : mapping of str to tuple of int
        By column, the groups that were told of; under ``SIZES``, those whose size was.
    observed : mapping of str to ndarray of bool, shape (N,)
        By column, who has a value.
    complete : ndarray of bool, shape (N,)
        Patients whose covariates are all observed.
    adjusted : mapping of str to tuple of int
        By outcome, the groups whose complete cases were told of.
    """

    when: datetime
    data_hash: str
    least: int
    labels: np.ndarray
    told: Mapping[str, tuple[int, ...]]
    observed: Mapping[str, np.ndarray]
    complete: np.ndarray
    adjusted: Mapping[str, tuple[int, ...]]

    @property
    def time(self) -> str:
        """In UTC, to the minute."""
        return f"{self.when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"

    def layers(self, name: str) -> Iterator[list[np.ndarray]]:
        """Sets of patients that were told of on a column: the groups, then the complete cases."""
        observed = self.observed.get(name, True)
        groups = self.told.get(name, ())
        yield [(self.labels == k) & observed for k in groups]
        complete = self.adjusted.get(name, ())
        yield [(self.labels == k) & observed & self.complete for k in complete]

    def is_like(self, other: Release) -> bool:
        """Whether both told of the same patients on the same columns."""
        return self.to_dict() | {"when": 0} == other.to_dict() | {"when": 0}

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON."""
        return {
            "when": self.when.isoformat(),
            "data hash": self.data_hash,
            "least": self.least,
            "labels": _packed(self.labels.astype(np.int16)),
            "told": {name: list(groups) for name, groups in self.told.items()},
            "observed": {name: _bits(rows) for name, rows in self.observed.items()},
            "complete": _bits(self.complete),
            "adjusted": {name: list(groups) for name, groups in self.adjusted.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Release:
        """Rebuild from ``to_dict``; a ValueError or TypeError says that it cannot be."""
        labels = np.frombuffer(base64.b64decode(data["labels"]), np.int16).astype(np.int64)
        told, adjusted = (
            {str(name): tuple(map(int, groups)) for name, groups in data[part].items()}
            for part in ("told", "adjusted")
        )
        observed = {str(name): _rows(bits, labels.size) for name, bits in data["observed"].items()}
        complete = _rows(data["complete"], labels.size)
        when = datetime.fromisoformat(data["when"])
        digest, least = str(data["data hash"]), int(data["least"])
        return cls(when, digest, least, labels, told, observed, complete, adjusted)


def _packed(values: np.ndarray) -> str:
    return base64.b64encode(values.tobytes()).decode()


def _bits(rows: np.ndarray) -> str:
    return _packed(np.packbits(rows))


def _rows(bits: str, count: int) -> np.ndarray:
    packed = np.frombuffer(base64.b64decode(bits), np.uint8)
    return np.unpackbits(packed, count=count).astype(bool)


@dataclass(frozen=True, eq=False)
class Earlier:
    """A report of before, its patients found again among those of now.

    ``places``, shape (N,), is the row of each in the table of now, -1 where there is none.
    """

    release: Release
    places: np.ndarray

    @classmethod
    def of_same_table(cls, release: Release) -> Earlier:
        """Of the table as it is now."""
        return cls(release, np.arange(release.labels.size))


def release_of(
    data_hash: str,
    least: int,
    labels: np.ndarray,
    shown: Sequence[int],
    told: pd.DataFrame,
    columns: Mapping[str, Variable | str],
    covariates: Sequence[str],
    adjusted: Mapping[str, tuple[int, ...]],
) -> Release:
    """What a report tells of whom.

    Parameters
    ----------
    data_hash, least, labels, adjusted
        As in ``Release``.
    shown : sequence of int
        Groups whose size is told.
    told : DataFrame of bool
        ``disclosure.told_columns``.
    columns : mapping of str to Variable or str
        The study's columns, as the tests read them.
    covariates : sequence of str
    """
    groups = told.drop(index=ALL, errors="ignore")
    named = {name: tuple(np.flatnonzero(groups[name]).tolist()) for name in groups}
    read = {name: one.observed for name, one in columns.items() if not isinstance(one, str)}
    complete = np.all([read[name] for name in covariates if name in read], axis=0)
    complete = np.broadcast_to(complete, labels.shape).astype(bool)
    of_told = {name: read[name] for name in named if name in read}
    sets = {SIZES: tuple(shown)} | named, of_told, complete, adjusted
    return Release(datetime.now(UTC), data_hash, least, labels, *sets)


def why_refused(
    new: Release, earlier: Sequence[Earlier], columns: Mapping[str, Variable | str]
) -> str:
    """Why a report must not leave beside those of before; empty where it may.

    Parameters
    ----------
    new : Release
    earlier : sequence of Earlier
    columns : mapping of str to Variable or str
        The study's columns, as the tests read them.
    """
    for old in earlier:
        for name in new.told:
            column = columns.get(name)
            is_told = name in old.release.told and not isinstance(column, str)
            if is_told and (said := _tells(new, old, name, column)):
                return said
    return ""


def _tells(new: Release, old: Earlier, name: str, column: Variable | None) -> str:
    """What both reports tell on a column of the few in whom they differ; empty if nothing."""
    least = min(new.least, old.release.least)
    n, is_gone = new.labels.size, old.places < 0
    # The patients of now, then those who are in the table of before only.
    size = n + int(is_gone.sum())
    places = old.places.copy()
    places[is_gone] = np.arange(n, size)
    now = [_spread(sets, np.arange(n), size) for sets in new.layers(name)]
    then = [_spread(sets, places, size) for sets in old.release.layers(name)]
    for first in chain.from_iterable(map(_unions, now)):
        for second in chain.from_iterable(map(_unions, then)):
            if said := _difference(first, second, column, n, least):
                about = "how many are in the groups" if name == SIZES else f"about “{name}”"
                return (
                    f"This report is not let out: beside the report of {old.release.time} it would "
                    f"tell, {about}, {said}. Keep the table, the roles and the covariates of that "
                    "report, or leave the column out of the study."
                )
    return ""


def _spread(sets: Sequence[np.ndarray], places: np.ndarray, size: int) -> list[np.ndarray]:
    """Sets of some patients among all of both tables."""
    found = []
    for rows in sets:
        of_all = np.zeros(size, dtype=bool)
        of_all[places[rows]] = True
        found.append(of_all)
    return found


def _unions(sets: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What is told of sets that do not overlap is told of their unions, too."""
    counts = range(1, len(sets) + 1) if len(sets) <= MOST_UNITED else (1, len(sets))
    return [np.any(some, axis=0) for count in counts for some in combinations(sets, count) if count]


def _difference(
    first: np.ndarray, second: np.ndarray, column: Variable | None, n: int, least: int
) -> str:
    """What of a difference of two sets would be told; empty if that is no small count."""
    apart = first ^ second
    many = int(apart.sum())
    if not many:
        return ""
    if many < least:
        return f"of {counted(many, 'patient')} in whom they differ"
    is_nested = not (first & ~second).any() or not (second & ~first).any()
    if column is None or not is_nested or apart[n:].any():
        return ""
    if tells_of_few(column, apart[:n], least):
        return f"a count below {least} among the {many:,} patients in whom they differ"
    return ""
