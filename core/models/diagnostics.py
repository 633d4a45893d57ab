"""Convergence of several chains: rank-normalised split R-hat and effective sample size.

Vehtari, Gelman, Simpson, Carpenter and Buerkner, Bayesian Analysis 16 (2021).
"""

from __future__ import annotations

import numpy as np


def split_r_hat(chains: np.ndarray) -> float:
    """Larger of the rank-normalised split R-hat of the draws and of their distance to the median.

    Of one scalar quantity, T draws of each of C chains, shape (C, T). Near 1 when the chains agree;
    1 exactly for a constant, NaN for fewer than 4 draws.
    """
    if chains.shape[1] < 4:
        return float("nan")
    halves = _split(chains)
    folded = np.abs(halves - np.median(halves))
    return max(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(folded)))


def effective_sample_size(chains: np.ndarray) -> float:
    """Number of independent draws worth as much as these, shape (C, T), for the mean (bulk ESS).

    The number of draws itself for a constant, NaN for fewer than 4 draws.
    """
    if chains.shape[1] < 4:
        return float("nan")
    scores = _normal_scores(_split(chains))
    _n_chains, n = scores.shape
    if np.ptp(scores) == 0:
        return float(scores.size)
    covariances = np.array([_autocovariance(chain) for chain in scores])
    within = covariances[:, 0].mean() * n / (n - 1)
    variance = within * (n - 1) / n + scores.mean(axis=1).var(ddof=1)
    correlations = 1.0 - (within - covariances.mean(axis=0) * n / (n - 1)) / variance
    correlations[0] = 1.0
    # Geyer: sums of neighbouring pairs are positive and fall; cut where they cease to be.
    pairs = correlations[: n - n % 2].reshape(-1, 2).sum(axis=1)
    ends = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: ends[0] if ends.size else pairs.size])
    time = max(2.0 * pairs.sum() - 1.0, 1.0 / np.log10(scores.size))
    return float(scores.size / time)


def _split(chains: np.ndarray) -> np.ndarray:
    half = chains.shape[1] // 2
    return np.concatenate([chains[:, :half], chains[:, -half:]]).astype(np.float64)


def _normal_scores(chains: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    ranks = rankdata(chains).reshape(chains.shape)
    return ndtri((ranks - 0.375) / (chains.size + 0.25))


def _r_hat(scores: np.ndarray) -> float:
    n = scores.shape[1]
    within = scores.var(axis=1, ddof=1).mean()
    between = scores.mean(axis=1).var(ddof=1)
    if within == 0.0:
        return 1.0 if between == 0.0 else float("inf")
    return float(np.sqrt((n - 1) / n + between / within))


def _autocovariance(chain: np.ndarray) -> np.ndarray:
    n = chain.size
    spectrum = np.fft.rfft(chain - chain.mean(), 2 * n)
    return np.fft.irfft(spectrum * spectrum.conj(), 2 * n)[:n] / n
