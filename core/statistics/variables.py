"""One column as the tests read it: what kind of quantity, its values, and its events."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..schema.cells import MissingCodes, factorize, special_outcomes
from ..schema.encode import complete, encode_column, numbers
from ..schema.schema import Schema
from ..schema.spec import NUMBER, TIME_TO_EVENT, ColumnSpec, SchemaError
from ..schema.transforms import back


@dataclass(frozen=True)
class Variable:
    """A column to be described and tested."""

    name: str
    #: One of ``families.family.KINDS``, or "time to event".
    kind: str
    #: float64, (N,). NaN is missing; 0/1, codes of levels from 0, or logarithms of a log column.
    values: np.ndarray = field(repr=False)
    #: Of a yes/no column (no, yes), of a category every level, of a rating its steps.
    levels: tuple[Any, ...] = ()
    #: bool, shape (N,). Of a time to event: whether it ended with the event.
    events: np.ndarray | None = field(default=None, repr=False)
    #: bool, (N,). Whether another event ended it, which rules this one out; None without such.
    others: np.ndarray | None = field(default=None, repr=False)
    #: Of a time to event: the column and the codes that mean it happened, "status = 2".
    event: str = ""
    log: bool = False
    #: float64, shape (N,). Of a column with special outcomes, numbers whose mean is that of all.
    natural: np.ndarray | None = field(default=None, repr=False)
    #: Of the numbers of a column in two parts, whose they are; empty of a whole column.
    part: str = ""
    #: Of a time to event: why no share without the event can be told; empty where it can.
    no_share: str = ""
    #: float64, (N,). Which special outcome, 0 for a number; and what these are called.
    outcome: np.ndarray | None = field(default=None, repr=False)
    special: tuple[str, ...] = ()

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Schema, name: str) -> Variable:
        """Read a column of a table."""
        spec = schema[name]
        if name not in frame.columns:
            raise SchemaError(f"The table lacks the column '{name}': add it, or leave it out.")
        if spec.family is None:
            raise SchemaError(
                f"Column '{name}' has no type, so it cannot be tested: choose one on the Data page."
            )
        if spec.family == TIME_TO_EVENT:
            return _time_to_event(frame, schema, name)
        spec = complete(frame[name], spec)
        if spec.transform not in (None, "log"):  # tests are of amounts, or of ratios of them
            spec = replace(spec, transform=None)
        values = encode_column(frame[name], spec, new_rows=True)
        natural = outcomes = None
        if spec.special:
            outcomes = special_outcomes(frame[name], spec)
            values = _with_limits(values, outcomes, spec)
            natural = back(values, spec.transform).copy()
            for j, code in enumerate(spec.special_codes, start=1):
                if code == 0:  # which has no logarithm
                    natural[outcomes == j] = 0.0
        levels = spec.levels or ()
        is_log = spec.transform == "log"
        special = {"natural": natural, "outcome": outcomes, "special": tuple(spec.special)}
        return cls(name, spec.kind, values, levels, log=is_log, **special)

    @classmethod
    def parts(cls, frame: pd.DataFrame, schema: Schema, name: str) -> tuple[Variable, ...]:
        """A column as it is tested: itself, or in two parts where it has special outcomes."""
        whole = cls.of(frame, schema, name)
        return whole.in_parts or (whole,)

    @property
    def in_parts(self) -> tuple[Variable, ...]:
        """Both parts of a column with special outcomes; none of another."""
        if self.outcome is None:
            return ()
        kind = "category" if len(self.special) > 1 else "yes/no"
        first = Variable(self.name, kind, self.outcome, (NUMBER, *self.special))
        numbers = np.where(self.outcome == 0, self.values, np.nan)
        of_them = {"natural": None, "part": "of those with a number", "outcome": None}
        return first, replace(self, values=numbers, **of_them, special=())

    @property
    def title(self) -> str:
        """Its name, with the level or the event that is counted: "deaths = 1"."""
        if self.event:
            return f"{self.name} until {self.event}"
        if self.kind == "yes/no":
            return f"{self.name} = {self.levels[1]}"
        return f"{self.name} ({self.part})" if self.part else self.name

    @property
    def hazard(self) -> str:
        """What a ratio of hazards of this event is called."""
        return "hazard ratio" if self.others is None else "cause-specific hazard ratio"

    @property
    def observed(self) -> np.ndarray:
        """Which rows have a value, shape (N,)."""
        return ~np.isnan(self.values)

    @property
    def scores(self) -> np.ndarray:
        """What every step of a rating counts: its number, or its place from 1 if it is a word."""
        if all(isinstance(level, int | float) for level in self.levels):
            return np.array(self.levels, dtype=np.float64)
        return np.arange(1.0, len(self.levels) + 1.0)

    @property
    def amounts(self) -> np.ndarray | None:
        """Numbers whose mean a t-test compares, shape (N,); None of what has no mean."""
        if self.kind in ("category", "time to event"):
            return None
        if self.kind == "rating":
            known = self.observed
            amounts = self.values.copy()
            amounts[known] = self.scores[amounts[known].astype(np.int64)]
            return amounts
        if self.natural is not None:
            return self.natural
        return np.exp(self.values) if self.log else self.values

    def of_group(self, labels: np.ndarray, group: int) -> np.ndarray:
        """Observed values of a group's rows."""
        return self.values[(labels == group) & self.observed]


