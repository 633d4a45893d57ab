"""Everything that was decided about a table, as a text file: no value of the table's cells in it.

Level names, codes and column names are the table's own words, so the file belongs to whoever may
see the table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from numbers import Real
from typing import Any

from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Naming
from ..reading.read_options import ReadOptions, TableError
from ..reading.saved_file import SavedFile
from ..schema.schema import Schema, SchemaError
from ..wording import listed

MOST_NAMES, QUOTES = 8, "''"
#: Settings that files of earlier versions lack: they were as they are at first.
_LATER = {"likelihood_power": Settings().likelihood_power}
_DAMAGED = "This settings file is damaged ({}): save it again."


class SettingsFileError(ValueError):
    """A text that holds no settings, damaged ones, or those of a newer version: one sentence."""


FILE = SavedFile("settings", 1, SettingsFileError)


@dataclass(frozen=True)
class Saved:
    """What a settings file holds."""

    #: The table's name.
    table: str
    #: Its rows and columns.
    shape: tuple[int, int]
    #: How the file was read; None for an example.
    options: ReadOptions | None
    schema: Schema
    #: Of the comparison.
    settings: Settings
    #: Key of ``METHODS``: the chosen result.
    algorithm: str
    #: Names and merges of clusters, by algorithm.
    namings: Mapping[str, Naming]
    #: Names that columns were given, by those that they came with.
    renamed: Mapping[str, str] = field(default_factory=dict)


def save_settings(saved: Saved) -> str:
    """Write settings as readable JSON."""
    content = {
        **FILE.first_lines,
        "table": saved.table,
        "rows": saved.shape[0],
        "columns": saved.shape[1],
        "read options": None if saved.options is None else asdict(saved.options),
        "comparison": asdict(saved.settings),
        "result of": saved.algorithm,
        "names": {name: naming.to_dict() for name, naming in saved.namings.items()},
        "renamed columns": dict(saved.renamed),
        "schema": saved.schema.to_dict(),
    }
    return json.dumps(content, indent=1, ensure_ascii=False)


def load_settings(text: str | bytes) -> Saved:
    """Read settings back.

    Raises
    ------
    SettingsFileError
    """
    content = FILE.read(text)
    try:
        return _saved(content)
    except KeyError as error:
        raise SettingsFileError(_DAMAGED.format(f"it lacks {error}")) from None
    except (SchemaError, TableError) as error:
        raise SettingsFileError(str(error)) from None
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        raise SettingsFileError(_DAMAGED.format(error)) from None


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int):
        raise ValueError(f"{number!r} is no number of rows or columns")
    return number


def _saved(content: Mapping[str, Any]) -> Saved:
    algorithm, options = content["result of"], content["read options"]
    namings = {name: Naming.from_dict(data) for name, data in content["names"].items()}
    for name in (algorithm, *namings):
        METHODS[name]  # an unknown one is refused here
    return Saved(
        str(content["table"]),
        (_whole(content["rows"]), _whole(content["columns"])),
        None if options is None else ReadOptions(**options),
        Schema.from_dict(content["schema"]),
        _settings(content["comparison"]),
        algorithm,
        namings,
        {str(old): str(new) for old, new in content.get("renamed columns", {}).items()},
    )


def _settings(data: Mapping[str, Any]) -> Settings:
    """The comparison's settings, each within its bounds."""
    data = _LATER | dict(data)
    unknown = sorted({*data} ^ {setting.name for setting in fields(Settings)})
    if unknown:
        raise ValueError(f"it lacks '{unknown[0]}', or should not have it")
    for setting in fields(Settings):
        name, default, value = setting.name, setting.default, data[setting.name]
        low, high = setting.metadata["bounds"]
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"'{name}' is neither true nor false")
        elif value is not None or default is not None:
            whole = isinstance(default, int)
            if isinstance(value, bool) or not isinstance(value, int if whole else Real):
                raise ValueError(f"'{name}' is not a {'whole ' if whole else ''}number")
            if not low <= value <= high:
                raise ValueError(f"'{name}' lies outside {low:g} to {high:g}")
    return Settings(**data)


def fitting_schema(saved: Schema, guessed: Schema) -> tuple[Schema, list[str]]:
    """A saved schema on a table, in its order: its own columns as saved, the others as guessed.

    With it a sentence on columns that only one of the two has.
    """
    absent = [name for name in saved if name not in guessed]
    new = [name for name in guessed if name not in saved]
    specs = [
        saved[name] if name in saved else guessed[name].changed(role="ignore") for name in guessed
    ]
    events = {spec.event for spec in specs if spec.event is not None}
    lost = events - {*guessed}
    specs = [s.changed(role="ignore", family=None) if s.event in lost else s for s in specs]
    blocks = [block for block in saved.blocks.values() if not {*block.columns} & {*absent}]
    remarks = []
    if absent:
        remarks.append(
            f"The table lacks {listed(absent, MOST_NAMES, QUOTES)}, which the settings have."
        )
    if new:
        remarks.append(f"The settings do not know {listed(new, MOST_NAMES, QUOTES)}: set aside.")
    return Schema(specs, blocks), remarks
