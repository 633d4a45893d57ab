"""The t-tests of every column against scipy, and the ones from groups found without the column."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, infer_schema
from mapdp_studio.core.clinical import t_tests
from mapdp_studio.core.clinical.groups import Subgroups
from mapdp_studio.core.clinical.verdict import means_of
from mapdp_studio.core.partitions.scores import match_labels
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.statistics.compare import associations
from mapdp_studio.core.statistics.variables import Variable

RANDOM = np.random.default_rng(3)
GROUP = np.repeat([0, 1, 2], [60, 45, 25])
N = GROUP.size


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Three groups on six columns of every kind, one block, an outcome, and empty cells."""
    table = pd.DataFrame(
        {
            "walk": RANDOM.normal(60.0 - 9 * GROUP, 2.0),
            "bilirubin": np.exp(RANDOM.normal(0.2 + 1.2 * (GROUP == 1), 0.4)),
            "stage": RANDOM.binomial(4, 0.15 + 0.35 * GROUP) + 1,
            "falls": RANDOM.poisson(1.0 + 5 * (GROUP == 2)),
            "tremor": np.where(RANDOM.random(N) < 0.1 + 0.8 * (GROUP == 1), "yes", "no"),
            "height": RANDOM.normal(170 + 14 * (GROUP == 2), 5.0),
            "mass": RANDOM.normal(70 + 14 * (GROUP == 2), 5.0),
            "noise": RANDOM.normal(size=N),
            "ward": RANDOM.choice(["a", "b", "c"], N),
            "age": RANDOM.normal(60.0 + 4 * GROUP, 8.0),
        }
    )
    return table.mask(RANDOM.random(table.shape) < 0.05)


@pytest.fixture(scope="module")
def schema(frame):
    guessed = infer_schema(frame).with_column("bilirubin", family="normal", transform="log")
    guessed = guessed.with_column("age", role="validator").with_column("ward", role="cluster")
    return guessed.with_block("size", ["height", "mass"], "gaussian")


@pytest.fixture(scope="module")
def model(frame, schema):
    return MAPDP(1.0, random_state=0).fit(frame, schema)


def columns_tested(model, frame, schema, pair=(0, 1), equal_variances=False, left_out=True):
    tests = of_model(model, frame, schema)
    without = t_tests.leave_out(tests, Subgroups.of(model)).left_out if left_out else {}
    columns = {name: tests.columns[name] for name in tests.clustered}
    return t_tests.t_table(columns, model.labels_, pair, equal_variances, without)


def of_model(model, frame, schema) -> t_tests.TTests:
    columns, titles = t_tests.read_columns(frame, schema), Subgroups.of(model).titles
    return t_tests.TTests(columns, schema.names("cluster"), model.labels_, titles)


