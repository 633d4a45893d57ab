"""Moons and rings: no normal model describes them."""

from __future__ import annotations

from .stop import Stop

KEY = "shapes"
STOPS = (
    Stop(
        "Two moons that reach into each other. MAP-DP is told nothing. How many clusters will it "
        "find?",
        ("More than 10 clusters", "2 clusters", "1 cluster"),
        0,
        "16 ellipses, each on one moon. Its search does not fail: what it minimises (E) is higher "
        "by 3,119 for the two moons. The last three methods join near rows instead and find both "
        "(NMI, agreement, 1).",
        {"k": 2, "cells": True},
    ),
    Stop(
        "A ring within a ring. What will K-means, told K = 2, do?",
        ("Find both rings", "Halve both rings", "Halve the outer ring alone"),
        1,
        "It agrees with the rings not at all (NMI 0.00). MAP-DP takes 24 pieces. The last three "
        "methods join every row with its ten nearest neighbours: no such line leads from ring to "
        "ring.",
        {"ring_share": 1.0, "k": 2, "cells": True},
    ),
    Stop(
        "Moons and rings side by side. Who will find the four?",
        ("Nobody", "K-means and E-M, told K = 4", "The last three methods"),
        2,
        "The last three count four parts that their lines hold together, and place every row. "
        "K-means and E-M stay below an NMI of 0.61.",
        {"ring_share": 0.5, "k": 4},
    ),
    Stop(
        "The two rings with 300 rows instead of 2,000. How many groups will MAP-DP find?",
        ("1 group", "2 groups", "24 groups"),
        0,
        "300 rows are too few to tell the pieces of a ring apart. The last three methods find both "
        "still.",
        {"ring_share": 1.0, "k": 2, "rows": 300},
    ),
    Stop(
        "With 300 rows MAP-DP covers the two moons with 12 ellipses. How many with 4,000?",
        ("2 ellipses", "More than 12 ellipses", "12 ellipses still"),
        1,
        "17. More rows are more evidence that no piece of a moon is an ellipse. To let every "
        "row count as 0.3 of one makes one group of all. What helps is another idea of a cluster.",
        {"rows": 4000, "k": 2},
    ),
)
