"""A report in one HTML file: headings, text, tables and figures; it needs no network."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The browser itself is told to fetch nothing; WebGL charts compile their drawing in the page.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:; worker-src blob:"
)
_STYLE, _SCRIPT = (
    Path(__file__).with_name(name).read_text(encoding="utf-8")
    for name in ("report.css", "report.js")
)


class Report:
    """Collects what is said and shown, in order, and writes it as one HTML page.

    Every text is plain: what looks like HTML in a column's name stays text. One line below the
    title is about what was analysed and when.
    """

    def __init__(self, title: str, about: str = "") -> None:
        self.title = title
        self._parts = [f"<h1>{_text(title)}</h1>"]
        if about:
            self._parts.append(f'<p class="about">{_text(about)}</p>')
        self._n_figures = 0

    def heading(self, text: str, level: int = 2) -> None:
        """Begin a section; levels 2 to 4."""
        self._parts.append(f"<h{level}>{_text(text)}</h{level}>")

    def paragraph(self, text: str) -> None:
        """Say something."""
        self._parts.append(f"<p>{_text(text)}</p>")

    def note(self, text: str) -> None:
        """Say something that must not be overlooked, set off from the rest."""
        self._parts.append(f'<p class="note">{_text(text)}</p>')

    def points(self, texts: Iterable[str]) -> None:
        """List things, one a bullet."""
        items = "".join(f"<li>{_text(text)}</li>" for text in texts)
        self._parts.append(f"<ul>{items}</ul>")

    def code(self, text: str) -> None:
        """Show a program or settings as they are."""
        self._parts.append(f"<pre>{_text(text)}</pre>")

    def table(self, frame: pd.DataFrame, caption: str = "") -> None:
        """Show a table without its index; missing cells as a dash.

        Numbers stand on the right: whole ones with thousands separated, others with four
        significant digits. Give text where another number of digits is due.
        """
        numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
        marks = [' class="number"' if number else "" for number in numeric]
        head = "".join(
            f"<th{mark}>{_text(name)}</th>" for name, mark in zip(frame, marks, strict=True)
        )
        rows = [
            "".join(f"<td{mark}>{_cell(cell)}</td>" for cell, mark in zip(row, marks, strict=True))
            for row in frame.itertuples(index=False, name=None)
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        title = f"<caption>{_text(caption)}</caption>" if caption else ""
        self._parts.append(
            f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )

    def figure(self, figure: go.Figure, caption: str = "", alt: str = "") -> None:
        """Show a Plotly figure, to be saved as SVG or PNG by whoever reads the report.

        Names in it must have gone through ``plots.template.plain``; ``alt`` says what it shows, for
        those who do not see it.
        """
        self._n_figures += 1
        name = f"figure-{self._n_figures}"
        height = figure.layout.height or 450
        # Inside a script element only "<" could end the data.
        data = figure.to_json().replace("<", "\\u003c")
        said = f"<b>Figure {self._n_figures}.</b> {_text(caption)}"
        buttons = "".join(
            f'<button data-format="{kind}" data-name="{name}">{kind.upper()}</button>'
            for kind in ("svg", "png")
        )
        self._parts.append(
            f'<figure><div class="picture" role="img" aria-label="{_text(alt or caption)}" '
            f'style="height:{height}px"></div>'
            f'<script type="application/json">{data}</script>'
            f"<figcaption>{said}</figcaption>{buttons}</figure>"
        )

    def html(self) -> str:
        """Return the whole page."""
        scripts = ""
        if self._n_figures:
            from plotly.offline import get_plotlyjs

            scripts = f"<script>{get_plotlyjs()}</script><script>{_SCRIPT}</script>"
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{_text(self.title)}</title><style>{_STYLE}</style></head>\n<body>\n"
            + "\n".join(self._parts)
            + f"\n{scripts}</body></html>\n"
        )


def _text(text: object) -> str:
    return html.escape(str(text))


def _cell(value: object) -> str:
    """A number with the digits it deserves, text as it is."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "\u2013"
    if isinstance(value, bool) or not pd.api.types.is_number(value):
        return _text(value)
    if value == int(value) if abs(value) < 1e15 else False:
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
