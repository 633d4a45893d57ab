"""The laws every likelihood must obey, with scipy as judge; new families enter by registration."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

from mapdp_studio.core.engine.packed import PackedTable, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.rows import add_row, log_marginals, refresh, score_table
from mapdp_studio.core.families import FAMILIES, PoissonPrior
from mapdp_studio.core.families.family import MEASUREMENT
from mapdp_studio.core.inference.clusters import RowScores
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.random_tables import COLUMN_FAMILIES, FILLED, random_table, random_values
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
    return Partition(PackedTable.pack(encoded, priors), 1.0, labels)


def _values(partition):
    return partition.packed.encoded.unit_values(0)


def _left_out(partition, i):
    """What the engine leaves out of ln p of row i, in the user's units."""
    packed = partition.packed
    units = range(len(packed.encoded.units))
    return packed.constants(units, packed.encoded.values[i : i + 1])[0]


def _score(partition, i, own=-1):
    """Score of row i under every cluster and the empty one, in its own without itself."""
    clusters, n = partition.clusters, partition.n_clusters + 1
    table = partition.table._replace(values=partition.table.values[[i]])
    out = np.empty((1, n))
    score_table(table, clusters.state, np.array([own]), out, clusters.work)
    return out[0]


def _scores(partition, i):
    """Log predictive of row i under every cluster and the empty one, in the user's units."""
    return _score(partition, i) + _left_out(partition, i)


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
    values, prior = _values(partition), partition.packed.priors[0]
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
def test_python_posterior_is_the_compiled_one(name, seed):
    partition = _partition(name, seed)
    prior, values = partition.packed.priors[0], _values(partition)
    for k in range(3):
        posterior = prior.posterior(values[MEMBERS[k]])
        later = Partition(partition.packed.with_priors([posterior]), 1.0, LABELS)
        for i in OUTSIDE:
            expected = _scores(later, i)[-1]
            assert _scores(partition, i)[k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


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
            PackedTable.pack(encoded, default_priors(encoded, 0.2)), 1.0, labels
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
    packed = PackedTable.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(packed, 1.0, np.arange(n) % 2)
    assert np.isfinite(partition.objective())
    assert all(np.isfinite(_scores(partition, i)).all() for i in range(n))


POWERS = (0.05, 0.3, 0.7, 1.0)
every_power = pytest.mark.parametrize("power", POWERS)
#: At the power of 1, which is what is most used, several tables.
every_table = pytest.mark.parametrize(
    ("power", "seed"), [*((power, 1) for power in POWERS), (1.0, 0), (1.0, 2), (1.0, 3)]
)


def _columns(name, power, missing=0.2, seed=1):
    encoded, priors = random_table(np.random.default_rng(seed), N, [name], missing)
    return PackedTable.pack(encoded, priors, power)


def _relabelled(i, k):
    labels = LABELS.copy()
    labels[i] = k
    return labels


@every_family
@every_table
def test_scores_are_differences_of_own_marginals(name, power, seed):
    packed = _columns(name, power, seed=seed)
    partition = Partition(packed, 1.0, LABELS)
    own, clusters = np.append(_own_marginals(partition)[:3], 0.0), partition.clusters
    state = clusters.state.copy()
    for i in OUTSIDE:
        scores = _score(partition, i)
        for k in range(4):
            after = _own_marginals(Partition(packed, 1.0, _relabelled(i, k)))
            assert scores[k] == pytest.approx(after[k] - own[k], abs=1e-9)
    for i in np.flatnonzero(LABELS >= 0):
        k = LABELS[i]
        without = _own_marginals(Partition(packed, 1.0, _relabelled(i, -1)))
        assert _score(partition, i, k)[k] == pytest.approx(own[k] - without[k], abs=1e-9)
    assert np.allclose(clusters.state, state, rtol=1e-12, atol=1e-12)


@every_family
@every_table
def test_add_then_remove_and_merges_keep_the_statistics(name, power, seed):
    partition = Partition(_columns(name, power, seed=seed), 1.0, LABELS)
    table, state, work = partition.table, partition.clusters.state, partition.clusters.work
    before, out = state.copy(), np.empty(partition.clusters.cost.size)
    for k in (1, 3):
        for sign in (1.0, -1.0):
            for i in np.arange(N)[:: int(sign)]:
                add_row(table, state, k, i, sign, work)
        refresh(table, state, k, 4, work)
    assert np.allclose(state, before, rtol=1e-9, atol=1e-9)
    for k, other in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        log_marginals(table, state, k, 3, out, work)
        labels = np.where(np.equal(LABELS, other), k, LABELS)
        union = _own_marginals(Partition(partition.packed, 1.0, labels))
        assert out[other] == pytest.approx(union[k], rel=1e-9)


def _grid(low, high, size):
    u = np.linspace(low, high, size)
    return u, np.log(u[1] - u[0])


def _log_prior_and_likelihood(name, prior, x):
    """On a grid of the parameter: ln of its prior times its step, and ln p of each value (n, G)."""
    if name in ("normal", "gaussian"):
        c, m = prior.mean_count, np.ravel(prior.mean)[0]
        a, b = (prior.shape, prior.rate) if name == "normal" else (prior.dof / 2, prior.scatter / 2)
        u, step = _grid(-25.0, 12.0, 900)  # ln tau
        s, wide = _grid(-60.0, 60.0, 2401)  # mu in standard deviations of its prior
        tau = np.exp(u)[:, None]
        mu = m + s / np.sqrt(c * tau)
        log_prior = stats.gamma.logpdf(tau, a, scale=1 / b) + u[:, None] + step
        log_prior = (log_prior + stats.norm.logpdf(s) + wide).ravel()
        values = [stats.norm.logpdf(value, mu, tau**-0.5).ravel() for value in x]
        return log_prior, np.array(values)
    if name in ("normal_known_variance", "spherical"):
        m, between = np.ravel(prior.mean)[0], np.ravel(prior.mean_variance)[0]
        within = np.sqrt(prior.variance)
        s, step = _grid(-60.0, 60.0, 24001)
        mu = m + s * np.sqrt(between)
        return stats.norm.logpdf(s) + step, stats.norm.logpdf(x[:, None], mu, within)
    if name == "negative_binomial" and prior.dispersion == 0:
        return _log_prior_and_likelihood(
            "poisson", PoissonPrior(prior.failures, prior.successes), x
        )
    if name in ("exponential", "poisson"):
        u, step = _grid(-60.0, 12.0, 20001)
        rate = np.exp(u)
        log_prior = stats.gamma.logpdf(rate, prior.shape, scale=1 / prior.rate) + u + step
        law = stats.poisson.logpmf(x[:, None], rate)
        return log_prior, law if name == "poisson" else u - rate * x[:, None]
    u, step = _grid(-60.0, 60.0, 40001)
    log_q, log_not = -np.logaddexp(0.0, -u), -np.logaddexp(0.0, u)
    a, b, yes, no, rest = _choice(name, prior, x[:, None])
    log_prior = a * log_q + b * log_not - special.betaln(a, b) + step
    return log_prior, yes * log_q + no * log_not + rest


def _choice(name, prior, x):
    """The Beta prior, and ln p = yes ln q + no ln(1 - q) + rest."""
    if name == "categorical":
        return *prior.counts, 1 - x, x, 0.0
    if name == "bernoulli":
        return prior.yes, prior.no, x, 1 - x, 0.0
    if name == "binomial":
        return prior.yes, prior.no, x, prior.trials - x, np.log(special.comb(prior.trials, x))
    if name == "geometric":
        return prior.successes, prior.failures, 1.0, x, 0.0
    assert name == "negative_binomial", f"write the law of {name} here, or where rates are, above"
    r = 1 / prior.dispersion
    return prior.successes, prior.failures, r, x, np.log(special.poch(r, x) / special.factorial(x))


@every_family
@every_power
def test_the_marginal_is_the_integral_of_the_powered_likelihood(name, power):
    random = np.random.default_rng(4)
    values, options = random_values(FAMILIES[name], 6, random, width=1)
    if name == "categorical":
        values, options = values % 2, {"levels": (0, 1)}
    prior = FAMILIES[name].default_prior(values, 0.3, **options)
    encoded = Encoded(values.reshape(6, 1), (Unit("a", name, ("a",), options),))
    partition = Partition(PackedTable.pack(encoded, [prior], power), 1.0)
    log_prior, log_p = _log_prior_and_likelihood(name, prior, values.ravel())
    expected = special.logsumexp(log_prior + power * log_p.sum(axis=0))
    found = -partition.objective() + np.log(6)  # the restaurant's part of E at N_0 = 1
    assert found == pytest.approx(expected, abs=1e-7, rel=1e-7)


@every_family
def test_what_is_printed_as_a_density_is_of_the_whole_likelihood(name):
    packed = _columns(name, 0.3)
    partition = Partition(packed, 1.0, LABELS)
    scores = RowScores.of(partition).log_predictive(packed.encoded, np.full(N, -1))
    prior, values = packed.priors[0], _values(partition)
    for k in range(4):
        posterior = prior.posterior(values[MEMBERS[k]], 0.3)
        for i in OUTSIDE:
            expected = log_predictive(name, posterior, values[:0], values[i])
            assert scores[i, k] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@every_family
@pytest.mark.parametrize("power", [0.3, 1.0])
def test_a_member_is_scored_given_the_others_of_its_cluster(name, power):
    packed = _columns(name, power, missing=0.1)
    for weights in (None, np.random.default_rng(0).uniform(0.5, 3.0, N)):
        encoded = replace(packed.encoded, weights=weights)
        packed = PackedTable.pack(encoded, packed.priors, power)
        scores = RowScores.of(Partition(packed, 1.0, LABELS))
        found = scores.log_joint(encoded, LABELS)
        for i in np.flatnonzero(LABELS >= 0)[::3]:
            rest = RowScores.of(Partition(packed, 1.0, _relabelled(i, -1)))
            expected = rest.log_joint(encoded.rows([i]), np.array([-1]))[0]
            assert found[i] == pytest.approx(expected, abs=1e-9)


@every_family
@pytest.mark.parametrize("power", [0.3, 1.0])
def test_a_weight_is_that_many_copies_that_stay_together(name, power):
    random = np.random.default_rng(2)
    encoded, _ = random_table(random, 12, [name, "normal"], missing=0.2)
    weights = random.integers(1, 4, 12)
    copies = replace(encoded, values=np.repeat(encoded.values, weights, axis=0))
    weighted = replace(encoded, weights=weights.astype(float))
    packed = [
        PackedTable.pack(table, default_priors(table, 0.2), power) for table in (weighted, copies)
    ]
    for _ in range(4):
        labels = np.unique(random.integers(4, size=12), return_inverse=True)[1]
        short = Partition(packed[0], 1.7, labels)
        long = Partition(packed[1], 1.7, np.repeat(labels, weights))
        assert short.objective() == pytest.approx(long.objective(), abs=1e-9, rel=1e-12)
        merged = short.merge(-np.inf), long.merge(-np.inf)
        assert merged[0] == pytest.approx(merged[1], abs=1e-8)


@every_family
@pytest.mark.parametrize("power", [0.3, 1.0])
def test_a_sweep_of_weighted_rows_ends_where_no_move_lowers_e(name, power):
    random = np.random.default_rng(3)
    encoded, priors = random_table(random, 14, [name, "poisson"], missing=0.2)
    encoded = replace(encoded, weights=random.choice([0.4, 1.0, 2.5], 14))
    partition = Partition(PackedTable.pack(encoded, priors, power), 1.0)
    before, order = partition.objective(), np.arange(14)
    partition.sweep(order)
    while partition.sweep(order):
        assert partition.objective() < before + 1e-9
        before = partition.objective()
    lowest = partition.objective()
    assert lowest == pytest.approx(
        Partition(partition.packed, 1.0, partition.labels).objective(), abs=1e-9
    )
    for i in range(14):
        for k in range(partition.n_clusters + 1):
            labels = partition.labels.copy()
            labels[i] = k
            labels = np.unique(labels, return_inverse=True)[1]
            assert Partition(partition.packed, 1.0, labels).objective() >= lowest - 1e-8


@pytest.mark.parametrize("name", [name for name in FAMILIES if FAMILIES[name].kind == MEASUREMENT])
@every_power
def test_filled_cells_stand_where_e_is_lowest(name, power):
    random = np.random.default_rng(7)
    encoded, priors = random_table(random, 24, [name], missing=0.3, fill=True)
    opened = PackedTable.pack(encoded, priors, power).with_drawn_cells(random)
    drawn, seen = opened.in_user_units(opened.table), encoded.values
    assert (np.nanmin(seen, axis=0) - 1e-9 <= drawn).all()
    assert (drawn <= np.nanmax(seen, axis=0) + 1e-9).all()
    partition = Partition(opened, 1.0, np.arange(24) % 2)
    partition.settle(1e-12)
    lowest, cells = partition.objective(), np.argwhere(opened.table.missing)
    anew = Partition(replace(opened, table=partition.table), 1.0, partition.labels)
    assert anew.objective() == pytest.approx(lowest, abs=1e-9)
    assert len(cells)
    for i, j in cells:
        at = partition.table.values[i, j]
        for value in (at - 1e-3, at + 1e-3):
            if not FAMILIES[name].are_impossible(np.array([value])).any():
                values = partition.table.values.copy()
                values[i, j] = value
                packed = replace(opened, table=opened.table._replace(values=values))
                other = Partition(packed, 1.0, partition.labels)
                assert other.objective() >= lowest - 1e-9


@pytest.mark.parametrize("name", COLUMN_FAMILIES)
def test_what_is_drawn_is_what_is_predicted_and_outlined(name):
    random = np.random.default_rng(8)
    encoded, (prior,) = random_table(random, 4_000, [name], missing=0.0)
    posterior = prior.posterior(encoded.unit_values(0))
    drawn, predicted = posterior.draw(100_000, random), posterior.predictive()
    error = np.sqrt(predicted.variance / drawn.size)
    assert drawn.mean() == pytest.approx(predicted.mean, abs=5 * error)
    assert drawn.var() == pytest.approx(predicted.variance, rel=0.1)
    if not FAMILIES[name].is_nominal:
        mean, variance = FAMILIES[name].moments(posterior.summary())
        assert (mean.item(), variance.item()) == pytest.approx((drawn.mean(), drawn.var()), rel=0.1)


def test_a_filled_row_of_weight_w_is_w_rows_filled_alike():
    random = np.random.default_rng(6)
    encoded, priors = random_table(random, 30, [FILLED, "poisson"], fill=True)
    weights, labels = random.integers(1, 4, 30), random.integers(3, size=30)
    copies = replace(encoded, values=np.repeat(encoded.values, weights, axis=0))
    weighted = replace(encoded, weights=weights.astype(float))
    short = Partition(PackedTable.pack(weighted, priors), 1.7, labels)
    long = Partition(PackedTable.pack(copies, priors), 1.7, np.repeat(labels, weights))
    assert short.table.incomplete.sum() > 3
    short.settle(1e-12)
    long.settle(1e-12)
    assert short.objective() == pytest.approx(long.objective(), abs=1e-8)
    filled = [partition.packed.in_user_units(partition.table) for partition in (short, long)]
    np.testing.assert_allclose(np.repeat(filled[0], weights, axis=0), filled[1], rtol=1e-5)


@pytest.mark.parametrize("weight", [0.6, 3.0])
def test_a_filled_row_is_scored_without_all_of_its_weight(weight):
    encoded, priors = random_table(np.random.default_rng(3), 14, [FILLED], missing=0.0)
    encoded.values[0, 1] = np.nan
    weighted = replace(encoded, weights=np.where(np.arange(14) == 0, weight, 1.0))
    labels = np.arange(14) % 2
    inside = RowScores.of(Partition.of_labels(PackedTable.pack(weighted, priors), 1.0, labels))
    others = weighted.rows(np.arange(1, 14))
    outside = RowScores.of(Partition.of_labels(PackedTable.pack(others, priors), 1.0, labels[1:]))
    first = encoded.rows(np.array([0]))
    np.testing.assert_allclose(
        inside.log_predictive(weighted, labels)[0, 0],
        outside.log_predictive(first, np.array([-1]))[0, 0],
        rtol=1e-9,
    )


def _unit(name, seed=0):
    """A unit with missing cells, its prior, and labels with some rows in no cluster."""
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, 40, [name], 0.2)
    values = encoded.unit_values(0)
    if FAMILIES[name].fills_missing:  # of which incomplete rows are no observations
        values = np.where(np.isnan(values).any(axis=1, keepdims=True), np.nan, values)
    return values, priors[0], random.integers(-1, 3, 40)


