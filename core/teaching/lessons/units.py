"""The unit of a column decides how much it counts."""

from __future__ import annotations

from .stop import Stop

KEY = "units"
_TWO = {"rows": 600, "k": 2, "cells": True}
_THREE = {"rows": 600, "k": 3, "cells": True}
STOPS = (
    Stop(
        "Two groups, told apart by income alone. Suppose nothing is standardised, and income is "
        "given in millions of euros. By what will K-means cut?",
        ("Age", "Income", "Both"),
        0,
        "By age, at an NMI of 0.00; in euros it is 0.93. The panel shows neither: this page "
        "divides every column by its standard deviation first, and so is right in any unit.",
        _TWO,
    ),
    Stop(
        "Income is given in cents instead of euros. What changes in the panels of this page?",
        ("K-means alone", "All of them", "Nothing"),
        2,
        "K-means counts standard deviations here, and MAP-DP's ellipses stretch with a column: "
        "both label every row as before.",
        _TWO,
    ),
    Stop(
        "2 % of the rows have incomes about 120,000 euros now. K-means counts in standard "
        "deviations and is told K = 3. How will it cut?",
        ("Between the two groups", "By age", "Between all three"),
        1,
        "The few widen income's standard deviation, so that the two groups stand close and age, "
        "which says nothing, decides: NMI 0.13. MAP-DP, told nothing, finds all three.",
        {**_THREE, "top_incomes": 4.0},
    ),
    Stop(
        "The top incomes rise to 420,000 euros. How many groups will MAP-DP find?",
        ("2", "3", "4"),
        0,
        "Two: the top incomes and all others. Its prior takes its width from all rows, too. E-M, "
        "told K = 3, still finds them. Look at the extremes before you cluster.",
        {**_THREE, "top_incomes": 14.0},
    ),
)
