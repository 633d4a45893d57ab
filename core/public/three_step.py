"""Outcomes of groups, corrected for classification error.

Bolck, Croon and Hagenaars 2004 (BCH); Vermunt, Political Analysis 18, 2010; Bakk, Tekle and Vermunt
2013. The error is taken as known: intervals of small samples are a little narrow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from scipy.linalg import block_diag

from ..inference.prediction import Predictions
from ..models.em import MixtureEM, em_states
from ..models.mixture import Mixture
from ..partitions.naming import Naming
from ..wording import counted, p_text, percent
from .description import rows_of

METHODS = ("bch", "ml")
LEVEL = 0.95
MAX_ITER, TOL = 2_000, 1e-10


@dataclass(frozen=True, eq=False)
class ThreeStep:
    """An outcome in every class, corrected and as it is among the rows assigned."""

    #: One row a class, or class and level: ``naive`` among the rows assigned, the corrected
    #: ``estimate`` (mean or share) with ``se``, ``low`` and ``high``, NaN of a constant class.
    table: pd.DataFrame
    #: Covariance of the estimates, in the order of the table.
    covariance: np.ndarray
    #: Wald's test that all classes are alike: chi-square, degrees of freedom and p.
    chi2: float
    df: int
    p: float
    method: str
    #: Rows by the class that is probable (down) and the class assigned (across).
    classification: pd.DataFrame
    n_observed: int

    @property
    def classification_error(self) -> float:
        """Expected share of rows assigned to another class than their own."""
        counts = self.classification.to_numpy()
        return 1.0 - float(np.trace(counts)) / float(counts.sum())

    @property
    def sentence(self) -> str:
        """The test, and how large the correction is for."""
        test = f"Wald chi-square {self.chi2:.2f} on {self.df}, p {p_text(self.p)}"
        if np.isnan(self.p):
            test = (
                "no test, as maximum likelihood has no error of a class that is constant; BCH has"
            )
        return (
            f"Corrected for an expected classification error of "
            f"{percent(self.classification_error)} ({self.method.upper()}, three-step, "
            f"{counted(self.n_observed, 'row')}): {test}."
        )

    def __repr__(self) -> str:
        return f"{self.sentence}\n{self.table}"


def three_step(model: Any, outcome: Any, method: str = "bch") -> ThreeStep:
    """Estimate an outcome in every group, corrected for classification error.

    Parameters
    ----------
    model : MixtureEM, MAPDP, CollapsedGibbs or another with a likelihood
        Fitted without the outcome.
    outcome : array-like or Series, shape (N,)
        Numbers, for means (0/1: shares), or names. A missing cell leaves its row out.
    method : {"bch", "ml"}
        Weights, without assumptions but with shares outside 0 to 1 possible; or maximum likelihood
        of normal or multinomial outcomes.

    Returns
    -------
    ThreeStep

    Raises
    ------
    ValueError
        Another method or length, one class only, too few observed, classes that the assignment
        cannot tell apart, or a model that holds no rows.
    TypeError
        Clusters without a likelihood.
    """
    if method not in METHODS:
        raise ValueError(f"method={method!r} is not allowed: give {' or '.join(METHODS)}.")
    titles, probabilities, labels, weights = _classes(model)
    values, levels = _read(outcome, labels.size)
    of_class, seen = np.eye(len(titles))[labels], ~np.isnan(values).any(axis=1)
    classification = (weights[:, None] * probabilities).T @ of_class
    if len(titles) < 2:
        raise ValueError("There is one class only: nothing to compare the outcome between.")
    with np.errstate(invalid="ignore", divide="ignore"):
        error = classification / classification.sum(axis=1, keepdims=True)
    if not np.isfinite(error).all() or np.linalg.cond(error) > 1e6:
        raise ValueError("The assignment cannot tell some classes apart: fit fewer classes.")
    if of_class[seen].sum(axis=0).min() < 2:
        raise ValueError("A class has fewer than two rows with a known outcome: fit fewer classes.")
    own = weights[seen, None] * of_class[seen]
    observed = _Observed(values[seen], weights[seen], labels[seen], error)
    by_likelihood = observed.multinomial if levels else observed.normal
    estimate, covariance = observed.bch() if method == "bch" else by_likelihood()
    index = pd.Index(titles, name="class")
    se = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    half, middle = stats.norm.ppf(0.5 + LEVEL / 2) * se, estimate.ravel()
    found = {"naive": (own.T @ values[seen] / own.sum(axis=0)[:, None]).ravel(), "estimate": middle}
    table = pd.DataFrame(
        found | {"se": se, "low": middle - half, "high": middle + half},
        pd.MultiIndex.from_product([titles, levels], names=["class", "level"]) if levels else index,
    )
    wald = _wald(estimate, covariance, bool(levels))
    counts = pd.DataFrame(classification, index, list(titles))
    return ThreeStep(table, covariance, *wald, method, counts, int(seen.sum()))


def _classes(model: Any) -> tuple[tuple[str, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Titles of the classes, their probabilities (N, K), assigned labels (N,), row weights (N,)."""
    encoded, is_em = rows_of(model), isinstance(model, MixtureEM)
    if is_em:
        mixture, fitted = replace(model._mixture, power=1.0), model._fitted
        titles = tuple(f"Cluster {k + 1}" for k in range(model.n_components))
        rows = mixture.read(encoded)
    elif isinstance(model, Predictions):
        titles = Naming().apply(model.result_.labels).titles
        mixture = Mixture.of(encoded, model.prior_)
        rows = mixture.read(encoded)
        *_, last = em_states(mixture, rows, np.eye(len(titles))[model.result_.labels])
        fitted = last.fitted
    else:
        raise TypeError(
            f"{type(model).__name__} has no likelihood, and so no probabilities of its clusters:"
            " fit MixtureEM or MAPDP."
        )
    probabilities = np.ascontiguousarray(mixture.expect(rows, fitted)[0].T)
    assigned = probabilities.argmax(axis=1) if is_em else model.result_.labels
    weights = np.ones(len(assigned)) if encoded.weights is None else encoded.weights
    return titles, probabilities, assigned, weights


