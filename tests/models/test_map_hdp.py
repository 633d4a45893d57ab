"""The exact HDP against enumeration of all two-level partitions, MAP-DP and separate fits."""

from __future__ import annotations

import itertools
from math import log

import numpy as np
import pandas as pd
import pytest

from core import FAMILIES, MAPDP, MAPHDP, ColumnSpec, Schema, SchemaError
from core.engine.columns import Columns
from core.engine.franchise import Franchise
from core.partitions.scores import ari
from core.schema.encoded import Encoded
from tests.random_tables import plain_columns, random_families, random_table
from tests.reference import log_marginal, set_partitions


def _restaurant(sizes, concentration):
    """ln probability of one seating, customer by customer."""
    total, n = 0.0, 0
    for size in sizes:
        for seated in range(size):
            total += log((seated or concentration) / (n + concentration))
            n += 1
    return total


def _slow_objective(columns, groups, of_row, above, local, top):
    """E of local clusters and the global ones above them, from the definition."""
    total = 0.0
    for j in np.unique(groups):
        total += _restaurant(np.unique(of_row[groups == j], return_counts=True)[1], local)
    total += _restaurant(np.unique(above, return_counts=True)[1], top)
    labels = above[of_row]
    for k in np.unique(labels):
        total += sum(log_marginal(f, prior, values[labels == k]) for f, prior, values in columns)
    return -total


def _table(seed, n, **options):
    random = np.random.default_rng(seed)
    return random_table(random, n, random_families(random, **options))


def _franchise(seed, n=24, n_groups=3):
    encoded, priors = _table(seed, n)
    random = np.random.default_rng(seed)
    columns = Columns.pack(encoded, priors)
    groups = random.integers(n_groups, size=n)
    return Franchise(columns, groups, 0.8, 1.3, random.integers(4, size=n))


@pytest.mark.parametrize("seed", range(20))
def test_objective_is_the_slow_twin_s_and_no_move_raises_it(seed):
    franchise = _franchise(seed)
    plain = plain_columns(franchise.columns)
    random = np.random.default_rng(seed)
    before = np.inf
    for step in range(12):
        of_row, above = franchise.state()
        slow = _slow_objective(plain, franchise.groups, of_row, above, 0.8, 1.3)
        after = franchise.objective()
        assert after == pytest.approx(slow, rel=1e-9)
        assert after <= before + 1e-10 * max(abs(after), 100.0)
        for local in np.unique(of_row):
            assert np.unique(franchise.groups[of_row == local]).size == 1
        before = after
        _ = franchise.sweep(random.permutation(24)) if step % 2 else franchise.move_locals()
        state, sizes = franchise.clusters.state.copy(), franchise.clusters.sizes.copy()
        n = franchise.n_clusters + 1
        labels = franchise.labels
        assert np.array_equal(np.bincount(labels), sizes[: n - 1])
        again = Franchise(franchise.columns, franchise.groups, 0.8, 1.3, labels)
        assert np.allclose(again.clusters.state[:, :n], state[:, :n], rtol=1e-7, atol=1e-7)


def test_lowest_of_all_two_level_partitions_of_two_times_three_rows():
    hits = 0
    groups = np.repeat([0, 1], 3)
    for seed in range(10):
        random = np.random.default_rng(seed)
        families = [str(f) for f in random.choice(["normal", "bernoulli", "poisson"], 2)]
        encoded, priors = random_table(random, 6, families)
        columns = plain_columns(Columns.pack(encoded, priors))
        known = {}
        lowest = np.inf
        for first, second in itertools.product(set_partitions(3), set_partitions(3)):
            of_row = np.array([*first, *(max(first) + 1 + k for k in second)])
            for above in set_partitions(of_row.max() + 1):
                labels = np.array(above)[of_row]
                likelihood = 0.0
                for k in set(labels):
                    rows = tuple(np.flatnonzero(labels == k))
                    if rows not in known:
                        known[rows] = sum(
                            log_marginal(f, p, values[list(rows)]) for f, p, values in columns
                        )
                    likelihood += known[rows]
                prior = _restaurant(np.bincount(first), 1.5) + _restaurant(np.bincount(second), 1.5)
                prior += _restaurant(np.unique(above, return_counts=True)[1], 0.7)
                lowest = min(lowest, -prior - likelihood)
        model = MAPHDP(1.5, 0.7, prior=list(priors), random_state=0)
        model.fit_encoded(encoded, groups=groups)
        assert model.objective_ > lowest - 1e-8
        hits += model.objective_ < lowest + 1e-8
    assert hits >= 9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_groups", [1, 3])
