"""Biclusters and the Bayesian tree against enumeration and slow twins."""

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import fcluster, is_monotonic, is_valid_linkage
from scipy.special import gammaln, logsumexp

from mapdp_studio.core import FAMILIES, BayesianHierarchy, Biclusters
from mapdp_studio.core.engine.packed import default_priors
from mapdp_studio.core.models.biclusters import Coclustering
from mapdp_studio.core.models.similarity.wrapped import labels_at
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.random_tables import (
    plain_columns,
    random_families,
    random_prior,
    random_table,
    random_values,
)
from tests.reference import log_marginal, partition_objective, row_set_score, set_partitions
from tests.several_groupings import three_groupings

SINGLE = [name for name, family in FAMILIES.items() if not family.is_block]


def _slow_objective(values, family, prior, labels, concentration):
    rows, cross = map(np.array, labels)
    cells = [
        values[rows == a][:, cross == b].ravel() for a in np.unique(rows) for b in np.unique(cross)
    ]
    lines = sum(partition_objective([], of, concentration) for of in (rows, cross))
    return lines - sum(log_marginal(family, prior, block) for block in cells)


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
    crossing = Coclustering(encoded.values, prior, starts, 0.8)

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


def test_rows_and_columns_change_places_and_a_prior_scale_is_chosen():
    random = np.random.default_rng(0)
    rows, cross = random.integers(3, size=40), random.integers(2, size=12)
    values = 4.0 * random.normal(size=(3, 2))[rows][:, cross] + random.normal(size=(40, 12))
    values[3, 4] = np.nan
    model = Biclusters(2.0, likelihood="normal", random_state=0).fit(values)
    turned = Biclusters(2.0, likelihood="normal", random_state=0).fit(values.T)
    assert model.prior_scale_ is not None
    assert ari(rows, model.labels_) > 0.9
    assert turned.objective_ == pytest.approx(model.objective_)
    assert ari(turned.column_labels_, model.labels_) == 1.0
    assert ari(turned.labels_, model.column_labels_) == 1.0
    assert [*map(len, model.blocks_)] == [model.column_labels_.max() + 1] * model.n_clusters_
    for a, of_rows in enumerate(model.blocks_):
        for b, block in enumerate(of_rows):
            cells = values[model.labels_ == a][:, model.column_labels_ == b]
            assert abs(np.nanmean(cells) - block.summary()["mean"]) < 0.03
    assert np.all(np.diff(model.objective_trace_) <= 1e-8)


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


def _rows(seed, n, **options):
    random = np.random.default_rng(seed)
    return random_table(random, n, random_families(random, **options))


def _slow_tree(packed, n, alpha):
    """M12 Algorithm 25.3 as it stands, with d, pi and p(D | T) of every node: merges and r."""
    nodes = {i: ((i,), np.log(alpha), row_set_score(packed, [i])) for i in range(n)}
    merges = []
    while len(nodes) > 1:
        best = None
        for a, b in itertools.combinations(sorted(nodes), 2):
            rows = nodes[a][0] + nodes[b][0]
            log_d = np.logaddexp(np.log(alpha) + gammaln(len(rows)), nodes[a][1] + nodes[b][1])
            log_pi = np.log(alpha) + gammaln(len(rows)) - log_d
            one = log_pi + row_set_score(packed, list(rows)) - gammaln(len(rows))
            two = nodes[a][1] + nodes[b][1] - log_d + nodes[a][2] + nodes[b][2]
            tree = np.logaddexp(one, two)
            if best is None or one - tree > best[0]:
                best = one - tree, a, b, (rows, log_d, tree)
        log_r, a, b, node = best
        del nodes[a], nodes[b]
        nodes[n + len(merges)] = node
        merges.append((a, b, node[0], np.exp(log_r)))
    (root,) = nodes.values()
    return merges, root[1] + root[2]


