"""How far a long fit has got, and a job that is made of several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Progress:
    """What a long fit reports between its steps.

    Parameters
    ----------
    done : float
        Steps finished, one that is a fit of its own in part.
    total : float
        Steps expected; may grow.
    objective : float
        The algorithm's own objective so far, lower is better (nats for the models).
    n_clusters : int
        Clusters in the current state.
    phase : str
        A few words such as ``"restart 3 of 10"``.
    """

    done: float
    total: float
    objective: float
    n_clusters: int
    phase: str = ""


class Stages:
    """Counts the fits of a job, and tells its callback, whose exceptions end it, of the whole."""

    def __init__(self, callback: Callable[[Progress], None] | None, total: int) -> None:
        self.total = total
        self.done = 0
        self.phase = ""
        self._share = 0.0
        self._callback = callback or (lambda progress: None)

    def begin(self, phase: str) -> Callable[[Progress], None]:
        """Name the fit that comes next; returns the callback to give it."""
        self.phase, self._share = phase, 0.0
        return self.report

    def report(self, progress: Progress) -> None:
        """Pass on a step of the current fit; of several runs the one that is farthest counts."""
        share = progress.done / progress.total if progress.total else 0.0
        self._share = max(self._share, min(share, 0.99))
        done = self.done + self._share
        self._callback(replace(progress, done=done, total=self.total, phase=self.phase))

    def end(self) -> None:
        """Count the current fit."""
        self.done += 1
