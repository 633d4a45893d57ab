"""The clinical page's tests, effects and corrections against scipy and statsmodels called directly.

A hundred random columns of every kind, with groups of every size and every way to degenerate:
nothing observed in a group, one value only, no events, groups that do not overlap.
"""

from __future__ import annotations

import math
import warnings

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
from mapdp_studio.core.statistics import hypothesis_tests
from mapdp_studio.core.statistics.compare import SHOWN, Comparison, associations, compare
from mapdp_studio.core.statistics.group_summaries import summarise
from mapdp_studio.core.statistics.hypothesis_tests import CORRECTED, skewness_of_means
from mapdp_studio.core.statistics.survival import log_rank_scores
from mapdp_studio.core.statistics.variables import Variable

N_COLUMNS, RESAMPLES, LEVELS = 100, 199, 5


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr(hypothesis_tests, "RESAMPLES", RESAMPLES)
    # Streams that the judges below can have, too.
    monkeypatch.setattr(
        "mapdp_studio.core.statistics.compare.stream", lambda seed, _: np.random.default_rng(seed)
    )


def random_column(kind: str, seed: int) -> tuple[Variable, np.ndarray]:
    """A column of that kind and groups 0, 1, 2; every fifth or so degenerates in some way."""
    random = np.random.default_rng(seed)
    sizes = random.choice([3, 7, 12, 25, 60], size=3)
    labels = random.permutation(np.repeat(np.arange(3), sizes))
    shift = random.choice([0.0, 0.5]) * labels
    draws = {
        "measurement": random.normal(size=labels.size) + shift,
        "rating": np.minimum(random.binomial(LEVELS - 1, 0.4, labels.size) + 2 * shift, LEVELS - 1),
        "yes/no": random.random(labels.size) < random.choice([0.05, 0.3]) + 0.3 * shift,
        "category": random.integers(random.integers(2, LEVELS + 1), size=labels.size),
        "count": random.poisson(random.choice([0.2, 2.0]) * (1.0 + shift)),
        "time to event": random.exponential(1.0 + shift).round(1),
    }
    values = draws[kind].astype(np.float64)
    if kind == "count" and random.random() < 0.3:
        values *= random.integers(0, 4, labels.size)
    events = random.random(labels.size) < 0.6
    how = random.integers(10)
    if how == 0:
        values[labels == 0] = np.nan
    elif how == 1:
        values[:] = 0.0
        events[:] = False
    elif how == 2:
        values[labels == 0] = 0.0
        values[labels > 0] = 1.0 if kind in ("yes/no", "category") else 3.0
    elif how == 3:
        values[labels == 0] = values[0] = 0.0
    values[random.random(labels.size) < 0.1] = np.nan
    width = {"yes/no": 2, "rating": LEVELS, "category": LEVELS}.get(kind, 0)
    of_time = kind == "time to event"
    return Variable(kind, kind, values, tuple(range(width)), events if of_time else None), labels


def parts_of(variable: Variable, labels: np.ndarray, groups) -> list[np.ndarray]:
    return [variable.values[(labels == g) & ~np.isnan(variable.values)] for g in groups]


def permutation(seed: int) -> stats.PermutationMethod:
    return stats.PermutationMethod(n_resamples=RESAMPLES, rng=np.random.default_rng(seed))


