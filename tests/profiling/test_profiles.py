"""Profiles: natural units, and what is observed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.plots.profiles import distribution_figure
from mapdp_studio.core.profiling.by_group import summarise
from mapdp_studio.core.profiling.cards import profile_cards
from mapdp_studio.core.profiling.profiles import (
    ALL,
    column_of_table,
    distribution,
    natural_column,
    natural_columns,
    standardised_differences,
    strongest,
    summary_of,
)
from mapdp_studio.core.schema.encoded import Encoded

RANDOM = np.random.default_rng(8)
LABELS = np.repeat([0, 1, 2], [60, 30, 10])
FRAME = pd.DataFrame(
    {
        "crp": np.exp(RANDOM.normal(1.0 + LABELS, 0.5)),
        "stage": RANDOM.integers(1, 5, 100).astype(float),
        "visits": RANDOM.poisson(2 + LABELS),
        "smokes": RANDOM.choice(["no", "yes"], 100),
        "colour": RANDOM.choice(["red", "blue", "green"], 100),
    }
)
FRAME.loc[::4, "crp"] = np.nan
FRAME.loc[90:, "smokes"] = None
SCHEMA = (
    infer_schema(FRAME)
    .with_column("crp", family="normal", transform="log")
    .with_column("stage", family="binomial", offset=1.0, trials=3)
    .with_column("visits", family="poisson")
)
ENCODED = SCHEMA.encode(FRAME)


@pytest.mark.parametrize("name", ["crp", "stage", "visits"])
def test_amounts_are_summarised_as_pandas_would(name):
    found = summary_of(natural_column(ENCODED, name), LABELS)
    groups = FRAME[name].groupby(LABELS)
    for k, values in [*groups, (ALL, FRAME[name])]:
        row = found.loc[k]
        assert row["n_observed"] == values.count()
        assert row["mean"] == pytest.approx(values.mean())
        assert row["sd"] == pytest.approx(values.std())
        for column, q in (("lower", 0.25), ("median", 0.5), ("upper", 0.75)):
            assert row[column] == pytest.approx(values.quantile(q))


def test_differences_are_in_deviations_of_all_rows_on_the_scale_of_the_model():
    found = standardised_differences(ENCODED, LABELS)
    logs = np.log(FRAME["crp"])
    expected = (logs.groupby(LABELS).mean() - logs.mean()) / logs.std(ddof=0)
    np.testing.assert_allclose(found.loc[("crp", "")], expected)
    red = FRAME["colour"].eq("red")
    p = red.mean()
    expected = (red.groupby(LABELS).mean() - p) / np.sqrt(p * (1 - p))
    np.testing.assert_allclose(found.loc[("colour", "red")], expected)
    assert np.isnan(found.loc[("smokes", "yes"), 2])
    assert strongest(found, 1).index[0] == ("crp", "")
    few = np.where(np.arange(len(LABELS)) < 4, 3, LABELS)
    assert standardised_differences(ENCODED, few, 5)[3].isna().all()


def test_every_observed_value_is_in_one_bar():
    for column in natural_columns(ENCODED):
        spread = distribution(column, LABELS)
        observed = ~np.isnan(column.codes)
        np.testing.assert_array_equal(spread.n_observed, np.bincount(LABELS[observed], minlength=3))
        assert len(spread.labels) == spread.counts.shape[1]
        figure = distribution_figure(spread, [0, 2], ["a", "b", "<c>"], [0, 1, 2])
        assert len(figure.data) == 2
    edges = distribution(natural_column(ENCODED, "crp"), LABELS).edges
    assert edges[0] == pytest.approx(FRAME["crp"].min())
    assert np.diff(np.log(edges)) == pytest.approx(np.diff(np.log(edges))[0])


def test_a_column_that_nobody_has_is_no_reason_to_fail():
    values = np.column_stack([ENCODED.values])
    values[:, ENCODED.names.index("stage")] = np.nan
    empty = Encoded(values, ENCODED.units)
    assert np.isnan(summary_of(natural_column(empty, "stage"), LABELS).loc[0, "median"])
    assert standardised_differences(empty, LABELS).loc[("stage", "")].isna().all()
    assert len(profile_cards(empty, LABELS)) == 3
    assert distribution(natural_column(empty, "stage"), LABELS).counts.sum() == 0


def test_weights_count_as_copies_everywhere():
    weights = np.random.default_rng(0).integers(0, 4, len(LABELS)).astype(float)
    times = weights.astype(int)
    weighted = replace(ENCODED, weights=weights)
    copied, labels = ENCODED.rows(np.repeat(np.arange(len(LABELS)), times)), LABELS.repeat(times)
    found, expected = (
        standardised_differences(encoded, groups)
        for encoded, groups in ((weighted, LABELS), (copied, labels))
    )
    pd.testing.assert_frame_equal(found, expected)
    for column, copy in zip(natural_columns(weighted), natural_columns(copied), strict=True):
        if not column.is_by_levels:
            pd.testing.assert_frame_equal(summary_of(column, LABELS), summary_of(copy, labels))
        lines, of_copies = (summarise(column, LABELS)[1], summarise(copy, labels)[1])
        assert [line[:3] for line in lines.values()] == [line[:3] for line in of_copies.values()]
        found, expected = (distribution(column, LABELS), distribution(copy, labels))
        if found.labels == expected.labels:
            assert np.array_equal(found.counts, expected.counts)


def _spread(cells, order=None):
    """Of each bar: what it stands for, and its rows; the ends of ranges."""
    spread = distribution(column_of_table(cells, order), np.zeros(len(cells), dtype=int))
    return spread.labels, spread.counts[0].tolist(), spread.edges


@pytest.mark.parametrize(
    ("cells", "order", "labels", "counts"),
    [
        (["a", None, "b", "a"], None, ("a", "b"), [2, 1]),
        ([True, False, True], None, ("True", "False"), [2, 1]),
        ([1, 2, 2, 5], None, ("1", "2", "3", "4", "5"), [1, 2, 0, 0, 1]),
        (["high"] * 3 + ["low", "lost"], None, ("high", "low", "lost"), [3, 1, 1]),
        (["high"] * 3 + ["low", "lost"], ("low", "high"), ("low", "high", "lost"), [1, 3, 1]),
    ],
)
def test_few_values_have_a_bar_each_in_their_order(cells, order, labels, counts):
    assert _spread(pd.Series(cells), order) == (labels, counts, None)


def test_many_numbers_are_counted_in_ranges_and_infinity_in_none():
    _, counts, edges = _spread(pd.Series([*np.arange(100.0), np.inf]))
    assert (sum(counts), edges[0], edges[-1]) == (100, 0.0, 99.0)
    assert len(_spread(pd.Series(list(map(str, range(99)))))[0]) == 30
