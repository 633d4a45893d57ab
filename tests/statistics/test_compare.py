"""Tests, effects, summaries and corrections against scipy and statsmodels called directly."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy import stats
from statsmodels.duration.survfunc import survdiff
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from mapdp_studio.core.families.family import KINDS
from mapdp_studio.core.schema.schema import ColumnSpec, Schema
from mapdp_studio.core.statistics import hypothesis_tests
from mapdp_studio.core.statistics.compare import SHOWN, associations, compare
from mapdp_studio.core.statistics.correct import adjust
from mapdp_studio.core.statistics.group_summaries import summarise
from mapdp_studio.core.statistics.hypothesis_tests import (
    TOO_SKEWED,
    compare_means,
    is_skewed,
)
from mapdp_studio.core.statistics.survival import compare_survival, log_rank_scores
from mapdp_studio.core.statistics.variables import Variable

N_COLUMNS, RESAMPLES, LEVELS = 60, 199, 5


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr(hypothesis_tests, "RESAMPLES", RESAMPLES)


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


def rearranged(parts: list[np.ndarray], statistic, seed: int):
    return stats.permutation_test(
        parts,
        statistic,
        n_resamples=RESAMPLES,
        vectorized=True,
        alternative="two-sided" if len(parts) == 2 else "greater",
        rng=np.random.default_rng(seed),
    )


def welch(*parts, axis=-1):
    test = stats.ttest_ind if len(parts) == 2 else stats.f_oneway
    return test(*parts, axis=axis, equal_var=False)


def between(*groups, axis=-1):
    """Of scores that add up to 0: a difference of means, or the sum of squares between groups."""
    means = [group.mean(axis=axis) for group in groups]
    if len(groups) == 2:
        return means[0] - means[1]
    return sum(g.shape[axis] * mean**2 for g, mean in zip(groups, means, strict=True))


def direct_p(kind: str, parts: list[np.ndarray], events: list, few: bool, seed: int) -> float:
    """The p-value, straight from scipy and statsmodels."""
    if kind == "count" and len(parts) == 2:
        if not all(part.sum() for part in parts):
            had = [[(part > 0).sum(), (part == 0).sum()] for part in parts]
            return stats.fisher_exact(had).pvalue
        ratio, error, dof = sandwich(parts)
        return 2 * stats.t.sf(abs(ratio / error), dof)
    if kind in ("measurement", "rating", "count"):
        if few or is_skewed(parts):
            return rearranged(parts, lambda *p, axis: welch(*p, axis=axis).statistic, seed).pvalue
        return welch(*parts).pvalue
    if kind in ("yes/no", "category"):
        table = np.array([np.bincount(p.astype(int), minlength=LEVELS) for p in parts])
        table = table[:, table.any(axis=0)]
        if not few and stats.contingency.expected_freq(table).min() >= 5:
            return stats.chi2_contingency(table, correction=False).pvalue
        draws = stats.MonteCarloMethod(RESAMPLES, rng=np.random.default_rng(seed))
        return stats.fisher_exact(table, method=None if table.shape == (2, 2) else draws).pvalue
    time, event = np.concatenate(parts), np.concatenate(events).astype(float)
    group = np.repeat(range(len(parts)), [p.size for p in parts])
    if not few:
        return survdiff(time, event, group)[1]
    scores = log_rank_scores(time, event)
    return rearranged([scores[group == k] for k in range(len(parts))], between, seed).pvalue


def direct_effect(kind: str, a: np.ndarray, b: np.ndarray, seed: int) -> list[float]:
    """Estimate and interval, straight from scipy and statsmodels."""
    if kind == "yes/no":
        counts = a.sum(), a.size, b.sum(), b.size
        interval = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
        return [a.mean() - b.mean(), *interval]
    if kind == "category":
        table = np.array([np.bincount(p.astype(int), minlength=LEVELS) for p in (a, b)])
        return [stats.contingency.association(table[:, table.any(axis=0)], method="cramer")]
    if kind == "count":
        ratio, error, dof = sandwich([a, b])
        reach = stats.t.ppf(0.975, dof) * error
        return list(np.exp([ratio, ratio - reach, ratio + reach]))
    found, middle = welch(a, b), a.mean() - b.mean()
    if min(a.size, b.size) >= 20 and not is_skewed([a, b]):
        return [middle, *found.confidence_interval(0.95)]
    again = rearranged([a, b], lambda *p, axis: welch(*p, axis=axis).statistic, seed)
    ends = np.sort(again.null_distribution)[[-5, 4]]  # of 199: p is 2 x 5 / 200
    return [middle, *(middle - ends * middle / found.statistic)]


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
                else:
                    few = min(found.n) < 20
                    p = direct_p(kind, parts, events, few, seed)
                    assert test.p == pytest.approx(p, rel=1e-9, abs=1e-14)
                    tested += 1
                # Hazard ratios are judged by lifelines.
                if kind != "time to event" and (effect.low is not None or "V" in effect.name):
                    assert ours == pytest.approx(direct_effect(kind, *parts, seed), rel=1e-7)
                    measured += 1
    assert min(tested, refused) > 25
    assert measured > 20 or kind == "time to event"


@pytest.mark.parametrize(
    ("smallest", "said"),
    [
        (10, ""),
        (9, "described, not tested"),
        (5, "described, not tested"),
        (4, "not shown"),
    ],
)
def test_groups_of_ten_are_tested_and_those_of_five_described(smallest, said):
    labels = np.repeat([0, 1], [30, smallest])
    variable = Variable("x", "measurement", np.random.default_rng(4).normal(size=labels.size))
    found = compare(variable, labels, (0, 1), 0)
    assert (found.test.p is None) == bool(said)
    assert said in found.test.reason
    assert summarise(variable, labels, 1, SHOWN).hidden == (smallest < 5)


def counts(random, n, wide):
    return random.poisson(2.0 * (random.gamma(1 / 1.5, 1.5, n) if wide else 1.0), n).astype(float)


def log_normal(random, n, wide):
    sd = 0.9 if wide else 0.35
    return np.exp(sd * random.normal(size=n) - sd**2 / 2)


def skewed_alike(random, n, wide):
    return np.exp(1.5 * random.normal(size=n) - 1.5**2 / 2)


@pytest.mark.parametrize("draw", [counts, log_normal, skewed_alike])
@pytest.mark.parametrize("sizes", [(264, 26), (200, 12)], ids=str)
def test_equal_means_are_no_finding_and_lie_inside(draw, sizes):
    """Whatever the spreads; of equal log-normal groups Welch's test alone rejects 14 %."""
    rejected, refused, sets = 0, 0, 150
    kind = "count" if draw is counts else "measurement"
    for seed in range(sets):
        random = np.random.default_rng([seed, *sizes])
        values = np.concatenate([draw(random, n, n < 30) for n in sizes])
        found = compare(Variable("x", kind, values), np.repeat([0, 1], sizes), (0, 1), seed)
        assert found.test.p is not None or found.test.reason == TOO_SKEWED
        rejected += found.test.p is not None and found.test.p <= 0.05
        if found.test.p is None:
            refused += 1
            assert found.effect.reason == TOO_SKEWED
            assert found.effect.low is None is not found.effect.estimate
        elif kind == "measurement":  # the interval holds what the test does not reject
            assert (found.effect.low > 0 or found.effect.high < 0) == (found.test.p <= 0.05)
    assert (refused > 0) == (min(sizes) < 20 and kind == "measurement")
    # Nominal 5 %: 8 % and three standard errors of so few tables.
    assert rejected <= sets * (0.08 + 3 * np.sqrt(0.05 * 0.95 / sets))


