"""What leads back to a result: Python that finds it, or gives it to new rows; an address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pprint import pformat
from textwrap import indent
from typing import Any

from ..comparing.comparison import Task
from ..methods import METHODS
from ..prepare.recipe import Recipe
from ..prepare.tables import Join
from ..profiling.conditions import AT_LEAST, BELOW, IS, IS_NOT, Condition
from ..profiling.rules import TableRules
from ..reading.options import ReadOptions
from ..schema.schema import Schema
from ..wording import counted

_WIDTH = 92
_SIGNS = {AT_LEAST: ">=", BELOW: "<", IS: "=="}
_HELPERS = '''from numbers import Real


def is_number(cell):
    return isinstance(cell, Real) and cell == cell


def text(cell):
    return cell.strip() if isinstance(cell, str) else cell


def is_known(cell):
    return isinstance(cell, str) or is_number(cell) or type(cell).__name__.startswith("bool")


def group_of(row):
    """The group of a row, None for none: a dict, or a row of a table by its columns' names."""
'''


@dataclass(frozen=True)
class Origin:
    """Where a script's rows come from: modules with names to import, and what makes ``frame``."""

    imports: tuple[tuple[str, str], ...]
    lines: tuple[str, ...]


def from_file(name: str, options: ReadOptions) -> Origin:
    """A file of that name beside the script, read as it was read in the app."""
    given = {f.name: v for f in fields(options) if (v := getattr(options, f.name)) != f.default}
    read = _call("ReadOptions", _pairs(given))
    imports = (("core", "ReadOptions"), ("core", "read_table"))
    return Origin(imports, (f"frame = read_table({name!r}, options={read})",))


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
    imports = {("core", task.algorithm), ("core", "Schema"), *origin.imports}
    lines, arguments = [*origin.lines, _schema(schema)], _pairs(dict(task.arguments))
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
    text = one_line(title).replace("\\", "/").replace('"', "'")
    head = [f'"""{text}"""', "import numpy as np"]
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


def rules_in_python(rules: TableRules, titles: tuple[str, ...], name: str, prepared: bool) -> str:
    """The rules of a table as a function of a row, given as a dict or a row of a frame."""
    in_order = rules.in_order
    remarks = [
        f"Groups of {name} by {counted(len(in_order), 'short rule')}, from MAP-DP Studio.",
        "The columns are those of the table "
        + ("after the steps of Prepare." if prepared else "as it was loaded."),
        "The first rule that names a row gives its group; no condition holds of a missing cell.",
    ]
    lines = [f"# {one_line(text)}\n" for text in remarks] + [_HELPERS]
    for rule in in_order:
        tests = " and ".join(_test(condition, rules) for condition in rule.conditions)
        apart = rule.apart
        lines.append(f"    # right for {apart.right:,} of {apart.named:,} rows left out\n")
        lines.append(f"    if {tests}:\n        return {titles[rule.group]!r}\n")
    return "".join([*lines, "    return None\n"])


def _test(condition: Condition, rules: TableRules) -> str:
    cells, cell = rules.cells[condition.key], f"row.get({condition.column!r})"
    if cells.levels is None:
        check, value = "is_number", float(condition.value)
        value = int(value) if value.is_integer() else value
        text = f"{cell} {_SIGNS[condition.relation]} {value!r}"
        if but := tuple(code for code in cells.no_numbers if condition.covers(code)):
            text += f" and {cell} not in {but!r}"
    else:
        check, cell = "is_known", f"text({cell})"
        if condition.relation == IS_NOT:
            words = cells.spelled[int(condition.value)] + cells.missing
            text = f"{cell} not in {_trimmed(words)!r}"
        else:
            places = range(int(cells.of_outcome), len(cells.levels))
            meant = (cells.spelled[place] for place in places if condition.covers(place))
            text = f"{cell} in {_trimmed(tuple(word for words in meant for word in words))!r}"
    return f"{check}({cell}) and {text}"


def _trimmed(words: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(word.strip() if isinstance(word, str) else word for word in words)
