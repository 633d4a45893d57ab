"""A short Python script that gives the same labels again, with the library alone."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from ..families.prior import Prior
from ..prepare.recipe import Recipe
from ..prepare.tables import Join
from ..reading.options import ReadOptions
from ..schema.schema import Schema
from ..schema.spec import Block, ColumnSpec

_WIDTH = 92


@dataclass(frozen=True)
class Origin:
    """Where a script's rows come from: Python that leaves them in ``frame``."""

    #: Names to import from ``mapdp_studio.core``.
    imports: tuple[str, ...]
    lines: tuple[str, ...]
    #: Names to import from ``mapdp_studio.demo_datasets``.
    demos: tuple[str, ...] = ()
    #: Steps to import from ``mapdp_studio.core.prepare``.
    steps: tuple[str, ...] = ()


def from_file(name: str, options: ReadOptions) -> Origin:
    """A file of that name beside the script, read as it was read in the app."""
    read = _call("ReadOptions", (), _changed(options))
    return Origin(
        ("ReadOptions", "read_table"),
        tuple(f"frame = read_table({name!r}, options={read})".splitlines()),
    )


def from_demo(key: str) -> Origin:
    """An entry of ``demo_datasets.DEMOS``."""
    return Origin((), (f"frame, _, _ = load_demo({key!r})",), ("load_demo",))


def from_scenario(key: str, **arguments: Any) -> Origin:
    """Rows drawn by ``load_scenario``, with its ``n``, ``seed`` and the scenario's own knob."""
    call = _call("load_scenario", [repr(key)], arguments)
    return Origin((), (f"frame, truth = {call}",), ("load_scenario",))


def prepared(origin: Origin, recipe: Recipe) -> Origin:
    """The same rows after the steps that prepare them."""
    lines, names = list(origin.lines), {*origin.imports}
    for step in recipe.steps:
        made = f"frame = {_join(type(step).__name__, step.arguments)}.apply(frame)"
        lines += made.splitlines()
        names |= {"read_table"} if isinstance(step, Join) else set()
    steps = {type(step).__name__ for step in recipe.steps}
    return replace(
        origin, imports=tuple(sorted(names)), lines=tuple(lines), steps=tuple(sorted(steps))
    )


def script(
    origin: Origin,
    algorithm: str,
    arguments: Mapping[str, Any],
    *,
    schema: Schema | None = None,
    after: tuple[str, Mapping[str, Any]] | None = None,
    given: Mapping[str, str] = MappingProxyType({}),
    merged: tuple[tuple[int, ...], ...] = (),
    title: str = "",
) -> str:
    """Write the script of one fit, which leaves the labels in ``labels`` and in labels.csv.

    The algorithm is the estimator's public name; its arguments are plain values, arrays and priors.
    The schema's clustered columns and its weights are written out, so that no later change of
    ``infer_schema`` matters; None fits the numbers of the frame as an array. ``after`` are an
    estimator that is fitted before, and its arguments; ``given``, the arguments that this one has
    from it, each with the attribute that it is. Fitted clusters are put together afterwards as in
    ``Naming``.
    """
    core, families = set(origin.imports), set()
    told = {name: _code(value, families) for name, value in arguments.items()}
    data = "frame.to_numpy()" if schema is None else "frame, schema"
    lines = list(origin.lines)
    if schema is not None:
        core |= {"ColumnSpec", "Schema"} | ({"Block"} if schema.blocks else set())
        lines += _schema_lines(schema, families)
    if after is not None:
        first, of_first = after
        core.add(first)
        code = {name: _code(value, families) for name, value in of_first.items()}
        lines.append(f"first = {_fitted(first, code, data)}")
        told |= {name: f"first.{what}" for name, what in given.items()}
    core.add(algorithm)
    lines.append(f"model = {_fitted(algorithm, told, data)}")
    lines.append("labels = model.result_.labels")  # noise, too, is a group of the pages
    if merged:
        lines.append(f"labels = Naming(merged={merged!r}).apply(labels).labels")
    lines += [
        'print(f"K = {labels.max() + 1}, rows in each: {np.bincount(labels)}")',
        'np.savetxt("labels.csv", labels, fmt="%d", header="cluster", comments="")',
    ]
    head = [
        f'"""{_docstring(title)}"""' if title else "",
        "import numpy as np",
        *_imports("mapdp_studio.core", core),
        *_imports("mapdp_studio.core.families", families),
        *_imports("mapdp_studio.core.partitions.naming", ["Naming"] if merged else []),
        *_imports("mapdp_studio.core.prepare", origin.steps),
        *_imports("mapdp_studio.demo_datasets", origin.demos),
    ]
    return "\n".join([*filter(None, head), "", *lines]) + "\n"


