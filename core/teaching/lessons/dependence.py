"""Columns vary together within groups, and the model does not know."""

from __future__ import annotations

from .stop import Stop

KEY = "dependence"
STOPS = (
    Stop(
        "Three clusters, x and y independent within each. MAP-DP takes a likelihood for every "
        "column, and is not told K. How many will it find?",
        ("3", "5 or 6", "More than 10"),
        0,
        "Three: model and data agree. Nobody's NMI is above 0.80, as the clusters touch.",
        {"rows": 600, "correlation": 0.0},
    ),
    Stop(
        "x and y vary together now, with a correlation of 0.9 in every cluster. How many will "
        "MAP-DP find?",
        ("3", "5 or 6", "More than 10"),
        2,
        "14. Independent columns make upright ellipses, and a slanted cloud is covered by a row of "
        "them. Its search does not fail: E of the true three is higher.",
        {"rows": 600},
    ),
    Stop(
        "The table may choose its model together with its groups, by E. What will it change?",
        ("The logarithm of x", "x and y together", "Nothing"),
        1,
        "x and y vary together. MAP-DP finds the three now, NMI 0.91 instead of 0.55, and E is "
        "lower by about 160. The model was at fault, not the search.",
        {"rows": 600, "chosen": True},
    ),
    Stop(
        "The correlation is 0 again, and the table may still choose. What will it choose?",
        ("Each column alone", "x and y together", "One group"),
        0,
        "Each column alone: a dependence that is not there does not pay. It is the same E that "
        "counts the groups, so there is nothing to set.",
        {"rows": 600, "chosen": True, "correlation": 0.0},
    ),
)
