"""Cohorts drawn from known groups, for what is new: a patient, or a second cohort."""

from __future__ import annotations

import numpy as np
import pandas as pd

#: Means of ``gait`` and ``sleep`` in each group, and shares of ``tremor``.
GAIT, SLEEP, TREMOR = (10.0, 18.0, 26.0, 10.0), (50.0, 41.0, 50.0, 23.0), (0.1, 0.1, 0.9, 0.1)


def cohort_of(sizes: tuple[int, ...], seed: int) -> pd.DataFrame:
    """Patients of up to four groups, in their order; ``score`` and ``died`` are outcomes."""
    random, group = np.random.default_rng(seed), np.repeat(np.arange(len(sizes)), sizes)
    n = group.size
    return pd.DataFrame(
        {
            "gait": random.normal(np.array(GAIT)[group], 1.5),
            "sleep": random.normal(np.array(SLEEP)[group], 2.0),
            "tremor": np.where(random.random(n) < np.array(TREMOR)[group], "yes", "no"),
            "falls": random.poisson(1 + 5 * (group % 3)),
            "noise": random.normal(size=n),
            "score": random.normal(2.0 * group),
            "died": np.where(random.random(n) < 0.1 + 0.15 * group, "yes", "no"),
        }
    )
