"""A real table, on which everybody fails a little."""

from __future__ import annotations

from .stop import Stop

KEY = "wine"
STOPS = (
    Stop(
        "178 bottles of three cultivars. How many will K-means, told K = 3, place wrongly?",
        ("None", "About 60", "About 20"),
        2,
        "22. Its borders run halfway between two centres, though the colour of the deepest "
        "cultivar has a standard deviation of 2.3 and that of the palest one of 0.9.",
        {"cells": True},
    ),
    Stop(
        "MAP-DP is not told K. How many groups will it find?",
        ("4", "3", "2"),
        0,
        "The three cultivars, and row 122 alone: a cluster of its own is cheaper by 6.8 natural "
        "log units. 14 bottles are placed wrongly. It is alone in 82 of Gibbs' 100 draws, too.",
        {"row": 122},
    ),
    Stop(
        "MAP-DP says K = 4. How often does Gibbs draw four groups?",
        ("In most draws", "Never", "In half of them"),
        1,
        "K is 5 to 12 in its draws. Row 131 is in cluster 1 in 50 of 100, in cluster 4 in 35. And "
        "from 20 seeds MAP-DP ends with four groups in 10, with five in the others.",
        {"row": 131},
    ),
    Stop(
        "No cultivar is exactly normal. The tolerance for misfit goes from 1 to 0.74: which groups "
        "will MAP-DP still tell apart?",
        ("The three cultivars", "None: all are one", "Two groups"),
        2,
        "47 of the 48 bottles of the deepest cultivar, with one other, and all the rest. A "
        "tolerance can be too cautious: the other two cultivars are two all the same.",
        {"tolerance": 0.74},
    ),
)