def _with_limits(values: np.ndarray, outcomes: np.ndarray, spec: ColumnSpec) -> np.ndarray:
    """Numbers with zeros and limits at their place; other special outcomes have no size."""
    seen = values[~np.isnan(values)]
    if not seen.size:
        return values
    values = values.copy()
    for j, code in enumerate(spec.special_codes, start=1):
        rows = outcomes == j
        is_log = spec.transform == "log"
        if isinstance(code, str) and code[:1] in "<\u2264":
            values[rows] = seen.min() - (np.log(2) if is_log else abs(seen.min()) / 2)
        elif isinstance(code, str) and code[:1] in ">\u2265":
            values[rows] = seen.max()
        elif code == 0:
            values[rows] = min(seen.min() - np.log(2), 0.0) if is_log else 0.0
    return values


def _time_to_event(frame: pd.DataFrame, schema: Schema, name: str) -> Variable:
    spec = schema[name]
    if spec.event is None or not spec.event_codes:
        raise SchemaError(
            f"Column '{name}' is a time to an event, and nobody named which column and which of "
            f"its values mean that the event happened: choose them in the options of '{name}'."
        )
    if spec.event not in frame.columns:
        raise SchemaError(
            f"The table lacks the column '{spec.event}', which says whether '{name}' ended with "
            "the event: add it."
        )
    times = numbers(frame[name], spec)
    if (times < 0).any():
        raise SchemaError(f"Column '{name}' has a time below 0: correct it, or leave it empty.")
    places, words = factorize(frame[spec.event])
    is_event = MissingCodes(spec.event_codes).holds
    is_missing = MissingCodes(schema[spec.event].missing_codes).holds
    happened = np.append([is_event(word) for word in words], False).astype(bool)[places]
    unknown = np.append([is_missing(word) for word in words], True).astype(bool)[places]
    event = f"{spec.event} = {' or '.join(map(str, spec.event_codes))}"
    values = np.where(unknown, np.nan, times)
    codes = other_codes(frame, schema, name)
    is_censored = MissingCodes(codes if spec.censored_codes is None else spec.censored_codes).holds
    ruled_out = np.append([not is_censored(word) for word in words], False).astype(bool)[places]
    others = ruled_out & ~happened & ~unknown
    return Variable(
        name,
        "time to event",
        values,
        events=happened,
        others=others if others.any() else None,
        event=event,
        no_share=_why_no_share(spec, unnamed_codes(frame, schema, name)),
    )


def other_codes(frame: pd.DataFrame, schema: Schema, name: str) -> list[Any]:
    """Values of a time's event column that are neither its event nor missing, in order."""
    spec = schema[name]
    if spec.event not in frame.columns:
        return []
    known = MissingCodes((*(spec.event_codes or ()), *schema[spec.event].missing_codes)).holds
    return sorted((word for word in factorize(frame[spec.event])[1] if not known(word)), key=str)


def unnamed_codes(frame: pd.DataFrame, schema: Schema, name: str) -> list[Any]:
    """Those values where they are several, and nobody said which mean another event."""
    others = other_codes(frame, schema, name)
    return others if schema[name].censored_codes is None and len(others) > 1 else []


def _why_no_share(spec: ColumnSpec, unnamed: list[Any]) -> str:
    """Why no share of patients is told while nobody has said which codes are other events."""
    if not unnamed:
        return ""
    return (
        f"'{spec.event}' has several values beside the event of '{spec.name}' "
        f"({', '.join(map(str, unnamed))}), and nobody said which of them mean “not yet, when last "
        "seen” and which another event, so no share, curve, median or restricted mean is shown: "
        "those of Kaplan and Meier would tell too many events. Name the codes on Roles."
    )
