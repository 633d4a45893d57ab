"""How often tests of a small group against a large one reject where the means are equal.

    python -m tests.benchmarks.small_groups          # about 10 minutes on one core

Nominal 5 %; groups of 264 against 26 and of 200 against 12, the small one more or less spread than
the large one, or alike. Rejections of all tables, the share "not testable at this size", and the
power where the small group's mean is moved by .8 SD of its own, beside the test that stood before
(Welch, Brunner-Munzel, and permutations of a difference; a fifth of the sets).
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats

from mapdp_studio.core.statistics import hypothesis_tests
from mapdp_studio.core.statistics.compare import ALL_TESTS
from mapdp_studio.core.statistics.hypothesis_tests import (
    compare_counts,
    compare_means,
)

SETS, RESAMPLES, LEVEL = 1_000, 299, 0.05
SIZES = ((264, 26), (200, 12))


def _log_normal(sd: float):
    return lambda random, n: np.exp(sd * random.normal(size=n) - sd**2 / 2)


def _counts(mean: float, dispersion: float):
    def draw(random, n):
        rates = random.gamma(1 / dispersion, dispersion, n) if dispersion else np.ones(n)
        return random.poisson(mean * rates).astype(np.float64)

    return draw


def _costs(share: float, sd: float):
    amounts = _log_normal(sd)
    return lambda random, n: np.where(random.random(n) < share, amounts(random, n) / share, 0.0)


def _ratings(values, shares):
    return lambda random, n: random.choice(np.array(values, dtype=np.float64), n, p=shares)


NARROW, WIDE = _ratings(range(5), [0.05, 0.2, 0.5, 0.2, 0.05]), _ratings([0, 4], [0.5, 0.5])
SKEWED = _ratings([0, 1, 4], [0.6, 0.2, 0.2])
#: Kind, how the large and the small group are drawn, and the test.
CASES = (
    ("normal, wide", lambda r, n: r.normal(size=n), lambda r, n: 2 * r.normal(size=n), "m"),
    ("log-normal, alike", _log_normal(0.7), _log_normal(0.7), "m"),
    ("log-normal, wide", _log_normal(0.35), _log_normal(0.9), "m"),
    ("log-normal, narrow", _log_normal(0.9), _log_normal(0.35), "m"),
    ("zeros, wide", _costs(0.7, 0.4), _costs(0.4, 0.8), "m"),
    ("zeros, narrow", _costs(0.4, 0.8), _costs(0.7, 0.4), "m"),
    ("counts, alike", _counts(2.0, 1.0), _counts(2.0, 1.0), "c"),
    ("counts, wide", _counts(2.0, 0.0), _counts(2.0, 1.5), "c"),
    ("counts, narrow", _counts(2.0, 1.5), _counts(2.0, 0.0), "c"),
    ("counts, rare", _counts(0.5, 0.0), _counts(0.5, 2.0), "c"),
    ("ratings, wide", NARROW, WIDE, "r"),
    ("ratings, narrow", WIDE, NARROW, "r"),
    (
        "ratings, skewed",
        _ratings(range(3), [0.3, 0.4, 0.3]),
        _ratings([0, 1, 4], [0.6, 0.2, 0.2]),
        "r",
    ),
)
TESTS = {"m": compare_means, "c": compare_counts, "r": compare_means}


def before(kind: str, groups, few: bool, random: np.random.Generator) -> float:
    """The p-value of the test that stood here before."""
    method = stats.PermutationMethod(n_resamples=RESAMPLES, rng=random)
    if kind == "m":
        return stats.ttest_ind(*groups, equal_var=False, method=method if few else None).pvalue
    if kind == "r":
        if few:
            return stats.mannwhitneyu(*groups, method=method).pvalue
        return stats.brunnermunzel(*groups).pvalue

    def difference(a, b, axis):
        return a.mean(axis=axis) - b.mean(axis=axis)

    return stats.permutation_test(groups, difference, n_resamples=RESAMPLES, rng=random).pvalue


def main() -> None:
    """Print one line a case and pair of sizes."""
    hypothesis_tests.RESAMPLES = RESAMPLES
    warnings.simplefilter("ignore")
    for sizes in SIZES:
        few = min(sizes) < ALL_TESTS
        for title, of_large, of_small, kind in CASES:
            rates = {}
            for shift in (0.0, 0.8):
                now, then = [], []
                for seed in range(SETS if not shift else SETS // 5):
                    random = np.random.default_rng([seed, *sizes])
                    large, small = of_large(random, sizes[0]), of_small(random, sizes[1])
                    if shift:
                        small = (
                            np.rint(small + shift * small.std())
                            if kind != "m"
                            else (small + shift * small.std())
                        )
                    p = TESTS[kind]([large, small], few, random).p
                    now.append(np.nan if p is None else p)
                    if seed < SETS // 5:
                        then.append(before(kind, [large, small], few, random))
                rates[shift] = [np.mean(np.array(part) <= LEVEL) for part in (now, then)]
                rates[shift].append(np.mean(np.isnan(now)))
            null, power = rates[0.0], rates[0.8]
            print(
                f"{sizes[0]} against {sizes[1]}  {title:20} rejected {null[0]:.3f} (before "
                f"{null[1]:.3f})  not testable {null[2]:.2f}   power {power[0]:.2f} (before "
                f"{power[1]:.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main()
