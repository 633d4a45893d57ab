"""One cluster has most of the rows, another two in a hundred."""

from __future__ import annotations

from .stop import Stop

KEY = "5.2"
STOPS = (
    Stop(
        "Three round clusters, equally large and wide. Who will find them?",
        ("MAP-DP alone", "Only those told K = 3", "Everyone"),
        2,
        "All panels agree with the truth: this is what K-means assumes.",
        {"imbalance": 0.0},
    ),
    Stop(
        "The shares are now 69, 29 and 2 %, the centres five standard deviations apart. What will "
        "K-means do?",
        ("Cut the largest", "Find the three", "Cut the 29 %"),
        0,
        "It cuts the large cluster 61 to 39 and gives most of the 2 % to one of its parts: cutting "
        "a crowd saves more squared error than telling a handful apart.",
        {"cells": True},
    ),
    Stop(
        "Row 65, ringed, belongs to the 2 %. MAP-DP weighs a count term and a predictive term. "
        "Which speaks for the 2 %?",
        ("Both", "The predictive term alone", "The count term alone"),
        1,
        "The count term speaks for the larger neighbour, by 2.7 natural log units. The predictive "
        "term outweighs it, and the row stays with the 2 %.",
        {"row": 65},
    ),
    Stop(
        "N₀ falls from 3 to 0.01. How many clusters will MAP-DP find?",
        ("1", "2", "3"),
        2,
        "Three: N₀ enters through its logarithm. Three hundred times less makes a new cluster "
        "dearer by 5.7 natural log units, and that only once.",
        {"n0": 0.01},
    ),
    Stop(
        "N₀ goes from 3 to 30. How many clusters will MAP-DP find?",
        ("3", "About 10", "30"),
        0,
        "Three. Ten times the N₀ makes a new cluster cheaper by 2.3 natural log units, which is "
        "less than any cut through these clusters costs.",
        {"n0": 30.0},
    ),
)
