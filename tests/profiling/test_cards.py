"""Cards: the furthest traits first, in digits people read."""

from __future__ import annotations

import numpy as np
import pytest

from core.profiling.cards import profile_cards, told_apart
from core.schema.encoded import Encoded, Unit
from core.wording import in_digits, percent
from tests.tables.natural_units import ENCODED, FRAME, LABELS


def test_a_card_says_the_furthest_first_with_its_n():
    card = profile_cards(ENCODED, LABELS)[2]
    assert card.size == 10
    first = card.traits[0]
    assert (first.word, first.what) == ("high", "crp")
    assert first.here == in_digits(FRAME["crp"][90:].median())
    assert first.n_observed == FRAME["crp"][90:].count()
    assert len({trait.what.split(" = ")[0] for trait in card.traits}) == len(card.traits)


def test_what_differs_by_less_than_three_tenths_of_a_deviation_is_not_worth_a_line():
    labels = np.repeat([0, 1], 200)
    spread = np.tile(np.r_[-1.0, 1.0], 200)  # of mean 0 and deviation 1 in each cluster
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
    assert (trait.word, trait.here, trait.overall) == ("high", "1.0202", "1.0201")
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
    assert ("frequent", "pain = high", "100 %") in said
    assert {word for word, _, _ in said} == {"frequent"}
    assert not any(what == "oedema = absent" for _, what, _ in said)
