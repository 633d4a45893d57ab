"""A part of the laws benchmark: groups do not depend on what says nothing about the rows."""

from __future__ import annotations

import pytest

from mapdp_studio.core.methods import METHODS
from tests.benchmarks.laws import KINDS, LAWS, UNCLAIMED, is_claimed, kept

ORDER = "rows in another order"
SLOW = "MAPViews"
CLAIMING = [name for name in METHODS if is_claimed(name, ORDER, "apart") and name != SLOW]


@pytest.mark.parametrize("law", LAWS)
def test_map_dp_keeps_every_law_that_is_claimed_of_it(law):
    for kind, distance in KINDS.items():
        if is_claimed("MAPDP", law, kind):
            assert kept("MAPDP", law, distance, range(1)).is_kept


@pytest.mark.parametrize("name", CLAIMING)
def test_the_order_of_the_rows_is_nothing_to_the_methods_that_say_so(name):
    assert kept(name, ORDER, KINDS["apart"], range(1)).is_kept


def test_what_is_not_claimed_is_of_methods_and_laws_that_there_are():
    assert {*UNCLAIMED} <= {*LAWS}
    assert {name for reasons in UNCLAIMED.values() for name in reasons} <= {*METHODS}
