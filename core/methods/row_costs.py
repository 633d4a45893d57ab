"""The cost of every cluster when a fitted method places one row, and what decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

NATS, DISTANCE, CHANCE = "nats", "squared distance", "probability"
PREDICTIVE, COUNT = "predictive term", "count term"
NEW, OTHER = -1, -2


@dataclass(frozen=True)
class RowCosts:
    """One method's view of one row."""

    #: "nats", "squared distance" or "probability".
    measure: str
    #: Length C. Numbers in the panels, from 0; -1 a new cluster, -2 one that matches none shown.
    clusters: tuple[int, ...]
    #: Shape (C,). Summands of each candidate's number.
    terms: Mapping[str, np.ndarray]
    #: Index of the chosen candidate: the lowest cost, or the highest probability.
    winner: int
    words: str
    title: str = ""
    #: Length C. Labels by which candidates are coloured; ``clusters`` if empty.
    labels: tuple[int, ...] = ()

    @property
    def totals(self) -> np.ndarray:
        """Sum of the terms, shape (C,)."""
        return np.sum(list(self.terms.values()), axis=0)


def called(cluster: int) -> str:
    """A candidate in a sentence."""
    return {NEW: "a new cluster", OTHER: "another cluster"}.get(cluster, f"cluster {cluster + 1}")


def tag(cluster: int) -> str:
    """A candidate's label beside its bar."""
    return {NEW: "new", OTHER: "other"}.get(cluster, str(cluster + 1))


def capital(text: str) -> str:
    """Text with a capital first letter."""
    return text[0].upper() + text[1:]
