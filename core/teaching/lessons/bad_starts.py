"""K-means goes downhill from where it starts."""

from __future__ import annotations

from .stop import Stop

KEY = "starts"
_TABLE = {"rows": 600, "k": 9}
STOPS = (
    Stop(
        "Nine clusters in three bunches, and K = 9 is told. The centres start at nine rows drawn "
        "by chance. Where will K-means rest?",
        ("At the nine clusters", "Two clusters cut, three in one", "With fewer centres"),
        1,
        "Press Play: one centre is left with a whole bunch, since no centre crosses from bunch to "
        "bunch. Of 100 such starts 5 find the nine.",
        {**_TABLE, "view": "Step", "walk": "chance"},
    ),
    Stop(
        "Now each centre is drawn far from those before it (k-means++). How many of 100 starts "
        "find the nine?",
        ("About 5 starts", "About 50 starts", "More than 90 starts"),
        2,
        "99; press Play for one of them. The error to be made small is the same, and so are the "
        "steps: the start decides. What K-means is asked for is right here, the search was at "
        "fault.",
        {**_TABLE, "view": "Step", "walk": "KMeansBIC"},
    ),
    Stop(
        "MAP-DP starts from one cluster that holds all rows. How will it reach nine?",
        ("Splitting whole clusters", "Moving single rows", "Not at all"),
        0,
        "Press Play. Moving single rows, sweep by sweep, ends at two clusters: a new one for one "
        "row alone is seldom worth its price. Seven splits of whole clusters do it.",
        {**_TABLE, "view": "Step", "walk": "MAPDP"},
    ),
    Stop(
        "The clusters of a bunch touch now, with 67 rows each. How many will MAP-DP count?",
        ("9 clusters", "8 clusters", "3 clusters"),
        1,
        "Two that touch are told apart only where there are rows enough. With 2,000 rows it counts "
        "nine. K-means was told.",
        {**_TABLE, "bunch_gap": 4.0},
    ),
)
