"""Counts of parts, joined, are the counts of the whole: the same facts, the same schema."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew

from core import infer_schema, read_table
from core.schema.facts import facts_of, look_at
from core.schema.infer import schema_of
from core.schema.tally import FEWEST_LEVELS, MOST_LEVELS, Shape, Tally, join, tally_of

SHARED = Path(__file__).parents[2].parent / "shared"
TABLES = sorted([*SHARED.glob("data/*/*.csv"), *SHARED.glob("raw-tables/*.csv")])


def _parts(frame: pd.DataFrame, n: int, random: np.random.Generator) -> list[pd.DataFrame]:
    """The rows in n parts cut at random, of which some may be empty."""
    cuts = np.sort(random.integers(len(frame) + 1, size=n - 1))
    return [frame.iloc[a:b] for a, b in zip([0, *cuts], [*cuts, len(frame)], strict=True)]


def _joined(columns) -> Tally:
    return reduce(lambda a, b: join([a, b]), [tally_of(pd.Series(column)) for column in columns])


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_parts_say_what_the_whole_says(path):
    random = np.random.default_rng(0)
    frame = read_table(path)
    frame = frame.iloc[random.permutation(len(frame))].reset_index(drop=True)
    whole = {name: look_at(frame[name], name) for name in frame.columns}
    is_thinned = max(column.n_distinct for column in whole.values()) > MOST_LEVELS
    schema = infer_schema(frame)
    for n in (1, 4, 16):
        parts = _parts(frame, n, random)
        facts = {
            name: facts_of(_joined(part[name] for part in parts), name) for name in frame.columns
        }
        if not is_thinned:
            for name, column in facts.items():
                _assert_same(column, whole[name])
        if is_thinned or n == 16:  # the same facts have one schema
            assert schema_of(facts, frame).to_dict() == schema.to_dict()


def _assert_same(one, other):
    for field in fields(one):
        assert np.array_equal(getattr(one, field.name), getattr(other, field.name)), field.name


def test_there_are_tables_to_look_at():
    if not SHARED.is_dir():
        pytest.skip("The real tables lie outside the repository and are not here.")
    assert len(TABLES) >= 21


@pytest.mark.parametrize(
    "values",
    [
        np.random.default_rng(0).normal(size=60_000),
        np.exp(np.random.default_rng(1).normal(size=60_000)),
        np.arange(60_000.0),
        np.where(np.arange(60_000) % 50, np.random.default_rng(2).normal(40, 5, 60_000), -999.0),
        np.where(np.arange(60_000) % 3, np.random.default_rng(3).gamma(9, 9, 60_000), 0.0),
        np.random.default_rng(4).integers(0, 10**6, 60_000).astype(float),
    ],
    ids=["normal", "log-normal", "row numbers", "a code", "zeros", "whole numbers"],
)
def test_very_many_values_are_thinned_and_mean_the_same(values):
    """Only figures in the reason may be estimates."""
    column = pd.Series(values, name="x")
    whole = join([_joined(np.array_split(values, 7))])
    assert whole.is_thinned
    assert whole.levels.size < MOST_LEVELS
    facts, exact = facts_of(whole, "x"), look_at(column, "x")
    assert facts.n_present == exact.n_present
    assert facts.n_distinct == pytest.approx(exact.n_distinct, rel=5 / np.sqrt(FEWEST_LEVELS))
    is_estimate = facts.n_distinct < facts.n_present
    assert facts.distinct_told.startswith("about ") == is_estimate
    assert exact.distinct_told == f"{exact.n_distinct:,}"
    assert facts.mean == pytest.approx(exact.mean, rel=1e-12, abs=1e-12)
    assert facts.skewness() == pytest.approx(exact.skewness(), rel=1e-9)
    guessed = schema_of({"x": facts}, column.to_frame()).to_dict()
    wanted = schema_of({"x": exact}, column.to_frame()).to_dict()
    for spec in (guessed["columns"][0], wanted["columns"][0]):
        spec.pop("reason")
    assert guessed["columns"] == wanted["columns"]


def test_an_estimate_is_told_in_three_figures_and_no_number_as_minus_0():
    facts = look_at(pd.Series([-0.0, 1.0, 2.5]), "x")
    assert not np.signbit(facts.levels[0])
    told = [replace(facts, n_levels=n, n_present=10**7).distinct_told for n in (9_868, 123_456)]
    assert told == ["about 9,870", "about 123,000"]


def test_what_is_kept_does_not_depend_on_the_parts():
    column = pd.Series(np.random.default_rng(0).gamma(2.0, size=90_000))
    one, other = (
        _joined(np.array_split(column.to_numpy(), 3)),
        _joined(np.array_split(column.to_numpy(), 11)),
    )
    assert np.array_equal(one.levels, other.levels)
    assert np.array_equal(one.counts, other.counts)
    assert one.n_levels == other.n_levels
    texts = (column[:20_000] * 1e6).astype(int).astype(str) + " m"
    one, other = (
        _joined(np.array_split(texts.to_numpy(dtype=object), 3)),
        _joined(np.array_split(texts.to_numpy(dtype=object), 11)),
    )
    assert np.array_equal(one.levels, other.levels)
    assert facts_of(one, "x").kind == "number"


def test_shapes_join_exactly():
    values = np.random.default_rng(0).gamma(1.5, size=5_000)
    ones = np.ones(values.size)
    parts = [Shape.of(v, np.ones(v.size)) for v in np.array_split(values, [10, 10, 900, 4_000])]
    joined = reduce(Shape.joined, parts)
    assert joined.skewness == pytest.approx(Shape.of(values, ones).skewness, rel=1e-12)
    assert joined.skewness == pytest.approx(skew(values), rel=1e-12)


@pytest.mark.parametrize(
    ("parts", "kind", "present"),
    [
        ([[1.0, 2.0], [np.nan, np.nan]], "number", 2),
        ([[1, 2, 3], ["unknown", "4", None]], "text", 5),
        ([[True, False], [True, None]], "text", 3),
        ([[None, None], ["a", "b"]], "text", 2),
        ([[], [1.5]], "number", 1),
    ],
)
def test_parts_may_be_stored_differently(parts, kind, present):
    joined = _joined(pd.Series(part, dtype=None if part else object) for part in parts)
    assert (joined.kind, joined.n_present) == (kind, present)
    assert joined.n_rows == sum(map(len, parts))
    if kind == "text":
        flat = pd.Series([cell for part in parts for cell in part], dtype=object)
        _assert_same(facts_of(joined, "x"), look_at(flat, "x"))


def test_the_skewness_of_numbers_near_the_end_of_floating_point_is_a_number():
    for values in ([0.0, 1.0, 1e130], [1e-320, 2e-320, 3e-320], [-1e300, 0.0, 1e300]):
        shape = Shape.of(np.array(values), np.ones(3))
        joined = shape.joined(shape._replace(mean=-shape.mean))
        assert np.isfinite(shape.skewness)
        assert np.isfinite(joined.skewness)
    assert Shape.of(np.array([0.0, 1.0, 1e90]), np.ones(3)).skewness == pytest.approx(0.5**0.5)
