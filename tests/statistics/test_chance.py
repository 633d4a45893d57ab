"""What chance makes: when no further table is drawn, and what is said of groups that are there."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, choose_model
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.statistics.chance import FEW, FULL, QUICK, Chance, chance, rank_one_share
from mapdp_studio.core.statistics.nulls import (
    CORRELATED,
    KINDS,
    SHUFFLED,
    SKEWED,
    Gains,
    GroupSearch,
    gain_of_correlations,
)
from tests.benchmarks.designs import three_groups, three_places

RANDOM = np.random.default_rng(0)
#: Three groups of which each column sees two alone.
CENTERS = np.array([[0.0, 0.0, 6.0], [6.0, 0.0, 0.0], [0.0, 6.0, 0.0]])
GROUPED = (CENTERS[:, None, :] + RANDOM.normal(size=(3, 30, 3))).reshape(-1, 3)
SIGNS, STEPS = [1, -1, 1, -1, 0.7, 0.7], [-1, 0, 1]


def found_in(rows: np.ndarray) -> Chance:
    return chance(GroupSearch.of(MAPDP(random_state=0).fit(rows)))


def test_groups_gain_more_than_any_table_without():
    done = []
    found = chance(GroupSearch.of(MAPDP(random_state=0).fit(GROUPED)), callback=done.append)
    assert done[-1].total < 1.5 * done[-1].done, "tables that are not drawn are not waited for"
    assert found.gains[-1] > 150.0
    assert found.are_real
    assert all(found.beats(kind) for kind in KINDS)
    assert found.n_drawn < len(KINDS) * QUICK, "the answer was known before"
    assert max(map(found.p, found.draws)) <= 0.05
    assert found.sentence.startswith("More than chance makes: as much is gained on 0 of")


def test_groups_that_overlap_are_more_than_one_cloud():
    """Three, each 1.5 SD high in a third of the columns: their slices alone gain hardly less."""
    model = choose_model(three_groups(1)).model
    assert model.n_clusters_ == 3
    search = GroupSearch.of(model)
    gains = search.gains(search.encoded, 0, lambda progress: None)
    assert gains.beyond_cloud == pytest.approx(
        gains.alone[-1] - gain_of_correlations(search.encoded)
    )
    assert gains.beyond_cloud < gains.alone[-1] - 20.0
    assert chance(search).are_real


@pytest.mark.parametrize(
    ("seed", "draw", "drawn"),
    [
        (0, lambda r: r.normal(size=(60, 2)), []),
        (0, lambda r: r.standard_t(1.5, (120, 3)), [SHUFFLED]),
        (1, lambda r: r.normal(size=(200, 6)) / np.sqrt(r.chisquare(3, (200, 1)) / 3), None),
        (3, lambda r: r.exponential(size=(300, 1)) * SIGNS + 0.6 * r.normal(size=(300, 6)), None),
        (
            4,
            lambda r: np.digitize(r.normal(size=(250, 1)) + 0.7 * r.normal(size=(250, 7)), STEPS),
            None,
        ),
    ],
)
def test_tables_without_groups_are_one_group_chance_or_a_cloud(seed, draw, drawn):
    """One group; tails; and a tight and a loose half, a mild and a severe one, few and many."""
    found = found_in(draw(np.random.default_rng(seed)).astype(np.float64))
    assert (found.is_chance, found.is_cloud, found.are_real) == (
        drawn is not None,
        drawn is None,
        False,
    )
    if drawn is None:
        assert found.gains.size > 1
        assert found.sentence.endswith("as much: the groups may be parts of one cloud.")
        return
    assert [*found.draws] == drawn
    if drawn:
        assert found.n_as_much(SHUFFLED) == 1
        assert found.differences[SHUFFLED][-1] >= -1e-9
        assert "No more groups than chance makes" in found.sentence
    else:
        assert found.gains.size == 1
        assert found.headline.endswith("one group describes these rows best.")


@dataclass(frozen=True)
class Given:
    """A search that gains 100 nats on the real table, and on others what it is given to."""

    encoded: Encoded
    #: By the seed.
    others: dict[int, float] = field(default_factory=dict)
    spread: float = 40.0
    seeds: list[int] = field(default_factory=list)
    valley: str = ""

    def gains(self, table: Encoded, seed: int, callback) -> Gains:
        self.seeds.append(seed)
        gain = 100.0 if seed == 0 else self.others.get(seed, self.spread * (seed % 2))
        return Gains(np.array([0.0, gain]), gain)


TABLE = Encoded.from_array(GROUPED, "normal")


def test_far_above_all_a_few_tables_are_enough_and_near_them_all_are_drawn():
    shares: list[Chance] = []
    far = chance(Given(TABLE, spread=2.0), share=shares.append)
    assert {kind: len(draws) for kind, draws in far.draws.items()} == dict.fromkeys(KINDS, FEW)
    assert far.p(SHUFFLED) < 0.001
    assert [so_far.is_settled for so_far in shares] == [False] * (4 * FEW - 1) + [True]
    assert shares[0].headline == "Checking whether chance makes as many: 1 of 76 at most."
    near = chance(Given(TABLE, spread=60.0))
    assert {kind: len(draws) for kind, draws in near.draws.items()} == dict.fromkeys(KINDS, QUICK)
    assert near.p(SKEWED) == pytest.approx(0.05)
    assert near.are_real


@pytest.mark.parametrize(("n_tables", "allowed", "others"), [(QUICK, 0, 0), (FULL, 4, 2 * FEW)])
def test_as_many_may_gain_as_much_as_p_of_5_percent_allows(n_tables, allowed, others):
    first = 1 + n_tables  # of the second kind
    as_much = dict.fromkeys(range(first, first + allowed), 100.0)
    assert chance(Given(TABLE, as_much), n_tables=n_tables).are_real
    as_much[first + allowed] = 100.0
    found = chance(Given(TABLE, as_much), n_tables=n_tables)
    assert found.is_cloud
    assert not found.are_real
    assert sum(len(found.draws.get(kind, ())) for kind in KINDS[2:]) == others
    assert len(found.draws[CORRELATED]) == allowed + 1, "nor is any further table"
    assert max(map(found.p, found.draws)) > 0.05


def test_what_one_cloud_explains_is_counted_once_and_not_within_a_block():
    random = np.random.default_rng(0)
    values = random.normal(size=(400, 1)) + random.normal(size=(400, 4))
    apart = Encoded.from_array(values, "normal")
    explained = gain_of_correlations(apart)
    exact = -200.0 * np.linalg.slogdet(np.corrcoef(values.T))[1] - 3.0 * np.log(400.0)
    assert explained == pytest.approx(exact, rel=0.05)
    names = apart.names
    together = Encoded(values, (Unit("all", "gaussian", names),))
    assert gain_of_correlations(together) == 0.0
    pair = Encoded(values, (Unit("two", "gaussian", names[:2]), *apart.units[2:]))
    assert 0.0 < gain_of_correlations(pair) < explained
    assert gain_of_correlations(Encoded.from_array(random.normal(size=(400, 4)), "normal")) == 0.0


@pytest.mark.parametrize(("n_columns", "n_between"), [(1, 0), (5, 0), (1, 1)])
def test_one_column_that_is_no_single_bell_is_not_called_chance(n_columns, n_between):
    """Shuffling one column returns the same table; an odd row between may be a group of its own."""
    random = np.random.default_rng(1)
    rows = random.normal(size=(120, n_columns))
    rows[:, 0] += np.repeat([0.0, 30.0], [90, 30])
    rows[:n_between, 0] = 5.0
    found = found_in(rows)
    assert found.are_real
    assert "told by x0 alone, which is no single bell" in found.sentence
    assert found.headline == found.sentence


FALLS = np.random.default_rng(1).poisson(np.repeat([1, 20], 100))
COUNTS = {"falls": FALLS, "iq": np.random.default_rng(2).normal(size=200)}
#: Ages, nine in ten to the next ten years, of two generations.
AGES = np.rint(np.random.default_rng(3).normal(np.repeat([25.0, 70.0], 100), 6.0))
AGES[20:] = 10.0 * np.rint(AGES[20:] / 10.0)
ENDS = {"pain": np.random.default_rng(4).binomial(6, np.repeat([0.1, 0.9], 60)) + 1}


@pytest.mark.parametrize(
    ("frame", "column"),
    [(three_places(1014), "q2"), (COUNTS, "falls"), (ENDS, "pain"), ({"age": AGES}, "age")],
)
def test_one_column_tells_the_groups_where_a_short_search_or_a_shuffle_does_not(frame, column):
    """K-means of six columns cuts across one; as roots, Poissons of 1 and 20 are as narrow."""
    search = GroupSearch.of(choose_model(pd.DataFrame(frame)).model)
    assert f"told by {column} alone" in chance(search).sentence
    assert column != "q2" or search.gains(search.encoded, 0, print).alone[-1] < 20.0  # of 297


@pytest.mark.parametrize(
    "draw",
    [
        lambda random, n: random.standard_t(2, n),
        lambda random, n: random.exponential(size=n) ** 2,
        lambda random, n: random.uniform(size=n),
        lambda random, n: np.rint(2.0 * random.normal(size=n)),
        lambda random, n: 10.0 * np.rint(random.normal(5.0, 1.2, n)) + (random.random(n) < 0.05),
    ],
)
def test_a_single_bell_or_two_columns_are_no_valley(draw):
    valleys = []
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows = np.column_stack([draw(random, 300), 0.01 * random.normal(size=300)])
        search = GroupSearch.of(MAPDP(random_state=0, patience=0).fit(rows))
        valleys.append(search.valley)
    both = RANDOM.normal(size=(90, 2)) + np.repeat([0.0, 9.0], 45)[:, None]
    valleys.append(
        GroupSearch.of(MAPDP(random_state=0).fit(both)).valley
    )  # told by two: left to tables
    assert valleys == [""] * 7


def test_a_block_s_margins_with_gaps_are_not_what_groups_gain():
    """Two groups far apart along a block: shuffled, the gaps stay and the block goes."""
    random = np.random.default_rng(2)
    one = random.normal(size=(200, 1))
    rows = np.hstack([one, one + 0.2 * random.normal(size=(200, 1))])
    rows += np.repeat([0.0, 6.0], 100)[:, None]
    model = choose_model(pd.DataFrame(np.round(rows, 2), columns=["a", "b"])).model
    assert model.n_clusters_ > 1
    assert len(model.columns_.encoded.units) == 1
    found = chance(GroupSearch.of(model))
    assert not found.is_chance
    assert found.gains[-1] > found.beyond_cloud + 100.0, "the block counts beside shuffled columns"


def test_weights_and_silent_rows_are_the_fit_s():
    weights = np.tile([0.0, 1.0, 3.0], 30)
    model = MAPDP(random_state=0).fit(GROUPED, sample_weight=weights)
    search = GroupSearch.of(model)
    assert search.encoded.weights == pytest.approx(model.columns_.encoded.weights[weights > 0])
    assert len(search.encoded.values) == 60


def test_shares_and_words_of_few_tables():
    draws = {SHUFFLED: (np.array([0.0, 20.0]), np.array([0.0, 30.0, 40.0]), np.array([0.0]))}
    found = Chance(np.array([0.0, 50.0, 80.0, 100.0]), draws)
    assert found.share(2) == pytest.approx(20.0 / 50.0)
    assert found.share(4) == pytest.approx(20.0 / 100.0)
    assert found.beats(SHUFFLED) is None
    assert not found.is_settled
    assert found.sentence == (
        "So far: as much is gained on 0 of 3 tables with every column shuffled by itself."
    )
    assert found.headline == "Checking whether chance makes as many: 3 of 76 at most."
    near = {kind: (np.array([84.0]),) * QUICK for kind in KINDS}
    assert Chance(found.gains, near, 100.0).headline == (
        "More than chance makes: 76 tables without groups do not gain as much."
    )
    assert Chance(found.gains).share(4) is None
    assert found.differences[SHUFFLED].tolist() == [-80.0, -60.0, -100.0]
    found = Chance(np.zeros(1), valley="the groups are told by x alone.")
    assert (found.is_chance, found.is_settled, found.are_real) == (False, True, True)
    assert found.headline == "More than chance makes: the groups are told by x alone."
    found = Chance(np.array([0.0, 9.0]), is_one_column=True)
    assert (found.is_chance, found.is_settled, found.are_real) == (True, True, False)
    assert "rest on one column alone" in found.headline


def test_groups_along_one_line_have_rank_one():
    severity = np.linspace(-2, 2, 300)[:, None] * np.array([1.0, -1.0, 0.5])
    labels = np.repeat([0, 1, 2], 100)
    encoded = Encoded.from_array(severity, "normal")
    assert rank_one_share(encoded, labels) == pytest.approx(1.0)
    assert rank_one_share(encoded, np.repeat([0, 1], 150)) is None
    crossing = Encoded.from_array(2.5 * np.eye(3)[labels] + RANDOM.normal(size=(300, 3)), "normal")
    assert rank_one_share(crossing, labels) < 0.7
