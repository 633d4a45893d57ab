"""The exact objective and the moves on it, against slow twins on random mixed tables."""

from dataclasses import replace

import numba
import numpy as np
import pytest

from mapdp_studio.core.engine import calls
from mapdp_studio.core.engine.packed import PackedTable, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.tiles import NO_TILE, new_tile
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.models.search import Search
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import plain_columns, random_families, random_table
from tests.reference import partition_objective

CLOSE = 1e-9


def _columns(seed, n=24, fill=True, **options):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, n, random_families(random, **options), fill=fill)
    return PackedTable.pack(encoded, priors)


def _reference(partition):
    """E by the slow twin, of the values with the cells this partition filled."""
    plain = plain_columns(partition.packed, partition.table)
    return partition_objective(plain, partition.labels, partition.concentration)


def _assert_in_step(partition):
    """The statistics kept up to date are those rebuilt from the labels."""
    clusters = partition.clusters
    state, sizes = clusters.state.copy(), clusters.sizes.copy()
    partition.load(partition.labels)
    n = partition.n_clusters + 1
    assert np.array_equal(sizes[:n], partition.clusters.sizes[:n])
    assert np.allclose(state[:, :n], partition.clusters.state[:, :n], rtol=1e-8, atol=1e-8)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Nothing is compiled.")
@pytest.mark.parametrize("name", FAMILIES)
def test_a_table_has_the_kernels_of_its_own_families_compiled_and_no_others(name, monkeypatch):
    found, address = set(), calls.kernel_address
    monkeypatch.setattr(calls, "kernel_address", lambda *key: found.add(key) or address(*key))
    packed = PackedTable.pack(*random_table(np.random.default_rng(0), 20, [name]))
    kinds = (calls.ADD, calls.MERGE, calls.REFRESH, calls.LOG_MARGINAL, calls.SCORE)
    assert found == {(calls.CODES[name], kind) for kind in kinds}
    assert not packed.table.calls[:, [calls.FILL, calls.SCORE_MANY]].any()
    new_tile(packed.table, 4)
    for kind in (*kinds, calls.SCORE_MANY):
        assert (packed.table.calls[:, kind] == address(calls.CODES[name], kind)).all()


@pytest.mark.parametrize("seed", range(30))
def test_objective_is_the_exact_one_in_users_units(seed):
    random = np.random.default_rng(seed)
    families = random_families(random) if seed else list(FAMILIES)
    packed = PackedTable.pack(*random_table(random, 24, families, fill=True))
    labels = np.append(np.arange(4), random.integers(4, size=20))
    partition = Partition(packed, 0.7, labels)
    assert partition.objective() == pytest.approx(_reference(partition), rel=CLOSE)
    partition.sweep(np.arange(24))
    assert partition.objective() == pytest.approx(_reference(partition), rel=CLOSE)


@pytest.mark.parametrize("seed", range(200))
def test_sweeps_never_raise_the_objective(seed):
    partition = Partition(_columns(seed, n=30), float(np.exp(seed % 7 - 3)))
    order = np.random.default_rng(seed).permutation(30)
    tile = new_tile(partition.table, 40) if seed % 2 else NO_TILE
    partition.sweep(order, first=True)
    before = partition.objective()
    for _ in range(50):
        moves = partition.sweep(order, tile=tile)
        after = partition.objective()
        assert after <= before + CLOSE
        if moves == 0 and before - after < CLOSE:
            break
        before = after
    else:
        pytest.fail("50 sweeps did not converge")
    _assert_in_step(partition)
    assert after == pytest.approx(partition.objective(), rel=CLOSE)


@pytest.mark.parametrize("seed", range(20))
def test_every_step_of_a_search_lowers_the_objective(seed):
    packed = _columns(seed, n=25)
    found = Search(packed, 1.0, np.random.default_rng(seed), lambda _: None).run(15)
    partition, trace = found.state, found.trace
    _assert_in_step(partition)
    objectives = np.array([objective for objective, _ in trace])
    kinds = [kind for _, kind in trace]
    assert kinds[0] == "start"
    # Filled cells converge when E falls by little; the search may end a little below its trace.
    margin = 1e-2 if partition.fills_cells else 1e-8
    assert objectives[-1] == pytest.approx(_reference(partition), abs=margin)
    assert objectives[-1] == pytest.approx(objectives.min(), abs=CLOSE)
    # A perturbation may climb; what it leads to is kept only below the minimum it left.
    perturbed = [t for t, kind in enumerate(kinds) if kind == "perturbation"]
    rises = np.flatnonzero(np.diff(objectives) > CLOSE) + 1
    assert set(rises) <= set(perturbed)
    minima = objectives[[t - 1 for t in perturbed] + [-1]]
    assert np.all(np.diff(minima) < 0)


