"""Long ellipses lie side by side."""

from __future__ import annotations

from .stop import Stop

KEY = "5.4"
STOPS = (
    Stop(
        "Three ellipses of equal area, two of them side by side. Where will K-means, told K = 3, "
        "cut?",
        ("Between the two", "Across the two", "Across the third"),
        1,
        "It cuts across the two that lie side by side, instead of between them: it takes every "
        "cluster for a disc. Its agreement with the true groups (NMI) is 0.62, where 1 is full.",
        {"cells": True},
    ),
    Stop(
        "K-means is started from the true groups. Where will it rest?",
        ("At the truth", "Halfway", "At the same cut"),
        2,
        "Press Play: pass by pass it walks from the truth to the cut, while its squared error "
        "falls.",
        {"view": "Step", "walk": "truth"},
    ),
    Stop(
        "E-M fits ellipses in place of discs. It starts from the cut of K-means, told that K = 3. "
        "Where will it rest?",
        ("At the truth", "At the cut", "Halfway"),
        0,
        "Press Play: its ellipses can turn, so it finds its way back, while its misfit (negative "
        "log posterior) falls.",
        {"view": "Step", "walk": "MixtureEM"},
    ),
    Stop(
        "Would standardising the columns help K-means here?",
        ("Yes, much", "Not at all", "It would harm"),
        1,
        "x and y have the same variance already. Making y 1.5 times as long would lift its NMI "
        "from 0.62 to 0.96. But nothing says so before the groups are known.",
        {"cells": True},
    ),
    Stop(
        "BIC, which weighs fit against a price for every further cluster, may choose K for "
        "K-means. How many discs will it take for three ellipses?",
        ("3 discs", "4 or 5 discs", "8 or more discs"),
        2,
        "14 here (crosses are centres, some under a number), and 8 to 14 over 20 such tables: BIC "
        "counts how well discs fit, and a long ellipse is fitted by a row of them.",
        {"bic": True, "cells": True},
    ),
)
