"""A hundred rows whose columns have units of their own."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema

RANDOM = np.random.default_rng(8)
LABELS = np.repeat([0, 1, 2], [60, 30, 10])
FRAME = pd.DataFrame(
    {
        "crp": np.exp(RANDOM.normal(1.0 + LABELS, 0.5)),
        "stage": RANDOM.integers(1, 5, 100).astype(float),
        "visits": RANDOM.poisson(2 + LABELS),
        "smokes": RANDOM.choice(["no", "yes"], 100),
        "colour": RANDOM.choice(["red", "blue", "green"], 100),
    }
)
FRAME.loc[::4, "crp"] = np.nan
FRAME.loc[90:, "smokes"] = None
SCHEMA = (
    infer_schema(FRAME)
    .with_column("crp", family="normal", transform="log")
    .with_column("stage", family="binomial", offset=1.0, trials=3)
    .with_column("visits", family="poisson")
)
ENCODED = SCHEMA.encode(FRAME)
