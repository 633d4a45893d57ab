"""The unit of a column decides how much it counts."""

from __future__ import annotations

from .stop import Stop

KEY = "units"
_TWO = {"rows": 600, "k": 2, "cells": True}
_THREE = {"rows": 600, "k": 3, "cells": True}
STOPS = (
    Stop(
        "Two groups of different incomes and the same ages. K-means on the numbers as they are: in "
        "which unit of income would it cut by age?",
        ("In millions of euros", "In euros", "In cents"),
        0,
        "In millions incomes differ by hundredths, ages by tens: age decides, and the agreement "
        "with the groups (NMI) is 0.00. In the panels K-means counts in standard deviations, where "
        "no unit matters: 0.93.",
        _TWO,
    ),
    Stop(
        "Suppose income were in cents, not in euros. What would change in these panels?",
        ("K-means alone", "All of them", "Nothing"),
        2,
        "K-means counts standard deviations here, and MAP-DP's ellipses stretch with a column: "
        "both label every row as before.",
        _TWO,
    ),
    Stop(
        "2 % of the rows have incomes about 120,000 euros now: they stand at the edge. K-means "
        "counts in standard deviations and is told K = 3. How will it cut?",
        ("Between the two groups", "By age", "Between all three"),
        1,
        "The few widen income's standard deviation, so that the two groups stand close and age, "
        "which says nothing, decides: NMI 0.13. MAP-DP, told nothing, finds all three.",
        {**_THREE, "top_incomes": 4.0},
    ),
    Stop(
        "The top incomes rise to 420,000 euros. How many groups will MAP-DP find?",
        ("2 groups", "3 groups", "4 groups"),
        0,
        "Two: the top incomes and all others. The width it expects of a group is taken from all "
        "rows, too. E-M, told K = 3, still finds them. Look at the extremes before you cluster.",
        {**_THREE, "top_incomes": 14.0},
    ),
)
