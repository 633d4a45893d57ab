"""Fill missing cells from the predictive of their row's cluster."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.special import softmax

from ..families import FAMILIES, Prior
from ..families.prior import Predictive
from ..schema.encode import are_missing, decode_column
from ..schema.encoded import Encoded
from ..schema.schema import ColumnSpec, Schema
from ..schema.transforms import TRANSFORMS
from .row_scores import RowScores, same_holes

#: Mode of one cluster's predictive, or mean over the clusters'.
METHODS = ("mode", "mean")


def fill_cells(
    scores: RowScores,
    encoded: Encoded,
    method: str,
    labels: np.ndarray | None = None,
    counted: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Fill missing cells with the "mode" or "mean" under the clusters; returns values and spread.

    ``labels`` (n,) and ``counted`` (n, M), filled cells included, are those of rows that the
    clusters were made of; new rows take their most probable cluster. Values (n, M) are codes, or
    quantities in the user's units; the spread (n, M) is a standard deviation, or the probability of
    another level, NaN where nothing was missing.
    """
    values = encoded.values.copy()
    spread = np.full(values.shape, np.nan)
    rows = np.flatnonzero(np.isnan(values).any(axis=1))
    if rows.size == 0:
        return values, spread
    few = encoded.rows(rows)
    own = None if labels is None else labels[rows]
    counts = scores.counts(few)
    # (n, K + 1); a mean leaves out the new cluster, whose wide predictive may have none.
    if method == "mean":
        weights = softmax(scores.log_joint(few, own)[:, :-1], axis=1)
        weights = np.column_stack([weights, np.zeros(len(weights))])
    else:
        chosen = scores.log_joint(few).argmax(axis=1) if own is None else own
        weights = np.eye(scores.n_clusters + 1)[chosen]
    for u, (unit, start) in enumerate(zip(encoded.units, encoded.starts, strict=True)):
        columns = slice(start, start + len(unit.columns))
        priors = [cluster.posterior[unit.name] for cluster in scores.clusters]
        priors.append(scores.columns.priors[u])
        part = few.values[:, columns]
        if FAMILIES[unit.family].is_block:
            used = None if counted is None else counted[rows, columns]
            filled = _fill_block(priors, part, weights, own, used, counts)
        else:
            filled = _fill_column([prior.predictive() for prior in priors], weights, method)
        absent = np.isnan(part)
        values[rows, columns] = np.where(absent, filled[0], part)
        spread[rows, columns] = np.where(absent, filled[1], np.nan)
    return values, spread


def _fill_column(
    predictives: list[Predictive], weights: np.ndarray, method: str
) -> tuple[np.ndarray, np.ndarray]:
    """Value and spread of every row's cell, missing or not, each of shape (n, 1)."""
    if predictives[0].probabilities is not None:
        levels = weights @ np.array([p.probabilities for p in predictives])
        return levels.argmax(axis=1)[:, None], 1.0 - levels.max(axis=1)[:, None]
    centers = np.array([p.mode if method == "mode" else p.mean for p in predictives])
    variances = np.array([p.variance for p in predictives])
    return _mix(weights, centers[None, :, None], variances[None, :, None])


def _fill_block(
    priors: list[Prior],
    part: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray | None,
    counted: np.ndarray | None,
    counts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Values and spread of the missing cells of a block, each of shape (n, D)."""
    values, spread = part.copy(), np.full(part.shape, np.nan)
    for missing, rows in same_holes(part):
        if not missing.any():
            continue
        centers = np.zeros((rows.size, len(priors), int(missing.sum())))
        variances = np.zeros(centers.shape)
        for k, prior in enumerate(priors):
            some = weights[rows, k] > 0.0
            if some.any():
                result = prior.conditional(part[rows[some]], missing)
                centers[some, k], variances[some, k] = result
        if labels is not None and counted is not None:
            for at, row in enumerate(rows):
                if np.isnan(counted[row]).any():
                    continue  # left out of its cluster's block
                k = labels[row]
                without = priors[k].without(counted[row], counts[row])
                result = without.conditional(part[row : row + 1], missing)
                centers[at, k], variances[at, k] = result[0][0], result[1][0]
        cells = np.ix_(rows, missing)
        values[cells], spread[cells] = _mix(weights[rows], centers, variances)
    return values, spread


def _mix(
    weights: np.ndarray, centers: np.ndarray, variances: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of mixtures over the middle axis of (n, K, m); weights (n, K)."""
    share = weights[:, :, None]
    mean = np.sum(share * centers, axis=1)
    apart = np.sum(share * (variances + np.square(centers - mean[:, None, :])), axis=1)
    return mean, np.sqrt(apart)


def put_back(
    frame: pd.DataFrame, schema: Schema, encoded: Encoded, values: np.ndarray, spread: np.ndarray
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A frame with missing cells, or columns, filled in the user's words, and their spread."""
    table = frame.copy()
    spreads = pd.DataFrame(spread.copy(), columns=list(encoded.names), index=frame.index)
    spreads = spreads[list(encoded.columns)]
    for name in encoded.columns:
        j, spec = encoded.names.index(name), schema[name]
        words = decode_column(values[:, j], spec)
        if spec.transform is not None:
            spreads[name] /= TRANSFORMS[spec.transform].slope(words, 0.0)
        if name in encoded.outcome_of:
            at = encoded.starts[encoded.outcome_of[name]]
            words, special = _with_outcomes(words, values[:, at], spec)
            spreads.loc[special, name] = spread[special, at]
        if name not in frame.columns:
            table[name] = pd.Series(words, index=frame.index).infer_objects()
            continue
        absent = np.isnan(encoded.codes_of(name)) & are_missing(frame[name], spec)
        spreads.loc[~absent, name] = np.nan
        if absent.any():
            table[name] = _with_cells(frame[name], absent, words)
    return table, spreads


def _with_outcomes(
    words: np.ndarray, outcomes: np.ndarray, spec: ColumnSpec
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with the cells of special outcomes put over them, and where, shape (n,) each."""
    codes = zip(spec.special, spec.special_codes, strict=True)
    cells = [name if code in ("<", ">") else code for name, code in codes]
    is_numeric = all(isinstance(cell, int | float) for cell in cells)
    words = words.copy() if is_numeric else words.astype(object)
    for j, cell in enumerate(cells, start=1):
        words[outcomes == j] = cell
    return words, outcomes > 0


def _with_cells(column: pd.Series, absent: np.ndarray, words: np.ndarray) -> pd.Series:
    """A column with some cells replaced, of another dtype only where its own has no room."""
    cells = np.where(absent, words, words[absent][0])  # cells left alone must not decide the dtype
    try:
        filled = column.mask(absent, cells)
    except (TypeError, ValueError):
        filled = column.astype(object).mask(absent, cells)
    return filled.infer_objects()
