"""Everything that was decided about a table, as a text file without a value of its cells."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Naming
from ..plain import from_fields, hints, saved_as, saved_fields
from ..prepare.recipe import Entry
from ..reading.options import ReadOptions
from ..saved_file import SavedFile
from ..schema.schema import Schema
from ..wording import RefusedError, listed

MOST_NAMES, QUOTES = 8, "''"


class SettingsFileError(RefusedError):
    """A text that holds no settings, damaged ones, or those of a newer version: one sentence."""


FILE = SavedFile("settings file", 2, SettingsFileError)


@dataclass(frozen=True)
class Saved:
    """What a settings file holds."""

    table: str
    rows: int
    columns: int
    #: How the file was read; None for an example.
    options: ReadOptions | None = field(metadata=saved_as("read options"))
    schema: Schema
    settings: Settings = field(metadata=saved_as("comparison"))
    #: Key of ``METHODS``: the chosen result.
    algorithm: str = field(metadata=saved_as("result of"))
    namings: Mapping[str, Naming] = field(metadata=saved_as("names"))
    steps: tuple[Entry, ...] = ()
    #: Keys of ``METHODS``: those side by side on Compare.
    compared: tuple[str, ...] = field(metadata=saved_as("methods"), default=tuple(METHODS.first))

    def __post_init__(self) -> None:
        for name in (self.algorithm, *self.namings, *self.compared):
            METHODS[name]  # an unknown one is refused here

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON."""
        return FILE.first_lines | saved_fields(self)

    @classmethod
    def from_dict(cls, entries: Any) -> Self:
        """Rebuild from ``to_dict``, without what earlier versions wrote; a ValueError if not."""
        content = FILE.checked(entries)
        return from_fields(cls, {name: content[name] for name in hints(cls) if name in content})


def save_settings(saved: Saved) -> str:
    """Write settings as readable JSON."""
    return json.dumps(saved.to_dict(), indent=1, ensure_ascii=False)


def load_settings(text: str | bytes) -> Saved:
    """Read settings back, or raise a SettingsFileError."""
    content = FILE.read(text)
    with FILE.rebuilding():
        return Saved.from_dict(content)


def fitting_schema(saved: Schema, guessed: Schema) -> tuple[Schema, list[str]]:
    """A saved schema on a table, in its order: its own columns as saved, the others as guessed."""
    absent = [name for name in saved if name not in guessed]
    new = [name for name in guessed if name not in saved]
    specs = [saved[n] if n in saved else guessed[n].changed(role="ignore") for n in guessed]
    lost = {spec.event for spec in specs} - {*guessed, None}
    specs = [s.changed(role="ignore", family=None) if s.event in lost else s for s in specs]
    blocks = [block for block in saved.blocks.values() if not {*block.columns} & {*absent}]
    text = {
        "The table lacks {}, which the settings have.": absent,
        "The settings do not know {}: set aside.": new,
    }
    remarks = [one.format(listed(n, MOST_NAMES, QUOTES)) for one, n in text.items() if n]
    return Schema(specs, blocks).choosing_as(saved), remarks
