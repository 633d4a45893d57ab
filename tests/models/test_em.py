"""E-M against scikit-learn's mixtures, scipy's densities and the promise never to worsen."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from mapdp_studio.core import MixtureEM
from mapdp_studio.core.families import FAMILIES, PoissonPrior
from mapdp_studio.core.models import mixture as parts
from mapdp_studio.core.models.em import Mixture, em_states, em_step
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import random_families, random_table


def _of_sklearn(table, responsibilities, kind, n_iter):
    """GaussianMixture after so many iterations from given responsibilities."""
    model = GaussianMixture(
        responsibilities.shape[1], covariance_type=kind, tol=0.0, max_iter=n_iter, random_state=0
    )
    model._initialize_parameters = lambda X, *_, **__: model._initialize(X, responsibilities)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(table)


@pytest.mark.parametrize(("likelihood", "kind"), [("gaussian", "full"), ("normal", "diag")])
@pytest.mark.parametrize("hard", [False, True])
def test_every_iteration_is_that_of_scikit_learn(likelihood, kind, hard):
    random = np.random.default_rng(1)
    table, truth = make_blobs(400, n_features=3, centers=4, cluster_std=4.0, random_state=2)
    start = np.eye(4)[truth] if hard else random.dirichlet(np.ones(4), size=400)
    model = MixtureEM(4, likelihood=likelihood, prior=None, init=start, tol=0.0, max_iter=15)
    states = list(model.states_encoded(Encoded.from_array(table, likelihood)))
    for n_iter in (1, 2, 15):
        state, theirs = states[n_iter], _of_sklearn(table, start, kind, n_iter)
        found = state.parameters
        if kind == "full":
            mean, covariance = found["all columns"]["mean"], found["all columns"]["covariance"]
        else:
            mean = np.column_stack([column["mean"] for column in found.values()])
            covariance = np.column_stack([column["sd"] ** 2 for column in found.values()])
        assert np.allclose(state.fitted.weights, theirs.weights_, rtol=1e-9, atol=0)
        assert np.allclose(mean, theirs.means_, rtol=1e-9)
        assert np.allclose(covariance, theirs.covariances_, rtol=1e-9)
        assert -states[n_iter - 1].objective / 400 == pytest.approx(theirs.lower_bound_, rel=1e-10)
        assert np.allclose(state.responsibilities, theirs.predict_proba(table), atol=1e-9)
    model.fit(table)
    assert np.allclose(
        np.sort(model.score_samples(table)), np.sort(theirs.score_samples(table)), rtol=1e-9
    )


def _log_density(unit, cells, found, k):
    """ln p of one row's cells of a unit under component k, from the parameters as reported."""
    seen = ~np.isnan(cells)
    if not seen.any():
        return 0.0
    x, n_trials = cells[0], unit.options.get("trials")
    one = {name: numbers[k] for name, numbers in found.items()}
    mean, p = one.get("mean"), one.get("probability")
    if FAMILIES[unit.family].is_block:
        covariance = one.get("covariance", np.eye(cells.size) * one.get("sd", 0.0) ** 2)
        both = np.ix_(seen, seen)
        return stats.multivariate_normal(mean[seen], covariance[both]).logpdf(cells[seen])
    return {
        "normal": lambda: stats.norm.logpdf(x, mean, one["sd"]),
        "normal_known_variance": lambda: stats.norm.logpdf(x, mean, one["sd"]),
        "categorical": lambda: np.log(one["probabilities"][int(x)]),
        "binomial": lambda: stats.binom.logpmf(x, n_trials, p),
        "exponential": lambda: stats.expon.logpdf(x, scale=mean),
        "bernoulli": lambda: stats.bernoulli.logpmf(x, p),
        "poisson": lambda: stats.poisson.logpmf(x, mean),
        "geometric": lambda: stats.geom.logpmf(x + 1, p),
        "negative_binomial": lambda: _nbinom(mean, one["variance"]).logpmf(x),
    }[unit.family]()


def _nbinom(mean, variance):
    """Negative binomial, or its limit, of that mean and variance."""
    if variance == mean:
        return stats.poisson(mean)
    return stats.nbinom(mean**2 / (variance - mean), mean / variance)


