"""Cells of several kinds, and holes: what this app is for."""

from __future__ import annotations

from .stop import Stop

KEY = "mixed"
STOPS = (
    Stop(
        "300 patients: age, a marker, falls, pain, tremor, how they live. Drawn are two directions "
        "of these six columns; no cell is missing. Who will find the three groups?",
        ("Nobody", "All, more or less", "MAP-DP alone"),
        1,
        "K-means and DP-means turn every cell into a plain number and agree with the truth (NMI) "
        "to 0.84 and 0.82. MAP-DP counts each kind of cell in its own way, was not told K, and "
        "reaches 0.88.",
        {"rows": 300, "missing": 0.0},
    ),
    Stop(
        "Three in ten cells go missing, which moves the picture. K-means fills holes with the "
        "column's mean or commonest word, MAP-DP leaves them out. Whose NMI falls more?",
        ("K-means'", "MAP-DP's", "Both alike"),
        0,
        "K-means falls from 0.84 to 0.60, MAP-DP from 0.88 to 0.73. A mean filled in says that a "
        "patient is average; a hole says nothing.",
        {"rows": 300},
    ),
    Stop(
        "Three in ten cells are missing, in all columns alike. How many of the 300 patients have "
        "all six left?",
        ("210 patients", "About 100 patients", "30 patients"),
        2,
        "30. To drop incomplete rows would throw away nine patients of ten, though a patient lost "
        "fewer than two cells on average.",
        {"rows": 300},
    ),
    Stop(
        "Half of all cells are missing, and 6 of 300 patients are complete. How many groups will "
        "MAP-DP find?",
        ("1 group", "3 groups", "12 groups"),
        1,
        "Three still, at an NMI of 0.52 beside 0.38 of K-means, told K. Every cell that is there "
        "is used, and none is made up.",
        {"rows": 300, "missing": 0.5},
    ),
)
