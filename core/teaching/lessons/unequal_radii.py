"""One cluster is far wider than its neighbours."""

from __future__ import annotations

from .stop import Stop

KEY = "5.1"
STOPS = (
    Stop(
        "Three clusters with standard deviations of 1, 1 and 0.8. K-means is told their number, K "
        "= 3. What will it make of them?",
        ("The three clusters", "It cuts the largest", "It joins two"),
        0,
        "All panels agree with the truth (NMI, their agreement, is near 1): the widths are nearly "
        "alike, as K-means assumes. MAP-DP was not told K.",
        {"radius_ratio": 1.0},
    ),
    Stop(
        "One cluster has a standard deviation of 5 now. What will K-means do?",
        ("Find the three", "Cut the wide one, join the small ones", "Cut a small one"),
        1,
        "Its borders run halfway between two centres, so the wide cluster is cut and the two small "
        "ones share a centre. MAP-DP was not told K and finds all three.",
        {"cells": True},
    ),
    Stop(
        "Row 1,560, ringed, is one of the wide cluster. Where will MAP-DP put it?",
        ("With the small ones, as K-means does", "In a new cluster", "In the wide cluster"),
        2,
        "The colour within the ring is each panel's answer. The row lies 2.4 standard deviations "
        "from the wide cluster's centre, but 5 of its own from a small one's. K-means compares "
        "distances alone and gives it to the small ones.",
        {"row": 1560},
        asks_of_row=True,
    ),
    Stop(
        "K-means lowers an error, the sum of squared distances to its centres. It is started from "
        "the true groups. What will it do?",
        ("Leave them, its error falls", "Stay there", "Leave them, its error rises"),
        0,
        "Press Play: it leaves the true groups while its error falls. To make that small is all it "
        "is asked for.",
        {"view": "Step", "walk": "truth"},
    ),
    Stop(
        "K-means gets ten times as many starts. What will its panel show?",
        ("The three clusters", "The same cut", "More than three clusters"),
        1,
        "The cut is its best answer: the error of the true groups is higher. A better search only "
        "makes it surer. What it is asked for is at fault, not the search.",
        {"restarts": 10, "cells": True},
    ),
    Stop(
        "BIC, which weighs the error against a price for every further cluster, may choose K for "
        "K-means. How many discs will it take?",
        ("3 discs", "5 or 6 discs", "9 or more discs"),
        2,
        "12 here (crosses are centres, some under a number), and 9 to 13 over 20 such tables: "
        "discs of one width cover a wide cluster in pieces only. BIC, too, takes every cluster "
        "for a disc.",
        {"bic": True, "cells": True},
    ),
)
