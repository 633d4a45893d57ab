"""A short Python script that gives the same labels again, with the library alone.

The schema stands in it: one file beside the table is enough, and so are the pages of a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pprint import pformat
from textwrap import indent
from typing import Any

from ..methods import METHODS
from ..prepare.recipe import Recipe
from ..prepare.tables import Join
from ..reading.options import ReadOptions
from ..schema.schema import Schema

_WIDTH = 92


@dataclass(frozen=True)
class Origin:
    """Where a script's rows come from: modules with names to import, and what makes ``frame``."""

    imports: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]


def from_file(name: str, options: ReadOptions) -> Origin:
    """A file of that name beside the script, read as it was read in the app."""
    given = {one.name: getattr(options, one.name) for one in fields(options)}
    given = {one.name: given[one.name] for one in fields(options) if given[one.name] != one.default}
    read = _call("ReadOptions", _pairs(given))
    return Origin(
        (("core", "ReadOptions"), ("core", "read_table")),
        (f"frame = read_table({name!r}, options={read})",),
    )


def from_demo(key: str) -> Origin:
    """An entry of ``demo_datasets.DEMOS``."""
    return Origin((("demo_datasets", "load_demo"),), (f"frame, _, _ = load_demo({key!r})",))


def from_scenario(key: str, **arguments: Any) -> Origin:
    """Rows drawn by ``load_scenario``, with its ``n``, ``seed`` and the scenario's own knob."""
    call = _call("load_scenario", [repr(key), *_pairs(arguments)])
    return Origin((("demo_datasets", "load_scenario"),), (f"frame, truth = {call}",))


def prepared(origin: Origin, recipe: Recipe) -> Origin:
    """The same rows after the steps that prepare them."""
    imports, lines = origin.imports, origin.lines
    for step in recipe.steps:
        name = type(step).__name__
        imports += (("core.prepare", name),)
        imports += (("core", "read_table"),) if isinstance(step, Join) else ()
        lines += (f"frame = {_call(name, step.arguments)}.apply(frame)",)
    return Origin(imports, lines)


def script(
    origin: Origin,
    algorithm: str,
    arguments: Mapping[str, Any],
    *,
    schema: Schema | None = None,
    after: tuple[str, Mapping[str, Any]] | None = None,
    merged: tuple[tuple[int, ...], ...] = (),
    title: str = "",
) -> str:
    """Write the script of one fit, which leaves the labels in ``labels`` and in labels.csv.

    Arguments are plain values; without a schema, the rows are an array. ``after`` are an estimator
    fitted before, which gives this one the rest of its arguments, and its own.
    """
    imports, lines = {("core", algorithm), *origin.imports}, list(origin.lines)
    told, data = _pairs(arguments), "frame.to_numpy()"
    if schema is not None:
        imports.add(("core", "Schema"))
        lines.append(_schema(schema))
        data = "frame, schema"
    if after is not None:
        imports.add(("core", after[0]))
        lines.append(f"first = {_call(after[0], _pairs(after[1]))}.fit({data})")
        told += [f"{name}=first.{what}" for name, what in METHODS[algorithm].given.items()]
    lines.append(f"model = {_call(algorithm, told)}.fit({data})")
    lines.append("labels = model.result_.labels")  # noise, too, is a group of the pages
    if merged:
        imports.add(("core.partitions.naming", "Naming"))
        lines.append(f"labels = Naming(merged={merged!r}).apply(labels).labels")
    lines += [
        'print(f"K = {labels.max() + 1}, rows in each: {np.bincount(labels)}")',
        'np.savetxt("labels.csv", labels, fmt="%d", header="cluster", comments="")',
    ]
    head = [f'"""{_docstring(title)}"""'] if title else []
    head.append("import numpy as np")
    for module, pairs in groupby(sorted(imports), key=lambda pair: pair[0]):
        head.append(f"from mapdp_studio.{module} import {', '.join(name for _, name in pairs)}")
    return "\n".join([*head, "", *lines]) + "\n"


def _schema(schema: Schema) -> str:
    """What a schema says of the columns that are read."""
    left_out = ("chosen", "questions", "columns")
    saved = {name: part for name, part in schema.to_dict().items() if name not in left_out}
    columns = (one for one in schema.to_dict()["columns"] if one["role"] in ("cluster", "weight"))
    saved["columns"] = [{k: v for k, v in one.items() if k != "reason"} for one in columns]
    text = pformat(saved, width=_WIDTH - 4, compact=True, sort_dicts=False)
    return f"schema = Schema.from_dict(\n{indent(text, '    ')}\n)"


def _docstring(title: str) -> str:
    """One line that ends no docstring and starts no escape, of what Python's sources may hold."""
    printable = "".join(letter if letter.isprintable() else " " for letter in title)
    return " ".join(printable.split()).replace("\\", "/").replace('"', "'")


def _pairs(arguments: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in arguments.items()]


def _call(name: str, arguments: Sequence[str]) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {one},\n" for one in arguments)
    return f"{name}(\n{lines})"
