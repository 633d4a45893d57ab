"""Tests, effects, summaries and corrections against scipy and statsmodels called directly."""

import math
import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import optimize, stats
from statsmodels.duration.survfunc import survdiff
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from mapdp_studio.core.families.family import KINDS
from mapdp_studio.core.schema.schema import ColumnSpec, Schema
from mapdp_studio.core.statistics import differences, survival
from mapdp_studio.core.statistics.compare import associate, associations, compare
from mapdp_studio.core.statistics.correct import adjust
from mapdp_studio.core.statistics.differences import Test, are_skewed, compare_means
from mapdp_studio.core.statistics.survival import log_rank_scores
from mapdp_studio.core.statistics.variables import Variable

N_COLUMNS, RESAMPLES, LEVELS = 60, 199, 5


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    for room in (differences, survival):
        monkeypatch.setattr(room, "RESAMPLES", RESAMPLES)


def random_column(kind: str, seed: int) -> tuple[Variable, np.ndarray]:
    """A column of that kind and groups 0, 1, 2; every third or so degenerates in some way."""
    random = np.random.default_rng(seed)
    labels = random.permutation(np.repeat(np.arange(3), random.choice([3, 7, 12, 25, 60], size=3)))
    n, shift = labels.size, random.choice([0.0, 0.5]) * labels
    skewed = random.lognormal(sigma=0.7, size=n)
    draws = {
        "measurement": (skewed if seed % 2 else random.normal(size=n)) + shift,
        "rating": np.minimum(random.binomial(LEVELS - 1, 0.4, n) + 2 * shift, LEVELS - 1),
        "yes/no": random.random(n) < random.choice([0.05, 0.3]) + 0.3 * shift,
        "category": random.integers(random.integers(2, LEVELS + 1), size=n),
        "count": random.poisson(random.choice([0.2, 2.0]) * (1.0 + shift)),
        "time to event": random.exponential(1.0 + shift).round(1),
    }
    values, events = draws[kind].astype(np.float64), random.random(n) < 0.6
    how = random.integers(10)
    if how == 0:  # nothing observed in a group
        values[labels == 0] = np.nan
    elif how == 1:  # one value only, no events
        values[:], events[:] = 0.0, False
    elif how == 2:  # groups that do not overlap
        values[:] = np.where(labels == 0, 0.0, 1.0 if kind in ("yes/no", "category") else 3.0)
    values[random.random(n) < 0.1] = np.nan
    width = {"yes/no": 2, "rating": LEVELS, "category": LEVELS}.get(kind, 0)
    of_time = kind == "time to event"
    return Variable(kind, kind, values, tuple(range(width)), events if of_time else None), labels


def sandwich(parts: list[np.ndarray]) -> tuple[float, float, float]:
    """Log rate ratio of two Poisson regressions on a constant, with n/(n-1) in the variance."""
    fits = [
        sm.GLM(p, np.ones(p.size), family=sm.families.Poisson()).fit(cov_type="HC0", tol=1e-14)
        for p in parts
    ]
    of = [f.bse[0] ** 2 * p.size / (p.size - 1) for f, p in zip(fits, parts, strict=True)]
    dof = sum(of) ** 2 / sum(v**2 / (p.size - 1) for v, p in zip(of, parts, strict=True))
    return fits[0].params[0] - fits[1].params[0], np.sqrt(sum(of)), dof


def hall(values: np.ndarray, alpha: float) -> tuple[float, float]:
    """Where Hall's transformation of t, with scipy's skewness, is as far as t may be."""
    error, n = stats.sem(values), values.size
    g = stats.skew(values, bias=False) / np.sqrt(n)

    def transformed(mean: float) -> float:
        t = (values.mean() - mean) / error
        return t + g * t**2 / 3 + g**2 * t**3 / 27 + g / 6

    reach, far = stats.t.isf(alpha / 2, n - 1), 1e4 * error
    around = values.mean() - far, values.mean() + far
    low, high = (
        optimize.brentq(lambda m, side=side: transformed(m) - side * reach, *around)
        for side in (1, -1)
    )
    return low, high


