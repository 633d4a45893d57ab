"""What chance makes: columns shuffled, correlations kept, and when no further table is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.statistics.chance import (
    CLOSE_DRAWS,
    CORRELATED,
    FAR_DRAWS,
    HEAVY,
    KINDS,
    SHUFFLED,
    Chance,
    GroupsAlone,
    ModelAndGroups,
    chance,
)
from mapdp_studio.core.statistics.gaussian_copula import GaussianCopula

RANDOM = np.random.default_rng(0)
#: Three groups of which each column sees two alone.
CENTERS = np.array([[0.0, 0.0, 6.0], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0]])
GROUPED = (CENTERS[:, None, :] + RANDOM.normal(size=(3, 30, 3))).reshape(-1, 3)
#: No groups: columns of heavy tails, which a normal model takes apart.
TAILS = RANDOM.standard_t(1.5, (120, 3))


def test_columns_are_shuffled_each_by_itself_and_keep_values_and_holes():
    values = TAILS.copy()
    values[::7, 1] = np.nan
    encoded = Encoded.from_array(values, "normal")
    order = GaussianCopula.independent(encoded).order(np.random.default_rng(1))
    drawn = encoded.arranged(order).values
    assert np.array_equal(np.isnan(drawn), np.isnan(values))
    assert np.array_equal(np.sort(drawn, axis=0), np.sort(values, axis=0), equal_nan=True)
    assert (order[:, 0] != order[:, 2]).mean() > 0.9


def test_groups_gain_more_than_any_table_without():
    found = chance(GroupsAlone.of(MAPDP(random_state=0).fit(GROUPED)))
    assert found.observed > 150.0
    assert found.answers == {SHUFFLED: True, CORRELATED: True, HEAVY: True}
    assert len(found.draws[SHUFFLED]) == FAR_DRAWS
    assert found.p(SHUFFLED) == pytest.approx(0.05)
    assert found.is_settled
    assert not found.is_chance
    assert found.sentence.startswith("More than chance makes: of what the groups of the fit gain")


def test_tails_are_chance_and_soon_known():
    model = MAPDP(random_state=0).fit(TAILS)
    assert model.n_clusters_ > 1
    found = chance(GroupsAlone.of(model))
    assert found.is_chance
    assert [*found.draws] == [SHUFFLED]
    assert found.n_as_much(SHUFFLED) == 1
    assert found.draws[SHUFFLED][-1][-1] >= found.observed
    assert "No more groups than chance makes" in found.sentence


def test_a_kind_that_ends_early_leaves_the_next_ones_their_turn():
    """A cloud of heavy tails in all columns at once: shuffled, the tails no longer meet."""
    random = np.random.default_rng(2)
    cloud = random.normal(size=(150, 6)) / np.sqrt(random.chisquare(2, 150) / 2)[:, None]
    found = chance(GroupsAlone.of(MAPDP(random_state=0).fit(cloud)))
    assert found.answers[SHUFFLED]
    assert found.answers[HEAVY] is False
    assert len(found.draws[HEAVY]) < FAR_DRAWS
    assert found.sentence.startswith("Of what the groups of the fit gain, 19 tables")
    assert found.sentence.endswith("gains as much: the groups may be parts of one cloud.")


@dataclass(frozen=True)
class Given:
    """A search that gains 100 nats on the real table, and on others 10 or what it is given to."""

    encoded: Encoded
    highest: float
    #: Seeds under which it gains as much as on the real table.
    as_much: tuple[int, ...] = ()

    def gains(self, order, seed, callback):
        is_real = order is None or seed in self.as_much
        return np.array([0.0, 100.0 if is_real else self.highest if seed % 2 else 10.0])


TABLE = Encoded.from_array(GROUPED, "normal")


@pytest.mark.parametrize(("highest", "drawn"), [(54.0, FAR_DRAWS), (56.0, CLOSE_DRAWS)])
def test_where_tables_without_groups_come_near_more_are_drawn(highest, drawn):
    settled = []
    found = chance(Given(TABLE, highest), share=lambda so_far: settled.append(so_far.is_settled))
    assert {kind: len(draws) for kind, draws in found.draws.items()} == dict.fromkeys(KINDS, drawn)
    assert found.p(SHUFFLED) == pytest.approx(1 / (1 + drawn))
    assert settled == [False] * (3 * drawn - 1) + [True]


def test_a_late_table_that_gains_as_much_is_seen_where_others_came_near():
    late = FAR_DRAWS + 5
    assert chance(Given(TABLE, 54.0, as_much=(late,))).answers[SHUFFLED]
    found = chance(Given(TABLE, 56.0, as_much=(late,)))
    assert found.is_chance
    assert len(found.draws[SHUFFLED]) == late


def test_a_model_chosen_anew_takes_the_cells_of_every_reading_together():
    """Logarithms and categories of a column come from the same rows as its numbers."""
    frame = pd.DataFrame(
        {
            "price": np.exp(RANDOM.normal(3.0, 1.0, 80)).round(1),
            "stars": RANDOM.integers(1, 6, 80),
            "size": RANDOM.normal(50.0, 9.0, 80).round(1),
        }
    )
    frame.loc[::9, "price"] = np.nan
    search = ModelAndGroups.of(frame, infer_schema(frame))
    as_is = np.where(np.isnan(search.encoded.values), -1, np.arange(80)[:, None])
    alike = [search.gains(order, 0, lambda progress: None) for order in (None, as_is)]
    assert np.array_equal(*alike)
    turned = as_is[::-1]  # rows in another order are the same table
    ground = search.ground.arranged(turned)
    for name, candidates in ground.candidates.items():
        place = ground.encoded.names.index(name)
        for before, after in zip(search.ground.candidates[name], candidates, strict=True):
            assert np.array_equal(after.values, before.values[::-1], equal_nan=True)
            assert np.array_equal(after.jacobian, before.jacobian[::-1])
        assert np.array_equal(
            ground.encoded.values[:, place],
            search.encoded.values[::-1, place],
            equal_nan=True,
        )


def test_shares_and_words_of_few_tables():
    draws = {SHUFFLED: (np.array([0.0, 20.0]), np.array([0.0, 30.0, 40.0]), np.array([0.0]))}
    found = Chance(np.array([0.0, 50.0, 80.0, 100.0]), draws)
    assert found.share(2) == pytest.approx(20.0 / 50.0)
    assert found.share(4) == pytest.approx(20.0 / 100.0)
    assert found.share(4, HEAVY) is None
    assert found.answers == {}
    assert found.sentence == (
        "Of what the groups of the fit gain, 3 tables with every column shuffled by itself gain at "
        "most 40 %."
    )
    assert found.headline == "So far none of 3 tables without groups gains as much as the fit."
    wide = Chance(found.gains, {SHUFFLED: (np.array([0.0, 84.0]),)})
    assert wide.headline == (
        "So far the first table without groups does not gain as much as the fit, but shuffled "
        "columns gain up to 84 % of it: that needs no groups."
    )


def test_a_table_that_gains_nothing_itself_is_chance_before_any_other_is_drawn():
    found = chance(GroupsAlone.of(MAPDP(random_state=0).fit(RANDOM.normal(size=(60, 2)))))
    assert found.gains.size == 1
    assert found.is_chance
    assert found.is_settled
    assert not found.draws
    assert found.headline.endswith("one group describes these rows best.")
