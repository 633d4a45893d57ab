"""What one column alone says for a family: its log marginal likelihood as one group, in nats."""

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import betaln, gammaln, logsumexp, xlogy
from scipy.stats import betabinom, binom

SHAPES = 2.0 ** np.arange(-2, 7)  # the negative binomial's r, .25 to 64
_CLEARLY = 3.0  # nats by which a family with a longer tail must be ahead
#: Means of a scale's beta distribution as shares of its length, and weights beside Beta(1, 1).
_MEANS, _WEIGHTS = np.linspace(0.02, 0.98, 33), (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1000.0)


def of_scale(counts: np.ndarray) -> float:
    """Log marginal likelihood of steps in an order, (trials + 1,): a beta-binomial of one peak."""
    trials = len(counts) - 1
    a, b = (
        np.array([1.0 + w * m for w in _WEIGHTS for m in means])[:, None]
        for means in (_MEANS, 1.0 - _MEANS)
    )
    nats = betabinom.logpmf(np.arange(trials + 1), trials, a, b) @ counts
    return float(logsumexp(nats) - np.log(len(nats)))


def against_one_peak(counts: np.ndarray) -> float:
    """By how much frequencies without an order beat those that rise to a peak and fall, in nats."""
    counts = np.asarray(counts, dtype=float)
    m = len(counts)
    rises = [counts[:0], *(isotonic_regression(counts[:k]).x for k in range(1, m + 1))]
    falls = [*(isotonic_regression(counts[k:], increasing=False).x for k in range(m)), counts[:0]]
    fits = (np.concatenate(parts) for parts in zip(rises, falls, strict=True))
    peaked = max(float(xlogy(counts, np.maximum(fit, 1e-300)).sum()) for fit in fits)
    return float(xlogy(counts, counts).sum()) - peaked


def against_binomial(counts: np.ndarray) -> float:
    """By how much free frequencies of steps beat a binomial distribution, in nats."""
    counts = np.asarray(counts, dtype=float)
    trials = len(counts) - 1
    x = np.arange(trials + 1)
    binomial = counts @ binom.logpmf(x, trials, counts @ x / (trials * counts.sum()))
    return float(xlogy(counts, counts / counts.sum()).sum() - binomial)


def of_counts(levels: np.ndarray, counts: np.ndarray) -> dict[str, float]:
    """Log marginal likelihood of whole numbers from 0, (V,), under every family of counts."""
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


def of_measurement(levels: np.ndarray, counts: np.ndarray) -> float:
    """Log marginal likelihood of whole numbers as a normal measurement to the nearest unit."""
    x, weight = np.asarray(levels, dtype=float), np.asarray(counts, dtype=float)
    n = weight.sum()
    mean = float(weight @ x) / n
    variance = max(float(weight @ (x - mean) ** 2) / n, 1 / 12)
    return float(-0.5 * n * (np.log(2 * np.pi * variance) + 1) - np.log(n))


def best_of_counts(nats: dict[str, float]) -> str:
    """The family of counts with the shortest tail that no other clearly beats."""
    least = max(nats.values()) - _CLEARLY
    return next(name for name, found in nats.items() if found >= least)
