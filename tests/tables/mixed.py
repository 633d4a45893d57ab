"""Sixty rows of a measurement, a log column, a grade and a colour."""

import numpy as np
import pandas as pd

from mapdp_studio.core.schema.schema import ColumnSpec, Schema

RANDOM = np.random.default_rng(1)
N = 60
FRAME = pd.DataFrame(
    {
        "weight": RANDOM.normal(70.0, 9.0, N),
        "dose": np.exp(RANDOM.normal(1.0, 1.0, N)),
        "grade": RANDOM.integers(1, 5, N).astype(float),
        "colour": RANDOM.choice(["amber", "blue", "cyan"], N),
    }
)
FRAME.loc[:4, "weight"] = np.nan
SCHEMA = Schema(
    [
        ColumnSpec("weight", "normal"),
        ColumnSpec("dose", "normal", transform="log"),
        ColumnSpec("grade", "binomial", trials=4, offset=1.0),
        ColumnSpec("colour", "categorical"),
    ]
)
ENCODED = SCHEMA.encode(FRAME)
