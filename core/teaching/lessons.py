"""Lessons, and drawings to begin with: what stands in ``lessons.toml`` and ``presets.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .drawing import to_places


@dataclass(frozen=True)
class Stop:
    """One stop: a question with choices, of which the one at ``right`` is true, then the answer.

    ``sets`` are controls, by their names in addresses; ``asks_of_row`` rings the row that it sets.
    """

    question: str
    choices: Sequence[str]
    right: int
    answer: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    asks_of_row: bool = False

    @property
    def rightly(self) -> str:
        """The right choice."""
        return self.choices[self.right]


@dataclass(frozen=True)
class Preset:
    """A drawing and its task; ``clouds`` are middle across and up, deviation and number of points.

    ``centres`` are where K-means begins, ``show`` the method shown large, ``tool`` the hand's.
    """

    title: str
    task: str
    show: str
    tool: str
    clouds: Sequence[Sequence[float]]
    centres: Sequence[Sequence[float]] = ()
    sets: Mapping[str, Any] = field(default_factory=dict)

    @property
    def points(self) -> np.ndarray:
        """Places of the board, int64 of shape (n, 2): the same every time."""
        random = np.random.default_rng(0)
        drawn = [random.normal(middle, sd, (n, 2)) for *middle, sd, n in self.clouds]
        return to_places(np.concatenate(drawn))


_LESSONS, _PRESETS = (
    tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))
    for name in ("lessons", "presets")
)
#: By the key of its data; the first stop is what a lecture asks, and how the data set opens.
LESSONS = {key: tuple(Stop(**stop) for stop in stops) for key, stops in _LESSONS.items()}
PRESETS = {name: Preset(**preset) for name, preset in _PRESETS.items()}
