"""Two methods step by step on the same rows, and what to predict of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..partitions.scores import nmi
from .steps import Walk

#: NMI by which one has to be nearer to the truth than the other.
NEARER = 0.02


@dataclass(frozen=True)
class Race:
    """Two runs under one clock, left and right.

    Parameters
    ----------
    walks : pair of Walk
    classes : ndarray of int, shape (N,), or None
        True group of every row of the table, from 0 on; None where it is not known.
    """

    walks: tuple[Walk, Walk]
    classes: np.ndarray | None

    @cached_property
    def agreement(self) -> tuple[list[float], list[float]] | None:
        """NMI with the truth after each step of either run; None where there is no truth."""
        if self.classes is None:
            return None
        left, right = (
            [nmi(self.classes[walk.view.rows], step.labels) for step in walk.steps]
            for walk in self.walks
        )
        return left, right

    @property
    def question(self) -> str:
        """What is to be predicted."""
        if self.agreement is None:
            return "Which ends with more groups?"
        return "Which ends nearer to the true groups?"

    @property
    def answer(self) -> str:
        """What comes true, with what it rests on."""
        same = "As many" if self.agreement is None else "Equally near"
        left, right = self.walks
        said = (f"Left: {left.title}", f"Right: {right.title}", same)[self.winner]
        if self.agreement is None:
            ends = [f"K = {walk.steps[-1].n_clusters}" for walk in self.walks]
        else:
            ends = [f"NMI {reached[-1]:.2f}" for reached in self.agreement]
        return f"{said} ({' against '.join(ends)})."

    @property
    def winner(self) -> int:
        """Who it is: 0 the left, 1 the right, 2 neither."""
        if self.agreement is None:
            left, right = (float(walk.steps[-1].n_clusters) for walk in self.walks)
            margin = 0.5
        else:
            left, right = (reached[-1] for reached in self.agreement)
            margin = NEARER
        return 2 if abs(left - right) < margin else int(right > left)
