"""A hundred rows in four groups, with missing cells."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema

RANDOM = np.random.default_rng(4)
GROUP = np.repeat([0, 1, 2, 3], [40, 30, 20, 10])
FRAME = pd.DataFrame(
    {
        "id": [f"P{i}" for i in range(100)],
        "height": RANDOM.normal(150.0, 2.0, 100) + 15.0 * GROUP,
        "weight": RANDOM.normal(50.0, 2.0, 100) + 12.0 * GROUP,
        "kind": np.array(["a", "b", "c", "d"])[GROUP],
    }
)
FRAME.loc[::5, "height"] = np.nan
FRAME.loc[::5, "weight"] = np.nan
FRAME.loc[3::10, "kind"] = None
SCHEMA = infer_schema(FRAME)
