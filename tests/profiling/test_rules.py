"""Short rules: found where planted, said as people say them, right as often as they claim."""

import time

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.conditions import (
    AT_LEAST,
    BELOW,
    IS,
    IS_NOT,
    Condition,
    cells_of_table,
)
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.profiling.rules import Rule, Tally, short_rules


def _table(n: int, seed: int = 1) -> pd.DataFrame:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "sex": random.choice(["F", "M"], n),
            "income": np.exp(random.normal(10.0, 0.5, n)).round(2),
            "pain": random.choice(["none", "mild", "severe"], n),
            "children": random.poisson(1.2, n),
        }
    )


def _cells(frame, schema=None):
    schema = schema or infer_schema(frame)
    return cells_of_table(frame, natural_columns(schema.encode(frame)))


def test_a_planted_rule_is_found_and_said():
    frame = _table(600)
    labels = np.where((frame.age >= 45) & (frame.sex == "F"), 1, 0)
    cells = _cells(frame)
    found = short_rules(cells, labels)
    assert found.rules[1].text(cells) == "sex = F and age ≥ 45"
    assert found.rules[1].tally == Tally(labels.sum(), labels.sum(), labels.sum())
    assert found.rules[1].apart.right / found.rules[1].apart.named > 0.97
    assert {*found.in_order} == {*found.rules}


def test_a_special_outcome_that_a_number_would_cover_is_said_to_be_apart():
    random = np.random.default_rng(0)
    cost = np.where(np.arange(600) % 3 == 0, 0.0, random.uniform(20, 90, 600).round())
    frame = pd.DataFrame({"cost": cost, "x": random.normal(size=600)})
    schema = infer_schema(frame).with_column("cost", special={"zero": 0})
    cells = _cells(frame, schema)
    low, high = (
        Condition("cost", word, 50.0).text(cells["cost", False]) for word in (BELOW, AT_LEAST)
    )
    assert (low, high) == ("cost < 50 (0 apart)", "cost ≥ 50")


@pytest.mark.parametrize(
    ("own", "unknown", "text"),
    [
        (lambda f: (f.age >= 40) & (f.age < 60), 0, "age ≥ 40 and < 60"),
        (lambda f: (f.age >= 30) & (f.age < 70), 0.2, "age ≥ 30 and < 70"),
        (lambda f: f.pain != "mild", 0, "pain ≠ mild"),
        (lambda f: f.children == 0, 0, "children = 0"),
        (lambda f: f.sex == "F", 0, "sex = F"),
        (lambda f: f.sex == "M", 0, "sex = M"),
    ],
    ids=["band", "band and holes", "not a level", "an end", "one of two", "the other"],
)
def test_every_kind_of_rule_is_found(own, unknown, text):
    frame = _table(600)
    frame.loc[np.random.default_rng(2).random(600) < unknown, "age"] = np.nan
    schema = infer_schema(frame).with_column("pain", family="categorical")
    cells, labels = _cells(frame, schema), own(frame).to_numpy().astype(int)
    assert short_rules(cells, labels).rules[1].text(cells) == text


def test_a_condition_more_has_to_earn_its_place():
    frame = _table(600)
    odd = np.random.default_rng(4).random(600) < 0.08
    cells, labels = _cells(frame), ((frame.age >= 45) ^ odd).to_numpy().astype(int)
    found = short_rules(cells, labels)
    assert (len(found.rules[1].conditions), len(found.in_order)) == (1, 2)
    few = (frame.age >= 60) & (np.random.default_rng(5).random(600) < 0.3)
    found = short_rules(cells, few.to_numpy().astype(int))
    assert found.rules[1] is not None
    assert [rule.group for rule in found.in_order] == [0], "more often wrong than right"


