"""Columns before any model: how one is spread, and those that only describe groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pandas as pd

from ..schema.encoded import Encoded
from ..schema.facts import spelled, spelled_range
from ..schema.schema import Schema
from ..schema.spec import TIME_TO_EVENT, SchemaError

BARS = 30


@dataclass(frozen=True)
class Spread:
    """How often the values of a column occur."""

    #: A value, or a range of values, for each bar.
    labels: list[str]
    #: A number's place, or the middle of a range; None where the bars are of words.
    places: list[float] | None
    counts: list[int]
    n_missing: int
    n_distinct: int


def find_spread(column: pd.Series, order: Sequence[object] | None = None) -> Spread:
    """Count the values of a column: numbers in ranges, unless they are few and near each other.

    Text with many distinct values keeps its commonest ones. Steps stand in their order, if that is
    given, before any other value.
    """
    present = column.dropna()
    counts = present.value_counts()
    rest = {"n_missing": int(column.isna().sum()), "n_distinct": len(counts)}
    numeric = pd.api.types.is_numeric_dtype(present) and not pd.api.types.is_bool_dtype(present)
    if numeric and not _are_steps(counts.index.to_numpy(dtype=np.float64)):
        values = present.to_numpy(dtype=np.float64)
        tallies, edges = np.histogram(values[np.isfinite(values)], bins=BARS)
        labels = [spelled_range(low, high) for low, high in pairwise(edges)]
        places = ((edges[1:] + edges[:-1]) / 2).tolist()
        return Spread(labels, places, tallies.tolist(), **rest)
    if numeric:
        counts = counts.sort_index()
        labels = [f"{value:g}" for value in counts.index]
        return Spread(labels, counts.index.astype(float).tolist(), counts.tolist(), **rest)
    if order is not None:
        place = {str(step): i for i, step in enumerate(order)}
        ranks = [place.get(str(value), len(place)) for value in counts.index]
        counts = counts.iloc[np.argsort(ranks, kind="stable")]
    counts = counts.head(BARS)
    return Spread([*map(str, counts.index)], None, counts.tolist(), **rest)


def _are_steps(values: np.ndarray) -> bool:
    """Whether every number can have a bar of its own where it is, and be seen."""
    if len(values) < 2 or not np.isfinite(values).all():
        return len(values) <= BARS
    gaps = np.diff(np.sort(values))
    return len(values) <= BARS and gaps.sum() <= 2 * BARS * gaps.min()


def in_words(column: pd.Series) -> str:
    """A column's values in a few words: a range, or how many distinct ones."""
    present = column.dropna()
    if present.empty:
        return "all missing"
    if pd.api.types.is_bool_dtype(present):
        return "yes/no"
    if pd.api.types.is_datetime64_any_dtype(present):
        first, last = (f"{end:%Y-%m-%d}" for end in (present.min(), present.max()))
        return f"always {first}" if first == last else f"{first} to {last}"
    if pd.api.types.is_numeric_dtype(present):
        low, high = float(present.min()), float(present.max())
        return f"always {spelled(low)}" if low == high else spelled_range(low, high)
    distinct = present.nunique()
    return f"always {present.iloc[0]}" if distinct == 1 else f"{distinct:,} distinct"


def described_by(frame: pd.DataFrame, schema: Schema) -> Mapping[str, Encoded]:
    """Numbers of every column that the groups are to be described by, by its name.

    Those with the role "validator" whose cells suit their likelihood, times to an event aside.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema
    """
    found = {}
    for name in schema.names("validator"):
        spec = schema[name]
        if spec.family is None or spec.family == TIME_TO_EVENT:
            continue
        alone = Schema([replace(spec, role="cluster")])
        try:
            found[name] = alone.completed(frame).encode(frame)
        except SchemaError:  # which Data says of it
            continue
    return found
