"""The step that joins a second table by a key, and the one that names columns."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Self

import pandas as pd

from ..plain import saved_as
from ..wording import counted
from .step import Asked, PrepareError, Step, examples, in_words, named, repeated


def digest_of(frame: pd.DataFrame) -> str:
    """Fingerprint of a table's names and cells: SHA-256 in hexadecimal digits."""
    names = "\0".join(map(str, frame.columns)).encode("utf-8", "replace")
    digest = hashlib.sha256(names)
    digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return digest.hexdigest()


@dataclass(frozen=True, repr=False)
class Join(Step, key="join a table", title="Join a second table"):
    """Take columns of a second table, of the row with the same key; rows without one get none."""

    other_name: str
    own_key: Annotated[str, Asked("Rows belong together where", "column")]
    other_key: str
    columns: tuple[str, ...]
    #: Fingerprint of the second table, ``digest_of``; it stands for the table in files.
    digest: str = ""
    #: The second table; None until it is loaded again.
    other: pd.DataFrame | None = field(
        metadata=saved_as(None), default=None, compare=False, repr=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        Asked("Take", "columns").check(self.columns)
        if self.other is not None and not self.digest:
            object.__setattr__(self, "digest", digest_of(self.other))

    @property
    def sentence(self) -> str:
        return (
            f"Joined {named(self.columns)} of '{self.other_name}', where its '{self.other_key}' is "
            f"the same as '{self.own_key}'"
        )

    def sources(self, name: str) -> tuple[str, ...] | None:
        return None

    def __repr__(self) -> str:
        return f"Join({', '.join(self.arguments)})"

    @property
    def arguments(self) -> list[str]:
        return [*super().arguments, f"other=read_table({self.other_name!r})"]

    def _keyed(self) -> pd.DataFrame:
        if self.other is None:
            raise PrepareError(f"'{self.other_name}' is not at hand: load the second table again.")
        absent = [n for n in (self.other_key, *self.columns) if n not in self.other.columns]
        if absent:
            raise PrepareError(f"'{self.other_name}' has no column {named(absent)}.")
        rows = self.other[self.other[self.other_key].notna()]
        keys = in_words(rows[self.other_key])
        twice = keys[keys.duplicated()]
        if len(twice):
            several = "a key" if twice.nunique() == 1 else counted(twice.nunique(), "key")
            raise PrepareError(
                f"'{self.other_name}' has several rows for {several} {examples(twice)}: make it "
                f"one row per '{self.other_key}' first."
            )
        return rows[list(self.columns)].set_axis(keys.array, axis=0)

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        keyed, own = self._keyed(), in_words(frame[self.own_key])
        if not own.isin(keyed.index).any():
            theirs = examples(pd.Series(keyed.index))
            raise PrepareError(
                f"No row finds its own in '{self.other_name}': '{self.own_key}' here holds "
                f"{examples(own.dropna())}, '{self.other_key}' there {theirs}."
            )
        taken = keyed.reindex(own).reset_index(drop=True)
        taken.columns = [f"{n} ({self.other_name})" if n in frame else n for n in taken]
        if again := repeated([*frame, *taken]):
            raise PrepareError(f"There is a column {named(again)} already: rename it first.")
        return pd.concat([frame, taken], axis=1)

    def found(self, frame: pd.DataFrame, changed: pd.DataFrame) -> str:
        """Rows that found theirs."""
        own = in_words(frame[self.own_key])
        is_met = own.isin(self._keyed().index)
        lost = own[~is_met].dropna()
        unmatched = f", {counted(len(lost), 'row')} did not {examples(lost)}" if len(lost) else ""
        return f"{int(is_met.sum()):,} of {counted(len(frame), 'row')} found theirs{unmatched}."


@dataclass(frozen=True)
class RenameColumns(Step, key="rename columns", title="Rename columns"):
    """Give columns other names."""

    #: Pairs of the name so far and the new one.
    names: Annotated[tuple[tuple[str, str], ...], Asked("New name", "names")]

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(self.renames)

    @property
    def renames(self) -> Mapping[str, str]:
        return dict(self.names)

    @property
    def sentence(self) -> str:
        changes = [f"{old} \u2192 {new}" for old, new in self.names]
        return f"Renamed {named(changes)}"

    def followed_by(self, later: "RenameColumns") -> Self:
        """Both at once; a column that has its first name again is not named."""
        came = {new: old for old, new in self.names}
        now = dict(self.names) | {came.get(old, old): new for old, new in later.names}
        return RenameColumns(tuple((old, new) for old, new in now.items() if old != new))

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        changed = frame.rename(columns=self.renames)
        if twice := repeated(changed.columns):
            raise PrepareError(f"Two columns would be called {named(twice)}.")
        if not all(new.strip() for _, new in self.names):
            raise PrepareError("A name needs a letter.")
        return changed
