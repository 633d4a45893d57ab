"""What a report is made of, before it is written as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Heading:
    """The beginning of a section; level 1 is the title, 2 to 4 are sections."""

    text: str
    level: int


@dataclass(frozen=True)
class Paragraph:
    """Something said; as a note it must not be overlooked."""

    text: str
    is_note: bool = False


@dataclass(frozen=True)
class Points:
    """Things listed, one a bullet."""

    texts: tuple[str, ...]


@dataclass(frozen=True)
class Code:
    """A program or settings as they are."""

    text: str


@dataclass(frozen=True, eq=False)
class Table:
    """A table without its index."""

    frame: pd.DataFrame
    caption: str

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return [str(name) for name in self.frame.columns]

    @property
    def is_number(self) -> list[bool]:
        """Which columns stand on the right."""
        return [pd.api.types.is_numeric_dtype(kind) for kind in self.frame.dtypes]

    @property
    def cells(self) -> list[list[str]]:
        """Every cell as it is printed, row by row."""
        rows = self.frame.itertuples(index=False, name=None)
        return [[cell_text(cell) for cell in row] for row in rows]


@dataclass(frozen=True, eq=False)
class Figure:
    """A Plotly figure; ``alt`` says what it shows, for those who do not see it."""

    number: int
    figure: go.Figure
    caption: str
    alt: str


Block = Heading | Paragraph | Points | Code | Table | Figure


def cell_text(value: object) -> str:
    """A number with the digits it deserves, text as it is, a dash where there is nothing."""
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "\u2013"
    if isinstance(value, bool) or not pd.api.types.is_number(value):
        return str(value)
    if value == int(value) if abs(value) < 1e15 else False:
        return f"{int(value):,}"
    return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
