"""Cards: the furthest traits first, in digits people read."""

from __future__ import annotations

from core.profiling.cards import profile_cards
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
