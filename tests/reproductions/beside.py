"""What was measured beside what a paper's table prints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

#: Data set -> method -> value.
Published = Mapping[str, Mapping[str, float]]


def beside(runs: pd.DataFrame, measure: str, published: Published) -> pd.DataFrame:
    """Mean of a measure over the runs, for each data set and method, and the printed value."""
    ours = runs.groupby(["data", "method"], sort=False)[measure].mean()
    printed = {(d, m): value for d, row in published.items() for m, value in row.items()}
    pairs = [*ours.index, *(pair for pair in printed if pair not in ours.index)]
    return pd.DataFrame(
        {
            "data": [data for data, _ in pairs],
            "method": [method for _, method in pairs],
            "ours": [ours.get(pair, np.nan) for pair in pairs],
            "published": [printed.get(pair, np.nan) for pair in pairs],
        }
    )
