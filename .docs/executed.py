"""Examples run where they stand: below each block what it printed, and the figure that it made."""

from __future__ import annotations

import contextlib
import io
import os
import re
import warnings
from pathlib import Path
from typing import Any

from apart import apart
from plotly.io import to_html

_BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.DOTALL | re.MULTILINE)
#: What a block calls the figure that is to be shown.
FIGURE = "figure"


def executed(text: str, name: str, folder: Path) -> str:
    """A page with the answers of its blocks, which are one script run in a folder of its own.

    A warning is an error: no reader should meet one.
    """
    space: dict[str, Any] = {"__name__": "__main__"}

    def run(block: re.Match) -> str:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(block[1], f"{name}.md", "exec"), space)
        shown = block[0].rstrip() + "\n"
        if said.getvalue().strip():
            shown += f"\n```{{ .text .no-copy .printed }}\n{said.getvalue().rstrip()}\n```\n"
        if FIGURE in space:
            shown += f"\n{_drawn(space.pop(FIGURE))}\n"
        return shown

    before = Path.cwd()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    try:
        return _BLOCK.sub(run, text)
    finally:
        os.chdir(before)


def _drawn(figure: Any) -> str:
    """A figure, drawn by the copy of its library that lies beside the pages."""
    figure.update_layout(template="plotly_white", margin={"t": 20, "b": 40, "l": 40, "r": 10})
    told = to_html(figure, full_html=False, include_plotlyjs="plotly.min.js")
    return apart(f'<div class="drawn">{told}</div>')