def _docstring(title: str) -> str:
    """One line that ends no docstring and starts no escape, of what Python's sources may hold."""
    printable = "".join(letter if letter.isprintable() else " " for letter in title)
    return " ".join(printable.split()).replace("\\", "/").replace('"', "'")


def _imports(module: str, names: Iterable[str]) -> list[str]:
    listed = ", ".join(sorted(names))
    return [f"from {module} import {listed}"] if listed else []


def _fitted(algorithm: str, told: Mapping[str, str], data: str) -> str:
    return f"{_join(algorithm, [f'{name}={code}' for name, code in told.items()])}.fit({data})"


def _schema_lines(schema: Schema, families: set[str]) -> list[str]:
    """Columns in their order, each on a line of its own, the blocks among them, and priors."""
    lines = ["columns = ["]
    for name in (*schema.names("cluster"), *schema.names("weight")):
        spec = schema[name]
        options = {k: v for k, v in _changed(spec).items() if k not in ("name", "family", "reason")}
        call = _call("ColumnSpec", [repr(spec.name), repr(spec.family)], options)
        lines += [f"    {line}" for line in f"{call},".splitlines()]
    lines.append("]")
    blocks = [_call("Block", (), _changed(block)) for block in schema.blocks.values()]
    told = ["columns", *_listed(blocks)]
    if schema.priors:
        priors = {name: _code(prior, families) for name, prior in schema.priors.items()}
        inside = (textwrap.indent(f"{name!r}: {code},", "    ") for name, code in priors.items())
        lines += ["priors = {", *inside, "}"]
        told.append("priors=priors")
    return [*lines, f"schema = {_join('Schema', told)}"]


def _listed(blocks: list[str]) -> list[str]:
    return [f"[{', '.join(blocks)}]"] if blocks else []


def _changed(options: ReadOptions | ColumnSpec | Block) -> dict[str, Any]:
    """Fields that are not at their defaults."""
    given = {option.name: getattr(options, option.name) for option in fields(options)}
    return {o.name: given[o.name] for o in fields(options) if given[o.name] != o.default}


def _call(name: str, first: Iterable[str], options: Mapping[str, Any]) -> str:
    return _join(name, [*first, *(f"{key}={value!r}" for key, value in options.items())])


def _join(name: str, arguments: list[str]) -> str:
    """A call on one line, or its arguments below, as many a line as there is room for."""
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH:
        return line
    lines = [""]
    for code in arguments:
        longer = f"{lines[-1]} {code},".lstrip()
        is_one = lines[-1] and "\n" not in longer and len(longer) <= _WIDTH - 4
        lines = [*lines[:-1], longer] if is_one else [*lines, f"{code},"]
    inner = "\n".join(filter(None, lines)).replace("\n", "\n    ")
    return f"{name}(\n    {inner}\n)"


def _code(value: Any, families: set[str]) -> str:
    """Python for an argument; notes the priors whose names it needs."""
    if isinstance(value, Prior):
        families.add(type(value).__name__)
        return _call(type(value).__name__, (), value.to_dict())
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key!r}: {_code(entry, families)}" for key, entry in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_code(entry, families) for entry in value)}]"
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    raise ValueError(f"A script cannot hold a {type(value).__name__} as an argument.")
