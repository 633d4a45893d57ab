"""A cohort in two groups with deaths coded 1 = died, 2 = lived, and tremor 1 = yes, 2 = no."""

import numpy as np
import pandas as pd

N = 160


def deaths_frame(missing: float) -> pd.DataFrame:
    """Ninety patients and seventy, that share of their cells missing."""
    random, group = np.random.default_rng(0), np.repeat([0, 1], [90, 70])
    return pd.DataFrame(
        {
            "walk": random.normal(60 - 18 * group, 3.0),
            "stiffness": random.normal(10 + 12 * group, 2.0),
            "tremor": np.where(random.random(N) < 0.15 + 0.6 * group, 1, 2),
            "age": random.normal(60, 8, N),
            "deaths": np.where(random.random(N) < 0.1 + 0.4 * group, 1, 2),
        }
    ).mask(random.random((N, 5)) < missing)
