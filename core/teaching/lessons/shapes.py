"""Moons and rings: no normal model describes them."""

from __future__ import annotations

from .stop import Stop

KEY = "shapes"
STOPS = (
    Stop(
        "Two moons that reach into each other. MAP-DP is told nothing. How many clusters will it "
        "find?",
        ("16", "2", "1"),
        0,
        "16 ellipses, each on one moon only. Its search does not fail: E of the two moons is "
        "higher by 3,123. The three methods below have no such model, and find both.",
        {"k": 2, "cells": True},
    ),
    Stop(
        "A ring within a ring. What will K-means, told K = 2, do?",
        ("Find both rings", "Halve both rings", "Halve the outer ring alone"),
        1,
        "Its NMI is 0.00. MAP-DP takes 24 pieces. The three below join every row with its ten "
        "nearest neighbours: no such line leads from one ring to the other.",
        {"ring_share": 1.0, "k": 2, "cells": True},
    ),
    Stop(
        "Moons and rings side by side. Who will find the four?",
        ("Nobody", "K-means and E-M, told K = 4", "Three methods told nothing"),
        2,
        "The three below count four, where the spectrum of the graph jumps most, and place every "
        "row. K-means and E-M stay below an NMI of 0.61.",
        {"ring_share": 0.5, "k": 4},
    ),
    Stop(
        "The two rings with 300 rows instead of 2,000. How many groups will MAP-DP find?",
        ("1", "2", "24"),
        0,
        "One: so few rows do not pay for the pieces of a ring. The three below find both still.",
        {"ring_share": 1.0, "k": 2, "rows": 300},
    ),
    Stop(
        "With 300 rows MAP-DP covers the two moons with 12 ellipses. How many with 4,000?",
        ("2", "More than 12", "12 still"),
        1,
        "17. More rows are more evidence that no piece of a moon is an ellipse. Nor does a "
        "tolerance for misfit help: at 0.3 all are one group. What helps is another idea of a "
        "cluster.",
        {"rows": 4000, "k": 2},
    ),
)
