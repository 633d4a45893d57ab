"""Rows in a plane as one plain SVG image: there at once, where a chart has first to be fetched."""

from __future__ import annotations

import numpy as np

from ..comparing.panels import Panel
from ..comparing.projection import View
from .template import INK, PANEL, colour_of, on_colour, plain

#: Of the image, of what stands below the points, and of a point, in pixels.
WIDTH, HEIGHT, FOOT, RADIUS = 760, 400, 22, 3
_BADGE = 9


def points_svg(view: View, panel: Panel, ink: str) -> str:
    """Draw a panel's rows in their clusters' colours, the largest clusters numbered.

    ``ink`` is the colour of the text.
    """
    labels = np.full(len(view.points), -1) if panel.labels is None else panel.labels
    points = "".join(
        f'<g fill="{colour_of(int(label)) if label >= 0 else INK}" fill-opacity="0.8">'
        + "".join(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>'
            for x, y in _placed(view, view.points[labels == label])
        )
        + "</g>"
        for label in np.unique(labels)
    )
    text = f'font-family="sans-serif" fill="{ink}"'
    plot = HEIGHT - FOOT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{plot}" fill="{PANEL}"/>{points}{_badges(view, panel)}'
        f'<text x="{WIDTH / 2}" y="{HEIGHT - 5}" text-anchor="middle" font-size="12" {text}>'
        f"{plain(view.x.title)}</text>"
        f'<text transform="translate(14 {plot / 2}) rotate(-90)" text-anchor="middle" '
        f'font-size="12" {text}>{plain(view.y.title)}</text></svg>'
    )


def _placed(view: View, points: np.ndarray) -> np.ndarray:
    """Places in the view as places in the image, shape (n, 2)."""
    low = np.array([view.x.low, view.y.low])
    across, down = ((points - low) / (np.array([view.x.high, view.y.high]) - low)).T
    return np.column_stack([WIDTH * across, (HEIGHT - FOOT) * (1.0 - down)])


def _badges(view: View, panel: Panel) -> str:
    """The clusters' numbers, on discs of their colours."""
    parts = []
    for x, y, label in panel.badges:
        (at_x, at_y), *_ = _placed(view, np.array([[x, y]]))
        colour = colour_of(label)
        parts.append(
            f'<circle cx="{at_x:.1f}" cy="{at_y:.1f}" r="{_BADGE}" fill="{colour}" '
            f'stroke="#ffffff" stroke-width="1.5"/><text x="{at_x:.1f}" y="{at_y + 4:.1f}" '
            f'text-anchor="middle" font-family="sans-serif" font-size="11" font-weight="bold" '
            f'fill="{on_colour(colour)}">{label + 1}</text>'
        )
    return "".join(parts)
