"""Seventy-eight patients in two groups, three of them atypical: ids, outcomes, sites, a time."""

import numpy as np
import pandas as pd

RANDOM = np.random.default_rng(11)
GROUP = np.repeat([0, 1, 2], [40, 35, 3])
N = GROUP.size
#: Deaths and tremor are coded 1 = yes, 2 = no.
COHORT = pd.DataFrame(
    {
        "patient": [f"P{i:03d}" for i in range(N)],
        "stiffness": RANDOM.normal(20.0, 2.0, N) + 15.0 * GROUP,
        "walk": RANDOM.normal(60.0, 3.0, N) - 16.0 * GROUP,
        "tremor": np.where(RANDOM.random(N) < 0.1 + 0.8 * (GROUP == 1), 1, 2),
        "falls": RANDOM.poisson(1.0 + 6.0 * GROUP),
        "site": RANDOM.choice(["north", "south"], N),
        "time": RANDOM.exponential(30.0 / (1.0 + GROUP), N).round(1),
        "status": RANDOM.integers(0, 2, N),
        "deaths": np.where(RANDOM.random(N) < 0.1 + 0.4 * (GROUP == 0), 1, 2),
    }
)
