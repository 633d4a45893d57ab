"""Scripts and styles of components: files beside the module that uses them."""

from __future__ import annotations

from pathlib import Path


def script_beside(module: str, name: str | None = None) -> str:
    """Text of a file beside a module's ``__file__``; by default the script named as the module."""
    path = Path(module)
    beside = path.with_suffix(".js") if name is None else path.with_name(name)
    return beside.read_text(encoding="utf-8")
