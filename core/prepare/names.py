"""The step that names columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import pandas as pd

from .asked import Names, PrepareError, named
from .step import Step


@dataclass(frozen=True)
class RenameColumns(Step):
    """Give columns other names."""

    key: ClassVar[str] = "rename columns"
    title: ClassVar[str] = "Rename columns"

    #: Pairs of the name so far and the new one.
    names: Annotated[tuple[tuple[str, str], ...], Names("New name")]

    @property
    def needs(self) -> tuple[str, ...]:
        return tuple(old for old, _ in self.names)

    @property
    def sentence(self) -> str:
        changes = tuple(f"{old} \u2192 {new}" for old, new in self.names)
        return f"Renamed {named(changes)}"

    def followed_by(self, later: RenameColumns) -> RenameColumns:
        """Both at once; a column that has its first name again is not named."""
        now = dict(self.names)
        came = {new: old for old, new in self.names}
        now |= {came.get(old, old): new for old, new in later.names}
        return RenameColumns(tuple((old, new) for old, new in now.items() if old != new))

    def _carry_out(self, frame: pd.DataFrame) -> pd.DataFrame:
        changed = frame.rename(columns=dict(self.names))
        twice = [name for name, times in Counter(changed.columns).items() if times > 1]
        if twice:
            raise PrepareError(f"Two columns would be called {named(tuple(twice))}.")
        if any(not new.strip() for _, new in self.names):
            raise PrepareError("A name needs a letter.")
        return changed

    def _told(self, attrs: Mapping[str, Any], changed: pd.DataFrame) -> dict[str, Any]:
        names = dict(self.names)
        return {"columns": {names.get(n, n): s for n, s in attrs.get("columns", {}).items()}}

    def _made(self, frame: pd.DataFrame, changed: pd.DataFrame) -> dict[str, tuple[str, ...]]:
        names = dict(self.names)
        return {
            names.get(name, name): tuple(names.get(n, n) for n in of)
            for name, of in frame.attrs.get("made", {}).items()
        }
