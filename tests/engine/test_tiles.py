"""Rows judged many at once against rows visited one by one: equal scores, equal ends."""

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.engine import tiles
from mapdp_studio.core.engine.packed import PackedTable, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.rows import score_table
from mapdp_studio.core.engine.tiles import (
    FEWEST_ROWS,
    MANY_CELLS,
    NO_TILE,
    ROWS,
    move_at_once,
    new_tile,
    score_tile,
    tile_for,
)
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.families.family import COUNT
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import FILLED, random_families, random_table

CLOSE = 1e-9


def _columns(random, n, families, missing=0.0, power=1.0):
    encoded, priors = random_table(random, n, families, missing)
    return PackedTable.pack(encoded, priors, power)


def _assert_scores_agree(packed, labels):
    partition = Partition(packed, 1.0, labels)
    state, work, n = partition.clusters.state, partition.clusters.work, partition.n_clusters
    scores, tile = np.empty((labels.size, n + 1)), new_tile(partition.table, n + 1)
    score_table(partition.table, state, labels, scores, work)
    for start in range(0, labels.size, ROWS):
        rows = np.arange(start, min(start + ROWS, labels.size))
        own = tile.own[: rows.size] = labels[rows]
        score_tile(partition.table, state, n + 1, rows, partition.table.power, tile)
        together = tile.lines[:, : rows.size].T.copy()
        together[own >= 0, own[own >= 0]] = tile.within[: rows.size][own >= 0]
        np.testing.assert_allclose(together, scores[rows], rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("missing", [0.0, 0.05, 0.6])
@pytest.mark.parametrize("power", [1.0, 0.3])
def test_scores_of_many_rows_are_those_of_each(name, missing, power):
    random = np.random.default_rng(3)
    families = [name] * (2 if FAMILIES[name].is_block else 11)
    encoded, priors = random_table(random, 40, families, missing)
    if FAMILIES[name].kind == COUNT and missing == 0.05:
        encoded.values[::7] *= 1_000.0  # counts larger than the rows are many
    labels = np.append(np.arange(32) % 3, np.full(8, -1))
    _assert_scores_agree(PackedTable.pack(encoded, priors, power), labels)


@pytest.mark.parametrize(
    ("name", "steps"), [("normal", {"step": 0.5}), ("gaussian", {"steps": 0.5})]
)
def test_scores_of_values_recorded_in_steps(name, steps):
    encoded, priors = random_table(np.random.default_rng(6), 40, [name] * 2, missing=0.0)
    packed = PackedTable.pack(encoded, [replace(prior, **steps) for prior in priors])
    _assert_scores_agree(packed, np.arange(40) % 4 - 1)


@pytest.mark.parametrize("far", [1e25, -1e80])
def test_scores_of_neighbours_that_are_all_far_from_a_row(far):
    encoded, priors = random_table(np.random.default_rng(4), 40, ["normal"] * 8, missing=0.0)
    encoded.values[::9] = far
    _assert_scores_agree(PackedTable.pack(encoded, priors), np.arange(40) % 3 - 1)


def test_scores_of_a_table_of_all_families_with_far_cells():
    random = np.random.default_rng(5)
    encoded, priors = random_table(random, ROWS + 30, [*FAMILIES, "normal", "normal"])
    for j in range(encoded.values.shape[1]):
        if encoded.names[j].startswith("normal"):
            encoded.values[random.integers(ROWS, size=4), j] = [1e25, -1e60, 1e18, 0.0]
    labels = random.integers(-1, 3, size=ROWS + 30)
    _assert_scores_agree(PackedTable.pack(encoded, priors), labels)


def _converge(partition, tile):
    order = np.arange(partition.labels.size)
    for _ in range(100):
        if partition.sweep(order, tile=tile) == 0:
            return
    pytest.fail("100 sweeps did not converge")


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_rest_is_the_same_whether_rows_are_judged_at_once_or_visited(seed, is_weighted):
    random = np.random.default_rng(seed)
    families = [name for name in random_families(random) if name != FILLED]
    encoded, priors = random_table(random, 300, [*families, "normal"], 0.1 * (seed % 3))
    if is_weighted:
        encoded = replace(encoded, weights=random.gamma(1.0, 1.0, 300))
    packed = PackedTable.pack(encoded, priors, 0.5 if seed % 2 else 1.0)
    labels = random.integers(12, size=300)
    order = np.arange(300)
    for first, second in ((True, False), (False, True)):
        partition = Partition(packed, 1.0, labels)
        tile = new_tile(packed.table, 100)
        _converge(partition, tile if first else NO_TILE)
        for some in (order[:20], order[150:], order[40:43]):  # drawn elsewhere, then back again
            partition.sweep(some, random.random(some.size))
            _converge(partition, tile if first else NO_TILE)
        slack = partition.slack.copy()
        assert partition.sweep(order, tile=tile if second else NO_TILE) == 0
        near = partition.slack < 1e-5
        if is_weighted:  # by a tile it is a bound of how much worse the best alternative is
            judged, exact = (slack, partition.slack)[:: 1 if first else -1]
            assert (judged <= exact + 1e-7).all()
            assert (judged > 0.5 * exact).mean() > 0.5
            continue
        np.testing.assert_allclose(slack[~near], partition.slack[~near], rtol=CLOSE, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_rows_judged_by_the_clusters_that_changed_are_as_judged_by_all(seed):
    random = np.random.default_rng(seed)
    group = random.integers(16, size=600)
    values = 2.0 * random.normal(size=(16, 4))[group] + random.normal(size=(600, 4))
    encoded = Encoded.from_array(values, "normal")
    packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
    judged, tile = Partition(packed, 1.0, group), new_tile(packed.table, 40)
    _converge(judged, tile)
    for some in np.split(random.permutation(600)[:240], 20):
        fresh, drawn = Partition(packed, 1.0, judged.labels), random.random(some.size)
        for partition in (judged, fresh):
            partition.sweep(some, drawn)  # a few go elsewhere
            partition.sweep(np.arange(600), tile=tile)
        assert np.array_equal(judged.labels, fresh.labels)
        near = fresh.slack < 1e-5
        np.testing.assert_allclose(judged.slack[~near], fresh.slack[~near], rtol=CLOSE, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_rows_that_move_at_once_choose_as_one_by_one_and_leave_the_statistics_of_their_labels(seed):
    random = np.random.default_rng(seed)
    families = [name for name in random_families(random) if name != FILLED]
    packed = _columns(random, ROWS + 40, [*families, "normal"], 0.1 * (seed % 3))
    partition = Partition(packed, 1.0, random.integers(-1, 3, size=ROWS + 40))
    order = random.permutation(ROWS + 40)
    expected, moves = partition.labels.copy(), 0
    for rows in (order[:ROWS], order[ROWS:]):
        before = Partition(packed, 1.0, expected)
        choices = [_choice(before, i) for i in rows]
        moves += np.count_nonzero(expected[rows] != choices)
        expected[rows] = choices
    tile = new_tile(packed.table, 3)
    moved = move_at_once(partition.table, partition.clusters, partition.labels, order, tile)
    assert np.array_equal(partition.labels, expected)
    assert moved == moves > 0
    assert partition.objective() == pytest.approx(Partition(packed, 1.0, expected).objective())


def _choice(partition, i):
    """Where row i scores highest, by the statistics that there are; in its own without itself."""
    clusters, n, own = partition.clusters, partition.n_clusters, partition.labels[i]
    table = partition.table._replace(values=partition.table.values[i : i + 1])
    scores = np.empty((1, n + 1))
    score_table(table, clusters.state, np.array([own]), scores, clusters.work)
    sizes = clusters.sizes[:n] - (np.arange(n) == own)
    return np.argmax(scores[0, :n] + np.log(sizes))


def test_rows_that_move_at_once_empty_no_cluster():
    packed = _columns(np.random.default_rng(0), 60, ["normal"])
    labels = np.minimum(np.arange(60), 1)  # one row alone
    partition = Partition(packed, 1.0, labels)
    tile = new_tile(packed.table, 2)
    move_at_once(partition.table, partition.clusters, partition.labels, np.arange(60), tile)
    assert partition.labels[0] == 0
    assert partition.clusters.members[:2].min() >= 1


def test_tables_that_no_tile_serves_are_visited_row_by_row():
    random, many = np.random.default_rng(0), np.arange(FEWEST_ROWS)
    encoded, priors = random_table(random, 30, [FILLED], 0.3, fill=True)
    assert tile_for(PackedTable.pack(encoded, priors).table, many, 2) is NO_TILE
    encoded, priors = random_table(random, 30, ["normal"])
    plain = PackedTable.pack(encoded, priors).table
    assert tile_for(plain, many, 2) is not NO_TILE
    assert tile_for(plain, many[1:], 2) is NO_TILE
    wide = PackedTable.pack(*random_table(random, 3, ["normal"] * (MANY_CELLS // 500))).table
    assert tile_for(wide, many[:500], 2) is not NO_TILE
    assert tile_for(wide, many[:499], 2) is NO_TILE


@pytest.mark.parametrize("fewest", [1, 1_000])
def test_rows_outside_go_to_the_cheapest_cluster_or_a_new_one(fewest, monkeypatch):
    """Rows far from all clusters open one where that may be, else they take a neighbour."""
    monkeypatch.setattr(tiles, "BLOCK", 8)
    monkeypatch.setattr(tiles, "FEWEST_ROWS", fewest)  # by a tile, and row by row
    values = np.concatenate([np.arange(20) % 5 + 10.0 * (np.arange(20) % 2), [4e3, 5e3]])[:, None]
    encoded = Encoded.from_array(values, "normal")
    packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(packed, 3.0, np.append(np.arange(20) % 2, [-1, -1]))
    table, clusters = packed.table, partition.clusters
    costs = np.empty((22, 8))
    score_table(table, clusters.state, np.full(22, -1), costs, clusters.work)
    costs = costs[:, :2] + np.log(partition.sizes)
    found = tiles.cheapest(table, clusters, table.values)
    np.testing.assert_array_equal(found, costs.argmax(axis=1))
    found = tiles.cheapest(table, clusters, table.values, partition.log_concentration)
    assert (found[20:] == -1).all()
    assert (found[:20] == costs[:20].argmax(axis=1)).all()
