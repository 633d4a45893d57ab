"""The laws every likelihood must obey, with scipy as judge; new families enter by registration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.product import log_marginals, score_row
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.random_tables import FILLED, random_table, random_values
from tests.reference import log_marginal, log_predictive

N = 17
LABELS = np.array([0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 0, 0, -1, -1, -1, -1])
OUTSIDE = np.flatnonzero(LABELS < 0)
#: Rows of the three clusters, and of an empty one.
MEMBERS = [np.flatnonzero(np.equal(LABELS, k)) for k in range(4)]
every_family = pytest.mark.parametrize("name", FAMILIES)
seeds = pytest.mark.parametrize("seed", range(4))


def _partition(name, seed, labels=LABELS, missing=0.2):
    encoded, priors = random_table(np.random.default_rng(seed), N, [name], missing)
    return Partition(Columns.pack(encoded, priors), 1.0, labels)


def _values(partition):
    return partition.columns.encoded.unit_values(0)


def _left_out(partition, i):
    """What the engine leaves out of ln p of row i, in the user's units."""
    columns = partition.columns
    units = range(len(columns.encoded.units))
    return columns.constants(units, columns.encoded.values[i : i + 1])[0]


def _scores(partition, i):
    """Log predictive of row i under every cluster and the empty one, in the user's units."""
    clusters, n = partition.clusters, partition.n_clusters + 1
    out = np.empty(clusters.cost.size)
    score_row(partition.table, clusters.state, n, i, -1, out, clusters.work)
    return out[:n] + _left_out(partition, i)


def _own_marginals(partition):
    """Log marginal of every cluster and the empty one, in the engine's units."""
    clusters, n = partition.clusters, partition.n_clusters
    out = np.empty(clusters.cost.size)
    log_marginals(partition.table, clusters.state, n, n + 1, out, clusters.work)
    return out[: n + 1]


