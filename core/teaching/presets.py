"""Drawings that the board can begin with, which stand in ``presets.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .drawing import FAR, PLACES, SIDE


@dataclass(frozen=True)
class Preset:
    """A drawing: by cloud, middle across and up, standard deviation and number of points, in units.

    ``centres`` are where K-means begins; ``show``, ``tool`` and ``sets`` where controls stand.
    """

    title: str
    task: str
    show: str
    tool: str
    clouds: Sequence[Sequence[float]]
    centres: Sequence[Sequence[float]] = ()
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


_TEXT = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
PRESETS = {name: Preset(**preset) for name, preset in tomllib.loads(_TEXT).items()}