def corrected(a: np.ndarray, b: np.ndarray, alpha: float = 0.05) -> list[float]:
    """Zou and Donner's interval of the difference of two means."""
    middle, (low_a, high_a), (low_b, high_b) = a.mean() - b.mean(), hall(a, alpha), hall(b, alpha)
    low = middle - np.hypot(a.mean() - low_a, high_b - b.mean())
    return [middle, low, middle + np.hypot(high_a - a.mean(), b.mean() - low_b)]


def direct(
    kind: str, parts: list[np.ndarray], events: list, few: bool, seed: int
) -> tuple[float, list[float]]:
    """The p-value, and two groups' estimate and interval, straight from scipy and statsmodels."""
    (a, b), random = parts[:2], np.random.default_rng(seed)
    if kind == "time to event":
        time, event = np.concatenate(parts), np.concatenate(events).astype(float)
        group = np.repeat(range(len(parts)), [p.size for p in parts])
        if not few:
            return survdiff(time, event, group)[1], []
        scores = log_rank_scores(time, event)

        def between(*groups, axis=-1):  # the scores add up to 0
            return sum(g.shape[axis] * g.mean(axis=axis) ** 2 for g in groups)

        how = {"n_resamples": RESAMPLES, "alternative": "greater", "rng": random}
        parts = [scores[group == k] for k in range(len(parts))]
        return stats.permutation_test(parts, between, **how).pvalue, []
    if kind in ("yes/no", "category"):
        table = np.array([np.bincount(p.astype(int), minlength=LEVELS) for p in parts])
        table = table[:, table.any(axis=0)]
        effect = [stats.contingency.association(table, method="cramer")]
        if kind == "yes/no":
            counts = a.sum(), a.size, b.sum(), b.size
            interval = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
            effect = [a.mean() - b.mean(), *interval]
        if not few and stats.contingency.expected_freq(table).min() >= 5:
            return stats.chi2_contingency(table, correction=False).pvalue, effect
        draws = None if table.shape == (2, 2) else stats.MonteCarloMethod(RESAMPLES, rng=random)
        return stats.fisher_exact(table, method=draws).pvalue, effect
    if kind == "count" and len(parts) == 2:
        if not all(part.sum() for part in parts):
            had = [[(part > 0).sum(), (part == 0).sum()] for part in parts]
            return stats.fisher_exact(had).pvalue, []
        ratio, error, dof = sandwich(parts)
        reach = stats.t.ppf(0.975, dof) * error
        p = 2 * stats.t.sf(abs(ratio / error), dof)
        return p, list(np.exp([ratio, ratio - reach, ratio + reach]))
    if len(parts) > 2:
        return stats.f_oneway(*parts, equal_var=False).pvalue, []
    found = stats.ttest_ind(a, b, equal_var=False)
    plain = [a.mean() - b.mean(), *found.confidence_interval(0.95)]
    return found.pvalue, corrected(a, b) if are_skewed([a, b]) else plain


def is_corrected(test: Test, parts: list[np.ndarray]) -> bool:
    """Whether a test of means is that of skewed groups, whose p-value ends an interval at 0."""
    if "corrected for skewness" not in test.name:
        return False
    pairs = list(combinations(parts, 2))
    if 1e-12 < test.p < 0.9:
        ends = [corrected(a, b, test.p / len(pairs)) for a, b in pairs]
        nearest = max(max(low, -high) for _, low, high in ends)
        assert nearest == pytest.approx(0.0, abs=1e-7 * np.ptp(np.concatenate(parts)))
    return True


