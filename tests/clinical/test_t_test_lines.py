"""The lines of a study's t-tests: what is tested is what is shown, and has one p-value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.clinical.t_tests import (
    OPPOSED,
    PAPER,
    Choice,
    TTests,
    read_columns,
)
from mapdp_studio.core.clinical.tables import in_words
from mapdp_studio.core.statistics import hypothesis_tests
from mapdp_studio.core.statistics.compare import associations


@pytest.mark.parametrize("kind", ["normal", "skewed", "binomial", "categorical", "time_to_event"])
def test_one_permutation_test_has_one_p_value_wherever_it_is_made(kind, monkeypatch):
    """It was .0186 under t-tests and .0224 under Outcomes."""
    monkeypatch.setattr(hypothesis_tests, "RESAMPLES", 199)
    random, labels = np.random.default_rng(0), np.repeat([0, 1], [80, 15])
    draws = {
        "normal": random.normal(0.4 * labels),
        "skewed": random.lognormal(0.3 * labels, 0.6),
        "binomial": random.binomial(4, 0.4 + 0.1 * labels),
        "categorical": random.choice(["x", "y", "z"], 95),
        "time_to_event": random.exponential(1.0 + labels),
    }
    frame = pd.DataFrame({"a": random.normal(size=95), "b": random.normal(size=95)})
    frame = frame.assign(c=draws[kind], died=random.integers(2, size=95))
    family = "normal" if kind == "skewed" else kind
    more = {"event": "died", "event_codes": (1,)} if kind == "time_to_event" else {}
    specs = [ColumnSpec(name, "normal") for name in "ab"]
    specs.append(ColumnSpec("c", family, "validator", **more))
    specs.append(ColumnSpec("died", "bernoulli", "ignore"))
    schema = Schema(specs)
    (outcome,) = associations(frame, schema, labels, random_state=7).columns
    columns = read_columns(frame, schema)
    tests = TTests(columns, ("a", "b"), labels, ("Group 1", "Group 2"), {}, seed=7)
    test = outcome.pairs[0].test
    assert "permutation" in test.name or "Monte-Carlo" in test.name
    for pair in ((0, 1), (1, 0), (0, None), (1, None)):
        name, p = tests.fitting_test("c", pair, "p")
        assert (name, p) == (f"{test.name}, {test.stopped}".removesuffix(", "), test.p)
    # Which columns are tested beside it changes nothing.
    more = frame.assign(z=random.normal(size=95))[["z", *frame]]
    wider = Schema([ColumnSpec("z", "normal", "validator"), *specs])
    assert associations(more, wider, labels, random_state=7).columns[1].pairs[0].test.p == test.p


@pytest.fixture(scope="module")
def turned() -> tuple[pd.DataFrame, TTests, np.ndarray]:
    """Group 1 is a little higher on x than Group 2; without x, those far lower join it."""
    random, labels = np.random.default_rng(1), np.repeat([0, 1, 2], [100, 90, 40])
    x = random.normal(np.array([0.8, 0.0, -6.0])[labels])
    frame = pd.DataFrame({"x": x, "y": random.normal(4.0 * (labels == 1))})
    again = np.where(labels == 2, 0, labels)
    schema = Schema([ColumnSpec(name, "normal") for name in frame])
    titles = tuple(f"Group {k + 1}" for k in range(3))
    without = {"x": again, "y": labels}
    return (
        frame,
        TTests(read_columns(frame, schema), ("x", "y"), labels, titles, without),
        again,
    )


def test_what_stands_beside_a_p_value_is_of_the_groups_that_were_tested(turned):
    """t = -.0017 stood beside p = .0148, and a difference of the other sign beside p = .0002."""
    frame, tests, again = turned
    lines = tests.lines([(0, 1)], Choice()).set_index("column")
    for name, labels in (("x", again), ("y", tests.labels)):
        parts = [frame.loc[labels == k, name] for k in (0, 1)]
        found, line = stats.ttest_ind(*parts, equal_var=False), lines.loc[name]
        expected = {
            **{"difference": parts[0].mean() - parts[1].mean(), "t": found.statistic},
            **dict(zip(("low", "high"), found.confidence_interval(), strict=True)),
            **{"df": found.df, "p": found.pvalue, "n_1": len(parts[0])},
        }
        got = line[[f"{name}_left_out" for name in expected]].to_numpy(float)
        np.testing.assert_allclose(got, list(expected.values()), rtol=1e-12)
        assert np.sign(line["g"]) == np.sign(line["t_left_out"])
    assert lines["overlap"].to_dict() == {"x": 100 / 140, "y": 1.0}
    # The pair shown was made by the column: it has a test to compare, and no interval.
    assert lines.columns.intersection(["low", "high"]).empty
    assert "interval" not in in_words(lines.assign(test="").loc["x"], "a", "b")[-2]


def test_a_column_differs_where_both_pairs_differ_in_one_direction(turned):
    _, tests, _ = turned
    lines = tests.lines([(0, 1)], Choice()).set_index("column")
    x = lines.loc["x"]
    assert x["judged"] < Choice().alpha / 100
    assert not x["differs"]
    assert x["t"] > 2.0 > -2.0 > x["t_left_out"]
    assert x["remark"] == OPPOSED
    assert lines.loc["y", "differs"]
    assert lines.loc["y", "remark"] == ""
    counts = tests.summary(lines.reset_index(), Choice())
    assert (counts["differ"], counts["opposed"]) == (1, 1)
    # As the paper, by the pair shown alone.
    paper = tests.lines([(0, 1)], PAPER).set_index("column")
    assert paper["differs"].all()
    assert paper.loc["x", "g"] > 0.0


def test_one_pair_has_the_p_values_it_has_among_all(turned):
    """Corrected over the lines in view, a p-value changed with what was looked at."""
    _, tests, _ = turned
    for pairs in (tests.pairs, [(0, None), (1, None), (2, None)]):
        whole = tests.lines(pairs, Choice(correction="Holm"))
        for pair in pairs:
            alone = tests.lines([pair], Choice(correction="Holm")).set_index("column")["judged"]
            of_pair = whole[[one == pair for one in whole["pair"]]].set_index("column")["judged"]
            pd.testing.assert_series_equal(alone.sort_index(), of_pair.sort_index())
    turned_round = tests.lines([(1, 0)], Choice()).set_index("column")["judged"]
    assert turned_round.equals(tests.lines([(0, 1)], Choice()).set_index("column")["judged"])
