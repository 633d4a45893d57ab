"""Ninety rows in three groups that a label column names."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema

RANDOM = np.random.default_rng(2)
GROUP = np.repeat([0, 1, 2], 30)
FRAME = pd.DataFrame(
    {
        "height": RANDOM.normal(160.0, 3.0, 90) + 12.0 * GROUP,
        "weight": RANDOM.normal(60.0, 3.0, 90) + 9.0 * GROUP,
        "visits": RANDOM.integers(0, 4, 90).astype(float),
        "kind": np.array(["a", "b", "c"])[GROUP],
    }
)
FRAME.loc[:9, "kind"] = None
FRAME.loc[::7, "height"] = np.nan
SCHEMA = infer_schema(FRAME).with_column("kind", role="label")