@pytest.mark.parametrize("kind", [*KINDS, "time to event"])
def test_tests_and_intervals_are_those_of_scipy_and_statsmodels(kind):
    tested = measured = refused = 0
    for seed in range(N_COLUMNS):
        variable, labels = random_column(kind, seed)
        for groups in ((0, 1), (0, 1, 2)):
            found = compare(variable, labels, groups, seed)
            test, effect = found.test, found.effect
            rows = [(labels == g) & variable.observed for g in found.groups]
            parts = [variable.values[one] for one in rows]
            events = [] if variable.events is None else [variable.events[one] for one in rows]
            assert found.n == tuple(part.size for part in parts)
            # A number, or the words why there is none; never NaN.
            assert (test.p is None) == bool(test.reason)
            ours = [x for x in (effect.estimate, effect.low, effect.high) if x is not None]
            assert len(ours) == 3 or effect.reason
            assert all(map(math.isfinite, [*ours, test.p or 0.0, test.statistic or 0.0]))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if test.p is None:
                    refused += 1
                    continue
                p, theirs = direct(kind, parts, events, min(found.n) < 20, seed)
            tested += 1
            if not is_corrected(test, parts):
                assert test.p == pytest.approx(p, rel=1e-9, abs=1e-14)
            # Hazard ratios are judged by lifelines.
            if kind != "time to event" and (effect.low is not None or "V" in effect.name):
                assert ours == pytest.approx(theirs, rel=1e-7)
                measured += 1
    assert min(tested, refused) > 25
    assert measured > 20 or kind == "time to event"


@pytest.mark.parametrize(
    ("smallest", "reason"),
    [(10, ""), (9, "described, not tested"), (5, "described, not tested"), (4, "not shown")],
)
def test_groups_of_ten_are_tested_and_those_of_five_described(smallest, reason):
    labels = np.repeat([0, 1], [30, smallest])
    variable = Variable("x", "measurement", np.random.default_rng(4).normal(size=labels.size))
    found = compare(variable, labels, (0, 1), 0)
    assert (found.test.p is None) == bool(reason)
    assert reason in found.test.reason
    assert associate(variable, labels, (0, 1), 0).hidden == {0: False, 1: smallest < 5}


@pytest.mark.parametrize(
    ("of", "n", "is_corrected"),
    [(stats.norm, 12, False), (stats.expon, 99, True), (stats.expon, 100, False)],
)
def test_t_tests_of_small_skewed_groups_alone_are_corrected(of, n, is_corrected):
    groups = [of.ppf((np.arange(size) + 0.5) / size) + shift for size, shift in ((n, 0), (300, 1))]
    test, _ = compare_means(groups)
    assert test.name == ("t-test corrected for skewness" if is_corrected else "Welch's t-test")
    both, _ = compare_means([*groups, groups[0] + 0.1])
    assert ("least of all pairs" in both.name) == is_corrected