def assert_scipy_s(line, first, second, equal_variances=False, end="") -> None:
    first, second = (values[~np.isnan(values)] for values in (first, second))
    found = stats.ttest_ind(first, second, equal_var=equal_variances)
    expected = {"t": found.statistic, "df": found.df, "p": found.pvalue}
    expected |= {"n_1": first.size, "n_2": second.size, "mean_1": first.mean()}
    expected |= {"sd_2": second.std(ddof=1), "difference": first.mean() - second.mean()}
    if f"low{end}" in line:
        interval = found.confidence_interval(0.95)
        expected |= {"low": interval.low, "high": interval.high}
    got = line[[f"{name}{end}" for name in expected]].to_numpy(float)
    np.testing.assert_allclose(got, list(expected.values()), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("equal_variances", [False, True])
@pytest.mark.parametrize("pair", [(0, 1), (2, 0), (1, None)])
def test_every_figure_is_scipy_s_on_the_same_rows(frame, schema, model, pair, equal_variances):
    table = columns_tested(model, frame, schema, pair, equal_variances, left_out=False)
    assert tuple(table.columns) == t_tests.FIELDS
    assert "age" not in table.index
    labels, (a, b) = model.labels_, pair
    for name in table.index.drop("ward"):
        values = frame[name].map(lambda cell: {"yes": 1, "no": 0}.get(cell, cell)).to_numpy(float)
        second = values[labels != a] if b is None else values[labels == b]
        assert_scipy_s(table.loc[name], values[labels == a], second, equal_variances)
    assert "no mean" in table.loc["ward", "remark"]
    assert table.loc["ward", ["t", "p", "p_left_out"]].isna().all()


def test_a_column_is_tested_between_groups_found_without_it(frame, schema, model):
    table = columns_tested(model, frame, schema)
    # The same by hand for one column, and for one of a block.
    for name, gone in (("noise", ["noise"]), ("height", ["height", "mass"])):
        fewer = schema.without_block("size") if "height" in gone else schema
        fewer = fewer.with_columns(dict.fromkeys(gone, "ignore"))
        again = MAPDP(1.0, random_state=0).fit(frame, fewer).labels_
        again = match_labels(model.labels_, again)
        parts = (frame.loc[again == k, name].to_numpy() for k in (0, 1))
        assert_scipy_s(table.loc[name], *parts, end="_left_out")
    assert table.loc["walk", "p_left_out"] < 1e-6
    assert (table["remark"] == "").sum() == len(table) - 1


@pytest.mark.parametrize(("merges", "n", "n_seeds"), [(False, 60, 9), (True, 100, 6)])
def test_columns_left_out_hold_the_level_where_there_are_no_groups(merges, n, n_seeds):
    """Log-normal columns that a normal model splits: naive tests reject, these hardly do."""
    naive, left_out = [], []
    for seed in range(n_seeds):
        random = np.random.default_rng(seed)
        frame = pd.DataFrame(np.exp(0.7 * random.normal(size=(n, 5))), columns=list("abcde"))
        schema = Schema([ColumnSpec(name, "normal") for name in frame])
        model = MAPDP(random_state=0, patience=5).fit(frame, schema)
        if model.n_clusters_ > 1:
            groups = Subgroups.of(model, how_many(model).n_groups if merges else None)
            table = columns_tested(groups.model, frame, schema)
            naive += table["p"].tolist()
            left_out += table["p_left_out"].dropna().tolist()
    assert len(left_out) >= 15
    assert np.mean(np.array(naive) < 0.05) > 0.4
    assert np.mean(np.array(left_out) < 0.05) < 0.15


def test_the_column_that_differs_most_is_left_out_first_and_the_work_can_be_stopped(
    frame, schema, model
):
    tests, left_out = of_model(model, frame, schema), []
    lines = tests.lines()
    largest = lines.loc[t_tests.hedges_g(lines).abs().idxmax(), "column"]

    def stop(so_far: t_tests.TTests) -> None:
        left_out.append(list(so_far.left_out))
        if len(left_out) == 2:
            raise RuntimeError("stopped")

    with pytest.raises(RuntimeError, match="stopped"):
        t_tests.leave_out(tests, Subgroups.of(model), share=stop)
    assert left_out[0] == [largest]
    seen = []
    assert {*t_tests.leave_out(tests, Subgroups.of(model), seen.append).left_out} == {
        *tests.clustered
    }
    assert {progress.total for progress in seen} == {8}  # a block counts once


def test_columns_are_left_out_where_no_two_groups_are_large_enough_to_be_compared():
    few = pd.DataFrame({"a": [0.0, 0.1, 0.2, 50, 51, 52], "b": [1.0, 1.1, 0.9, 70, 72, 71]})
    found = MAPDP(random_state=0).fit(few, columns := infer_schema(few))
    tests = t_tests.leave_out(of_model(found, few, columns), Subgroups.of(found))
    assert {*tests.left_out} == {"a", "b"}
    assert tests.lines().empty


def test_a_pair_found_again_for_some_columns_only_pays_for_that(frame, schema, model):
    """Finding a pair again selects: in one case of two, p-values count twice."""
    names, labels = ("walk", "noise", "falls", "stage"), model.labels_
    columns = t_tests.read_columns(frame, schema)
    columns = {name: columns[name] for name in names}
    first, second = (frame.loc[labels == k, "walk"].dropna() for k in (0, 1))
    welch = stats.ttest_ind(first, second, equal_var=False)
    for found, factor in ((4, 1.0), (2, 2.0)):
        without = {n: labels if j < found else 0 * labels for j, n in enumerate(names)}
        table = t_tests.t_table(columns, labels, (0, 1), False, without)
        paid = np.minimum(factor * table["p"], 1.0)[:found]
        np.testing.assert_allclose(table["p_left_out"][:found], paid, rtol=1e-12)
        wider = welch.confidence_interval(1.0 - 0.05 / factor)
        got = table.loc["walk", ["low_left_out", "high_left_out"]].to_numpy(float)
        np.testing.assert_allclose(got, [wider.low, wider.high], rtol=1e-12)
        assert table["p_left_out"][found:].isna().all()
        assert (table["remark"][found:] == t_tests.NOT_FOUND).all()
    # Names without an order are tested as an outcome is, and pay as well.
    again = np.where(np.arange(N) < 6, 1, GROUP)
    without = {"ward": again, "walk": GROUP, "noise": None}
    frame = frame.assign(ward=np.where(np.arange(N) % 5 < 2 + GROUP, "a", "b"))
    tests = t_tests.TTests(
        t_tests.read_columns(frame, schema), ("ward", "walk"), GROUP, tuple("abc"), without, 7
    )
    kept_out = schema.with_columns({"ward": "validator", "age": "ignore"})
    found = associations(frame, kept_out, again, random_state=7).columns[0].pairs[0].test
    assert tests.p_without_mean("ward", (0, 1)) == pytest.approx(1.5 * found.p)
    assert np.isnan(tests.p_without_mean("noise", (0, 1)))


@pytest.mark.parametrize(("n_moved", "overlap"), [(22, 0.5), (23, np.nan)])
def test_a_pair_is_found_again_with_half_of_its_patients_and_more(n_moved, overlap):
    labels = np.repeat([0, 1], [60, 44])
    again = np.where(np.arange(104) < 60 + n_moved, 0, labels)
    columns = {"x": Variable("x", "measurement", np.random.default_rng(0).normal(size=104))}
    line = t_tests.t_table(columns, labels, (0, 1), False, {"x": again}).loc["x"]
    assert line["overlap"] == pytest.approx(overlap, nan_ok=True)
    assert (
        (line["remark"] == t_tests.NOT_FOUND) == np.isnan(line["p_left_out"]) == np.isnan(overlap)
    )


def test_what_cannot_be_is_said(frame, schema, model):
    of_one = np.where(model.labels_ == 1, 2.0, frame["falls"])
    flat = frame.assign(walk=1.0, noise=[3.0] + [np.nan] * (N - 1), falls=of_one)
    table = columns_tested(model, flat, schema, left_out=False)
    assert table.loc["walk", "remark"] == "no spread on either side"
    assert table.loc["noise", "remark"] == "fewer than two values on one side"
    # A p-value too small for floating point is no 0, which would be sure.
    far = flat.assign(noise=np.where(model.labels_ == 0, 1e9, 0.0) + RANDOM.normal(size=N))
    assert columns_tested(model, far, schema, left_out=False).loc["noise", "p"] == t_tests.LEAST_P
    # Spread on the first side alone is enough.
    assert table.loc["falls", "remark"] == ""
    assert table.loc["falls", ["t", "low", "high"]].notna().all()


@pytest.fixture(scope="module")
def turned() -> tuple[pd.DataFrame, t_tests.TTests]:
    """Group 1 is a little higher on x than Group 2; without x, those far lower join it."""
    random, labels = np.random.default_rng(1), np.repeat([0, 1, 2], [100, 90, 40])
    x = random.normal(np.array([0.8, 0.0, -6.0])[labels])
    frame = pd.DataFrame({"x": x, "y": random.normal(4.0 * (labels == 1))})
    schema = Schema([ColumnSpec(name, "normal") for name in frame])
    titles = tuple(f"Group {k + 1}" for k in range(3))
    without = {"x": np.where(labels == 2, 0, labels), "y": labels}
    return frame, t_tests.TTests(
        t_tests.read_columns(frame, schema), ("x", "y"), labels, titles, without
    )


def test_a_column_differs_where_both_pairs_differ_in_one_direction(turned):
    frame, tests = turned
    lines = tests.lines([(0, 1)]).set_index("column")
    x = lines.loc["x"]
    assert x["judged"] < t_tests.TestOptions().alpha / 100
    for end, labels in (("", tests.labels), ("_left_out", tests.left_out["x"])):
        assert_scipy_s(x, *(frame.loc[labels == k, "x"].to_numpy() for k in (0, 1)), end=end)
    assert x["t"] > 2.0 > -2.0 > x["t_left_out"]
    assert x["g"] < 0.0
    assert x["overlap"] == 100 / 140
    assert lines["differs"].to_dict() == {"x": False, "y": True}
    assert lines["remark"].to_dict() == {"x": t_tests.OPPOSED, "y": ""}
    # Nor does its mean: the light asks the same.
    alone = replace(tests, clustered=("x",), left_out={"x": tests.left_out["x"]})
    assert "pair" not in means_of(alone)[0].sentence
    # As the paper, by the pair shown alone.
    paper = tests.lines([(0, 1)], t_tests.PAPER).set_index("column")
    assert paper["differs"].all()
    assert paper.loc["x", "g"] > 0.0


def test_one_pair_has_the_p_values_it_has_among_all(turned):
    """Corrected over the lines in view, a p-value changed with what was looked at."""
    _, tests = turned
    choice = t_tests.TestOptions(correction="Holm")
    for pairs in (tests.pairs, [(0, None), (1, None), (2, None)]):
        whole = tests.lines(pairs, choice)
        for pair in pairs:
            alone = tests.lines([pair], choice).set_index("column")["judged"]
            of_pair = whole[[one == pair for one in whole["pair"]]].set_index("column")["judged"]
            pd.testing.assert_series_equal(alone.sort_index(), of_pair.sort_index())
    turned_round = tests.lines([(1, 0)]).set_index("column")["judged"]
    assert turned_round.equals(tests.lines([(0, 1)]).set_index("column")["judged"])
