"""One derivation: four switches that turn E-M into K-means, with a prediction each.

The order is that of the limits: shares become choices, covariances one width, the width shrinks
until sizes no longer count (R16 Algorithm 2, KJ12 section 3.1), and K is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from .lessons import Stop

#: What there is before the first switch.
BEFORE = (
    "**E-M, told K = 3.** A point belongs to every cluster by a share, the smaller the higher its "
    "price there. Drag a point between two clusters: its colour mixes. Then turn the first switch."
)


@dataclass(frozen=True)
class Switch:
    """One of the switches: its name, what is asked before it, and what it does."""

    title: str
    stop: Stop


SWITCHES = (
    Switch(
        "Hard choices",
        Stop(
            "Each of the 240 points goes to its cheapest cluster alone. How many change group?",
            ("A half", "A tenth", "Two at most"),
            2,
            "This is MAP-DP. Borders stay curved, as each cluster keeps its covariance. The shares "
            "are gone; a new cluster has a price, so that K is found.",
        ),
    ),
    Switch(
        "One width",
        Stop(
            "All clusters become round and equally wide. What happens to the borders?",
            ("Vanish", "Straighten", "Stay curved"),
            1,
            "The squares cancel between two clusters: straight lines. The count of the large one "
            "still pushes its borders outwards.",
        ),
    ),
    Switch(
        "No counts",
        Stop(
            "Size no longer makes a cluster cheap. What becomes of the largest?",
            ("It shrinks", "It stays as it is", "It grows"),
            0,
            "This is DP-means: as σ goes to 0, squared distance outweighs every count. Borders "
            "stand half way between centres; with none in its green circle (√λ) a point founds "
            "a cluster.",
        ),
    ),
    Switch(
        "K is told",
        Stop(
            "Clusters are no longer bought: there are three. How many points change group?",
            ("None", "A tenth", "A third"),
            0,
            "This is K-means: λ had bought just three. Drag a point far out, and turn this switch "
            "off and on: DP-means pays for a fourth cluster, K-means cannot.",
        ),
    ),
)
