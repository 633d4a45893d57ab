"""Clusters run into each other, and nobody can be sure of every row."""

from __future__ import annotations

from .stop import Stop

KEY = "5.6"
STOPS = (
    Stop(
        "The three ellipses hardly overlap yet. What will K-means, told K = 3, make of them?",
        ("It joins two", "The three ellipses", "It cuts the largest"),
        1,
        "Everyone is right (NMI, the agreement with the truth, is near 1): there are still gaps.",
        {"overlap": 0.4},
    ),
    Stop(
        "Now they run into each other. Which rows will K-means place wrongly?",
        ("Only some in the overlap", "Nearly none", "Many outside the overlap, too"),
        2,
        "565 rows, and 413 of them lie where one who knew the three ellipses would have no doubt. "
        "Look at where its borders run.",
        {"cells": True},
    ),
    Stop(
        "MAP-DP puts row 126, ringed, into cluster 1, narrowly. Gibbs draws 100 groupings, likely "
        "ones more often. In how many is the row in cluster 1?",
        ("In 7 draws", "In 57 draws", "In 93 draws"),
        0,
        "7; in 93 it is in cluster 3, to which it belongs. MAP-DP weighs the row within one "
        "grouping, in which cluster 3 has kept 36 of its 100 rows.",
        {"row": 126},
        asks_of_row=True,
    ),
    Stop(
        "Gibbs draws many groupings. A square for every pair of rows is the darker, the more often "
        "the two are together. What will the squares show?",
        ("Full blocks alone", "Full blocks and paler stripes", "No blocks"),
        1,
        "Press Play: in every sweep each row draws its cluster anew. Full blocks are rows that "
        "stay together, paler stripes are rows that change sides.",
        {"view": "Step", "walk": "CollapsedGibbs"},
    ),
    Stop(
        "Some 16 % of the rows lie where nobody could be 99 % sure. Of the rows that MAP-DP places "
        "wrongly, how many lie there?",
        ("About 16 %", "About half", "Nearly all"),
        2,
        "All but one. Where groups overlap and it matters how sure a row's group is, Gibbs is "
        "worth its longer run: its draws show which rows change sides.",
        {"lit": True},
    ),
)