@every_family
@seeds
def test_predictive_and_marginal_agree_with_scipy(name, seed):
    partition = _partition(name, seed)
    values, prior = _values(partition), partition.columns.priors[0]
    marginals = _own_marginals(partition)
    for k in range(4):
        seen = values[MEMBERS[k]]
        left_out = sum(_left_out(partition, i) for i in MEMBERS[k])
        expected = log_marginal(name, prior, seen)
        assert marginals[k] + left_out == pytest.approx(expected, rel=1e-9, abs=1e-9)
        for i in OUTSIDE:
            expected = log_predictive(name, prior, seen, values[i])
            assert _scores(partition, i)[k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_family
@seeds
def test_empty_cluster_is_the_prior(name, seed):
    partition = _partition(name, seed)
    values, prior = _values(partition), partition.columns.priors[0]
    assert _own_marginals(partition)[3] == pytest.approx(0.0, abs=1e-12)
    for field, number in prior.posterior(values[:0]).to_dict().items():
        assert np.allclose(number, prior.to_dict()[field])
    for i in OUTSIDE:
        expected = log_predictive(name, prior, values[:0], values[i])
        assert _scores(partition, i)[-1] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_family
@seeds
def test_python_posterior_is_the_compiled_one(name, seed):
    partition = _partition(name, seed)
    prior, values = partition.columns.priors[0], _values(partition)
    for k in range(3):
        posterior = prior.posterior(values[MEMBERS[k]])
        later = Partition(partition.columns.with_priors([posterior]), 1.0, LABELS)
        for i in OUTSIDE:
            expected = _scores(later, i)[-1]
            assert _scores(partition, i)[k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_family
@seeds
def test_missing_cell_is_the_cell_not_there(name, seed):
    encoded, priors = random_table(np.random.default_rng(seed), N, [name], missing=0.3)
    encoded.values[[3, 8, 15]] = np.nan
    partition = Partition(Columns.pack(encoded, priors), 1.0, LABELS)
    seen = ~np.isnan(encoded.values).all(axis=1)
    shorter = replace(encoded, values=encoded.values[seen])
    alone = Partition(partition.columns.of_rows(shorter), 1.0, LABELS[seen])
    assert np.array_equal(alone.clusters.state, partition.clusters.state)
    for i in np.flatnonzero(~seen):
        assert np.array_equal(_scores(partition, i), np.zeros(4))


def test_missing_cell_leaves_the_other_columns_alone():
    encoded, priors = random_table(np.random.default_rng(0), N, sorted(FAMILIES), missing=0.3)
    together = Partition(Columns.pack(encoded, priors), 1.0, LABELS)
    for i in OUTSIDE:
        apart = np.zeros(4)
        for u, prior in enumerate(priors):
            unit = Encoded(encoded.unit_values(u).reshape(N, -1).copy(), encoded.units[u : u + 1])
            apart += _scores(Partition(Columns.pack(unit, [prior]), 1.0, LABELS), i)
        assert np.allclose(_scores(together, i), apart, rtol=1e-12)


def _support(name, partition):
    """Rows that cover the support, and the weight of each in the sum or integral."""
    columns, options = partition.columns, partition.columns.encoded.units[0].options
    if FAMILIES[name].is_real:
        # With x = centre + scale sinh(u) the trapezoid rule converges exponentially.
        u = np.linspace(-9.0, 9.0, 400)
        x, weight = np.sinh(u), np.cosh(u) * (u[1] - u[0])
        size = columns.scale.size
        grid = np.meshgrid(*[x] * size, indexing="ij")
        weights = np.meshgrid(*[weight] * size, indexing="ij")
        points = np.stack([g.ravel() for g in grid], axis=1)
        measure = np.prod([w.ravel() for w in weights], axis=0) * columns.scale.prod()
        return columns.center + columns.scale * points, measure
    if not FAMILIES[name].support.is_whole:
        u = np.linspace(-40.0, 12.0, 4000)
        return np.exp(u)[:, None], np.exp(u) * (u[1] - u[0])
    count = (
        options["trials"] + 1 if "trials" in options else len(options.get("levels", range(5000)))
    )
    least = float(FAMILIES[name].support.is_open)
    return least + np.arange(float(count))[:, None], np.ones(count)


@every_family
def test_predictive_sums_to_one(name):
    random = np.random.default_rng(5)
    family = FAMILIES[name]
    values, options = random_values(family, 40, random, width=2)
    encoded = Encoded(
        values.reshape(40, -1), (Unit("unit", name, ("a", "b")[: values.ndim], options),)
    )
    prior = family.default_prior(values, 0.3, **options)
    partition = Partition(Columns.pack(encoded, [prior]), 1.0)
    rows, weights = _support(name, partition)
    grid = Partition(partition.columns.of_rows(replace(encoded, values=rows)), 1.0)
    out = np.empty(partition.clusters.cost.size)
    total = 0.0
    for i, weight in enumerate(weights):
        state, work = partition.clusters.state, partition.clusters.work
        score_row(grid.table, state, 1, i, -1, out, work)
        total += weight * np.exp(out[0] + _left_out(grid, i))
    assert total == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize("name", [name for name, family in FAMILIES.items() if family.is_real])
@pytest.mark.parametrize(("factor", "offset"), [(1e3, 0.0), (-0.02, 7.0), (1.0, 1e8)])
def test_units_change_the_objective_by_the_jacobian(name, factor, offset):
    random = np.random.default_rng(2)
    values, options = random_values(FAMILIES[name], 40, random)
    # Multiples of a power of two, so that adding 1e8 loses nothing of the data themselves.
    values = np.round(values.reshape(40, -1) * 2.0**16) / 2.0**16
    values[random.random(values.shape) < 0.1] = np.nan
    unit = Unit("unit", name, tuple("abc"[: values.shape[1]]), options)
    labels = random.integers(3, size=40)

    def objective(values):
        encoded = Encoded(values, (unit,))
        return Partition(
            Columns.pack(encoded, default_priors(encoded, 0.2)), 1.0, labels
        ).objective()

    cells = values.size if name == FILLED else np.sum(~np.isnan(values))
    change = objective(factor * values + offset) - objective(values)
    assert change == pytest.approx(cells * np.log(abs(factor)), abs=1e-6)


@every_family
@pytest.mark.parametrize("kind", ["one row", "constant", "all missing"])
def test_default_prior_of_hardly_any_data(name, kind):
    n = 1 if kind == "one row" else 6
    values, options = random_values(FAMILIES[name], n, np.random.default_rng(1))
    if kind == "constant":
        values[:] = values[:1]
    elif kind == "all missing":
        values[:] = np.nan
    table = values.reshape(n, -1)
    encoded = Encoded(table, (Unit("unit", name, tuple("abc"[: table.shape[1]]), options),))
    columns = Columns.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(columns, 1.0, np.arange(n) % 2)
    assert np.isfinite(partition.objective())
    assert all(np.isfinite(_scores(partition, i)).all() for i in range(n))
