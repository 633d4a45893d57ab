"""One cloud, and who says that there are no groups."""

from __future__ import annotations

from .stop import Stop

KEY = "none"
STOPS = (
    Stop(
        "One normal cloud without groups. K-means is told K = 3. What will its groups look like?",
        ("One large, two tiny", "Two of them empty", "Three of about the same size"),
        2,
        "34, 34 and 32 % of the rows: tidy, and nothing but a cut cloud. It has nothing to do with "
        "the truth (NMI 0). DP-means and E-M answer with three, too. MAP-DP, not told K, finds "
        "one.",
        {"cells": True},
    ),
    Stop(
        "BIC, which weighs fit against a price for every further cluster, may choose K for "
        "K-means. How many clusters will it take?",
        ("1 cluster", "3 clusters", "About 10 clusters"),
        0,
        "One. A disc describes a round normal cloud, so that a second one does not pay: BIC is as "
        "good as its model.",
        {"bic": True},
    ),
    Stop(
        "To MAP-DP a new cluster counts as if it had N₀ rows, and N₀ goes from 3 to 30. How many "
        "clusters will it find?",
        ("30 clusters", "1 cluster", "About 10 clusters"),
        1,
        "One, with 2,000 rows. With 600 it finds 4: the fewer rows there are, the more N₀ weighs. "
        "Gibbs sets a pair of rows apart.",
        {"n0": 30.0},
    ),
    Stop(
        "An even square has no groups either, but no normal cloud fills it. What will MAP-DP find?",
        ("One group", "Four groups: the corners", "Six groups"),
        2,
        "Six ellipses describe a square better than one; K-means with BIC takes 4. A shape that a "
        "model does not know is described in pieces, and pieces are no groups.",
        {"squareness": 1.0, "bic": True},
    ),
)
