"""Seventy-five rows in three groups, with holes and an id."""

import numpy as np
import pandas as pd

RANDOM = np.random.default_rng(5)
GROUP = np.repeat([0, 1, 2], 25)
FRAME = pd.DataFrame(
    {
        "patient": [f"P{i:03d}" for i in range(75)],
        "height": RANDOM.normal(160.0, 3.0, 75) + 14.0 * GROUP,
        "kind": np.array(["a", "b", "c"])[GROUP],
        "visits": RANDOM.poisson(1.0 + 4.0 * GROUP),
        "sick": np.where(RANDOM.random(75) < 0.2 + 0.3 * GROUP, "yes", "no"),
    }
)
FRAME.loc[::6, "height"] = np.nan
FRAME.loc[::5, "kind"] = None
