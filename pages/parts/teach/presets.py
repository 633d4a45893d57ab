"""Drawings that the board can begin with: what each shows in one sentence, and where it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mapdp_studio.core.teaching.drawing import FAR, PLACES, SIDE

#: Middle, across and up, standard deviation and number of points of every cloud, in units.
Clouds = tuple[tuple[float, float, float, int], ...]
_CORNERS: Clouds = ((1.5, 1.5, 0.4, 40), (8.5, 1.5, 0.4, 40), (5, 8.5, 0.4, 40))
_THREE: Clouds = ((2.5, 2.5, 0.6, 40), (7.5, 3, 0.6, 40), (5, 7.5, 0.6, 40))
_ON_THREE = ((2.5, 2.5), (7.5, 3), (5, 7.5))
_FIVE: Clouds = tuple((*at, 0.45, 30) for at in ((2, 2), (2, 5), (8, 2), (8, 8), (4.5, 8)))


@dataclass(frozen=True)
class Preset:
    """One drawing.

    Parameters
    ----------
    title, task : str
        Its name in the list, and what to find.
    show, tool : str
        The method shown large, and what the hand does, by their names on the board.
    clouds : tuple
        See ``Clouds``.
    centres : tuple of pair
        Where K-means' centres begin, in units.
    sets : dict
        Where the board's controls stand, by their names there.
    """

    title: str
    task: str
    show: str
    tool: str
    clouds: Clouds
    centres: tuple[tuple[float, float], ...] = ()
    sets: dict[str, Any] = field(default_factory=dict)

    @property
    def points(self) -> np.ndarray:
        """Places of the board, int64 of shape (n, 2): the same every time."""
        random = np.random.default_rng(0)
        drawn = [random.normal(middle, sd, (n, 2)) for *middle, sd, n in self.clouds]
        return to_places(np.concatenate(drawn))


def to_places(units: np.ndarray) -> np.ndarray:
    """Places of the board that stand for units from 0 to 10, and beyond its edge."""
    return (units * (PLACES - 1) / SIDE).round().clip(*FAR).astype(np.int64)


PRESETS = {
    "circles": Preset(
        "A circle that fits",
        "DP-means finds one group here. Which circle gives the three?",
        "dpmeans",
        "drag",
        _CORNERS,
        _ON_THREE,
        {"k": 3, "radius": 7.0},
    ),
    "bad-start": Preset(
        "A bad start",
        "Where do the three centres have to begin for K-means to end with a higher error?",
        "kmeans",
        "drag",
        _THREE,
        _ON_THREE,
        {"k": 3},
    ),
    "rescue": Preset(
        "Out of a bad start",
        "K-means is stuck. From where do its five centres end on the five groups?",
        "kmeans",
        "drag",
        _FIVE,
        ((1, 3.5), (3.2, 3.5), (7.4, 2), (8.6, 2), (6.2, 8)),
        {"k": 5},
    ),
    "too-many": Preset(
        "Less error, worse groups",
        "With which K has K-means at most two thirds of the error that it has with three groups?",
        "kmeans",
        "drag",
        _THREE,
        _ON_THREE,
        {"k": 3},
    ),
    "one-point": Preset(
        "One point that costs a group",
        "How far out (zoom out first) has one more point to be for K-means to put both groups into "
        "one?",
        "kmeans",
        "point",
        ((4, 4, 0.35, 9), (6, 6, 0.35, 9)),
        ((4, 4), (6, 6)),
        {"k": 2},
    ),
    "no-outlier": Preset(
        "A group of one",
        "Where is one more point a group of its own for DP-means, and for MAP-DP not?",
        "dpmeans",
        "point",
        ((4, 4.5, 1.1, 90), (8, 8, 0.3, 30)),
        (),
        {"radius": 3.4, "n0": 0.1, "width": 0.5},
    ),
    "widths": Preset(
        "Wide and narrow",
        "How near has the narrow group to come for K-means to cut the wide one? MAP-DP does not.",
        "mapdp",
        "group",
        ((3, 5, 1, 90), (9, 5, 0.2, 30)),
        ((3, 5), (9, 5)),
        {"k": 2, "n0": 0.3},
    ),
    "near": Preset(
        "As near as MAP-DP can see",
        "How near can one group be dragged to the other while MAP-DP still finds two?",
        "mapdp",
        "group",
        ((3, 5, 0.5, 60), (7, 5, 0.5, 60)),
        (),
        {"k": 2, "n0": 0.1},
    ),
    "no-em": Preset(
        "What E-M cannot",
        "Which few points far out make E-M, told K = 3, lose a group that MAP-DP keeps? "
        "The switch below the board runs E-M.",
        "mapdp",
        "point",
        _CORNERS,
        _ON_THREE,
        {"k": 3, "n0": 0.3},
    ),
}
