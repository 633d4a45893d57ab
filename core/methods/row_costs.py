"""What a method weighs when it places one row: the cost of every cluster, and what decides.

Costs are those of the fitted model at rest, the row itself left out of its own cluster wherever
the method leaves it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..models.centroids import CentroidEstimator
from ..schema.encoded import Encoded

NATS, DISTANCE, CHANCE = "nats", "squared distance", "probability"
PREDICTIVE, COUNT = "predictive term", "count term"
NEW, OTHER = -1, -2


@dataclass(frozen=True)
class RowCosts:
    """One method's view of one row."""

    #: What the numbers are: "nats", "squared distance" or "probability".
    measure: str
    #: Length C. The candidates as they are numbered in the panels, from 0; -1 is a new cluster, -2
    #: one that matches none of those shown.
    clusters: tuple[int, ...]
    #: Shape (C,). What adds up to the number of each candidate.
    terms: Mapping[str, np.ndarray]
    #: Place of the chosen candidate: the lowest cost, or the highest probability.
    winner: int
    #: What decides, in a sentence or two.
    words: str
    #: The method.
    title: str = ""
    #: Length C. Labels of the candidates, whose colours they have; as numbered if empty.
    labels: tuple[int, ...] = ()

    @property
    def totals(self) -> np.ndarray:
        """Sum of the terms, shape (C,)."""
        return np.sum(list(self.terms.values()), axis=0)


def called(cluster: int) -> str:
    """A candidate in a sentence."""
    return {NEW: "a new cluster", OTHER: "another cluster"}.get(cluster, f"cluster {cluster + 1}")


def tag(cluster: int) -> str:
    """A candidate beside its bar."""
    return {NEW: "new", OTHER: "other"}.get(cluster, str(cluster + 1))


def capital(text: str) -> str:
    """Text that begins a sentence."""
    return text[0].upper() + text[1:]


def squared_distances(model: CentroidEstimator, one: Encoded) -> np.ndarray:
    """Of one row to every centre, in the numbers that the model ran on, shape (K,)."""
    point = model.encoding_.apply(one.values)
    return np.square(model.cluster_centers_ - point).sum(axis=1)