def direct_p(variable: Variable, labels: np.ndarray, groups, few: bool, seed: int) -> float:
    """The p-value of the page's table, straight from scipy and statsmodels."""
    parts = parts_of(variable, labels, groups)
    kind, two = variable.kind, len(groups) == 2
    if kind in ("measurement", "rating"):
        if two and skewness_of_means(parts) > CORRECTED:
            welch = stats.ttest_ind(*parts, equal_var=False)
            return max(2 * stats.t.sf(abs(less_skewed(*parts)), welch.df), welch.pvalue)
        if two:
            return stats.ttest_ind(*parts, equal_var=False).pvalue
        return stats.f_oneway(*parts, equal_var=False).pvalue
    if kind in ("yes/no", "category"):
        table = np.array([np.bincount(p.astype(int), minlength=LEVELS) for p in parts])
        table = table[:, table.any(axis=0)]
        if not few and stats.contingency.expected_freq(table).min() >= 5:
            return stats.chi2_contingency(table, correction=False).pvalue
        if table.shape == (2, 2):
            return stats.fisher_exact(table).pvalue
        rng = np.random.default_rng(seed)
        method = stats.MonteCarloMethod(n_resamples=RESAMPLES, rng=rng)
        return stats.fisher_exact(table, method=method).pvalue
    if kind == "count":
        return count_p(parts, few, seed)
    time, group = np.concatenate(parts), np.repeat(range(len(parts)), [p.size for p in parts])
    if kind == "time to event":
        rows = np.concatenate(
            [np.flatnonzero((labels == g) & ~np.isnan(variable.values)) for g in groups]
        )
        if not few:
            return survdiff(time, variable.events[rows].astype(float), group)[1]
        scores = log_rank_scores(time, variable.events[rows])
        parts = [scores[group == k] for k in range(len(parts))]

    if two:

        def statistic(a, b, axis):
            return a.mean(axis=axis) - b.mean(axis=axis)

        return permuted(statistic, parts, "two-sided", seed)

    def statistic(*groups, axis):
        means = [g.mean(axis=axis, keepdims=True) for g in groups]
        total = np.concatenate(groups, axis=axis).mean(axis=axis, keepdims=True)
        squares = [g.shape[axis] * (m - total) ** 2 for g, m in zip(groups, means, strict=True)]
        return sum(squares).sum(axis=axis)

    return permuted(statistic, parts, "greater", seed)


def less_skewed(a, b, axis=-1):
    """Hall's transformation of Welch's t: the cube that undoes its skewness."""
    with np.errstate(all="ignore"):
        t = stats.ttest_ind(a, b, equal_var=False, axis=axis).statistic
        error = np.hypot(stats.sem(a, axis=axis), stats.sem(b, axis=axis))
        third = [
            np.mean((part - part.mean(axis=axis, keepdims=True)) ** 3, axis=axis) for part in (a, b)
        ]
        g = (third[0] / a.shape[axis] ** 2 - third[1] / b.shape[axis] ** 2) / error**3
        straight = np.abs(g) < 1e-12
        bent = ((1 + g * t / 3) ** 3 - 1) / np.where(straight, 1.0, g) + g / 6
        return np.where(error == 0, np.inf, np.where(straight, t, bent))


def count_p(parts: list[np.ndarray], few: bool, seed: int) -> float:
    """Poisson regressions with a sandwich variance, Welch's F, or a table of any event."""
    if len(parts) > 2:
        return stats.f_oneway(*parts, equal_var=False).pvalue
    if not all(part.sum() for part in parts):
        return stats.fisher_exact([[(part > 0).sum(), (part == 0).sum()] for part in parts]).pvalue
    ratio, error, dof = sandwich(parts)
    return 2 * stats.t.sf(abs(ratio / error), dof)


def sandwich(parts: list[np.ndarray]) -> tuple[float, float, float]:
    """Log rate ratio of two Poisson regressions on a constant, with n/(n-1) in the variance."""
    fits = [
        sm.GLM(p, np.ones(p.size), family=sm.families.Poisson()).fit(cov_type="HC0", tol=1e-14)
        for p in parts
    ]
    variances = np.array(
        [f.bse[0] ** 2 * p.size / (p.size - 1) for f, p in zip(fits, parts, strict=True)]
    )
    total = variances.sum()
    dof = total**2 / sum(v**2 / (p.size - 1) for v, p in zip(variances, parts, strict=True))
    return fits[0].params[0] - fits[1].params[0], np.sqrt(total), dof


def permuted(statistic, parts, alternative, seed) -> float:
    return stats.permutation_test(
        parts,
        statistic,
        n_resamples=RESAMPLES,
        vectorized=True,
        alternative=alternative,
        rng=np.random.default_rng(seed),
    ).pvalue


