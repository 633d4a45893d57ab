"""Sixty rows in three groups under names that files and formulas trip over."""

import numpy as np
import pandas as pd

RANDOM = np.random.default_rng(7)
GROUP = np.repeat([0, 1, 2], 20)
FRAME = pd.DataFrame(
    {
        "größe 😀": RANDOM.normal(160.0, 3.0, 60) + 15.0 * GROUP,
        "=weight": RANDOM.normal(60.0, 3.0, 60) + 12.0 * GROUP,
        "visits": RANDOM.poisson(2 + 4 * GROUP),
        'kind "of"': np.array(["a", "-b", "c"])[GROUP],
    }
)
FRAME.loc[::7, "größe 😀"] = np.nan
FRAME.loc[::9, 'kind "of"'] = None
