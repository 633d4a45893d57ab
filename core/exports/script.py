"""A short Python script that gives the same labels again, with the library alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pprint import pformat
from textwrap import indent
from types import MappingProxyType
from typing import Any

import numpy as np

from ..families.prior import Prior
from ..prepare.recipe import Recipe
from ..prepare.tables import Join
from ..reading.options import ReadOptions
from ..schema.schema import Schema

_WIDTH = 92


@dataclass(frozen=True)
class Origin:
    """Where a script's rows come from: Python that leaves them in ``frame``."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]
    demos: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()


def from_file(name: str, options: ReadOptions) -> Origin:
    """A file of that name beside the script, read as it was read in the app."""
    given = {option.name: getattr(options, option.name) for option in fields(options)}
    changed = {o.name: given[o.name] for o in fields(options) if given[o.name] != o.default}
    read = _call("ReadOptions", changed)
    return Origin(
        ("ReadOptions", "read_table"),
        tuple(f"frame = read_table({name!r}, options={read})".splitlines()),
    )


def from_demo(key: str) -> Origin:
    """An entry of ``demo_datasets.DEMOS``."""
    return Origin((), (f"frame, _, _ = load_demo({key!r})",), ("load_demo",))


def from_scenario(key: str, **arguments: Any) -> Origin:
    """Rows drawn by ``load_scenario``, with its ``n``, ``seed`` and the scenario's own knob."""
    call = _call("load_scenario", arguments, (repr(key),))
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

    Arguments are plain values, arrays and priors; the schema stands in it in full, None for an
    array. ``after`` are an estimator fitted before and its arguments; ``given``, arguments of this
    one by that one's attribute.
    """
    core, families, lines = {algorithm, *origin.imports}, set(), list(origin.lines)
    told = {name: _code(value, families) for name, value in arguments.items()}
    data = "frame.to_numpy()" if schema is None else "frame, schema"
    if schema is not None:
        core.add("Schema")
        lines += _settings(schema)
    if after is not None:
        first, of_first = after
        core.add(first)
        code = {name: _code(value, families) for name, value in of_first.items()}
        lines.append(f"first = {_fitted(first, code, data)}")
        told |= {name: f"first.{what}" for name, what in given.items()}
    lines.append(f"model = {_fitted(algorithm, told, data)}")
    lines.append("labels = model.result_.labels")  # noise, too, is a group of the pages
    if merged:
        lines.append(f"labels = Naming(merged={merged!r}).apply(labels).labels")
    lines += [
        'print(f"K = {labels.max() + 1}, rows in each: {np.bincount(labels)}")',
        'np.savetxt("labels.csv", labels, fmt="%d", header="cluster", comments="")',
    ]
    imports = {
        "core": core,
        "core.families": families,
        "core.partitions.naming": ["Naming"] if merged else [],
        "core.prepare": origin.steps,
        "demo_datasets": origin.demos,
    }
    head = [
        *([f'"""{_docstring(title)}"""'] if title else []),
        "import numpy as np",
        *(f"from mapdp_studio.{m} import {', '.join(sorted(n))}" for m, n in imports.items() if n),
    ]
    return "\n".join([*head, "", *lines]) + "\n"


def _settings(schema: Schema) -> list[str]:
    """What a schema says of the columns that are read, a line each, as settings are saved."""
    saved = schema.to_dict()
    used = [one for one in saved.pop("columns") if one["role"] in ("cluster", "weight")]
    plain = {"width": _WIDTH - 4, "compact": True, "sort_dicts": False}
    columns = (pformat({k: v for k, v in one.items() if k != "reason"}, **plain) for one in used)
    rest = pformat({k: v for k, v in saved.items() if k not in ("chosen", "questions")}, **plain)
    call = _join("schema = Schema.from_dict", [f"{{'columns': columns, {rest[1:]}"])
    return ["columns = [", *(indent(f"{one},", "    ") for one in columns), "]", call]


def _docstring(title: str) -> str:
    """One line that ends no docstring and starts no escape, of what Python's sources may hold."""
    printable = "".join(letter if letter.isprintable() else " " for letter in title)
    return " ".join(printable.split()).replace("\\", "/").replace('"', "'")


def _fitted(algorithm: str, told: Mapping[str, str], data: str) -> str:
    return f"{_join(algorithm, [f'{name}={code}' for name, code in told.items()])}.fit({data})"


def _call(name: str, options: Mapping[str, Any], first: tuple[str, ...] = ()) -> str:
    return _join(name, [*first, *(f"{key}={value!r}" for key, value in options.items())])


def _join(name: str, arguments: list[str]) -> str:
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
    if isinstance(value, Prior):
        families.add(type(value).__name__)
        return _call(type(value).__name__, value.to_dict())
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
