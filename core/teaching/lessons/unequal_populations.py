"""One cluster has most of the rows, another two in a hundred."""

from __future__ import annotations

from .stop import Stop

KEY = "5.2"
STOPS = (
    Stop(
        "Three round clusters, equally large and wide. Who will find them?",
        ("MAP-DP alone", "Only those told K = 3", "Everyone"),
        2,
        "All panels agree with the truth (NMI, their agreement, is near 1): this is what K-means "
        "assumes.",
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
        "Row 65, ringed, belongs to the 2 %. MAP-DP weighs how many rows a cluster has, and how "
        "well the row fits in. What speaks for the 2 %?",
        ("Both", "The fit alone", "The number alone"),
        1,
        "The number (count term) speaks for the 29 %, 15 to 1. The fit (predictive "
        "term) outweighs it, and the row stays with the 2 %.",
        {"row": 65},
        asks_of_row=True,
    ),
    Stop(
        "To MAP-DP a new cluster counts as if it had N₀ rows, and N₀ falls from 3 to 0.01. How "
        "many clusters will it find?",
        ("1 cluster", "2 clusters", "3 clusters"),
        2,
        "A new cluster is 300 times less likely beforehand, but what counts is the "
        "logarithm: it is dearer by 5.7, once, while every row of the cluster fits better for it.",
        {"n0": 0.01},
    ),
    Stop(
        "N₀ goes from 3 to 30. How many clusters will MAP-DP find?",
        ("3 clusters", "About 10 clusters", "30 clusters"),
        0,
        "Ten times the N₀ makes a new cluster cheaper by 2.3, the logarithm of ten. Any cut "
        "through these clusters costs more.",
        {"n0": 30.0},
    ),
)
