"""A report in one HTML file: headings, text, tables and figures; it needs no network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined

if TYPE_CHECKING:
    import plotly.graph_objects as go

# The browser itself is told to fetch nothing; WebGL charts compile their drawing in the page.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "img-src data: blob:; worker-src blob:"
)
_FOLDER = Path(__file__).parent
_STYLE, _SCRIPT = (
    (_FOLDER / name).read_text(encoding="utf-8") for name in ("report.css", "report.js")
)
_TEMPLATE = Environment(
    loader=FileSystemLoader(_FOLDER),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
).get_template("report.html.j2")


@dataclass(frozen=True)
class Text:
    """A heading, a paragraph or a program, between the tags of HTML; ``mark`` is their class."""

    tag: str
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Points:
    """Things listed, one a bullet."""

    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Table:
    """A table without its index."""

    frame: pd.DataFrame
    caption: str

    @property
    def marks(self) -> list[str]:
        """Classes of the columns: numbers stand on the right."""
        kinds = self.frame.dtypes
        return ["number" if pd.api.types.is_numeric_dtype(kind) else "text" for kind in kinds]

    @property
    def rows(self) -> list[list[str]]:
        """Every cell as it is printed, the names of the columns first."""
        rows = self.frame.itertuples(index=False, name=None)
        return [[*map(str, self.frame)], *([cell_text(cell) for cell in row] for row in rows)]


@dataclass(frozen=True, eq=False)
class Figure:
    """A Plotly figure; ``alt`` says what it shows, for those who do not see it."""

    number: int
    figure: go.Figure
    caption: str
    alt: str

    @property
    def height(self) -> float:
        """In pixels."""
        return self.figure.layout.height or 450

    @property
    def json(self) -> str:
        """What Plotly draws; inside a script element only "<" could end it."""
        return self.figure.to_json().replace("<", "\\u003c")


Block = Text | Points | Table | Figure


class Report:
    """Collects headings, text, tables and figures in order, and writes them as one HTML page.

    Every text is plain: what looks like HTML in a column's name stays text. One line below the
    title is about what was analysed and when.
    """

    def __init__(self, title: str, about: str = "") -> None:
        self.title, self.about = title, about
        #: In the order in which they were added.
        self.blocks: list[Block] = []

    def heading(self, text: str, level: int = 2, new_page: bool = False) -> None:
        """Begin a section; levels 2 to 4. On paper it can begin a page."""
        self.blocks.append(Text(f"h{level}", text, "page" if new_page else ""))

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self.blocks.append(Text("p", text))

    def note(self, text: str) -> None:
        """Add what must not be overlooked, set off from the rest."""
        self.blocks.append(Text("p", text, "note"))

    def points(self, texts: Iterable[str]) -> None:
        """List things, one a bullet."""
        self.blocks.append(Points(tuple(texts)))

    def code(self, text: str) -> None:
        """Show a program or settings as they are."""
        self.blocks.append(Text("pre", text))

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
        scripts: list[str] = []
        if any(isinstance(block, Figure) for block in self.blocks):
            from plotly.offline import get_plotlyjs

            scripts = [get_plotlyjs(), _SCRIPT]
        return _TEMPLATE.render(
            title=self.title,
            about=self.about,
            blocks=[(type(block).__name__, block) for block in self.blocks],
            policy=_POLICY,
            style=_STYLE,
            scripts=scripts,
        )


def cell_text(value: object) -> str:
    """A number with the digits it deserves, text as it is, a dash where there is nothing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "\u2013"
    if isinstance(value, bool) or not pd.api.types.is_number(value):
        return str(value)
    if value == int(value) if abs(value) < 1e15 else False:
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