def _log_prior(family, prior, found, k):
    """Log prior density of one component, with the Jacobian of the coordinates of the modes."""
    one = {name: numbers[k] for name, numbers in found.items()}
    mean, sd = one.get("mean"), one.get("sd")
    if family in ("normal_known_variance", "spherical"):
        return stats.norm.logpdf(mean, prior.mean, np.sqrt(prior.mean_variance)).sum()
    if family == "normal":
        tau = stats.gamma(prior.shape, scale=1 / prior.rate).logpdf(sd**-2) + np.log(sd**-2)
        return tau + stats.norm.logpdf(mean, prior.mean, sd / np.sqrt(prior.mean_count))
    if family == "gaussian":
        precision = np.linalg.inv(one["covariance"])
        wishart = stats.wishart(prior.dof, np.linalg.inv(prior.scatter)).logpdf(precision)
        measure = 0.5 * (mean.size + 1) * np.linalg.slogdet(precision)[1]
        location = stats.multivariate_normal(prior.mean, one["covariance"] / prior.mean_count)
        return wishart + measure + location.logpdf(mean)
    if family == "negative_binomial" and prior.dispersion == 0:
        family, prior = "poisson", PoissonPrior(prior.failures, prior.successes)
    if family in ("poisson", "exponential"):
        rate = mean if family == "poisson" else 1 / mean
        return stats.gamma(prior.shape, scale=1 / prior.rate).logpdf(rate) + np.log(rate)
    if family == "categorical":
        p, counts = one["probabilities"] / one["probabilities"].sum(), prior.counts
    else:
        chance = one.get("probability")
        if family == "negative_binomial":
            chance = 1 / (1 + prior.dispersion * mean)
        p = np.array([chance, 1 - chance])
        is_waiting = family in ("geometric", "negative_binomial")
        counts = (prior.successes, prior.failures) if is_waiting else (prior.yes, prior.no)
    return stats.dirichlet(counts).logpdf(p) + np.log(p).sum()


@pytest.mark.parametrize("family", FAMILIES)
def test_objective_is_that_of_scipy(family, monkeypatch):
    monkeypatch.setattr(parts, "ROWS", 7)  # so that rows are read in several runs
    random = np.random.default_rng(3)
    encoded, priors = random_table(random, 30, [family, "poisson", family], fill=True)
    mixture = Mixture.of(encoded, priors)
    state = em_step(mixture, mixture.read(encoded), random.dirichlet(np.ones(3), size=30))
    found = [state.parameters[unit.name] for unit in encoded.units]
    log_joint = np.log(np.tile(state.fitted.weights, (30, 1)))
    for unit, start, numbers in zip(encoded.units, encoded.starts, found, strict=True):
        for i, k in np.ndindex(30, 3):
            cells = encoded.values[i, start : start + len(unit.columns)]
            log_joint[i, k] += _log_density(unit, cells, numbers, k)
    log_rows = np.logaddexp.reduce(log_joint, axis=1)
    assert np.allclose(state.responsibilities, np.exp(log_joint - log_rows[:, None]))
    log_prior = sum(
        _log_prior(unit.family, prior, numbers, k)
        for unit, prior, numbers in zip(encoded.units, priors, found, strict=True)
        for k in range(3)
    )
    assert state.objective == pytest.approx(-log_rows.sum() - log_prior, rel=1e-9)


@pytest.mark.parametrize("prior", ["given", None])
def test_objective_never_worsens_and_rests_at_a_minimum(prior):
    for seed in range(30):
        random = np.random.default_rng(seed)
        n, k = int(random.integers(12, 60)), int(random.integers(1, 5))
        encoded, priors = random_table(random, n, random_families(random), 0.25, fill=True)
        mixture = Mixture.of(encoded, priors, None if prior else 1e-9)
        rows = mixture.read(encoded)
        state = em_step(mixture, rows, random.dirichlet(np.full(k, 0.3), size=n))
        for _ in range(25):
            before, state = state, em_step(mixture, rows, state.responsibilities, state.fitted)
            assert state.objective <= before.objective + 1e-9 * abs(before.objective) + 1e-9
        if prior and seed < 10:
            *_, end = em_states(mixture, rows, state.responsibilities, 5_000, 1e-13)
            _assert_minimum(mixture, rows, end, random)


def _assert_minimum(mixture, rows, end, random):
    """No parameters nearby are better: those of nearby responsibilities, a step to either side."""
    for _ in range(5):
        tilt = 1e-3 * random.normal(size=end.responsibilities.shape)
        for side in (tilt, -tilt):
            weight = (end.responsibilities * np.exp(side) + 1e-5 * np.abs(tilt)).T
            fitted = mixture.maximise(rows, weight, end.fitted)
            log_density = mixture.expect(rows, fitted)[1]
            objective = -log_density.sum() - mixture.log_prior(fitted)
            assert objective >= end.objective - 1e-7


