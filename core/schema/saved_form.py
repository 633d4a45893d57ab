"""A schema as plain lists, numbers and text, for JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from ..families import FAMILIES
from .chosen import Chosen, taken_back
from .questions import Question
from .spec import Block, ColumnSpec, SchemaError

if TYPE_CHECKING:
    from .schema import Schema

VERSION = 3  # 2: readings and special outcomes; 3: priors


def plain(schema: Schema) -> dict[str, Any]:
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


def rebuilt(cls: type[Schema], data: Mapping[str, Any]) -> Schema:
    """What ``Schema.from_dict`` returns, or raises."""
    if not isinstance(data, Mapping) or not isinstance(data.get("version"), int):
        raise SchemaError("This is no saved schema: it names no version.")
    if data["version"] > VERSION:
        raise SchemaError(
            f"This schema was saved by a newer version ({data['version']}, this one reads "
            f"{VERSION}): update MAP-DP Studio."
        )
    try:
        columns = [ColumnSpec(**entry) for entry in data["columns"]]
        blocks = [Block(**entry) for entry in data.get("blocks", ())]
        questions = [Question.from_dict(entry) for entry in data.get("questions", ())]
        schema = cls(columns, blocks, questions)
        families = {unit.name: FAMILIES[unit.family] for unit in schema.units}
        priors = {}
        for entry in data.get("priors", ()):
            numbers = dict(entry)
            name = str(numbers.pop("of"))
            priors[name] = families[name].Prior.from_dict(numbers)
        chosen = [Chosen.from_dict(entry) for entry in data.get("chosen", ())]
        for change in chosen:
            taken_back(schema, change)  # what cannot be is refused here, and not at a click
        return schema.with_choice(priors, chosen)
    except SchemaError:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise SchemaError(f"This saved schema is damaged ({error}): save it again.") from None
