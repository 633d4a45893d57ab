"""Biclusters against enumeration and a slow twin of E, on every family of single columns."""

import numpy as np
import pytest

from mapdp_studio.core import FAMILIES, Biclusters
from mapdp_studio.core.models.biclusters import Blocks
from mapdp_studio.core.partitions.labels import log_restaurant
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.random_tables import random_prior, random_values
from tests.reference import log_marginal, set_partitions

SINGLE = [name for name, family in FAMILIES.items() if not family.is_block]


def _slow_objective(values, family, prior, labels, concentration):
    rows, cross = map(np.array, labels)
    cells = [
        values[rows == a][:, cross == b].ravel() for a in np.unique(rows) for b in np.unique(cross)
    ]
    sizes = [np.unique(lines, return_counts=True)[1] for lines in (rows, cross)]
    log_p = sum(log_restaurant(n, concentration) for n in sizes)
    return -log_p - sum(log_marginal(family, prior, block) for block in cells)


def _table(seed, name, n=8, m=6, missing=0.2):
    random = np.random.default_rng(seed)
    cells, options = random_values(FAMILIES[name], n * m, random)
    prior = random_prior(FAMILIES[name], cells, options, random)
    cells[random.random(cells.shape) < missing] = np.nan
    units = tuple(Unit(f"c{j}", name, (f"c{j}",), options) for j in range(m))
    return Encoded(np.ascontiguousarray(cells.reshape(n, m)), units), prior


@pytest.mark.parametrize("name", SINGLE)
def test_every_move_is_the_best_one_of_the_slow_twin(name):
    random = np.random.default_rng(1)
    encoded, prior = _table(3, name)
    starts = random.integers(3, size=8), random.integers(3, size=6)
    crossing = Blocks(encoded.values, prior, starts, 0.8)

    def slow(side, lines):
        labels = [*crossing.labels]
        labels[side] = lines
        return _slow_objective(encoded.values, name, prior, labels, 0.8)

    for step in range(12):
        side = step % 2
        lines = crossing.labels[side]
        n, i = lines.max() + 1, int(random.integers(lines.size))
        tried = [slow(side, np.where(np.arange(lines.size) == i, k, lines)) for k in range(n + 1)]
        crossing.sweep(side, np.array([i]))
        assert crossing.objective() == pytest.approx(min(tried), rel=1e-8, abs=1e-8)
    for side in (0, 1):
        lines = crossing.labels[side]
        pairs = [(a, b) for a in range(lines.max() + 1) for b in range(a)]
        tried = [slow(side, lines), *(slow(side, np.where(lines == a, b, lines)) for a, b in pairs)]
        crossing.merge(side)
        assert crossing.objective() == pytest.approx(min(tried), rel=1e-8, abs=1e-8)


def test_lowest_of_all_pairs_of_partitions():
    hits, every = 0, [*set_partitions(4)]
    for seed in range(12):
        encoded, prior = _table(seed, ["bernoulli", "poisson", "normal"][seed % 3], 4, 4)
        family = encoded.units[0].family
        lowest = min(
            _slow_objective(encoded.values, family, prior, (rows, cross), 1.5)
            for rows in every
            for cross in every
        )
        model = Biclusters(1.5, prior=prior, random_state=0).fit_encoded(encoded)
        assert model.objective_ > lowest - 1e-8
        hits += model.objective_ < lowest + 1e-8
    assert hits >= 11


def test_planted_blocks_are_found():
    random = np.random.default_rng(0)
    rows, cross = random.integers(4, size=60), random.integers(3, size=30)
    rates = random.permutation(np.linspace(0.05, 0.95, 12)).reshape(4, 3)
    values = (random.random((60, 30)) < rates[rows][:, cross]).astype(float)
    values[random.random(values.shape) < 0.1] = np.nan
    model = Biclusters(random_state=0).fit(values)
    assert ari(rows, model.labels_) > 0.9
    assert ari(cross, model.column_labels_) > 0.9
    assert [*map(len, model.blocks_)] == [model.column_labels_.max() + 1] * model.n_clusters_
    assert np.all(np.diff(model.objective_trace_) <= 1e-8)


def test_rows_and_columns_change_places_and_a_prior_scale_is_chosen():
    random = np.random.default_rng(0)
    rows, cross = random.integers(3, size=40), random.integers(2, size=12)
    values = 4.0 * random.normal(size=(3, 2))[rows][:, cross] + random.normal(size=(40, 12))
    model = Biclusters(2.0, likelihood="normal", random_state=0).fit(values)
    turned = Biclusters(2.0, likelihood="normal", random_state=0).fit(values.T)
    assert model.prior_scale_ is not None
    assert ari(rows, model.labels_) > 0.9
    assert turned.objective_ == pytest.approx(model.objective_)
    assert ari(turned.column_labels_, model.labels_) == 1.0
    assert ari(turned.labels_, model.column_labels_) == 1.0


def test_columns_of_one_family_side_by_side_and_no_others():
    random = np.random.default_rng(0)
    values = np.column_stack([random.integers(0, 3, 40), random.integers(0, 9, 40)]).astype(float)
    words = Unit("pain", "binomial", ("pain",), {"levels": ("no", "some", "much"), "trials": 2})
    numbers = Unit("score", "binomial", ("score",), {"trials": 8})
    for order in ([0, 1], [1, 0]):
        units = tuple([words, numbers][k] for k in order)
        found = Biclusters(random_state=0).fit_encoded(Encoded(values[:, order], units))
        assert np.isfinite(found.objective_)
    units = (numbers, Unit("b", "normal", ("b",)))
    with pytest.raises(ValueError, match="of different families"):
        Biclusters().fit_encoded(Encoded(values, units))