@pytest.mark.parametrize("likelihood", ["normal", "gaussian"])
@pytest.mark.parametrize("prior", ["empirical", None])
def test_units_and_offsets_of_columns_do_not_matter(likelihood, prior):
    table, truth = make_blobs(300, centers=3, cluster_std=3.0, random_state=1)
    table[::7, 0] = np.nan
    scale, shift = np.array([1e3, 1e-4]), np.array([1e9, -1e3])
    options = {"likelihood": likelihood, "prior": prior, "covariance_floor": 0.0}
    options["init"] = np.eye(3)[truth]
    near = MixtureEM(**options, tol=1e-9).fit(table)
    far = MixtureEM(**options, tol=1e-9).fit(table * scale + shift)
    assert np.allclose(near.responsibilities_, far.responsibilities_, atol=1e-4)
    change = ~np.isnan(table) @ np.log(scale)
    densities = far.score_samples(table * scale + shift) + change
    assert np.allclose(near.score_samples(table), densities, atol=1e-4)


@pytest.mark.parametrize("prior", ["empirical", None])
def test_components_without_rows_get_no_label(prior):
    table = np.repeat([[5.0, 5.0], [0.0, 1.0], [9.0, 0.0]], [8, 9, 7], axis=0)
    model = MixtureEM(6, prior=prior, random_state=0).fit(table)
    assert model.result_.sizes.tolist() == [9, 8, 7]
    assert model.responsibilities_.shape == (24, 6)
    assert np.isfinite(model.objective_)
    assert np.array_equal(model.predict(table[::-1]), model.labels_[::-1])
    assert np.allclose(model.weights_, model.responsibilities_.mean(axis=0), atol=0.05)


@pytest.mark.parametrize(
    "likelihood", ["categorical", "poisson", "geometric", "binomial", "exponential"]
)
def test_levels_nobody_has_stay_possible_without_a_prior(likelihood):
    table = np.array([[0.0, 0, 3], [0, 0, 3], [0, 1, 3], [2, 4, 0], [2, 5, 0], [2, 6, 1]])
    start = [0, 0, 0, 1, 1, 1]
    model = MixtureEM(2, likelihood=likelihood, prior=None, init=np.eye(2)[start]).fit(table)
    assert np.array_equal(model.labels_, start)
    mixed = np.column_stack([table[:, 0], table[::-1, 1:]])
    assert np.all(np.isfinite(model.score_samples(mixed)))


def test_starts_and_ends():
    table, truth = make_blobs(300, centers=4, cluster_std=3.0, random_state=7)
    given = MixtureEM(4, init=np.eye(4)[truth])
    states = list(given.states_encoded(Encoded.from_array(table, "normal")))
    assert [state.objective for state in states] == given.fit(table).objective_trace_.tolist()
    assert [state.converged for state in states] == [False] * (len(states) - 1) + [True]
    gains = -np.diff(given.objective_trace_) / 300
    assert gains[-1] <= 1e-6 < gains[:-1].min()
    cut = MixtureEM(4, init=np.eye(4)[3 - truth], max_iter=2).fit(table)
    assert (cut.n_iter_, cut.converged_) == (2, False)
    assert cut.objective_ == pytest.approx(given.objective_trace_[2])
    one, many = (MixtureEM(7, n_init=n, random_state=0).fit(table) for n in (1, 5))
    assert many.objective_ <= one.objective_
    phases, (few, _) = [], make_blobs(90, centers=[[0, 0], [50, 0], [0, 50]], random_state=7)
    MixtureEM(3, n_init=5, random_state=0).fit(few, callback=lambda at: phases.append(at.phase))
    # The other starts were the same partition: there is nothing new on their way.
    assert {phase.partition(",")[0] for phase in phases} == {"start 1 of 5"}


WRONG_STARTS = (np.eye(4), [0, 0, 1, 1], np.full((4, 3), 0.5), [[2.0, -1.0, 0.0]] * 4)


@pytest.mark.parametrize(
    ("arguments", "cell", "sentence"),
    [
        *(({"init": wrong}, 1.0, r"^init.* is not allowed") for wrong in WRONG_STARTS),
        ({"prior": FAMILIES["poisson"](1.0, 1.0)}, 1.0, "needs a NormalPrior"),
        ({"prior": [FAMILIES["normal"](0.0, 1.0, 1.0, 1.0)]}, 1.0, "list of 4"),
    ],
)
def test_what_cannot_be_is_said(arguments, cell, sentence):
    table = np.eye(4)
    table[0, 0] = cell
    with pytest.raises(ValueError, match=sentence):
        MixtureEM(**arguments).fit(table)