def _rows(values, rows):
    """Rows with something to observe, as the references read them."""
    chosen = values[rows]
    return chosen[~np.isnan(chosen).all(axis=1)] if chosen.ndim == 2 else chosen


def _same(a, b):
    assert a.to_dict().keys() == b.to_dict().keys()
    for key, value in a.to_dict().items():
        np.testing.assert_allclose(value, b.to_dict()[key], rtol=1e-9, atol=1e-9)


@every_family
def test_evidence_and_posterior_of_a_statistic_are_those_of_its_rows(name):
    values, prior, labels = _unit(name)
    statistic = prior.statistic(values, labels, 4)
    expected = [log_marginal(name, prior, _rows(values, labels == k)) for k in range(3)]
    np.testing.assert_allclose(
        prior.log_marginal_of(statistic), [*expected, 0.0], rtol=1e-9, atol=1e-9
    )
    for k in range(4):
        _same(prior.posterior_of(statistic.cluster(k)), prior.posterior(values[labels == k]))


@pytest.mark.parametrize("name", ["normal", "gaussian"])
def test_all_clusters_together_are_the_rows_in_one(name):
    values, prior, labels = _unit(name)
    together = prior.statistic(values, labels, 3).together()
    inside = values[labels >= 0]
    _same(prior.posterior_of(together), prior.posterior(inside))
    expected = log_marginal(name, prior, _rows(values, labels >= 0))
    assert prior.log_marginal_of(together)[0] == pytest.approx(expected, rel=1e-9)


@every_family
def test_a_row_of_weight_2_is_two_rows(name):
    values, prior, _ = _unit(name)
    weight = np.where(np.arange(40) % 3, 1.0, 2.0)
    twice = np.concatenate([values, values[weight == 2.0]])
    _same(prior.posterior(values, weight), prior.posterior(twice))
    assert prior.log_marginal(values, weight) == pytest.approx(prior.log_marginal(twice), rel=1e-9)
