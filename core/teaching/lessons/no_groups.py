"""One cloud, and who says that there are no groups."""

from __future__ import annotations

from .stop import Stop

KEY = "none"
STOPS = (
    Stop(
        "One normal cloud without groups. K-means is told K = 3. What will its groups look like?",
        ("One large, two tiny", "Two of them empty", "Three of about the same size"),
        2,
        "34, 34 and 32 % of the rows: tidy, and nothing but a cut cloud. DP-means and E-M answer "
        "with three, too. MAP-DP was not told K, and finds one.",
        {"cells": True},
    ),
    Stop(
        "BIC may choose K for K-means, from 1 to 20. How many will it take?",
        ("1", "3", "About 10"),
        0,
        "One. A disc describes a round normal cloud, so that a second one does not pay: BIC is as "
        "good as its model.",
        {"bic": True},
    ),
    Stop(
        "N₀ goes from 3 to 30: a new cluster is cheaper by 2.3 natural log units. How many will "
        "MAP-DP find?",
        ("30", "1", "About 10"),
        1,
        "One, with 2,000 rows. With 600 it finds 4: the fewer rows there are, the louder is what "
        "was believed before.",
        {"n0": 30.0},
    ),
    Stop(
        "An even square has no groups either, but no normal cloud fills it. What will MAP-DP find?",
        ("One group", "Four groups: the corners", "Six groups"),
        2,
        "Six pieces describe a square better than one ellipse; BIC takes 4. What a model calls a "
        "group is what it cannot say in one piece.",
        {"squareness": 1.0, "bic": True},
    ),
)
