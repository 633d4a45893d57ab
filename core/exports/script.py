"""What leads back to a result: a short Python script, and the methods in an address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pprint import pformat
from textwrap import indent
from typing import Any

from ..comparing.comparison import Task
from ..methods import METHODS
from ..methods.settings import Settings
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


def script_of(
    origin: Origin,
    task: Task,
    schema: Schema,
    title: str = "",
    merged: tuple[tuple[int, ...], ...] = (),
) -> str:
    """Python that leaves the labels of a task, with merges over them, in ``labels`` and a file."""
    imports, told = {("core", task.algorithm), ("core", "Schema"), *origin.imports}, task.arguments
    lines, arguments = [*origin.lines, _schema(schema)], _pairs(dict(told))
    if (first := task.prior_of) is not None:
        imports.add(("core", first.algorithm))
        call = _call(first.algorithm, _pairs(dict(first.arguments)))
        lines.append(f"first = {call}.fit(frame, schema)")
        given = METHODS[task.algorithm].given
        arguments += [f"{name}=first.{what}" for name, what in given.items()]
    lines.append(f"model = {_call(task.algorithm, arguments)}.fit(frame, schema)")
    lines.append("labels = model.result_.labels")  # noise, too, is a group of the pages
    if merged:
        imports.add(("core.partitions.naming", "Naming"))
        lines.append(f"labels = Naming(merged={merged!r}).apply(labels).labels")
    lines += [
        'print(f"K = {labels.max() + 1}, rows in each: {np.bincount(labels)}")',
        'np.savetxt("labels.csv", labels, fmt="%d", header="cluster", comments="")',
    ]
    # Nothing in a title ends the docstring or starts an escape.
    said = one_line(title).replace("\\", "/").replace('"', "'")
    head = [f'"""{said}"""', "import numpy as np"]
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


def one_line(text: str) -> str:
    """A text on one line, of what Python's sources may hold."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _pairs(arguments: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in arguments.items()]


def _call(name: str, arguments: Sequence[str]) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {one},\n" for one in arguments)
    return f"{name}(\n{lines})"


def methods_in_address(settings: Settings, compared: Sequence[str]) -> dict[str, str]:
    """What an address says of the methods side by side and of what single ones are told."""
    said = {} if tuple(compared) == tuple(METHODS.first) else {"methods": ",".join(compared)}
    for method, option, value in settings.own:
        if method in compared:
            said[f"{method}.{option}"] = value if isinstance(value, str) else f"{value:g}"
    return said
