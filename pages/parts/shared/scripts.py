"""Scripts and styles of components: files beside the module that uses them."""

from __future__ import annotations

from pathlib import Path


def script_beside(module: str, name: str | None = None) -> str:
    """Text of a file in a module's folder; by default the script called as the module is.

    Parameters
    ----------
    module : str
        Its ``__file__``.
    name : str, optional
    """
    path = Path(module)
    beside = path.with_suffix(".js") if name is None else path.with_name(name)
    return beside.read_text(encoding="utf-8")
