"""The groups of a model found again without a column: a partition that the column did not make.

A column that made the groups differs between them by construction. Between groups found without
it, and matched to those shown, it can be tested like any column kept out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.base import clone

from ..models.estimator import Callback, ClusterEstimator
from ..models.side_by_side import Refits
from ..partitions.scores import overlaps
from ..schema.encoded import Encoded

#: Jaccard similarity that a group and its match must reach. Forcing a match where the column made
#: the partition selects among clusters by the column, and the test no longer holds its level.
LEAST_OVERLAP = 0.5

#: Columns that were left out so far, each with the groups found without it (``groups_without``).
Without = Mapping[str, np.ndarray | None]


def groups_without(
    model: ClusterEstimator,
    encoded: Encoded,
    callback: Callback | None = None,
    executor: Executor | None = None,
    **changes: Any,
) -> Iterator[tuple[tuple[str, ...], np.ndarray | None]]:
    """Fit a model's settings again without every column in turn, from a fresh start.

    A start from the groups shown would carry the column along.

    Parameters
    ----------
    model : ClusterEstimator
        Fitted; it is not changed.
    encoded : Encoded, N rows
        What it was fitted to.
    callback : callable, optional
        Told of every step; what it raises ends the work.
    executor : Executor, optional
        Whose workers make the fits.
    **changes
        Arguments that differ from the model's.

    Yields
    ------
    columns : tuple of str
        Left out: one, or those of a block together.
    labels : ndarray of int64, shape (N,), or None
        The groups found, numbered after those shown that they match and from K on where they
        match none; None where nothing could be found.
    """
    names = list(dict.fromkeys(unit.of for unit in encoded.units))
    # A block leaves with all its columns, a column of two parts with both.
    places = [[u for u, unit in enumerate(encoded.units) if unit.of == name] for name in names]
    refits = Refits(len(places), callback, executor)
    if len(places) < 2:
        found: Iterable[np.ndarray | None] = [None] * len(places)
    else:
        work = partial(_groups_without, model, encoded, changes)
        found = refits.map(work, places, "groups without a column")
    for gone, labels in zip(places, found, strict=True):
        units = [encoded.units[u] for u in gone if not encoded.units[u].is_outcome]
        yield tuple(name for unit in units for name in unit.columns), labels


def _groups_without(
    model: ClusterEstimator,
    encoded: Encoded,
    changes: Mapping[str, Any],
    gone: list[int],
    callback: Callback,
) -> np.ndarray | None:
    return found_without(model, encoded, gone, model.labels_, callback, **changes)


def found_without(
    model: ClusterEstimator,
    encoded: Encoded,
    gone: Sequence[int],
    shown: np.ndarray,
    callback: Callback | None = None,
    **changes: Any,
) -> np.ndarray | None:
    """Fit a model's settings to a table of its columns without some units.

    Parameters
    ----------
    model : ClusterEstimator
        Fitted; it is not changed.
    encoded : Encoded, N rows
    gone : sequence of int
        Units left out.
    shown : ndarray of int, shape (N,)
        Groups to number those found after (``matched``).
    callback : callable, optional
    **changes
        Arguments that differ from the model's.

    Returns
    -------
    ndarray of int64, shape (N,), or None
        None where what is left cannot be clustered under these settings.
    """
    again = clone(model).set_params(**_settings_without(model, encoded, gone) | changes)
    try:
        again.fit_encoded(_without(encoded, gone), callback, schema=model.schema_)
    except ValueError:
        return None
    return matched(shown, again.labels_, encoded.weights)


def matched(shown: np.ndarray, again: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Number groups after those shown that they overlap, one to one, with the most Jaccard in all.

    Parameters
    ----------
    shown, again : ndarray of int, shape (N,)
        Groups from 0 on, none of those shown empty.
    weights : ndarray, shape (N,), optional
        How often each row counts.

    Returns
    -------
    ndarray of int64, shape (N,)
        The partition ``again``; groups without a partner are numbered from K on.
    """
    again = np.unique(again, return_inverse=True)[1]
    table = overlaps(shown, again, weights)
    rows, columns = linear_sum_assignment(table, maximize=True)
    names = len(table) + np.arange(table.shape[1])
    names[columns] = np.where(table[rows, columns] > 0, rows, names[columns])
    return names[again]


def sides(labels: np.ndarray, pair: Sequence[int | None]) -> tuple[np.ndarray, np.ndarray]:
    """Which rows stand on either side of a pair (a, b), or (a, None) for a against all others."""
    a, b = pair
    first = labels == a
    return first, ~first if b is None else labels == b


def are_found(
    shown: tuple[np.ndarray, np.ndarray],
    again: tuple[np.ndarray, np.ndarray],
) -> bool:
    """Whether both sides come back: a Jaccard similarity of ``LEAST_OVERLAP`` or more each."""
    return overlap(shown, again) >= LEAST_OVERLAP


def overlap(
    shown: tuple[np.ndarray, np.ndarray],
    again: tuple[np.ndarray, np.ndarray],
) -> float:
    """The lower Jaccard similarity of the two sides of a pair with those found again."""
    shares = []
    for one, other in zip(shown, again, strict=True):
        common, either = (one & other).sum(), (one | other).sum()
        shares.append(float(common / either) if either else 0.0)
    return min(shares)


def share_found(
    without: Without,
    labels: np.ndarray,
    pair: Sequence[int | None],
) -> float:
    """Share of the columns left out so far without which both sides of a pair are found again.

    Whether a pair is found again can depend on the column, so it selects: where that happens in a
    share s of the cases, P(p <= a | found) is at most a / s, and p / s holds its level.

    Parameters
    ----------
    without : mapping of str to ndarray or None
        Columns left out, each with the groups found without it.
    labels : ndarray of int, shape (N,)
        The groups shown.
    pair : (int, int) or (int, None)

    Returns
    -------
    float
        NaN where they are never found.
    """
    shown = sides(labels, pair)
    found = [
        again is not None and are_found(shown, sides(again, pair)) for again in without.values()
    ]
    return float(np.mean(found)) if any(found) else np.nan


def _without(encoded: Encoded, gone: Sequence[int]) -> Encoded:
    """A table without some of its units."""
    return encoded.of_units(u for u in range(len(encoded.units)) if u not in gone)


def _settings_without(
    model: ClusterEstimator, encoded: Encoded, gone: Sequence[int]
) -> dict[str, Any]:
    """Settings that were given unit by unit, without those of some units."""
    prior = model.get_params().get("prior")
    if isinstance(prior, Mapping):
        names = {encoded.units[u].name for u in gone}
        return {"prior": {name: one for name, one in prior.items() if name not in names}}
    if isinstance(prior, Sequence) and not isinstance(prior, str):
        return {"prior": [one for u, one in enumerate(prior) if u not in gone]}
    return {}
