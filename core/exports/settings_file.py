"""Everything that was decided about a table, as a text file without a value of its cells."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Naming
from ..prepare.recipe import Recipe
from ..prepare.step import PrepareError
from ..reading.options import ReadOptions, TableError
from ..saved_file import SavedFile
from ..schema.schema import Schema, SchemaError
from ..wording import listed

MOST_NAMES, QUOTES = 8, "''"


class SettingsFileError(ValueError):
    """A text that holds no settings, damaged ones, or those of a newer version: one sentence."""


FILE = SavedFile("settings", 2, SettingsFileError)


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
    }


def load_settings(text: str | bytes) -> Saved:
    """Read settings back, or raise a SettingsFileError."""
    return settings_from_dict(FILE.read(text))


def settings_from_dict(entries: Any) -> Saved:
    """Rebuild settings from ``settings_to_dict``, or raise a SettingsFileError."""
    content = FILE.checked(entries)
    try:
        return _saved(content)
    except (SchemaError, TableError, PrepareError) as error:
        raise SettingsFileError(str(error)) from None
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else error
        raise SettingsFileError(f"This settings file is damaged ({why}): save it again.") from None


def _saved(content: Mapping[str, Any]) -> Saved:
    options, schema = content["read options"], Schema.from_dict(content["schema"])
    shape = content["rows"], content["columns"]
    if not all(isinstance(number, int) for number in shape):
        raise ValueError(f"its table of {shape[0]} rows and {shape[1]} columns cannot be")
    namings = {name: Naming.from_dict(data) for name, data in content["names"].items()}
    compared = tuple(content.get("methods", METHODS.first))
    algorithm = content["result of"]
    for name in (algorithm, *namings, *compared):
        METHODS[name]  # an unknown one is refused here
    return Saved(
        str(content["table"]),
        shape,
        None if options is None else ReadOptions.from_dict(options),
        schema,
        Settings.from_dict(content["comparison"]),
        algorithm,
        namings,
        Recipe.of_dicts(content.get("steps", ())),
        compared,
    )


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
