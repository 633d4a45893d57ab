"""All groups on one picture, as one would show it: a card each, with what sets it apart."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import plotly.graph_objects as go

from ..profiling.cards import NOTHING, Card, Trait, sentence
from ..wording import counted, percent
from .template import CLEAR, GRID, colour_of, plain, short, styled

MOST, IN_A_ROW, MOST_LINES = 9, 3, 3
#: Letters in a line of a card, and pixels: a card's width with its gap, a line, a card's margins.
LETTERS, WIDTH, GAP, LINE, MARGINS = 50, 390, 12, 18, 38
TOP = 44
_SIGNS = {"high": "\u2191", "low": "\u2193", "more often": "+", "less often": "\u2212"}


def group_cards_figure(
    title: str,
    titles: Sequence[str],
    sizes: Sequence[int],
    colours: Sequence[int],
    cards: Sequence[Card],
    ink: str,
    in_a_row: int = IN_A_ROW,
) -> go.Figure:
    """Cards of the ``MOST`` largest groups, given all, the largest first; ``in_a_row``."""
    n, total = min(len(cards), MOST), sum(sizes)
    texts = []
    for k in range(n):
        size = f"{counted(sizes[k], 'row')}, {percent(sizes[k] / total)}"
        heading = f"<b>{short(titles[k], 34)}</b>  {plain(size)}"
        texts.append([heading, *_lines(cards[k], titles)])
    across = min(n, in_a_row)
    rows = [texts[first : first + across] for first in range(0, n, across)]
    heights = [LINE * max(map(len, row)) + MARGINS for row in rows]
    width, height = across * WIDTH, sum(heights) + TOP
    figure = go.Figure()
    said = f"{short(title, 60)}: {counted(len(cards), 'group')}, {counted(total, 'row')}"
    if len(cards) > n:
        said += f"; the {n} largest"
    _write(figure, f"<b>{said}</b>", 0, height - TOP / 2, 16, "middle")
    for k, text in enumerate(texts):
        row, column = divmod(k, across)
        left, top = column * WIDTH, height - TOP - sum(heights[:row])
        box = {"x0": left, "x1": left + WIDTH - GAP, "layer": "below"}
        line = {"color": GRID, "width": 1}
        figure.add_shape(**box, y0=top - heights[row] + GAP, y1=top, line=line)
        bar = {"line": {"width": 0}, "fillcolor": colour_of(colours[k])}
        figure.add_shape(**box, y0=top - 5, y1=top, **bar)
        _write(figure, "<br>".join(text), left + 10, top - 14, 13, "top")
    axis = {"visible": False, "fixedrange": True}
    return styled(
        figure,
        height,
        width=width,
        margin=dict.fromkeys("lrtb", 0),
        paper_bgcolor=CLEAR,
        plot_bgcolor=CLEAR,
        showlegend=False,
        font={"color": ink},
        xaxis=axis | {"range": [0, width]},
        yaxis=axis | {"range": [0, height]},
    )


def _lines(card: Card, titles: Sequence[str]) -> list[str]:
    said = []
    if card.nearest is not None:
        wrapped = textwrap.wrap(sentence(card, titles[card.nearest]), LETTERS)
        said = [f"<i>{plain(line)}</i>" for line in wrapped]
    traits = [_trait(trait) for trait in card.traits[:MOST_LINES]]
    return [*said, *(traits or [NOTHING.capitalize() + "."])]


def _trait(trait: Trait) -> str:
    what = short(f"{_SIGNS[trait.word]} {trait.what}", LETTERS - 14)
    return f"{what} <b>{short(trait.here, 14)}</b> (all {short(trait.overall, 14)})"


def _write(figure: go.Figure, text: str, x: float, y: float, size: int, anchor: str) -> None:
    place = {"x": x, "y": y, "xanchor": "left", "yanchor": anchor, "align": "left"}
    figure.add_annotation(text=text, showarrow=False, font={"size": size}, **place)