def test_with_an_infinite_global_concentration_every_data_set_is_map_dp(seed, n_groups):
    encoded, priors = _table(seed + 100, 36)
    groups = np.arange(36) % n_groups
    model = MAPHDP(1.0, 1e300, prior=list(priors), random_state=0)
    model.fit_encoded(encoded, groups=groups)
    apart = 0.0
    for j in range(n_groups):
        part = Encoded(np.ascontiguousarray(encoded.values[groups == j]), encoded.units)
        alone = MAPDP(1.0, prior=list(priors), random_state=0).fit_encoded(part)
        apart += alone.objective_
        if abs(alone.objective_) < 1e9:
            assert len(set(model.labels_[groups == j])) == alone.n_clusters_
    assert model.objective_ == pytest.approx(apart, abs=1e-3)


def test_sites_share_clusters_by_name():
    random = np.random.default_rng(0)
    means = random.uniform(-6.0, 6.0, size=(5, 3))
    sites = [[0, 1, 2], [1, 2, 3], [0, 3, 4]]
    groups = np.repeat([0, 1, 2], 40)
    truth = np.concatenate([random.choice(site, 40) for site in sites])
    rows = means[truth] + random.normal(size=(120, 3))
    rows[random.random(rows.shape) < 0.1] = np.nan
    model = MAPHDP(random_state=0).fit(rows, groups=np.array(["a", "b", "c"])[groups])
    assert ari(truth, model.labels_) > 0.9
    assert model.counts_.shape == (3, model.n_clusters_)
    assert model.counts_.sum(axis=1).tolist() == [40, 40, 40]
    shared = (model.counts_ > 3).sum(axis=0)
    assert shared.max() >= 2
    assert np.array_equal(model.predict(rows).shape, (120,))


def test_every_family_with_missing_cells_and_a_callback():
    encoded, _ = random_table(np.random.default_rng(0), 40, list(FAMILIES), fill=True)
    seen = []
    groups = np.arange(40) % 2
    model = MAPHDP(patience=1, random_state=0).fit_encoded(encoded, seen.append, groups=groups)
    assert np.isfinite(model.objective_)
    assert all(0 <= progress.done <= progress.total for progress in seen)

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MAPHDP().fit_encoded(encoded, stop, groups=groups)
    for name in ("concentration", "global_concentration", "patience"):
        with pytest.raises(ValueError, match=f"^{name}=.* is not allowed"):
            MAPHDP(**{name: -1}).fit_encoded(encoded)


def test_a_column_of_role_group_is_the_data_set():
    frame = pd.DataFrame({"x": np.arange(40.0), "site": ["a", "b"] * 20})
    frame.loc[3, "site"] = None
    schema = Schema([ColumnSpec("x", "normal"), ColumnSpec("site", "categorical", role="group")])
    model = MAPHDP(patience=0, random_state=0).fit(frame, schema)
    assert model.group_names_.tolist() == ["a", "b", "missing"]
    assert model.counts_.sum(axis=1).tolist() == [20, 19, 1]
    second = Schema([*schema.values(), ColumnSpec("wave", "categorical", role="id")])
    moved = second.with_column("wave", role="group")
    assert moved.names("group") == ("wave",)
    assert moved["site"].role == "ignore"
    with pytest.raises(SchemaError, match="are both the data set of every row"):
        Schema([*schema.values(), ColumnSpec("wave", "categorical", role="group")])
    assert Schema.from_dict(schema.to_dict()) == schema