#: Of a mean of 1; the second group is wide.
DRAWS = {
    "count": lambda r, n, wide: r.poisson(2.0 * (r.gamma(1 / 1.5, 1.5, n) if wide else 1.0), n),
    "wide": lambda r, n, wide: r.lognormal(*((-0.405, 0.9) if wide else (-0.06125, 0.35)), n),
    "alike": lambda r, n, wide: r.lognormal(-1.125, 1.5, n),
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("sizes", [(264, 26), (26, 26), (200, 12)], ids=str)
def test_equal_means_are_no_finding_and_lie_inside(draw, sizes):
    """Whatever the spreads; of log-normal groups Welch's test alone rejects up to 14 %."""
    rejected, sets = 0, 300
    kind = "count" if draw == "count" else "measurement"
    for seed in range(sets):
        random = np.random.default_rng([seed, *sizes])
        values = np.concatenate([DRAWS[draw](random, n, k == 1) for k, n in enumerate(sizes)])
        variable = Variable("x", kind, values.astype(float))
        found = compare(variable, np.repeat([0, 1], sizes), (0, 1), seed)
        rejected += found.test.p <= 0.05
        # The interval holds what the test does not reject.
        is_inside = found.effect.low <= (kind == "count") <= found.effect.high
        assert is_inside == (found.test.p > 0.05)
    # Nominal 5 %: 9 % of so skewed a column, and three standard errors of so few tables.
    assert rejected <= sets * (0.09 + 3 * np.sqrt(0.05 * 0.95 / sets))


@pytest.mark.parametrize("n_columns", [20, 21])
def test_corrections_leave_out_what_was_not_tested(n_columns):
    p = np.random.default_rng(n_columns).random(40) ** 3
    p[5:8] = p[4]
    found = adjust([None, *p[:10], None, *p[10:], None], n_columns)
    name, method = ("Holm", "holm") if n_columns <= 20 else ("Benjamini-Hochberg", "fdr_bh")
    theirs = multipletests(p, method=method)[1]
    assert [q for q in found.p if q is not None] == pytest.approx(theirs, rel=1e-14)
    assert [place for place, q in enumerate(found.p) if q is None] == [0, 11, 42]
    assert found.sentence == f"{name} over 40 tests"
    assert adjust([None, None], 3).sentence == "No test was made"


def test_a_table_is_read_tested_described_and_corrected():
    random, n = np.random.default_rng(3), 90
    frame = pd.DataFrame(
        {
            "age": random.normal(60, 8, n),
            "bili": np.exp(random.normal(size=n)),
            "sex": random.choice(["f", "m"], n),
            "time": random.exponential(5, n),
            "status": random.choice([0, 1, 2], n),
            "lost": random.choice(["a", None], n),
        }
    )
    specs = [
        ColumnSpec("age", "normal", "validator"),
        ColumnSpec("bili", "normal", "validator", transform="log"),
        ColumnSpec("sex", "bernoulli", "validator", levels=("f", "m")),
        ColumnSpec("time", "time_to_event", "validator", event="status", event_codes=(2,)),
        ColumnSpec("status", "categorical", "ignore", missing_codes=(1,)),
        ColumnSpec("lost", "bernoulli", "validator"),
    ]
    labels = np.repeat([0, 1, 2, 3], [40, 24, 23, 3])
    found = associations(frame, Schema(specs), labels)
    assert [column.variable.name for column in found.columns] == ["age", "bili", "sex", "time"]
    assert "one value only" in found.refused["lost"]
    assert (found.left_out, found.pairs_adjusted.sentence) == ((3,), "Holm over 12 tests")
    assert found.overall_adjusted.sentence == "Holm over 4 tests"
    fewer = associations(frame, Schema(specs), np.repeat([0, 1, 2, 3], [40, 24, 17, 9]))
    assert "4 tests, without groups of fewer than 10" in fewer.overall_adjusted.sentence
    raw = [pair.test.p for column in found.columns for pair in column.pairs]
    ours = [pair.adjusted for column in found.columns for pair in column.pairs]
    assert ours == pytest.approx(multipletests(raw, method="holm")[1])
    assert len(found.as_frame()) == 12
    _, bili, _, _ = found.columns
    effect, logs = bili.pairs[0].effect, np.log(frame["bili"].to_numpy())
    assert effect.name == "ratio of geometric means"
    assert effect.estimate == pytest.approx(np.exp(logs[:40].mean() - logs[40:64].mean()))


def test_costs_with_zeros_are_tested_in_two_parts():
    random, labels = np.random.default_rng(0), np.repeat([0, 1], 60)
    costs = np.where(random.random(120) < 0.3 + 0.4 * labels, 0.0, random.lognormal(2, 0.4, 120))
    costs[:6] = np.nan
    spec = ColumnSpec("cost", "normal", "validator", transform="log", special={"zero": 0})
    frame, schema = pd.DataFrame({"cost": costs}), Schema([spec])
    found = associations(frame, schema, labels)
    titles = [column.variable.title for column in found.columns]
    assert titles == ["cost = zero", "cost (of those with a number)"]
    zero, number = (column.pairs[0] for column in found.columns)
    parts = [costs[(labels == k) & ~np.isnan(costs)] for k in (0, 1)]
    shares = [np.mean(part == 0) for part in parts]
    assert zero.effect.estimate == pytest.approx(shares[0] - shares[1])
    logs = [np.log(part[part > 0]) for part in parts]
    assert number.test.p == pytest.approx(stats.ttest_ind(*logs, equal_var=False).pvalue)
    assert number.n == tuple(part.size for part in logs)
    assert np.nanmin(Variable.of(frame, schema, "cost").amounts) == 0.0