def test_a_missing_cell_is_not_so():
    frame = pd.DataFrame({"age": [30.0, np.nan, 50.0] * 9, "sex": ["F", None, "M"] * 9})
    schema = infer_schema(frame).with_column("age", family="normal", role="cluster")
    cells = _cells(frame, schema.with_column("sex", family="categorical", role="cluster"))
    for word, value, so in ((AT_LEAST, 40.0, [0, 0, 1]), (BELOW, 40.0, [1, 0, 0])):
        condition = Condition("age", word, value)
        assert condition.covers(cells[condition.key].values)[:3].tolist() == [bool(b) for b in so]
    for word, so in ((IS, [1, 0, 0]), (IS_NOT, [0, 0, 1])):
        place = float(cells["sex", False].levels.index("F"))
        condition = Condition("sex", word, place)
        assert condition.covers(cells["sex", False].values)[:3].tolist() == [bool(b) for b in so]


def test_ends_are_said_as_people_say_them():
    frame = pd.DataFrame({"year": 1960 + np.arange(60), "share": np.arange(60) / 8.0})
    frame["n"] = np.arange(60) % 4
    schema = infer_schema(frame)
    for name in frame:
        schema = schema.with_column(name, family="normal", role="cluster")
    cells = _cells(frame, schema)
    cuts = {
        "year < 1980": Condition("year", BELOW, 1980.0),
        "year ≤ 1978": Condition("year", BELOW, 1979.0),
        "n = 0": Condition("n", BELOW, 1.0),
        "n = 3": Condition("n", AT_LEAST, 2.5),
        "share < 2.5": Condition("share", BELOW, 2.5),
    }
    for words, condition in cuts.items():
        assert condition.text(cells[condition.key]) == words
    both = Rule(0, (cuts["share < 2.5"], cuts["year < 1980"], Condition("share", AT_LEAST, 1.0)))
    assert both.text(cells) == "share ≥ 1 and < 2.5 and year < 1980"


def test_what_is_printed_is_what_rows_say_that_no_rule_was_made_from():
    frame = pd.concat([_table(80, seed).add_suffix(str(seed)) for seed in range(6)], axis=1)
    labels = np.random.default_rng(99).integers(0, 2, 80)
    cells = _cells(frame)
    found = short_rules(cells, labels)
    made = sum(rule.tally.right / rule.tally.named for rule in found.rules) / 2
    apart = sum(rule.apart.right / rule.apart.named for rule in found.rules) / 2
    assert made > 0.6 > 0.55 > apart  # labels that no column tells


def test_of_many_rows_some_are_looked_at_and_all_are_counted():
    frame = _table(60_000)
    labels = np.where(frame.income < 12_000, 2, np.where(frame.pain == "severe", 1, 0))
    labels[:3] = 3  # too few for a rule
    began = time.perf_counter()
    cells = _cells(frame)
    found = short_rules(cells, labels)
    assert time.perf_counter() - began < 10.0
    assert found.rules[3] is None
    sure = [rule.tally for rule in found.in_order]
    assert [t.right / t.named for t in sure] == sorted(t.right / t.named for t in sure)[::-1]
    for k, rule in enumerate(found.rules[:3]):
        holds, tally = rule.holds(cells), rule.tally
        assert tally == Tally(holds.sum(), (holds & (labels == k)).sum(), (labels == k).sum())
        assert tally.right / tally.size > 0.95


def test_a_cut_is_the_roundest_number_that_parts_and_never_below_all():
    wide = pd.DataFrame({"x": [*np.linspace(0.31, 40.0, 60), 40.0], "y": np.arange(61.0) ** 2})
    schema = infer_schema(wide).with_column("x", family="normal", role="cluster")
    x = _cells(wide, schema)["x", False]
    assert x.round_cut(12.34, 17.9) == 17.0
    assert x.round_cut(9.4, 31.0) == 30.0
    assert x.round_cut(30.0, 30.4) == 30.0
    assert x.round_cut(30.0, 34.0) == 34.0
    assert x.round_cut(0.3, 0.31) == 0.31
