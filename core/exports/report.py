"""A report in one HTML file: headings, text, tables and figures; it needs no network."""

from __future__ import annotations

import html
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from .blocks import Block, Code, Figure, Heading, Paragraph, Points, Table

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
        self.title, self.about = title, about
        #: In the order in which they were added.
        self.blocks: list[Block] = []

    def heading(self, text: str, level: int = 2) -> None:
        """Begin a section; levels 2 to 4."""
        self.blocks.append(Heading(text, level))

    def paragraph(self, text: str) -> None:
        """Say something."""
        self.blocks.append(Paragraph(text))

    def note(self, text: str) -> None:
        """Say something that must not be overlooked, set off from the rest."""
        self.blocks.append(Paragraph(text, is_note=True))

    def points(self, texts: Iterable[str]) -> None:
        """List things, one a bullet."""
        self.blocks.append(Points(tuple(texts)))

    def code(self, text: str) -> None:
        """Show a program or settings as they are."""
        self.blocks.append(Code(text))

    def table(self, frame: pd.DataFrame, caption: str = "") -> None:
        """Show a table without its index; missing cells as a dash.

        Numbers stand on the right: whole ones with thousands separated, others with four
        significant digits. Give text where another number of digits is due.
        """
        self.blocks.append(Table(frame, caption))

    def figure(self, figure: go.Figure, caption: str = "", alt: str = "") -> None:
        """Show a Plotly figure, to be saved as SVG or PNG by whoever reads the report.

        Names in it must have gone through ``plots.template.plain``; ``alt`` says what it shows, for
        those who do not see it.
        """
        number = 1 + sum(isinstance(block, Figure) for block in self.blocks)
        self.blocks.append(Figure(number, figure, caption, alt or caption))

    def html(self) -> str:
        """Return the whole page."""
        parts = [f"<h1>{_text(self.title)}</h1>"]
        if self.about:
            parts.append(f'<p class="about">{_text(self.about)}</p>')
        parts += [_html(block) for block in self.blocks]
        scripts = ""
        if any(isinstance(block, Figure) for block in self.blocks):
            from plotly.offline import get_plotlyjs

            scripts = f"<script>{get_plotlyjs()}</script><script>{_SCRIPT}</script>"
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{_text(self.title)}</title><style>{_STYLE}</style></head>\n<body>\n"
            + "\n".join(parts)
            + f"\n{scripts}</body></html>\n"
        )


def _text(text: object) -> str:
    return html.escape(str(text))


def _html(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"<h{level}>{_text(text)}</h{level}>"
        case Paragraph(text, is_note):
            mark = ' class="note"' if is_note else ""
            return f"<p{mark}>{_text(text)}</p>"
        case Points(texts):
            return f"<ul>{''.join(f'<li>{_text(text)}</li>' for text in texts)}</ul>"
        case Code(text):
            return f"<pre>{_text(text)}</pre>"
        case Table():
            return _table(block)
        case Figure():
            return _figure(block)


def _table(table: Table) -> str:
    marks = [' class="number"' if number else "" for number in table.is_number]
    head = "".join(
        f"<th{mark}>{_text(name)}</th>" for name, mark in zip(table.names, marks, strict=True)
    )
    rows = [
        "".join(f"<td{mark}>{_text(cell)}</td>" for cell, mark in zip(row, marks, strict=True))
        for row in table.cells
    ]
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    title = f"<caption>{_text(table.caption)}</caption>" if table.caption else ""
    return (
        f'<div class="wide"><table>{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _figure(figure: Figure) -> str:
    name = f"figure-{figure.number}"
    height = figure.figure.layout.height or 450
    # Inside a script element only "<" could end the data.
    data = figure.figure.to_json().replace("<", "\\u003c")
    said = f"<b>Figure {figure.number}.</b> {_text(figure.caption)}"
    buttons = "".join(
        f'<button data-format="{kind}" data-name="{name}">{kind.upper()}</button>'
        for kind in ("svg", "png")
    )
    return (
        f'<figure><div class="picture" role="img" aria-label="{_text(figure.alt)}" '
        f'style="height:{height}px"></div>'
        f'<script type="application/json">{data}</script>'
        f"<figcaption>{said}</figcaption>{buttons}</figure>"
    )
