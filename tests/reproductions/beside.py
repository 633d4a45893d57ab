"""What was measured beside what a paper's table prints."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

#: Data set -> method -> value.
Published = Mapping[str, Mapping[str, float]]


def beside(runs: pd.DataFrame, measure: str, published: Published) -> pd.DataFrame:
    """Mean of a measure over the runs, for each data set and method, and the printed value."""
    ours = runs.groupby(["data", "method"], sort=False)[measure].mean()
    printed = {(d, m): value for d, row in published.items() for m, value in row.items()}
    index = ours.index.append(pd.MultiIndex.from_tuples(printed)).drop_duplicates()
    pairs = {"ours": ours.reindex(index), "published": pd.Series(printed).reindex(index)}
    return pd.DataFrame(pairs).rename_axis(["data", "method"]).reset_index()
