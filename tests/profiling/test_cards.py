"""Cards: the furthest traits first, in digits people read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.cards import profile_cards, told_apart
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.wording import percent
from tests.tables.natural_units import ENCODED, FRAME, LABELS


def test_a_card_says_the_furthest_first_with_its_n():
    card = profile_cards(ENCODED, LABELS)[2]
    assert card.size == 10
    first = card.traits[0]
    assert (first.word, first.what) == ("high", "crp")
    assert first.here == f"{FRAME['crp'][90:].median():.1f}"
    assert first.n_observed == FRAME["crp"][90:].count()
    assert len({trait.what.split(" = ")[0] for trait in card.traits}) == len(card.traits)


def test_what_differs_by_less_than_three_tenths_of_a_deviation_is_not_worth_a_line():
    labels = np.repeat([0, 1], 200)
    even = np.tile(np.linspace(-1.0, 1.0, 200), 2)
    spread = even / even.std()  # of mean 0 and deviation 1 in each cluster
    shift = np.where(labels == 0, -1.0, 1.0)
    values = np.column_stack([spread + by * shift for by in (0.25, 0.35)])
    units = tuple(Unit(name, "normal", (name,)) for name in ("near", "far"))
    card = profile_cards(Encoded(values, units), labels)[0]
    assert [(trait.word, trait.what) for trait in card.traits] == [("low", "far")]
    assert card.traits[0].difference == pytest.approx(-0.35 / np.sqrt(1 + 0.35**2))


def _traits(units, values, labels):
    return profile_cards(Encoded(np.column_stack(values), units), labels)


def test_figures_get_the_digits_that_tell_the_group_from_all_rows():
    labels = np.repeat([0, 1], 50)
    near = 1.02 + 1e-4 * np.tile([0.0, 1.0], 50) + 1e-4 * labels
    (trait,) = _traits((Unit("ratio", "normal", ("ratio",)),), [near], labels)[1].traits
    assert (trait.word, trait.here, trait.overall) == ("high", "1.02015", "1.0201")
    assert told_apart(percent, 0.5, 0.5001) == ("50.00 %", "50.01 %")


def test_the_statistic_told_is_the_one_that_differs():
    labels = np.repeat([0, 1], 50)
    # More than half of all rows have none, in both groups; the second has a few large ones.
    days = np.where((labels == 1) & (np.arange(100) % 3 == 0), 9.0, 0.0)
    (trait,) = _traits((Unit("days", "normal", ("days",)),), [days], labels)[1].traits
    assert (trait.word, trait.what) == ("high", "mean days")
    assert float(trait.here) > float(trait.overall) > 0


def test_no_is_never_rare_and_steps_that_are_words_are_not_averaged():
    labels = np.repeat([0, 1], 50)
    pain = np.where(labels == 0, 0, 2).astype(float)
    units = (
        Unit("oedema", "categorical", ("oedema",), {"levels": ("absent", "mild", "severe")}),
        Unit("pain", "binomial", ("pain",), {"levels": ("low", "middle", "high"), "trials": 2}),
    )
    present = np.where(labels == 1, 1 + np.arange(100) % 2, 0).astype(float)
    card = _traits(units, [present, pain], labels)[1]
    said = {(trait.word, trait.what, trait.here) for trait in card.traits}
    assert ("more often", "pain = high", "100 %") in said
    assert {word for word, _, _ in said} == {"more often"}
    assert not any(what == "oedema = absent" for _, what, _ in said)


def test_a_line_needs_five_rows_that_bear_it_out():
    labels = np.repeat([0, 1], [10, 200])
    kinds = Unit("status", "categorical", ("status",), {"levels": ("single", "pair", "yolo")})
    amount = Unit("days", "poisson", ("days",))
    for rows, words in ((2, []), (4, []), (5, ["high", "more often"])):
        status, days = np.tile([0.0, 1.0], 105), np.where(np.arange(210) % 2, 0.0, 1.0)
        status[:rows], days[:10] = 2.0, 0.0
        days[:rows] = 50.0
        (card, _) = _traits((kinds, amount), [status, days], labels)
        assert sorted(trait.word for trait in card.traits) == words, rows


def test_one_mistyped_cell_is_no_trait():
    labels = np.repeat([0, 1], [12, 188])
    income = np.tile(np.linspace(20.0, 60.0, 20), 10).round()
    income[0] = 666_666.0
    (card, _) = _traits((Unit("income", "normal", ("income",)),), [income], labels)
    assert card.traits == ()


def test_a_line_needs_an_interval_that_leaves_out_the_other_rows():
    labels = np.repeat([0, 1], [7, 200])
    yes = Unit("child", "bernoulli", ("child",), {"levels": ("no", "yes")})
    for rows, n_lines in ((5, 0), (7, 1)):  # 71 % and all of seven beside half
        child = np.r_[np.arange(7) < rows, np.tile([0.0, 1.0], 100)]
        (card, _) = _traits((yes,), [child], labels)
        assert len(card.traits) == n_lines, rows


def test_another_level_is_told_where_the_furthest_has_too_few_rows():
    labels = np.repeat([0, 1], [20, 400])
    unit = Unit("status", "categorical", ("status",), {"levels": ("single", "pair", "yolo")})
    status = np.r_[np.repeat([2.0, 1.0, 0.0], [2, 16, 2]), np.tile([0.0, 0.0, 1.0, 0.0], 100)]
    (card, _) = _traits((unit,), [status], labels)
    assert [(trait.word, trait.what) for trait in card.traits] == [("more often", "status = pair")]


def test_figures_have_the_digits_of_their_column():
    random = np.random.default_rng(3)
    labels = np.repeat([0, 1], 100)
    frame = pd.DataFrame(
        {
            "Year_Birth": 1950 + 20 * labels + random.integers(0, 9, 200),
            "latitude": (41.38 + 0.02 * labels + random.normal(0.0, 0.005, 200)).round(5),
            "children": random.poisson(1.0 + 2.0 * labels),
            "income": 30_000.0 + 20_000 * labels + random.integers(0, 5_000, 200),
        }
    )
    schema = infer_schema(frame).with_column("children", family="poisson")
    said = {t.what: t.here for t in profile_cards(schema.encode(frame), labels)[1].traits}
    own = frame[labels == 1]
    assert said["Year_Birth"] == f"{own['Year_Birth'].median():.0f}"
    assert said["latitude"] == f"{own['latitude'].median():.3f}"
    assert said["children"] == f"{own['children'].mean():.1f}"
    assert said["income"] == f"{own['income'].median():,.0f}"


def test_weights_make_no_rows():
    labels = np.repeat([0, 1], [20, 200])
    unit = Unit("status", "categorical", ("status",), {"levels": ("single", "pair", "yolo")})
    status = np.tile([0.0, 1.0], 110)
    status[:4] = 2.0
    amount = np.linspace(0.0, 1.0, 220) + 0.5 * (labels == 0)
    table = Encoded(
        np.column_stack([status, amount]), (unit, Unit("amount", "normal", ("amount",)))
    )
    plain = profile_cards(table, labels)
    (_, tenth) = profile_cards(replace(table, weights=np.full(220, 0.1)), labels)
    assert tenth.traits == plain[1].traits
    for weight in (100.0, 1e-3):  # four rows stay four, however much they count
        weights = np.where(np.arange(220) < 4, weight, 1.0)
        (card, _) = profile_cards(replace(table, weights=weights), labels)
        assert "status = yolo" not in {trait.what for trait in card.traits}
