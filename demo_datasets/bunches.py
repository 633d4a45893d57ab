"""Nine round clusters in three far bunches: what a search that starts badly does not mend."""

from __future__ import annotations

import numpy as np

from .taught import Drawn, Knob

#: Middles of the bunches, in standard deviations of a cluster.
BUNCH_MIDDLES = np.array([[0.0, 0.0], [44.0, 4.0], [19.0, 38.0]])
#: A bunch's clusters about its middle, as shares of the gap.
_WITHIN = np.array([[-0.5, -0.29], [0.5, -0.29], [0.0, 0.58]])
N_CLUSTERS = len(BUNCH_MIDDLES) * len(_WITHIN)


class Bunches(Drawn):
    """Equally large, round and wide clusters, three to a bunch; the knob is the gap in a bunch."""

    def names(self, value: float) -> list[str]:
        """Clusters by their number, bunch by bunch."""
        return [f"cluster {k + 1}" for k in range(N_CLUSTERS)]

    def draw(
        self, n: int, random: np.random.Generator, value: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """Draw nine clusters of the same size and a standard deviation of 1."""
        centres = (BUNCH_MIDDLES[:, None] + value * _WITHIN).reshape(-1, 2)
        truth = np.sort(np.arange(n) % N_CLUSTERS)
        return centres[truth] + random.standard_normal((n, 2)), truth


BUNCHES = Bunches(
    "starts",
    "Bad starts",
    "K-means only ever goes downhill from where its centres start. Here are nine clusters as it "
    "likes them: round, equally wide and large, in three bunches far from each other. Centres do "
    "not cross from bunch to bunch, so a bad start is never mended.",
    Knob(
        "bunch_gap",
        "Gap in a bunch",
        4.0,
        12.0,
        8.0,
        "Turning it up moves the clusters of a bunch apart; their standard deviation is 1.",
    ),
)