def _read(outcome: Any, n_rows: int) -> tuple[np.ndarray, tuple[str, ...]]:
    """Numbers (N, 1), or one indicator a level (N, L) and the levels; NaN where missing."""
    column = pd.Series(np.asarray(outcome) if not isinstance(outcome, pd.Series) else outcome)
    if len(column) != n_rows:
        raise ValueError(
            f"The outcome has {len(column):,} values where the model was fitted to {n_rows:,} rows."
        )
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_numeric_dtype(column):
        return column.to_numpy(np.float64, na_value=np.nan)[:, None], ()
    codes, levels = pd.factorize(column, sort=True)
    if len(levels) < 2:
        raise ValueError("The outcome has fewer than two different values: there is no difference.")
    values = np.where(codes[:, None] < 0, np.nan, np.eye(len(levels))[codes])
    return values, tuple(map(str, levels))


class _Observed(NamedTuple):
    """Rows with a known outcome; ways to solve give means (K, L) and their covariance."""

    values: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    error: np.ndarray

    def bch(self) -> tuple[np.ndarray, np.ndarray]:
        """The inverse of the error as weights; a robust covariance."""
        shares = self.weights[:, None] * np.linalg.inv(self.error)[self.labels]
        totals = shares.sum(axis=0)
        means = (shares.T @ self.values) / totals[:, None]
        scores = shares[:, :, None] * (self.values[:, None, :] - means) / totals[:, None]
        scores = scores.reshape(len(self.values), -1)
        return means, scores.T @ scores

    def normal(self) -> tuple[np.ndarray, np.ndarray]:
        """Maximum likelihood of normal outcomes of own variances."""
        least = 1e-9 * max(float(np.var(self.values)), 1e-300)

        def m_step(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            n = rows.sum(axis=0)
            mean = (rows * self.values).sum(axis=0) / n
            away = np.square(self.values - mean)
            return mean, np.maximum((rows * away).sum(axis=0) / n, least)

        start = m_step(self.weights[:, None] * np.eye(len(self.error))[self.labels])
        (mean, variance), found, of_shares = self._em(
            lambda fitted: stats.norm.pdf(self.values, fitted[0], np.sqrt(fitted[1])), m_step, start
        )
        away = self.values - mean
        by_spread = 0.5 * found * (np.square(away) / variance - 1.0)
        inverse = self._inverse_information(found * away / variance, by_spread, of_shares)
        return mean[:, None], _unknown(inverse[: mean.size, : mean.size], variance <= least)

    def multinomial(self) -> tuple[np.ndarray, np.ndarray]:
        """Maximum likelihood of the levels' shares."""

        def m_step(rows: np.ndarray) -> np.ndarray:
            return rows.T @ self.values / rows.sum(axis=0)[:, None]

        k = len(self.error)
        start = m_step(self.weights[:, None] * (0.9 * np.eye(k)[self.labels] + 0.1 / k))
        chance, found, of_shares = self._em(lambda fitted: self.values @ fitted.T, m_step, start)
        # In logits, with the delta method back: a share near 0 or 1 has no normal error of its own.
        scores = found[:, :, None] * (self.values[:, None, :] - chance)
        inverse = self._inverse_information(scores[:, :, :-1].reshape(len(found), -1), of_shares)
        slopes = block_diag(*((np.diag(p) - np.outer(p, p))[:, :-1] for p in chance))
        covariance = slopes @ inverse[: slopes.shape[1], : slopes.shape[1]] @ slopes.T
        is_constant = np.repeat(chance.max(axis=1) > 1.0 - 1e-6, chance.shape[1])
        return chance, _unknown(covariance, is_constant)

    def _em(
        self, density: Callable[[Any], np.ndarray], m_step: Callable[[np.ndarray], Any], fitted: Any
    ) -> tuple[Any, np.ndarray, np.ndarray]:
        """E-M, the error fixed: parameters, rows by class (n, K), scores of the classes' shares."""
        n = self.weights.sum()
        shares = np.linalg.solve(self.error.T, np.bincount(self.labels, self.weights) / n)
        shares, before = np.clip(shares, 1e-3, None) / np.clip(shares, 1e-3, None).sum(), -np.inf
        for _ in range(MAX_ITER):
            joint = shares * self.error[:, self.labels].T * density(fitted)
            total = joint.sum(axis=1)
            found, objective = joint / total[:, None], float(self.weights @ np.log(total))
            if objective - before < TOL * len(self.labels):
                break
            before, rows = objective, self.weights[:, None] * found
            shares, fitted = rows.sum(axis=0) / n, m_step(rows)
        return fitted, found, found[:, :-1] - shares[:-1]

    def _inverse_information(self, *scores: np.ndarray) -> np.ndarray:
        """Covariance of maximum likelihood from the rows' scores, (n, P) in all."""
        of_rows = np.hstack(scores)
        return np.linalg.pinv(of_rows.T @ (self.weights[:, None] * of_rows))


def _unknown(covariance: np.ndarray, is_constant: np.ndarray) -> np.ndarray:
    """NaN for constant classes: the likelihood is at its edge, where it has no curvature."""
    return np.where(is_constant | is_constant[:, None], np.nan, covariance)


def _wald(
    estimate: np.ndarray, covariance: np.ndarray, has_levels: bool
) -> tuple[float, int, float]:
    """Wald's test that all classes equal the first; of shares, the last level is left out."""
    if np.isnan(covariance).any():
        return np.nan, 0, np.nan
    k, n = estimate.shape
    of_class = np.column_stack([-np.ones(k - 1), np.eye(k - 1)])
    contrasts = np.kron(of_class, np.eye(n)[: n - has_levels])
    apart = contrasts @ estimate.ravel()
    spread = contrasts @ covariance @ contrasts.T
    chi2 = float(apart @ np.linalg.pinv(spread) @ apart)
    df = int(np.linalg.matrix_rank(spread))
    return chi2, df, float(stats.chi2.sf(chi2, df))
