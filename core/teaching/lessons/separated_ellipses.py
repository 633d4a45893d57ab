"""Wide gaps forgive wrong assumptions, until they close."""

from __future__ import annotations

from .stop import Stop

KEY = "5.5"
STOPS = (
    Stop(
        "Ellipses of 12, 28 and 60 %, far apart. Who will find them?",
        ("All five", "MAP-DP and E-M", "MAP-DP alone"),
        0,
        "All five algorithms agree with the truth (NMI is near 1): here the gaps forgive every "
        "wrong assumption.",
    ),
    Stop(
        "BIC, which weighs fit against a price for every further cluster, chooses K for K-means. "
        "How many clusters will it take?",
        ("2 clusters", "3 clusters", "4 clusters"),
        1,
        "Three, in 20 of 20 such tables: for every K it takes the start of least error. The rule "
        "of Raykov et al. (2016), the highest BIC of any start, would take 4, in 14 of the 20.",
        {"bic": True, "cells": True},
    ),
    Stop(
        "The centres are drawn together to 0.6 of their distances. Who begins to lose rows?",
        ("MAP-DP and E-M", "All alike", "K-means and DP-means"),
        2,
        "K-means and DP-means begin to lose some; MAP-DP and E-M still place nearly every row.",
        {"separation": 0.6},
    ),
    Stop(
        "The centres are drawn together further, to 0.4. Who loses least?",
        ("MAP-DP and E-M", "K-means", "DP-means"),
        0,
        "MAP-DP and E-M: their NMI is 0.84, not 0.69. Where gaps close, "
        "only shape tells clusters apart. E-M had to be told that there are three; MAP-DP was not.",
        {"separation": 0.4},
    ),
)
