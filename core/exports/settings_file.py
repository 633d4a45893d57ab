"""Everything that was decided about a table, as a text file without a value of its cells."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..methods import JUDGE, METHODS
from ..methods.settings import Settings
from ..partitions.naming import Naming
from ..prepare.recipe import Recipe
from ..prepare.step import PrepareError
from ..prepare.tables import RenameColumns
from ..reading.options import ReadOptions, TableError
from ..saved_file import SavedFile
from ..schema.schema import Schema, SchemaError
from ..wording import listed

MOST_NAMES, QUOTES = 8, "''"
_DAMAGED = "This settings file is damaged ({}): save it again."


class SettingsFileError(ValueError):
    """A text that holds no settings, damaged ones, or those of a newer version: one sentence."""


FILE = SavedFile("settings", 2, SettingsFileError)
#: Versions that did not say what a column of weights is took a weight as so many rows.
_WEIGHTS, _SCALED = "weights", "scaled to mean 1"
#: Methods that earlier versions had and files may still name, and what the pages called them.
_GONE = {"MAPHDP": "MAP-HDP"}


@dataclass(frozen=True)
class Saved:
    """What a settings file holds."""

    table: str
    shape: tuple[int, int]
    #: How the file was read; None for an example.
    options: ReadOptions | None
    schema: Schema
    settings: Settings
    #: Key of ``METHODS``: the chosen result.
    algorithm: str
    namings: Mapping[str, Naming]
    recipe: Recipe = field(default_factory=Recipe)
    #: Keys of ``METHODS``: those side by side on Compare.
    compared: tuple[str, ...] = tuple(METHODS.first)
    #: A sentence on whatever leads to another answer than in the version that saved it.
    notices: tuple[str, ...] = ()


def save_settings(saved: Saved) -> str:
    """Write settings as readable JSON."""
    return json.dumps(settings_to_dict(saved), indent=1, ensure_ascii=False)


def settings_to_dict(saved: Saved) -> dict[str, Any]:
    """Settings as plain lists, numbers and text, for JSON."""
    return {
        **FILE.first_lines,
        "table": saved.table,
        "rows": saved.shape[0],
        "columns": saved.shape[1],
        "read options": None if saved.options is None else asdict(saved.options),
        "comparison": asdict(saved.settings),
        "result of": saved.algorithm,
        "methods": list(saved.compared),
        "names": {name: naming.to_dict() for name, naming in saved.namings.items()},
        "steps": saved.recipe.to_dicts(),
        "schema": saved.schema.to_dict(),
        **({_WEIGHTS: _SCALED} if saved.schema.names("weight") else {}),
    }


def load_settings(text: str | bytes) -> Saved:
    """Read settings back, or raise a SettingsFileError."""
    return settings_from_dict(FILE.read(text))


def settings_from_dict(entries: Any) -> Saved:
    """Rebuild settings from ``settings_to_dict``, or raise a SettingsFileError."""
    content = FILE.known(entries)
    try:
        return _saved(content)
    except KeyError as error:
        raise SettingsFileError(_DAMAGED.format(f"it lacks {error}")) from None
    except (SchemaError, TableError, PrepareError) as error:
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
    compared = tuple(content.get("methods", METHODS.first))
    gone = [title for name, title in _GONE.items() if name in (algorithm, *namings, *compared)]
    algorithm = JUDGE if algorithm in _GONE else algorithm
    namings = {name: naming for name, naming in namings.items() if name not in _GONE}
    compared = tuple(name for name in compared if name not in _GONE)
    for name in (algorithm, *namings, *compared):
        METHODS[name]  # an unknown one is refused here
    settings = Settings.from_dict(content["comparison"])
    for name, option, value in settings.own:
        read = None if name in _GONE else METHODS[name].option(option).read(value)
        settings = settings.telling(name, option, read)
    schema = Schema.from_dict(content["schema"])
    return Saved(
        str(content["table"]),
        (_whole(content["rows"]), _whole(content["columns"])),
        None if options is None else ReadOptions.from_dict(options),
        schema,
        settings,
        algorithm,
        namings,
        _recipe(content),
        compared,
        (
            *(
                f"{title}, which this was saved with, is gone: this opens without it."
                for title in gone
            ),
            *(() if content.get(_WEIGHTS) == _SCALED else _on_weights(schema)),
        ),
    )


def _recipe(content: Mapping[str, Any]) -> Recipe:
    if "steps" in content:
        return Recipe.of_dicts(content["steps"])
    names = tuple((str(old), str(new)) for old, new in content.get("renamed columns", {}).items())
    return Recipe().with_step(RenameColumns(names)) if names else Recipe()


def _on_weights(schema: Schema) -> tuple[str, ...]:
    """What is not as it was for whom a weight was so many rows."""
    return tuple(
        f"This was saved when a weight in '{name}' counted as so many rows. Now weights are scaled "
        "to mean 1: unless that was their mean, groups can differ, and with them what was named or "
        "merged."
        for name in schema.names("weight")
    )


def fitting_schema(saved: Schema, guessed: Schema) -> tuple[Schema, list[str]]:
    """A saved schema on a table, in its order: its own columns as saved, the others as guessed."""
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
    return Schema(specs, blocks).choosing_as(saved), remarks
