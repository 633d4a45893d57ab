"""Every registered likelihood through the whole library, and what is refused."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mapdp_studio.core import MAPDP, ColumnSpec, Schema
from mapdp_studio.core.comparing.comparison import FitError, Results, tasks
from mapdp_studio.core.comparing.panels import method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.engine.calls import CODES, KERNELS, N_COLUMN_KERNELS
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES, GaussianPrior, NegativeBinomialPrior, PoissonPrior
from mapdp_studio.core.families.counts import DISPERSIONS
from mapdp_studio.core.families.pooled import AGREEMENTS, RIDGE, WIDTHS, PooledPriors
from mapdp_studio.core.families.sufficient import GroupMoments
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.profiling.cards import profile_cards
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.core.schema.schema import SchemaError
from mapdp_studio.core.statistics.compare import associations
from tests.random_tables import COLUMN_FAMILIES, as_frame, random_table
from tests.reference import log_marginal

WITH_OUTLINES = ("MAPDP", "CollapsedGibbs", "MixtureEM")
every_family = pytest.mark.parametrize("name", FAMILIES)


@pytest.fixture(scope="module", params=FAMILIES)
def table(request):
    """A column or block of the family beside two normal columns, with cells missing."""
    random = np.random.default_rng(3)
    encoded, _ = random_table(random, 60, [request.param, "normal", "normal"], 0.1, fill=True)
    frame, schema = as_frame(encoded)
    return request.param, frame, schema


def test_every_method_compares_and_draws_it(table):
    _, frame, schema = table
    results, planned = Results(), tasks("digest", schema, Settings(), len(frame))
    for task in planned.values():
        results.fit(task, frame, schema)
        assert not isinstance(results.get(task), FitError), task
        assert results.get(task).labels_.shape == (60,)
    view = choose_view(schema.encode(frame))
    panels = [method_panel(name, view, results, planned, planned, None) for name in planned]
    for method, panel in zip(planned, panels, strict=True):
        curves = [curve for _, curve in panel.outlines]
        assert bool(curves) == (method in WITH_OUTLINES)
        assert all(np.isfinite(curve).all() for curve in curves)


def test_its_groups_are_described_filled_and_predicted(table):
    name, frame, schema = table
    model = MAPDP(prior="empirical", patience=1, random_state=0).fit(frame, schema)
    encoded, family = schema.encode(frame), FAMILIES[name]
    seen = ~np.isnan(encoded.values)
    cards = profile_cards(encoded, model.labels_)
    assert [card.size for card in cards] == np.bincount(model.labels_).tolist()
    assert family.kind in {column.kind for column in natural_columns(encoded)}
    filled = schema.encode(model.impute(frame, "mode"))
    assert not np.isnan(filled.values).any()
    assert np.array_equal(filled.values[seen], encoded.values[seen])
    assert not model.impute(frame, "mean").isna().any(axis=None)
    assert np.isfinite(model.score_samples(frame.iloc[:9])).all()


@pytest.mark.parametrize("name", COLUMN_FAMILIES)
def test_it_is_tested_as_a_validator(name):
    random = np.random.default_rng(3)
    frame, schema = as_frame(random_table(random, 90, [name, "normal"], missing=0.05)[0])
    schema = schema.with_column(f"{name}0.0", role="validator")
    found = associations(frame, schema, np.arange(90) % 2)
    (column,) = found.columns
    assert column.variable.kind == FAMILIES[name].kind
    test = column.pairs[0].test
    assert "Not testable" in test.reason if test.p is None else 0.0 <= test.p <= 1.0
    assert not found.refused


@every_family
def test_cells_that_it_cannot_hold_are_refused(name):
    support = FAMILIES[name].support
    impossible = [np.inf]
    impossible += [-1.0] if support.starts_at_zero else []
    impossible += [0.0] if support.is_open else []
    impossible += [0.5] if support.is_whole else []
    for value in impossible:
        encoded, _ = random_table(np.random.default_rng(3), 20, [name], missing=0.0)
        encoded.values[7, 0] = value
        frame, schema = as_frame(encoded)
        with pytest.raises(SchemaError, match=r"row 8.*: "):
            schema.encode(frame)
        with pytest.raises(ValueError, match=r"row 8.*cannot take"):
            Encoded.from_array(encoded.values, name)


def test_every_unit_has_its_kernels():
    for name, family in FAMILIES.items():
        assert KERNELS[CODES[name]] is family.kernels
        joint = family.is_block and len(family.default_prior(np.eye(4), 0.1).parts()) == 1
        assert (CODES[name] >= N_COLUMN_KERNELS) == joint


def test_an_unknown_likelihood_is_named():
    with pytest.raises(ValueError, match="'gamma', which is not known; choose one of normal,"):
        Unit("a", "gamma", ("a",))


COUNTS = np.array([0.0, 3.0, 1.0, 7.0, 2.0, 12.0, 5.0, 1.0])


@pytest.mark.parametrize("dispersion", DISPERSIONS)
def test_the_marginal_agrees_with_scipy_at_every_dispersion(dispersion):
    prior = NegativeBinomialPrior(2.3, 1.7, dispersion)
    encoded = Encoded(COUNTS[:, None].copy(), (Unit("a", "negative_binomial", ("a",)),))
    expected = log_marginal("negative_binomial", prior, COUNTS)
    assert prior.log_marginal(COUNTS) == pytest.approx(expected, abs=1e-9)
    objective = Partition(PackedTable.pack(encoded, [prior]), 1.0).objective()
    restaurant = np.log(COUNTS.size)  # its part of E at N_0 = 1
    assert objective == pytest.approx(restaurant - expected, abs=1e-9)


@pytest.mark.parametrize("r", [0.5, 2.0, 16.0])
def test_the_dispersion_is_that_of_the_column(r):
    counts = stats.nbinom.rvs(r, r / (r + 8.0), size=3000, random_state=1).astype(float)
    prior = NegativeBinomialPrior.default(counts)
    assert 0.5 <= r * prior.dispersion <= 2.0
    assert prior.predictive().mean == pytest.approx(counts.mean())


def test_poisson_counts_have_no_dispersion_and_poisson_s_prior():
    counts = np.random.default_rng(0).poisson(5.0, 4000).astype(float)
    prior = NegativeBinomialPrior.default(counts)
    assert prior.dispersion == 0.0
    limit = PoissonPrior.default(counts)
    assert (prior.failures, prior.successes) == (limit.shape, limit.rate)


@pytest.mark.parametrize("r", [1, 2, 4])
def test_one_dispersed_population_is_one_group(r):
    for seed in range(2):
        random = np.random.default_rng([seed, 4 * r])
        frame = pd.DataFrame(random.normal(size=(300, 3)), columns=list("abc"))
        frame["visits"] = random.negative_binomial(r, r / (r + 6.0), 300)
        normal = [ColumnSpec(name, "normal") for name in "abc"]
        schema = Schema([*normal, ColumnSpec("visits", "negative_binomial")])
        assert MAPDP(random_state=0).fit(frame, schema).n_clusters_ == 1


def _grid(x: np.ndarray, labels: np.ndarray, steps: np.ndarray) -> list[float]:
    """Ln p of all groups in every cell of the grid, from the definition."""
    n, d = x.shape
    sizes = np.bincount(labels)
    interval = np.diag(np.square(steps) / 12.0)
    of_group = [x[labels == k] for k in np.unique(labels)]
    within = sum(len(g) * (np.cov(g.T, bias=True).reshape(d, d) + interval) for g in of_group)
    within = within / max(n - np.count_nonzero(sizes), 1)
    if n - np.count_nonzero(sizes) < 2 * d:
        within = np.diag(np.diag(within))
    within = within + RIDGE * np.diag(np.diag(within))
    total = np.var(x, axis=0) + np.square(steps) / 12.0
    ratio = np.mean(np.diag(within) / np.maximum(total - np.diag(within), 1e-6 * np.diag(within)))
    found = []
    for count, nu, a in product((10.0 / n, np.clip(ratio, 1e-3, 1.0)), AGREEMENTS, WIDTHS):
        prior = GaussianPrior(tuple(x.mean(axis=0)), count, nu + d + 1.0, a * nu * within, steps)
        found.append(sum(prior.log_marginal(g) for g in of_group))
    return found


@pytest.mark.parametrize("n", [9, 60])
def test_of_several_sets_at_once_each_has_its_best_cell(n):
    random = np.random.default_rng(n)
    x = random.normal(size=(n, 4)) @ random.normal(size=(4, 4))
    labels = np.arange(n) % 3
    steps = np.array([0.0, 0.1, 0.5, 0.0])
    priors = PooledPriors(GroupMoments.of(x, labels, 3, np.ones(n)), steps)
    for sets in ([(0,), (2,)], [(0, 1), (1, 2), (0, 3)], [(0, 1, 2, 3)]):
        for columns, best in zip(sets, priors.best(np.array(sets)), strict=True):
            cells = _grid(x[:, columns], labels, steps[list(columns)])
            assert best.log_marginal == pytest.approx(max(cells), rel=1e-9)
            evidence = sum(
                GaussianPrior.of_pooled(best).log_marginal(x[labels == k][:, columns])
                for k in range(3)
            )
            assert evidence == pytest.approx(max(cells), rel=1e-9)
