"""The table that somebody works on: as it was read, and the steps that made it what it is."""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Self

import pandas as pd

from ..prepare.recipe import Entry, Recipe, Record
from ..prepare.step import Step
from ..reading.options import ReadOptions, TableError


@dataclass(frozen=True, eq=False)
class Table:
    """A table as it was loaded, or after the steps that prepare it."""

    #: Never changed after loading, so that ``digest`` stands for it in cache keys.
    frame: pd.DataFrame
    #: The file's name, or the example's title.
    name: str
    #: SHA-256 of the file's bytes and of how they were read, or key and rows of an example.
    digest: str
    #: The file, to be read again with other options, and how it was read; None for an example.
    source: bytes | None = None
    options: ReadOptions | None = None
    #: The steps that made ``frame`` of the table as it was read, and what became of each of them.
    recipe: Recipe = field(default_factory=Recipe)
    records: tuple[Record, ...] = ()
    #: As it was read; None where no step was taken.
    before: pd.DataFrame | None = None

    @classmethod
    def of_file(cls, frame: pd.DataFrame, name: str, content: bytes) -> Self:
        """A table as ``read_table`` read it from a file; a TableError for one row."""
        if len(frame) < 2:
            raise TableError(f"'{name}' holds one row: groups need at least two rows.")
        options = ReadOptions(**frame.attrs["read_options"])
        digest = hashlib.sha256(content + repr(options).encode()).hexdigest()
        return cls(frame, name, digest, content, options)

    @property
    def as_read(self) -> pd.DataFrame:
        """The table before all steps."""
        return self.frame if self.before is None else self.before

    def prepared(self, recipe: Recipe) -> Self:
        """The table as it was read, with these steps and no others."""
        done, digest = recipe.apply(self.as_read), _digest(self.digest, recipe)
        frame, before = (done.frame, self.as_read) if recipe else (self.as_read, None)
        changes = {"recipe": recipe, "records": done.records, "before": before}
        return replace(self, frame=frame, digest=digest, **changes)

    def with_step(self, step: Step) -> Recipe:
        """Its steps and one at their end; names join no names that could not be given."""
        if self.records and self.records[-1].problem:
            return Recipe((*self.recipe.entries, Entry(step)))
        return self.recipe.with_step(step)

    @property
    def done(self) -> Recipe:
        """Of the steps, those that were carried out."""
        return Recipe(tuple(record.entry for record in self.records if record.is_done))

    @property
    def rows(self) -> str:
        """What stands for the rows: the same wherever the same steps have taken rows away."""
        last = [i for i, r in enumerate(self.records, 1) if r.before[0] != r.after[0]]
        return _digest(self.digest, Recipe(self.recipe.entries[: last[-1] if last else 0]))

    @property
    def example(self) -> str | None:
        """Key of the example that the table is, if it is one."""
        mark, _, key = self.digest.partition("#")[0].partition(" ")
        return key.partition(",")[0] if mark == "example" else None


def example_digest(key: str, n: int) -> str:
    """What stands for so many rows of an example."""
    return f"example {key}, {n} rows"


def _digest(digest: str, recipe: Recipe) -> str:
    """What stands for a table after some steps: two lists of the same steps are the same."""
    plain = digest.partition("#")[0]
    taken = hashlib.sha256(repr(recipe.steps).encode()).hexdigest()
    return f"{plain}#{taken[:16]}" if recipe.steps else plain
