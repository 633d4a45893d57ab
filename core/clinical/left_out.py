"""The groups of a model found again without a column: a partition that the column did not make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..partitions.scores import overlaps
from ..statistics.resampling import procedure

#: Least Jaccard similarity of a match: a forced one would be selected by the column that is tested.
LEAST_OVERLAP = 0.5

#: Columns that were left out so far, each with the groups found without it (``groups_without``).
Without = Mapping[str, np.ndarray | None]


def groups_without(
    model: MAPDP, callback: Callback | None = None, first: Sequence[str] = ()
) -> Iterator[tuple[tuple[str, ...], np.ndarray | None]]:
    """Fit a model's settings again without every column in turn, those of ``first`` first.

    Fits start afresh: a start from the groups shown, or a prior of its table, would carry the
    column along. Yields the columns left out (one, or a block's) and labels, int64 of shape (N,),
    numbered after the groups shown that they match, else from K on; None where no groups are found.
    """
    # A block leaves with all its columns, a column of two parts with both.
    columns: dict[str, tuple[str, ...]] = {}
    for unit in model.columns_.encoded.units:
        columns[unit.of] = columns.get(unit.of, ()) + (() if unit.is_outcome else unit.columns)
    rank = {name: place for place, name in enumerate(first)}
    parts = sorted(columns, key=lambda part: min(rank.get(n, len(rank)) for n in columns[part]))
    refits = Refits(len(parts), callback)
    found = refits.map(partial(_found_without, model), parts, "groups without a column")
    for part, labels in zip(parts, found, strict=True):
        yield columns[part], labels


def _found_without(model: MAPDP, gone: str, callback: Callback) -> np.ndarray | None:
    """The groups found without a column or block; None where the rest cannot be clustered."""
    encoded = model.columns_.encoded
    kept = [place for place, unit in enumerate(encoded.units) if unit.of != gone]
    if not kept:
        return None
    again = clone(model).set_params(prior=procedure(model), n_init=1)
    try:
        again.fit_encoded(encoded.of_units(kept), callback, schema=model.schema_)
    except ValueError:
        return None
    return matched(model.labels_, again.labels_)


def matched(shown: np.ndarray, again: np.ndarray) -> np.ndarray:
    """Number groups after those shown, one to one, with the most Jaccard in all; others from K."""
    again = np.unique(again, return_inverse=True)[1]
    table = overlaps(shown, again)
    rows, columns = linear_sum_assignment(table, maximize=True)
    names = len(table) + np.arange(table.shape[1])
    names[columns] = np.where(table[rows, columns] > 0, rows, names[columns])
    return names[again]


def sides(labels: np.ndarray, pair: Sequence[int | None]) -> tuple[np.ndarray, np.ndarray]:
    """Which rows stand on either side of a pair (a, b), or (a, None) for a against all others."""
    a, b = pair
    first = labels == a
    return first, ~first if b is None else labels == b


def overlap(labels: np.ndarray, again: np.ndarray | None, pair: Sequence[int | None]) -> float:
    """The lower Jaccard similarity of the two sides of a pair with those found again."""
    if again is None:
        return 0.0
    both = zip(sides(labels, pair), sides(again, pair), strict=True)
    shares = [(one & other).sum() / max((one | other).sum(), 1) for one, other in both]
    return float(min(shares))


def share_found(without: Without, labels: np.ndarray, pair: Sequence[int | None]) -> float:
    """Share of the columns left out so far without which both groups of a pair are found again.

    Found again with share s, P(p <= a | found) is at most a / s: p / s holds its level. NaN for s =
    0.
    """
    found = [overlap(labels, again, pair) >= LEAST_OVERLAP for again in without.values()]
    return float(np.mean(found)) if any(found) else np.nan
