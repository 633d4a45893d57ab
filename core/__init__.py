"""MAP-DP Studio's library: cluster mixed tables with missing cells, without the browser.

Importing this package is quick: each public name is loaded from its module when first asked for.
The names stand in ``__init__.pyi``, which type checkers read, too.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_MODULES = {
    alias.name: f".{statement.module}"
    for statement in _STUB.body
    if isinstance(statement, ast.ImportFrom)
    for alias in statement.names
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = getattr(import_module(_MODULES[name], __name__), name)
    else:  # a class that only its line among the methods names
        methods = import_module(".methods", __name__).METHODS if name[:1].isupper() else {}
        if name not in methods:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = methods[name].estimator
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