def direct_effect(variable: Variable, parts: list[np.ndarray]) -> tuple[float, ...]:
    """Estimate and interval, straight from scipy and statsmodels."""
    a, b = parts
    if variable.kind in ("measurement", "rating"):
        welch = stats.ttest_ind(a, b, equal_var=False)
        interval = welch.confidence_interval(0.95)
        if skewness_of_means(parts) > CORRECTED:
            # Differences that Welch's test or the corrected one does not reject, by search.
            reach, middle = stats.t.ppf(0.975, welch.df), a.mean() - b.mean()
            width = 50 * (interval.high - interval.low)
            ends = [
                optimize.brentq(
                    lambda d, t=t: less_skewed(a - d, b) - t, middle - width, middle + width
                )
                for t in (reach, -reach)
            ]
            interval = min(interval.low, ends[0]), max(interval.high, ends[1])
        return a.mean() - b.mean(), *interval
    if variable.kind == "yes/no":
        counts = a.sum(), a.size, b.sum(), b.size
        interval = confint_proportions_2indep(*counts, method="newcomb", compare="diff")
        return a.mean() - b.mean(), *interval
    if variable.kind == "category":
        table = np.array([np.bincount(p.astype(int), minlength=LEVELS) for p in parts])
        table = table[:, table.any(axis=0)]
        return (stats.contingency.association(table, method="cramer"),)
    ratio, error, dof = sandwich(parts)
    reach = stats.t.ppf(0.975, dof) * error
    return np.exp(ratio), np.exp(ratio - reach), np.exp(ratio + reach)


