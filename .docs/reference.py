"""The public names, one after another: what stands in their docstrings, whose examples are run."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from mapdp_studio import core

_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\S.*?)$\n((?:^(?: .*)?$\n?)*)", re.MULTILINE)
#: Lists of names with what each is; all other sections are text.
_LISTS = ("Parameters", "Attributes", "Returns", "Yields", "Raises")
#: Letters of a call on one line.
WIDTH = 70
#: Every estimator has them from scikit-learn.
_INHERITED = re.compile(r"(get|set)_(params|metadata_routing|\w+_request)$")


def reference() -> str:
    """The page."""
    lines = [
        "# Reference",
        "",
        "Everything here is imported from `mapdp_studio`: `from mapdp_studio import MAPDP`. Every",
        "estimator has scikit-learn's `get_params` and `set_params`, too.",
        "",
    ]
    for name in sorted(core.__all__, key=lambda name: (name[0].islower(), name.lower())):
        lines += _public(name, getattr(core, name))
    return "\n".join(lines)


def _public(name: str, thing: Any) -> Iterator[str]:
    yield f"## {name}\n"
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        yield f"{type(thing).__name__} of {', '.join(f'`{key}`' for key in thing)}: see"
        yield "[which likelihood](likelihoods.md).\n"
        return
    if not (inspect.isclass(thing) and issubclass(thing, Exception)):
        yield f"```py\n{name}{_signature(thing)}\n```\n"
    yield from _documented(thing)
    if inspect.isclass(thing) and not issubclass(thing, Exception):
        for method in _methods(thing):
            told = getattr(thing, method)
            yield f"#### `{name}.{method}` {{: #{name.lower()}-{method} }}\n"
            yield f"```py\n{method}{_signature(told)}\n```\n"
            yield from _documented(told)


def _methods(thing: type) -> list[str]:
    """Its own, and those of its bases that are ours."""
    found = [
        name
        for name, value in inspect.getmembers(thing, inspect.isroutine)
        if not name.startswith("_")
        and not _INHERITED.match(name)
        and inspect.getdoc(value)
        and (getattr(value, "__module__", None) or "").startswith("mapdp_studio.core.")
    ]
    first = ("fit", "predict", "predict_proba", "fit_predict")
    return sorted(found, key=lambda name: (first.index(name) if name in first else 9, name))


def _signature(thing: Any) -> str:
    """Without types, which the lists tell."""
    told = inspect.signature(thing)
    plain = [
        p.replace(annotation=inspect.Parameter.empty)
        for p in told.parameters.values()
        if p.name != "self"
    ]
    shown = str(told.replace(parameters=plain, return_annotation=inspect.Signature.empty))
    if len(shown) <= WIDTH:
        return shown
    inside = shown[1:-1].replace(", ", ",\n    ")
    return f"(\n    {inside},\n)"


def _documented(thing: Any) -> Iterator[str]:
    text = inspect.getdoc(thing) or ""
    _run(text, thing)
    head, *rest = _SECTION.split(text)
    yield _escaped(head.strip()) + "\n"
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        if title in _LISTS:
            yield f"**{title}**\n"
            for entry, meaning in _ENTRY.findall(body):
                said = " ".join(meaning.split())
                name, _, kind = entry.partition(" : ")
                what = " — ".join(filter(None, [_escaped(kind), _escaped(said)]))
                yield f"- `{name}`{': ' if what else ''}{what}"
            yield ""
        elif title == "Examples":
            yield f"```pycon\n{body.strip()}\n```\n"
        else:
            yield f"**{title}**\n\n{_escaped(body.strip())}\n"


def _escaped(text: str) -> str:
    return text.replace("``", "`").replace("<", "&lt;").replace("$", "&#36;")


def _run(text: str, thing: Any) -> None:
    if ">>> " not in text:
        return
    space = dict(vars(import_module(thing.__module__)))
    test = doctest.DocTestParser().get_doctest(text, space, thing.__qualname__, None, 0)
    if doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test).failed:
        raise AssertionError(f"The example of {thing.__qualname__} does not give what it says.")
