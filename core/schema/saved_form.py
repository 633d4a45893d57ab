"""A schema as plain lists, numbers and text, for JSON, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, fields
from typing import Any

from ..families import FAMILIES
from .chosen import Chosen
from .contents import Contents
from .questions import Question
from .spec import Block, ColumnSpec, SchemaError

VERSION = 3  # 2: readings and special outcomes; 3: priors


def plain(schema: Contents) -> dict[str, Any]:
    """What ``Schema.to_dict`` returns."""
    columns = []
    for spec in schema.values():
        entry = {
            option.name: getattr(spec, option.name)
            for option in fields(spec)
            if option.name in ("name", "family", "role")
            or getattr(spec, option.name) != option.default
        }
        columns.append({k: list(v) if isinstance(v, tuple) else v for k, v in entry.items()})
    blocks = [asdict(block) | {"columns": list(block.columns)} for block in schema.blocks.values()]
    # What an older version understands says so.
    newer = any(spec.reading or spec.special or spec.taken_as for spec in schema.values())
    version = VERSION if schema.priors else 2 if newer else 1
    data = {"version": version, "columns": columns, "blocks": blocks}
    if schema.priors:
        data["priors"] = [{"of": name, **p.to_dict()} for name, p in schema.priors.items()]
    if schema.chosen:
        data["chosen"] = [change.to_dict() for change in schema.chosen]
    if schema.questions:
        data["questions"] = [question.to_dict() for question in schema.questions]
    return data


def contents_of(data: Mapping[str, Any]) -> Contents:
    """What ``plain`` was given, from what it returned.

    Raises
    ------
    SchemaError
        From a newer version, or one that cannot be; of other damage see ``damage_refused``.
    """
    if not isinstance(data, Mapping) or not isinstance(data.get("version"), int):
        raise SchemaError("This is no saved schema: it names no version.")
    if data["version"] > VERSION:
        raise SchemaError(
            f"This schema was saved by a newer version ({data['version']}, this one reads "
            f"{VERSION}): update MAP-DP Studio."
        )
    columns = [ColumnSpec(**entry) for entry in data["columns"]]
    blocks = [Block(**entry) for entry in data.get("blocks", ())]
    questions = [Question.from_dict(entry) for entry in data.get("questions", ())]
    families = {unit.name: FAMILIES[unit.family] for unit in Contents(columns, blocks).units}
    priors = {}
    for entry in data.get("priors", ()):
        numbers = dict(entry)
        name = str(numbers.pop("of"))
        priors[name] = families[name].Prior.from_dict(numbers)
    chosen = [Chosen.from_dict(entry) for entry in data.get("chosen", ())]
    return Contents(columns, blocks, questions, priors, chosen)


@contextmanager
def damage_refused() -> Iterator[None]:
    """Make what a damaged saved schema raises within it one sentence.

    Raises
    ------
    SchemaError
    """
    try:
        yield
    except SchemaError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise SchemaError(f"This saved schema is damaged ({error}): save it again.") from None