def test_symmetric_columns_are_rarely_called_too_skewed_and_shifts_are_found():
    called = found = 0
    for random in map(np.random.default_rng, range(200)):
        groups = [random.normal(size=200), random.normal(1.2, size=12)]
        test = compare_means(groups, True, random)
        called, found = called + (test.p is None), found + (test.p is not None and test.p < 0.05)
    assert called <= 10
    assert found >= 160


def test_a_p_value_that_stops_where_rearrangements_end_says_so():
    apart, events = [np.arange(1.0, 16.0), np.arange(100.0, 115.0)], [np.ones(15)] * 2
    found = compare_survival(apart, events, True, np.random.default_rng(0))
    assert found.p == found.floor == 2 / (RESAMPLES + 1)
    said = f"\u2264 {found.floor:g}, the smallest that {RESAMPLES:,} rearrangements can show"
    assert (found.p_text, found.stopped) == (said, f"p {said}.")
    known = compare_survival(apart, events, False, np.random.default_rng(0))
    assert (known.p_text, known.stopped) == ("< 0.001", "")


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
    raw = [pair.test.p for column in found.columns for pair in column.pairs]
    ours = [pair.adjusted for column in found.columns for pair in column.pairs]
    assert ours == pytest.approx(multipletests(raw, method="holm")[1])
    assert len(found.as_frame()) == 12
    _, bili, _, time = found.columns
    assert len(time.missing) == 3
    effect, logs = bili.pairs[0].effect, np.log(frame["bili"].to_numpy())
    assert (effect.name, effect.null) == ("ratio of geometric means", 1.0)
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
    # Whose cell is missing is told once; a number of 0 is not missing.
    assert [len(column.missing) for column in found.columns] == [1, 0]
    assert np.nanmin(Variable.of(frame, schema, "cost").amounts) == 0.0