@pytest.mark.parametrize("seed", range(8))
def test_same_tree_as_the_slow_twin(seed):
    encoded, priors = _rows(seed, 9)
    model = BayesianHierarchy(1.7, prior=list(priors)).fit_encoded(encoded)
    packed = plain_columns(model.columns_)
    merges, log_sum = _slow_tree(packed, 9, 1.7)
    expected = {frozenset(rows): r for _, _, rows, r in merges}
    found = {}
    under = [frozenset([i]) for i in range(9)]
    for (a, b, _, _), odds in zip(model.linkage_, model.log_odds_, strict=True):
        under.append(under[int(a)] | under[int(b)])
        found[under[-1]] = 1 / (1 + np.exp(-odds))
    assert found.keys() == expected.keys()
    for rows, r in expected.items():
        assert found[rows] == pytest.approx(r, abs=1e-9)
    weight = gammaln(1.7) - gammaln(1.7 + 9)
    assert model.log_evidence_ == pytest.approx(log_sum + weight)
    cut = _cut(merges, 9)
    assert ari(cut, model.labels_) == 1.0 or set(cut) == {0} == set(model.labels_)


def _cut(merges, n):
    """From the root down, a node with r of at least a half is a cluster."""
    labels, waiting = np.zeros(n, dtype=int), [n + len(merges) - 1]
    while waiting:
        node = waiting.pop()
        a, b, rows, r = merges[node - n] if node >= n else (0, 0, (node,), 1.0)
        if r >= 0.5:
            labels[list(rows)] = labels.max() + 1
        else:
            waiting += [a, b]
    return np.unique(labels, return_inverse=True)[1]


def _agrees(labels, merges, n) -> bool:
    """Whether a partition is made of whole nodes of the tree."""
    nodes = [{i} for i in range(n)] + [set(rows) for _, _, rows, _ in merges]
    return all({i for i in range(n) if labels[i] == k} in nodes for k in set(labels))


@pytest.mark.parametrize("seed", range(5))
def test_evidence_is_the_sum_over_partitions_of_the_tree_and_a_lower_bound(seed):
    encoded, priors = _rows(seed + 50, 7, most=3, blocks=0.3)
    model = BayesianHierarchy(0.9, prior=list(priors)).fit_encoded(encoded)
    packed = plain_columns(model.columns_)
    merges, _ = _slow_tree(packed, 7, 0.9)
    every = {p: -partition_objective(packed, np.array(p), 0.9) for p in set_partitions(7)}
    of_tree = [value for p, value in every.items() if _agrees(p, merges, 7)]
    assert model.log_evidence_ == pytest.approx(logsumexp(of_tree))
    assert model.log_evidence_ <= logsumexp(list(every.values())) + 1e-9
    assert model.log_evidence_ >= -model.partition_.objective() - 1e-9
    assert model.objective_ == -model.log_evidence_


def test_linkage_is_scipy_s_and_cuts_as_it_says():
    encoded, _, truths = three_groupings(0, n=90, widths=(8,), n_noise=0)
    model = BayesianHierarchy(random_state=0).fit_encoded(encoded)
    assert is_valid_linkage(model.linkage_)
    assert is_monotonic(model.linkage_)
    assert ari(truths[0], model.labels_) > 0.9
    assert ari(fcluster(model.linkage_, model.cut_height_, "distance"), model.labels_) == 1.0
    assert np.array_equal(model.labels_at(model.n_clusters_), model.labels_)
    for k in (1, 2, 7, 90):
        assert np.unique(labels_at(model.linkage_, k)).size == k
    with pytest.raises(ValueError, match="k=91 is not in the tree"):
        model.labels_at(91)


def test_the_scale_of_highest_evidence_is_taken():
    values = np.random.default_rng(0).normal(size=(60, 3))
    values[:30] += 6.0
    model = BayesianHierarchy(random_state=0).fit(values)
    assert model.n_clusters_ == 2
    encoded = Encoded.from_array(values, "normal")
    for scale in (0.02, 0.1, 0.5, 2.0):
        other = BayesianHierarchy(prior=default_priors(encoded, scale)).fit_encoded(encoded)
        assert model.log_evidence_ >= other.log_evidence_ - 1e-9
