"""Two pairs of rows lie far outside three equal clusters."""

from __future__ import annotations

from .stop import Stop

KEY = "5.3"
STOPS = (
    Stop(
        "Two pairs of rows lie outside. DP-means opens clusters for rows farther from all centres "
        "than a setting, λ, here for three. Which three?",
        ("The three real ones", "Each pair, and all the rest", "Two real ones, and the pairs"),
        1,
        "Each pair is a cluster and all other rows are one. K-means with K = 3 puts up with the "
        "pairs, and agrees better with the truth (NMI).",
        {"outlier_distance": 10.0},
    ),
    Stop(
        "The pairs are far away now: they stand at the edge, with arrows. What will K-means, told "
        "K = 3, spend its centres on?",
        ("One on the four far rows", "One on each real cluster", "One on each pair"),
        0,
        "One centre, the cross at the edge, is spent on four rows, so that two real clusters "
        "become one. DP-means, with λ set for three clusters, takes each pair for one and all else "
        "for the third.",
        {"cells": True},
    ),
    Stop(
        "The pairs are twice as far away. What will MAP-DP do?",
        ("Join two real clusters", "Join the pairs", "Find the same three, and each pair"),
        2,
        "The pairs have clusters of their own and the same three stand beside them, wherever the "
        "pairs lie.",
        {"outlier_distance": 150.0},
    ),
    Stop(
        "The pairs are back where they stood. K-means is told K = 5, the true number. What will it "
        "do with two more centres?",
        ("One for each pair", "Cut a real cluster", "Find the real clusters, the pairs share one"),
        1,
        "The four far rows keep one centre, and a real cluster is cut in two: that lowers the "
        "squared error more than telling one far pair from the other. DP-means, with λ set "
        "for five, finds them.",
        {"k": 5, "cells": True},
    ),
)
