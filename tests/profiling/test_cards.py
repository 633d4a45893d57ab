"""Cards: the furthest traits first, in digits people read."""

from __future__ import annotations

import numpy as np
import pytest

from core.profiling.cards import profile_cards
from core.schema.encoded import Encoded, Unit
from core.wording import in_digits
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
