"""A race as the browser draws it: the rows once, and of every step only what a step changes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..comparing.outlines import CORNERS
from ..comparing.panels import TINY_ROWS
from ..comparing.projection import View
from ..methods.steps import Step
from ..teaching.race import Race
from ..teaching.steps import Walk
from .template import PALETTE


def race_sheet(race: Race) -> dict[str, Any]:
    """Everything of a race, for JSON."""
    view = race.walks[0].view
    scores = race.agreement or (None, None)
    return {
        "question": race.question,
        "choices": list(race.choices),
        "right": race.right,
        "x": [view.x.low, view.x.high],
        "y": [view.y.low, view.y.high],
        "oneUnit": view.has_one_unit,
        "palette": list(PALETTE),
        "runners": [_runner(walk, score) for walk, score in zip(race.walks, scores, strict=True)],
    }


def _runner(walk: Walk, scores: list[float] | None) -> dict[str, Any]:
    return {
        "title": walk.title,
        "measure": walk.measure,
        "points": _places(walk.view.points),
        "objective": [step.objective for step in walk.steps],
        "scores": scores,
        "steps": [_step(walk.view, step) for step in walk.steps],
    }


def _step(view: View, step: Step) -> dict[str, Any]:
    """Colours of the rows, a digit each; crosses; numbers; ellipses by middle and covariance."""
    labels, counts = np.unique(step.labels, return_counts=True)
    middles = view.centroids(step.labels)
    numbered = labels[counts >= TINY_ROWS].tolist()
    return {
        "words": _words(step),
        "k": step.n_clusters,
        "colours": "".join(map(str, (step.labels % len(PALETTE)).tolist())),
        "centres": [] if step.centers is None else _places(step.centers),
        "badges": {str(label): _places(np.array(middles[label])) for label in numbered},
        "ellipses": [_ellipse(curve) for curve in step.curves],
        "row": step.row,
    }


def _words(step: Step) -> str:
    """What was done, as briefly as it can be said: the number of a sweep is the clock's."""
    said = step.words.removeprefix(step.kind).removeprefix(", ")
    kind = "" if step.kind[-1:].isdigit() else step.kind.split(":")[0]
    return ", ".join(filter(None, (kind, said)))


def _ellipse(curve: np.ndarray) -> list[float]:
    """Middle, and xx, xy, yy of the matrix whose unit ellipse an outline is."""
    middle = curve[:-1].mean(axis=0)
    half = (curve[[0, CORNERS // 4]] - middle).astype(np.float64)
    across, both, up = (half.T @ half)[[0, 0, 1], [0, 1, 1]]
    return _places(np.array([*middle, across, both, up]))


def _places(values: np.ndarray) -> list:
    """Numbers as short as a picture needs them."""
    rounded = np.array([float(f"{value:.5g}") for value in np.ravel(values).tolist()])
    return rounded.reshape(np.shape(values)).tolist()