def quietly(function, *arguments):
    """What a function of the libraries returns; its warnings are ours to spare the user."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments)


def assert_whole(found: Comparison) -> None:
    """A number, or the words why there is none; never NaN."""
    assert (found.test.p is None) == bool(found.test.reason), found
    if found.test.p is None:
        assert found.test.statistic is None
    for effect in (found.effect,):
        assert all(number is not None for number in (effect.estimate, effect.low, effect.high)) or (
            effect.reason
        ), found
    numbers = [found.test.statistic, found.test.p]
    numbers += [x for e in (found.effect, found.second) for x in (e.estimate, e.low, e.high)]
    assert all(math.isfinite(number) for number in numbers if number is not None), found


@pytest.mark.parametrize("kind", [*KINDS, "time to event"])
def test_tests_and_intervals_are_those_of_scipy_and_statsmodels(kind):
    tested = measured = refused = 0
    for seed in range(N_COLUMNS):
        variable, labels = random_column(kind, seed)
        for groups in ((0, 1), (0, 1, 2)):
            found = compare(variable, labels, groups, seed)
            assert_whole(found)
            smallest = min((p.size for p in parts_of(variable, labels, found.groups)), default=0)
            assert found.n == tuple(p.size for p in parts_of(variable, labels, found.groups))
            if found.test.p is None:
                refused += 1
            else:
                assert smallest >= 10
                p = quietly(direct_p, variable, labels, found.groups, smallest < 20, seed)
                assert found.test.p == pytest.approx(p, rel=1e-9, abs=1e-14)
                tested += 1
            # Hazard ratios are judged by lifelines.
            if kind != "time to event" and (
                found.effect.low is not None or found.effect.name.startswith("Cram")
            ):
                parts = parts_of(variable, labels, found.groups)
                direct = quietly(direct_effect, variable, parts)
                effect = found.effect
                ours = [x for x in (effect.estimate, effect.low, effect.high) if x is not None]
                assert ours == pytest.approx(list(direct), rel=1e-7)
                measured += 1
    assert tested > 60
    assert refused > 40
    assert measured > 30 or kind == "time to event"


def test_the_interval_of_a_skewed_column_agrees_with_its_test():
    agreed = corrected = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        labels = np.repeat([0, 1], [150, 24])
        variable = Variable("x", "measurement", random.lognormal(0.5 * labels, 0.9))
        found = compare(variable, labels, (0, 1), 0)
        corrected += "correction" in found.test.name
        without = found.effect.low > 0 or found.effect.high < 0
        agreed += without == (found.test.p < 0.05)
    assert agreed == 60
    assert corrected > 50


def test_where_nothing_holds_its_level_there_is_neither_test_nor_interval():
    labels = np.repeat([0, 1], [150, 12])
    quantiles = [stats.lognorm.ppf((np.arange(n) + 0.5) / n, 1.5) for n in (150, 12)]
    variable = Variable("x", "measurement", np.concatenate(quantiles))
    found = compare(variable, labels, (0, 1), 3)
    assert found.test.p is None
    assert found.effect.low is None
    assert found.effect.estimate is not None
    assert "Not testable at this size" in found.effect.reason


def test_costs_with_zeros_are_tested_in_two_parts():
    random = np.random.default_rng(0)
    labels = np.repeat([0, 1], 60)
    costs = np.where(random.random(120) < 0.3 + 0.4 * labels, 0.0, random.lognormal(2, 0.4, 120))
    costs[:6] = np.nan
    spec = ColumnSpec("cost", "normal", "validator", transform="log", special={"zero": 0})
    frame, schema = pd.DataFrame({"cost": costs}), Schema([spec])
    found = associations(frame, schema, labels)
    assert [column.variable.title for column in found.columns] == [
        "cost = zero",
        "cost (of those with a number)",
    ]
    zero, number = (column.pairs[0] for column in found.columns)
    parts = [costs[(labels == k) & ~np.isnan(costs)] for k in (0, 1)]
    shares = [np.mean(part == 0) for part in parts]
    assert zero.effect.estimate == pytest.approx(shares[0] - shares[1])
    logs = [np.log(part[part > 0]) for part in parts]
    assert number.test.p == pytest.approx(stats.ttest_ind(*logs, equal_var=False).pvalue)
    assert number.n == tuple(part.size for part in logs)
    # Whose cell is missing is told once; a number of 0 is not missing.
    assert [len(column.missing) for column in found.columns] == [1, 0]
    assert found.pairs_adjusted.sentence.startswith("Holm over 2")
    assert np.nanmin(Variable.of(frame, schema, "cost").amounts) == 0.0


def test_log_columns_compare_geometric_means():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"bili": np.exp(random.normal(size=80))})
    schema = Schema([ColumnSpec("bili", "normal", "validator", transform="log")])
    labels = np.repeat([0, 1], 40)
    (column,) = associations(frame, schema, labels).columns
    effect, logs = column.pairs[0].effect, np.log(frame["bili"].to_numpy())
    assert effect.name == "ratio of geometric means"
    assert effect.estimate == pytest.approx(np.exp(logs[:40].mean() - logs[40:].mean()))
    assert column.groups[0].numbers["median"] == pytest.approx(np.median(frame["bili"][:40]))


def test_a_table_is_read_tested_and_corrected():
    random = np.random.default_rng(3)
    n = 90
    frame = pd.DataFrame(
        {
            "age": random.normal(60, 8, n),
            "sex": random.choice(["f", "m"], n),
            "stage": random.integers(1, 5, n),
            "time": random.exponential(5, n),
            "status": random.choice([0, 1, 2], n),
            "lost": random.choice(["a", None], n),
        }
    )
    specs = [
        ColumnSpec("age", "normal", "validator"),
        ColumnSpec("sex", "bernoulli", "validator", levels=("f", "m")),
        ColumnSpec("stage", "binomial", "validator", trials=3, offset=1),
        ColumnSpec("time", "time_to_event", "validator", event="status", event_codes=(2,)),
        ColumnSpec("status", "categorical", "ignore", missing_codes=(1,)),
        ColumnSpec("lost", "bernoulli", "validator"),
    ]
    labels = np.repeat([0, 1, 2, 3], [40, 30, 17, 3])
    found = associations(frame, Schema(specs), labels)
    assert [column.variable.name for column in found.columns] == ["age", "sex", "stage", "time"]
    assert "one value only" in found.refused["lost"]
    assert found.left_out == (3,)
    assert found.pairs_adjusted.family_size == 12
    time = found.columns[3]
    assert time.variable.values[frame["status"] == 1].size == np.isnan(time.variable.values).sum()
    raw = [pair.test.p for column in found.columns for pair in column.pairs]
    theirs = multipletests(raw, method="holm")[1]
    ours = [pair.adjusted for column in found.columns for pair in column.pairs]
    assert ours == pytest.approx(theirs)
    assert len(found.as_frame()) == 12
    assert len(time.missing) == 3
    again = associations(frame, Schema(specs), labels, ["sex", "stage"])
    assert again.columns[0].groups[0].text == found.columns[1].groups[0].text


@pytest.mark.parametrize(
    ("smallest", "tested", "said"),
    [
        (10, True, ""),
        (9, False, "described, not tested"),
        (5, False, "described, not tested"),
        (4, False, "not shown"),
    ],
)
def test_groups_of_ten_are_tested_and_those_of_five_described(smallest, tested, said):
    labels = np.repeat([0, 1], [30, smallest])
    variable = Variable("x", "measurement", np.random.default_rng(4).normal(size=labels.size))
    found = compare(variable, labels, (0, 1), 0)
    assert (found.test.p is not None) == tested
    assert said in found.test.reason
    assert summarise(variable, labels, 1, SHOWN).hidden == (smallest < 5)
