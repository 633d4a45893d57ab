"""Predictions for new rows from a fitted mixture (R16 Appendix E), and filling missing cells."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import logsumexp, softmax
from sklearn.utils.validation import check_is_fitted

from ..engine.packed import PackedTable
from ..engine.partition import Partition
from ..families import FAMILIES, Prior
from ..families.prior import Predictive
from ..schema.cells import special_outcomes
from ..schema.encode import decode_column
from ..schema.encoded import Encoded, Unit
from ..schema.frames import as_frame, is_table
from ..schema.schema import ColumnSpec, Schema
from ..schema.transforms import TRANSFORMS
from .clusters import Cluster, RowScores, same_holes
from .fit import Fit
from .merge_path import MergePath

#: Rows scored at once.
BLOCK = 65_536
#: Mode of one cluster's predictive, or mean over the clusters'.
METHODS = ("mode", "mean")


class Imputed(NamedTuple):
    """A table with its missing cells filled, and how sure each is.

    ``spread``, shape (n, M) of the columns clustered on, is NaN where nothing was filled, else the
    standard deviation of the predictive in the column's units (of a log or root, by the slope
    there); for names and yes/no, the probability of another level.
    """

    table: Any
    spread: Any


class Predictions:
    """Mixin: predictions of an estimator with ``partition_`` and ``clusters_``."""

    result_: Fit
    columns_: PackedTable
    schema_: Schema | None
    partition_: Partition
    clusters_: tuple[Cluster, ...]
    labels_: np.ndarray

    def predict(self, X: Any) -> np.ndarray:
        """Most probable cluster of every row (R16 eq. 34).

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, M)
            Missing cells are left out; a row of nothing else gets the most probable cluster.

        Returns
        -------
        ndarray of int64, shape (n,)
            0..K-1; K stands for a new cluster.
        """
        return self._by_blocks(X, np.argmax)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every cluster, shape (n, K + 1); the last column is a new cluster."""
        return self._by_blocks(X, softmax)

    def score_samples(self, X: Any) -> np.ndarray:
        """Log of the mixture predictive density of every row's observed cells (R16 eq. 33).

        Returns
        -------
        ndarray of float64, shape (n,)
            Nats, in the user's units after the columns' transforms.
        """
        return self._by_blocks(X, logsumexp)

    def _by_blocks(self, X: Any, measure: Any) -> np.ndarray:
        scores, encoded = self._row_scores(), self._new_rows(X)
        blocks = (slice(at, at + BLOCK) for at in range(0, len(encoded.values), BLOCK))
        found = [measure(scores.log_joint(encoded.rows(block)), axis=1) for block in blocks]
        return np.concatenate(found)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log predictive density of the rows, in nats; ``y`` is ignored."""
        return float(self.score_samples(X).mean())

    def impute(self, X: Any = None, method: str = "mode") -> Any:
        """Fill the missing cells of a table.

        Parameters
        ----------
        X : DataFrame or array-like, shape (n, M), optional
            The rows the model was fitted to when absent: of a frame, the columns clustered on.
        method : "mode" or "mean"
            Mode of the predictive of the row's cluster (0 for waiting times and long-tailed
            counts), or mean over the existing clusters by their probability (names: the most
            probable level). A log column is filled on its log scale. Fitted rows are left out of
            their cluster.

        Returns
        -------
        DataFrame or ndarray
            Like ``X``; only cells that were missing differ.
        """
        return self.impute_with_spread(X, method).table

    def impute_with_spread(self, X: Any = None, method: str = "mode") -> Imputed:
        """Fill like ``impute``, and return how sure each filled cell is."""
        if method not in METHODS:
            raise ValueError(f"method={method!r} is not allowed: give 'mode' or 'mean'.")
        if is_table(X):
            X = as_frame(X)
        scores = self._row_scores()
        if X is None and not hasattr(self, "labels_"):
            raise ValueError("The model holds no rows of its own: give it a table.")
        if X is None:
            fitted_cells = self.columns_.in_user_units(self.partition_.table)
            encoded, labels = self.columns_.encoded, self.labels_
            X = None if self.schema_ is None else pd.DataFrame(index=range(len(labels)))
        else:
            encoded, labels, fitted_cells = self._new_rows(X), None, None
        values, spread = fill_cells(scores, encoded, method, labels, fitted_cells)
        if self.schema_ is None:
            return Imputed(values, spread)
        return Imputed(*put_back(X, self.schema_, encoded, values, spread))

    def _labels_of(self, encoded: Encoded) -> np.ndarray:
        joint = self._row_scores().log_joint(replace(encoded, weights=None))
        return joint[:, :-1].argmax(axis=1)

    def _with_labels(self, fit: Fit, encoded: Encoded, labels: np.ndarray) -> Fit:
        """The fit with the labels of all rows, some of which were not fitted."""
        power = self.columns_.table.power
        self.columns_ = PackedTable.pack(encoded, self.columns_.priors, power)
        concentration = self.partition_.concentration
        self.partition_ = Partition.of_labels(self.columns_, concentration, labels)
        return replace(fit, labels=labels, partition=self.partition_)

    @property
    def merge_path_(self) -> MergePath:
        """The greedy merges from these clusters down to one, with the E of each."""
        return self.result_.merge_path_

    def labels_at(self, k: int) -> np.ndarray:
        """Labels with k clusters on the merge path, 0 the largest, shape (N,)."""
        return self.merge_path_.labels_at(k)

    def _row_scores(self) -> RowScores:
        check_is_fitted(self)
        return RowScores.of(self.partition_, self.clusters_)

    def _new_rows(self, X: Any) -> Encoded:
        check_is_fitted(self)
        if self.schema_ is None and is_table(X):
            X = as_frame(X).to_numpy()
        encoded = self._encode(X, self.schema_, reset=False)
        return known_codes(encoded, self.columns_.encoded.units)


def known_codes(encoded: Encoded, units: tuple[Unit, ...]) -> Encoded:
    """New rows of an array; unknown codes are missing, a rating beyond its highest a ValueError."""
    values = encoded.values.copy()  # the array may be the caller's
    for unit, start in zip(units, encoded.starts, strict=True):
        column = values[:, start]
        if "levels" in unit.options:
            column[column >= len(unit.options["levels"])] = np.nan
        elif "trials" in unit.options and np.nanmax(column, initial=0) > unit.options["trials"]:
            raise ValueError(
                f"Column {unit.name!r} has a value above {unit.options['trials']}, the highest the"
                " model knows: correct it, or leave the cell empty."
            )
    return replace(encoded, values=values, units=units)


def fill_cells(
    scores: RowScores,
    encoded: Encoded,
    method: str,
    labels: np.ndarray | None = None,
    fitted_cells: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Fill missing cells with the "mode" or "mean" under the clusters; returns values and spread.

    ``labels`` (n,) and ``fitted_cells`` (n, M), filled cells included, are those of rows that the
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
    statistic_weights = scores.statistic_weights(few)
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
        priors.append(scores.packed.priors[u])
        part = few.values[:, columns]
        if FAMILIES[unit.family].is_block:
            used = None if fitted_cells is None else fitted_cells[rows, columns]
            filled = _fill_block(priors, part, weights, own, used, statistic_weights)
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
    fitted_cells: np.ndarray | None,
    statistic_weights: np.ndarray,
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
        if labels is not None and fitted_cells is not None:
            for at, row in enumerate(rows):
                if np.isnan(fitted_cells[row]).any():
                    continue  # left out of its cluster's block
                k = labels[row]
                without = priors[k].without(fitted_cells[row], statistic_weights[row])
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
    """A frame with missing cells, or columns, filled in the user's units, and their spread."""
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
        # Unlike levels nobody named, these hold nothing, or a missing code.
        are_missing = np.isnan(special_outcomes(frame[name], spec))
        absent = np.isnan(encoded.codes_of(name)) & are_missing
        spreads.loc[~absent, name] = np.nan
        if absent.any():
            table[name] = _with_cells(frame[name], absent, words)
    return table, spreads


def _with_outcomes(
    words: np.ndarray, outcomes: np.ndarray, spec: ColumnSpec
) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with cells of special outcomes in their place, and which, shape (n,) each."""
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
