"""A real table, on which everybody fails a little."""

from __future__ import annotations

from .stop import Stop

KEY = "wine"
STOPS = (
    Stop(
        "178 bottles of three cultivars, which are kinds of grape, by two measurements. MAP-DP is "
        "not told K, their number. How many groups will it find?",
        ("4 groups", "3 groups", "2 groups"),
        0,
        "The three cultivars, and row 122, ringed, which fits into none of them. 14 bottles are "
        "placed wrongly. Gibbs, which draws groupings by chance, has row 122 alone in 82 of 100 "
        "draws, too.",
        {"row": 122},
    ),
    Stop(
        "K-means is told K = 3, the number of cultivars. How many of the 178 bottles will it place "
        "wrongly?",
        ("None", "About 60 bottles", "About 20 bottles"),
        2,
        "22. Its borders run halfway between two centres, though the colour of the deepest "
        "cultivar has a standard deviation of 2.3 and that of the palest one of 0.9.",
        {"cells": True},
    ),
    Stop(
        "MAP-DP says K = 4. How often does Gibbs draw four groups?",
        ("In most draws", "Never", "In half of them"),
        1,
        "K is 5 to 12 in its draws. Row 131, ringed, is in cluster 1 in 50 of 100, in cluster 4 in "
        "35. From 20 chance starts MAP-DP ends with four groups in 10, with five in the others.",
        {"row": 131},
    ),
    Stop(
        "No cultivar is exactly normal. MAP-DP may allow for that, and count every row for less, "
        "0.74 in place of 1. Which groups will it still tell apart?",
        ("The three cultivars", "None: all are one", "Two groups"),
        2,
        "47 of the 48 bottles of the deepest cultivar, with one other, and all the rest. That is "
        "too cautious: the other two cultivars become one.",
        {"tolerance": 0.74},
    ),
)
