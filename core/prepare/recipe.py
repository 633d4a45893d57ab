"""The steps of a table in their order, and what each of them did."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import pandas as pd

from ..wording import counted
from .step import PrepareError, Step, examples, in_words, named, repeated
from .tables import Join, RenameColumns

#: Fewer rows than this are not counted in a sentence that leaves the app.
_FEW = 5


@dataclass(frozen=True)
class Entry:
    """A step of the list, which may be switched off."""

    step: Step
    is_on: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return self.step.to_dict() | {"on": self.is_on}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from ``to_dict``; a PrepareError says that it cannot be."""
        step = {name: value for name, value in data.items() if name != "on"}
        return cls(Step.from_dict(step), bool(data.get("on", True)))


@dataclass(frozen=True)
class Record:
    """What became of an entry."""

    entry: Entry
    before: tuple[int, int]
    after: tuple[int, int]
    #: What a visitor should know of how it went, one sentence or none.
    remark: str = ""
    #: Why it could not be carried out; the table went on without it.
    problem: str = ""

    @property
    def is_done(self) -> bool:
        """Whether it was carried out."""
        return self.entry.is_on and not self.problem

    @property
    def effect(self) -> str:
        """What it changed: "2,240 -> 1,993 rows"; nothing where it was not carried out."""
        if not self.is_done:
            return ""
        pairs = zip(("row", "column"), self.before, self.after, strict=True)
        return ", ".join(f"{b:,} \u2192 {counted(a, what)}" for what, b, a in pairs if a != b)

    @property
    def sentence(self) -> str:
        """As a report says it, with its effect, but no number of rows that might tell whom."""
        rows = abs(self.before[0] - self.after[0])
        effect = f"fewer than {_FEW} rows less" if 0 < rows < _FEW else self.effect
        return f"{self.entry.step.sentence}{f' ({effect})' if effect else ''}."


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table after its steps."""

    #: Its ``attrs["prepared"]`` are the sentences of the steps that were carried out.
    frame: pd.DataFrame
    #: One for every entry, in their order.
    records: tuple[Record, ...] = field(default_factory=tuple)


@dataclass(frozen=True)
class Recipe:
    """Steps in the order in which they are applied."""

    entries: tuple[Entry, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.entries)

    @property
    def steps(self) -> tuple[Step, ...]:
        """Those that are switched on."""
        return tuple(entry.step for entry in self.entries if entry.is_on)

    @cached_property
    def names(self) -> dict[str, str]:
        """Names that columns were given, by those that they came with."""
        names: dict[str, str] = {}
        for step in self.steps:
            came = {now: first for first, now in names.items()}
            names |= {came.get(old, old): new for old, new in step.renames.items()}
        return names

    def names_in(self, other: "Recipe", columns: Iterable[str]) -> dict[str, str]:
        """New names of columns that another list calls otherwise, but for those that clash."""
        came = {now: first for first, now in self.names.items()}
        firsts = {name: came.get(name, name) for name in columns}
        names = {name: other.names.get(first, first) for name, first in firsts.items()}
        while twice := {*repeated(names.values())}:
            clashing = {old: old for old, new in names.items() if new in twice and old != new}
            names |= clashing
            if not clashing:
                break
        return {old: new for old, new in names.items() if old != new}

    def apply(self, frame: pd.DataFrame) -> Prepared:
        """Carry out the steps that are on; one that cannot be is passed over, and says why."""
        records = []
        for entry in self.entries:
            before, changed, problem, remark = frame.shape, frame, "", ""
            if entry.is_on:
                try:
                    changed = entry.step.apply(frame)
                    remark = _remark(entry.step, pd.DataFrame(frame), pd.DataFrame(changed))
                except PrepareError as error:
                    problem = str(error)
            records.append(Record(entry, before, changed.shape, remark, problem))
            frame = changed
        attrs = {"prepared": [record.sentence for record in records if record.is_done]}
        prepared = frame.copy(deep=False)
        prepared.attrs = frame.attrs | attrs
        return Prepared(prepared, tuple(records))

    def with_step(self, step: Step) -> Self:
        """The list with a step at its end; names given one after the other are one step."""
        last = self.entries[-1].step if self.entries and self.entries[-1].is_on else None
        if isinstance(step, RenameColumns) and isinstance(last, RenameColumns):
            joined = last.followed_by(step)
            others = self.entries[:-1]
            return Recipe((*others, Entry(joined)) if joined.names else others)
        return Recipe((*self.entries, Entry(step)))

    def without(self, place: int) -> Self:
        """The list without an entry."""
        return Recipe((*self.entries[:place], *self.entries[place + 1 :]))

    def switched(self, place: int) -> Self:
        """The list with an entry off that was on, or on that was off."""
        before, (entry, *after) = self.entries[:place], self.entries[place:]
        return Recipe((*before, replace(entry, is_on=not entry.is_on), *after))

    def moved(self, place: int, by: int) -> Self:
        """The list with an entry further down (1) or up (-1)."""
        entries = list(self.entries)
        entries.insert(place + by, entries.pop(place))
        return Recipe(tuple(entries))

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """Second tables of all entries by their fingerprints, which stand for them in files."""
        joins = [entry.step for entry in self.entries if isinstance(entry.step, Join)]
        return {step.digest: step.other for step in joins if step.other is not None}

    def with_tables(self, tables: Mapping[str, pd.DataFrame]) -> Self:
        """The list with second tables that were kept apart; a step without its own says so."""
        return Recipe(
            tuple(
                replace(entry, step=replace(step, other=tables[step.digest]))
                if isinstance(step := entry.step, Join) and step.digest in tables
                else entry
                for entry in self.entries
            )
        )


def _remark(step: Step, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
    """What a visitor should know of how a step went, and which of its columns have no cell left."""
    empty = [name for name in step.writes if name in changed and changed[name].isna().all()]
    emptied = f"{named(empty)} {'is' if len(empty) == 1 else 'are'} empty." if empty else ""
    return " ".join(
        filter(None, (step.found(frame, changed), _lost(step, frame, changed), emptied))
    )


def _lost(step: Step, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
    """Cells that a step could not compute, though all that they are computed of was there."""
    if len(frame) != len(changed):
        return ""
    lost: dict[tuple[str, ...], pd.Series] = {}
    for name in step.writes:
        if of := step.sources(name):
            is_lost = changed[name].isna() & frame[list(of)].notna().all(axis=1)
            lost[of] = lost.get(of, False) | is_lost
    cells = [
        frame.loc[is_lost, list(of)].apply(in_words).agg(" and ".join, axis=1)
        for of, is_lost in lost.items()
        if is_lost.any()
    ]
    several = pd.concat(cells) if cells else pd.Series()
    text = f"{counted(len(several), 'cell')} became empty {examples(several)}."
    return text if cells else ""
