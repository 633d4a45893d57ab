"""Noise in many columns drowns what two columns tell."""

from __future__ import annotations

from .stop import Stop

KEY = "high"
STOPS = (
    Stop(
        "Two columns, three clusters that touch a little. Who will find them?",
        ("E-M alone", "Everyone", "MAP-DP alone"),
        1,
        "Every panel agrees with the truth (NMI) to about 0.8, and MAP-DP and Gibbs were not told "
        "that there are three.",
        {"rows": 1000},
    ),
    Stop(
        "Ten columns of noise are added, and 300 rows are left. Drawn are two directions of the "
        "twelve (principal components). Whose NMI will be lowest?",
        ("E-M", "MAP-DP", "DP-means"),
        2,
        "DP-means has 0.10 and K-means 0.47: noise adds to every distance. MAP-DP sees two groups, "
        "0.64. E-M, told K = 3, has 0.89.",
        {"rows": 300, "n_columns": 12.0},
    ),
    Stop(
        "In two columns, the row farthest from another is some 40 times as far away as its nearest "
        "(median of all rows). How many times is it in 72 columns?",
        ("1.5 times", "40 times", "400 times"),
        0,
        "1.5. Rows of one cluster lie 11.9 apart, of two clusters 12.0: "
        "distance hardly tells them apart, and no method here does.",
        {"rows": 300, "n_columns": 72.0},
    ),
    Stop(
        "30 of 32 columns are noise, with 300 rows. How many groups will MAP-DP find?",
        ("3 groups", "1 group", "About 30 groups"),
        1,
        "One: 300 rows are too few to tell groups apart in two columns of 32. K-means, told three, "
        "has an NMI of 0.07, E-M, told three, of 0.55. To see none is safer than K-means' three.",
        {"rows": 300, "n_columns": 32.0},
    ),
)
