"""Columns vary together within groups, and the model does not know."""

from __future__ import annotations

from .stop import Stop

KEY = "dependence"
STOPS = (
    Stop(
        "Three clusters, x and y independent within each. MAP-DP describes every column by itself, "
        "and is not told how many there are. How many will it find?",
        ("3 clusters", "5 or 6 clusters", "More than 10 clusters"),
        0,
        "Three: model and data agree. Nobody agrees with the truth (NMI) beyond 0.80, as the "
        "clusters touch.",
        {"rows": 600, "correlation": 0.0},
    ),
    Stop(
        "x and y vary together now, with a correlation of 0.9 in every cluster. How many will "
        "MAP-DP find?",
        ("3 clusters", "5 or 6 clusters", "More than 10 clusters"),
        2,
        "14. Independent columns make upright ellipses, and a slanted cloud is covered by a row of "
        "them. Its search does not fail: what it minimises (E) is higher for the true three.",
        {"rows": 600},
    ),
    Stop(
        "MAP-DP may choose now, by the same E, whether columns are described one by one, together, "
        "or in logarithms. What will it change?",
        ("The logarithm of x", "x and y together", "Nothing"),
        1,
        "x and y may vary together. MAP-DP finds the three now, NMI 0.91 instead of 0.55, and E is "
        "lower by about 160. The model was at fault, not the search.",
        {"rows": 600, "chosen": True},
    ),
    Stop(
        "The correlation is 0 again, and MAP-DP may still choose. What will it choose?",
        ("Each column alone", "x and y together", "One group"),
        0,
        "Each column alone: a dependence that is not there does not pay. It is the same E that "
        "counts the groups, so there is nothing to set. Gibbs draws groups of few rows beside the "
        "three.",
        {"rows": 600, "chosen": True, "correlation": 0.0},
    ),
)
