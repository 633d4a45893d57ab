"""A report in one HTML file, written from a template; it needs no network."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..wording import CAVEAT

if TYPE_CHECKING:
    import plotly.graph_objects as go

_FOLDER = Path(__file__).parent
_ENVIRONMENT = Environment(
    loader=FileSystemLoader(_FOLDER),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
_PARTS = _ENVIRONMENT.get_template("parts.html.j2").module


def written(template: Path, title: str, subtitle: str = "", **context: Any) -> str:
    """A template filled in as a whole page; names in figures must have gone through ``plain``."""
    figures = count(1)

    def figure(drawn: "go.Figure", caption: str = "") -> Markup:
        # Inside a script element only "<" could end the figure.
        json, height = drawn.to_json().replace("<", "\\u003c"), drawn.layout.height or 450
        return _PARTS.figure(next(figures), json, height, caption)

    parts = {"table": table, "figure": figure, "caveat": CAVEAT}
    body = _ENVIRONMENT.from_string(template.read_text(encoding="utf-8")).render(**parts, **context)
    style, scripts = (_FOLDER / "report.css").read_text(encoding="utf-8"), []
    if next(figures) > 1:
        from plotly.offline import get_plotlyjs

        scripts = [get_plotlyjs(), (_FOLDER / "report.js").read_text(encoding="utf-8")]
    return str(_PARTS.page(title, subtitle, Markup(body), style, scripts))


def table(frame: pd.DataFrame, caption: str = "") -> Markup:
    """A table without its index; missing cells as a dash."""
    kinds = ["number" if pd.api.types.is_numeric_dtype(kind) else "text" for kind in frame.dtypes]
    rows = ([_text(cell) for cell in row] for row in frame.itertuples(index=False, name=None))
    return _PARTS.table(frame, rows, kinds, caption)


def _text(cell: object) -> str:
    """A number with the digits it deserves, text as it is, a dash where there is nothing."""
    if pd.api.types.is_scalar(cell) and pd.isna(cell):
        return "\u2013"
    if isinstance(cell, bool) or not pd.api.types.is_number(cell):
        return str(cell).replace("< ", "<\u00a0")
    return f"{cell:,.4g}" if abs(cell) < 1e4 and cell != round(cell) else f"{cell:,.0f}"
