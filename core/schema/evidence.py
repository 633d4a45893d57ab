"""What one column alone says for a family: its log marginal likelihood as one group, in nats.

Priors are flat on a probability and of weight 1 on a mean, so that no family is favoured.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, gammaln, logsumexp

SHAPES = 2.0 ** np.arange(-2, 7)  # the negative binomial's r, .25 to 64
_CLEARLY = 3.0  # nats by which a family with a longer tail must be ahead


def evidence_of_rating(counts: np.ndarray) -> float:
    """Log marginal likelihood of a rating, binomial with a Beta(1, 1) prior.

    Parameters
    ----------
    counts : ndarray, shape (trials + 1,)
        Rows of every step.
    """
    counts = np.asarray(counts, dtype=float)
    n, trials = counts.sum(), len(counts) - 1
    x = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(x + 1) - gammaln(trials - x + 1)
    total = float(counts @ x)
    return float(counts @ ways + betaln(1 + total, 1 + n * trials - total))


def gain_as_category(counts: np.ndarray) -> float:
    """By how much a category, Dirichlet(1, ..., 1), beats a rating on the same steps, in nats."""
    counts = np.asarray(counts, dtype=float)
    n, levels = counts.sum(), len(counts)
    as_category = gammaln(levels) - gammaln(levels + n) + gammaln(1 + counts).sum()
    return float(as_category) - evidence_of_rating(counts)


def evidence_of_counts(levels: np.ndarray, counts: np.ndarray) -> dict[str, float]:
    """Log marginal likelihood of whole numbers under every family of counts.

    Parameters
    ----------
    levels : ndarray, shape (V,)
        Distinct values, 0 or above.
    counts : ndarray, shape (V,)
        Rows of each.

    Returns
    -------
    dict of str to float
        "poisson" with a Gamma(1, 1 / mean) prior on its mean, "geometric" with a Beta(1, 1) prior,
        and "negative_binomial", its r averaged over ``SHAPES`` with a Beta(1, 1) prior on p.
    """
    x, weight = np.asarray(levels, dtype=float), np.asarray(counts, dtype=float)
    n, total = weight.sum(), float(weight @ x)
    rate = n / max(total, 1.0)
    factorials = float(weight @ gammaln(x + 1))
    poisson = gammaln(1 + total) + np.log(rate) - (1 + total) * np.log(rate + n) - factorials
    by_shape = np.array(
        [
            weight @ (gammaln(x + r) - gammaln(r)) - factorials + betaln(1 + n * r, 1 + total)
            for r in SHAPES
        ]
    )
    return {
        "poisson": float(poisson),
        "geometric": float(by_shape[SHAPES == 1.0][0]),
        "negative_binomial": float(logsumexp(by_shape) - np.log(len(SHAPES))),
    }


def evidence_of_measurement(levels: np.ndarray, counts: np.ndarray) -> float:
    """Log marginal likelihood of whole numbers as a normal measurement to the nearest unit.

    By Schwarz's approximation, which is close enough where counts and measurements are far apart.
    """
    x, weight = np.asarray(levels, dtype=float), np.asarray(counts, dtype=float)
    n = weight.sum()
    mean = float(weight @ x) / n
    variance = max(float(weight @ (x - mean) ** 2) / n, 1 / 12)
    return float(-0.5 * n * (np.log(2 * np.pi * variance) + 1) - np.log(n))


def best_of_counts(evidence: dict[str, float]) -> str:
    """The family of counts with the shortest tail that no other clearly beats."""
    best = max(evidence.values())
    return next(name for name, nats in evidence.items() if nats >= best - _CLEARLY)


def better_as_category(counts: np.ndarray) -> str:
    """Say by how much the column's own marginal likelihood prefers a category, if clearly."""
    gain = gain_as_category(counts)
    if gain < max(10.0, 0.1 * np.sum(counts)):
        return ""
    return f" (on its own it fits a category better, by {gain:,.0f} log units: compare both)"
