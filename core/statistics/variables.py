"""A column as the tests read it: its kind, values and events."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

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
    #: bool, shape (N,). Whether a time ended with the event; with another, which rules this one
    #: out (None without such).
    events: np.ndarray | None = field(default=None, repr=False)
    others: np.ndarray | None = field(default=None, repr=False)
    #: Of a time to event: the column and the codes that mean it happened, "status = 2".
    event: str = ""
    log: bool = False
    #: float64, shape (N,). Of a column with special outcomes, numbers whose mean is that of all.
    natural: np.ndarray | None = field(default=None, repr=False)
    #: Of the numbers of a column in two parts, whose they are; empty of a whole column.
    part: str = ""
    #: Of a time to event: why no share without the event can be given; empty where it can.
    no_share: str = ""
    #: float64, (N,). Which special outcome, 0 for a number; and what these are called.
    outcome: np.ndarray | None = field(default=None, repr=False)
    special: tuple[str, ...] = ()

    @classmethod
    def of(cls, frame: pd.DataFrame, schema: Schema, name: str) -> Self:
        """Read a column of a table."""
        spec = schema[name]
        if name not in frame.columns:
            raise SchemaError(f"The table lacks the column '{name}': add it, or leave it out.")
        if spec.family is None:
            raise SchemaError(
                f"Column '{name}' has no type, so it cannot be tested: choose one, or leave it out."
                f" {spec.reason}"
            )
        if spec.family == TIME_TO_EVENT:
            return _time_to_event(frame, schema, name)
        spec = complete(frame[name], spec)
        if spec.transform not in (None, "log"):  # tests are of amounts, or of ratios of them
            spec = replace(spec, transform=None)
        values = encode_column(frame[name], spec, new_rows=True)
        found = cls(name, spec.kind, values, spec.levels or (), log=spec.transform == "log")
        if not spec.special:
            return found
        outcome = special_outcomes(frame[name], spec)
        values = _with_limits(values, outcome, spec)
        natural = back(values, spec.transform).copy()
        for j, code in enumerate(spec.special_codes, start=1):
            if code == 0:  # which has no logarithm
                natural[outcome == j] = 0.0
        special = tuple(spec.special)
        return replace(found, values=values, natural=natural, outcome=outcome, special=special)

    @property
    def in_parts(self) -> tuple[Self, ...]:
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
    def observed(self) -> np.ndarray:
        """Which rows have a value, shape (N,)."""
        return ~np.isnan(self.values)

    @property
    def amounts(self) -> np.ndarray | None:
        """Numbers whose mean a t-test compares, shape (N,); None of what has no mean.

        A step of a rating counts its number, or its place from 1 if it is a word.
        """
        if self.kind in ("category", "time to event"):
            return None
        if self.kind == "rating":
            are_numbers = all(isinstance(level, int | float) for level in self.levels)
            scores = self.levels if are_numbers else range(1, len(self.levels) + 1)
            amounts = self.values.copy()
            amounts[self.observed] = np.take(scores, amounts[self.observed].astype(np.int64))
            return amounts
        if self.natural is not None:
            return self.natural
        return np.exp(self.values) if self.log else self.values


def _with_limits(values: np.ndarray, outcomes: np.ndarray, spec: ColumnSpec) -> np.ndarray:
    """Numbers with zeros and limits at their place; other special outcomes have no size."""
    seen, is_log = values[~np.isnan(values)], spec.transform == "log"
    if not seen.size:
        return values
    values, low = values.copy(), float(seen.min())
    for j, code in enumerate(spec.special_codes, start=1):
        sign = code[:1] if isinstance(code, str) else ""
        if sign and sign in "<\u2264":
            values[outcomes == j] = low - (np.log(2) if is_log else abs(low) / 2)
        elif sign and sign in ">\u2265":
            values[outcomes == j] = seen.max()
        elif code == 0:
            values[outcomes == j] = min(low - np.log(2), 0.0) if is_log else 0.0
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

    def are(codes: Sequence[Any]) -> np.ndarray:
        return np.append([*map(MissingCodes(codes).holds, words)], False).astype(bool)[places]

    happened, unknown = are(spec.event_codes), are(schema[spec.event].missing_codes) | (places < 0)
    unnamed, others = unnamed_codes(frame, schema, name), np.zeros_like(happened)
    if spec.censored_codes is not None:
        others = ~(happened | unknown | are(spec.censored_codes))
    no_share = (
        f"'{spec.event}' has several values beside the event of '{name}' "
        f"({', '.join(map(str, unnamed))}), and nobody said which of them mean “not yet, when last "
        "seen” and which another event, so no share, curve, median or restricted mean is shown: "
        "those of Kaplan and Meier would tell too many events. Name them under Survival, on Plan."
    )
    return Variable(
        name,
        "time to event",
        np.where(unknown, np.nan, times),
        events=happened,
        others=others if others.any() else None,
        event=f"{spec.event} = {' or '.join(map(str, spec.event_codes))}",
        no_share=no_share if unnamed else "",
    )


def unnamed_codes(frame: pd.DataFrame, schema: Schema, name: str) -> list[Any]:
    """Other values of a time's event column that nobody named, where they are several."""
    spec = schema[name]
    if spec.censored_codes is not None or spec.event not in frame.columns:
        return []
    named = MissingCodes((*(spec.event_codes or ()), *schema[spec.event].missing_codes)).holds
    others = sorted((word for word in factorize(frame[spec.event])[1] if not named(word)), key=str)
    return others if len(others) > 1 else []