def test_rounding_of_huge_counts_does_not_keep_a_search_going():
    def callback(_):
        nonlocal steps
        steps += 1
        assert steps < 2000

    for seed in range(1, 60, 2):
        random = np.random.default_rng(seed)
        levels = [1.0, 1.0, 1.0 + 1e-4 * random.random(), 1.5, 3.0]
        size = (int(random.integers(6, 40)), int(random.integers(1, 4)))
        encoded = Encoded.from_array(np.round(1e10 * random.choice(levels, size=size)), "poisson")
        steps = 0
        packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
        Search(packed, 1.0, np.random.default_rng(seed), callback).run(10)


def test_clusters_outgrow_the_width_of_the_state():
    packed = _columns(4, n=70)
    partition = Partition(packed, 1e5)
    roomy = Partition(packed, 1e5, np.arange(70))
    roomy.load(np.zeros(70))
    for either in (partition, roomy):
        either.sweep(np.arange(70), first=True)
    assert partition.n_clusters > 40
    assert np.array_equal(partition.labels, roomy.labels)
    assert partition.objective() == pytest.approx(_reference(partition), rel=CLOSE)
    _assert_in_step(partition)


@pytest.mark.parametrize("seed", range(10))
def test_working_set_leaves_no_row_that_would_move(seed):
    packed = _columns(seed, n=300, fill=False)
    partition = Search(packed, 1.0, np.random.default_rng(seed), lambda _: None).run(1).state
    assert partition.sweep(np.arange(300)) == 0


def test_a_row_alone_that_joins_the_last_cluster_finds_it_under_its_own_index():
    values = np.array([9.0, 0.0, 0.1, 0.2, 9.1, 9.2, 8.9])[:, None]
    encoded = Encoded.from_array(values, "normal")
    packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(packed, 1.0, np.array([0, 1, 1, 1, 2, 2, 2]))
    assert partition.sweep(np.arange(1)) == 1
    assert partition.labels.tolist() == [0, 1, 1, 1, 0, 0, 0]
    _assert_in_step(partition)


@pytest.mark.parametrize("own", [0, 1])
@pytest.mark.parametrize("judged", [False, True])
def test_a_row_that_two_clusters_suit_as_well_stays(own, judged):
    encoded = Encoded.from_array(np.ones((5, 2)), "poisson")
    packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
    labels = np.array([0, 0, 1, 1, own])
    partition = Partition(packed, 1e-3, labels)
    tile = new_tile(packed.table, 4) if judged else NO_TILE
    assert partition.sweep(np.array([4]), tile=tile) == 0
    assert np.array_equal(partition.labels, labels)


def test_weighted_rows_are_judged_by_the_clusters_that_a_merge_left():
    random = np.random.default_rng(0)
    encoded, priors = random_table(random, 40, ["normal", "poisson"])
    packed = PackedTable.pack(replace(encoded, weights=random.gamma(1.0, 1.0, 40)), priors)
    merged = Partition(packed, 1.0, np.arange(40) % 4)
    while merged.sweep(np.arange(40)):  # until ln p of every cluster is known
        pass
    merged.merge_pair(0, 1)
    fresh = Partition(packed, 1.0, merged.labels)
    for partition in (merged, fresh):
        partition.sweep(np.arange(40))
    assert np.array_equal(merged.labels, fresh.labels)
    np.testing.assert_allclose(merged.slack, fresh.slack, rtol=1e-7, atol=1e-9)


def test_copy_shares_nothing_that_changes():
    packed = _columns(11, blocks=1.0)
    first = Partition(packed, 1.0, np.arange(24) % 2)
    before = first.objective()
    twin = first.copy()
    twin.sweep(np.arange(24))
    twin.merge(-np.inf)
    assert twin.n_clusters == 1
    assert first.objective() == before
    for partition in (first, twin):
        _assert_in_step(partition)


@pytest.mark.parametrize("seed", range(6))
def test_labels_from_elsewhere_settle_at_the_modes_of_their_filled_cells(seed):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, 30, ["poisson", "gaussian"], fill=True)
    packed = PackedTable.pack(encoded, priors)
    labels = np.append(random.integers(2, size=29), 2)
    partition = Partition(packed, 1.0, labels)
    assert partition.settle() == pytest.approx(_reference(partition), rel=CLOSE)
    assert np.array_equal(partition.labels, labels)
    _assert_in_step(partition)
    best = Search(packed, 1.0, random, lambda _: None).run(3).state
    again = Partition(packed, 1.0, best.labels)
    assert again.objective() > best.objective() + 1.0
    assert again.settle() == pytest.approx(best.objective(), abs=0.05)
