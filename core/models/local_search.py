"""Iterated local search: descend, perturb the best local optimum, descend, keep what is lower.

Lourenço, Martin and Stützle 2003, Iterated local search, in the Handbook of Metaheuristics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ..engine.sweeps import TIE


@dataclass(frozen=True)
class Optimum:
    """Where a descent ended."""

    state: Any
    #: Its E, in nats.
    objective: float
    #: The steps that led there, from the start of the search on.
    trace: list[Any] = field(default_factory=list)

    def is_below(self, other: Optimum) -> bool:
        """Whether its E is lower by more than rounding."""
        return self.objective < other.objective - TIE


def lowest(optima: Iterable[Optimum]) -> Optimum:
    """The one of lowest E, the first of equals."""
    best, *others = optima
    for optimum in others:
        best = optimum if optimum.is_below(best) else best
    return best


def iterated(
    best: Optimum,
    perturbed: Callable[[Optimum, int], Optimum],
    patience: Callable[[Optimum], float],
) -> Optimum:
    """Perturb the best and descend, until too many perturbations in a row have gained nothing.

    Parameters
    ----------
    best : Optimum
    perturbed : callable
        Given the best, and how many perturbations of it have failed, where the next one ends; the
        state of the best stays as it is.
    patience : callable
        Given the best, how many failures end the search.
    """
    fails = 0
    while fails < patience(best):
        optimum = perturbed(best, fails)
        best, fails = (optimum, 0) if optimum.is_below(best) else (best, fails + 1)
    return best
