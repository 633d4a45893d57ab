"""What columns and rows contribute, by Bayes' rule with the reference's log marginals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from mapdp_studio.core import MAPDP
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.inference.contributions import (
    assignments,
    column_contributions,
    row_contributions,
    unit_log_marginals,
)
from tests.random_tables import FILLED, as_frame, plain_columns, random_families, random_table
from tests.reference import log_marginal, log_predictive

CLOSE = 1e-8


def _model(seed, families=None, n=16, **options):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, n, families or random_families(random), **options)
    model = MAPDP(1.3, prior=list(priors), patience=2, random_state=seed)
    return model.fit(*as_frame(encoded))


def _without(values, labels, k, i):
    return values[(labels == k) & (np.arange(labels.size) != i)]


@pytest.mark.parametrize("seed", range(3))
def test_columns_add_up_to_what_the_clusters_put_into_the_objective(seed):
    families = list(FAMILIES) if seed == 0 else None
    encoded, priors = random_table(
        np.random.default_rng(seed),
        20,
        families or random_families(np.random.default_rng(seed)),
        fill=True,
    )
    columns = Columns.pack(encoded, priors)
    partition = Partition(columns, 0.7, np.arange(20) % 3)
    partition.settle()
    found = unit_log_marginals(partition)
    plain = plain_columns(columns, partition.table)
    expected = [
        [log_marginal(family, prior, values[partition.labels == k]) for k in range(3)]
        for family, prior, values in plain
    ]
    assert found == pytest.approx(np.array(expected), abs=CLOSE)
    crp = special.gammaln(partition.sizes).sum() + 3 * np.log(0.7)
    crp += special.gammaln(0.7) - special.gammaln(20.7)
    assert -partition.objective() == pytest.approx(found.sum() + crp, rel=1e-9)
    table = column_contributions(partition)
    assert list(table.index) == [unit.name for unit in encoded.units]
    whole = [log_marginal(*unit) for unit in plain]
    assert table["nats"].to_numpy() == pytest.approx(found.sum(axis=1) - whole, abs=CLOSE)
    first = encoded.unit_values(0)
    assert table["n_observed"].iloc[0] == np.sum(~np.isnan(first))


@pytest.mark.parametrize("seed", range(5))
def test_a_fitted_row_is_judged_by_the_others(seed):
    families = [name for name in random_families(np.random.default_rng(seed)) if name != FILLED]
    model = _model(seed, families or ["poisson"])
    plain, labels, k_all = plain_columns(model.columns_), model.labels_, model.n_clusters_
    found = assignments(model)
    contributions = row_contributions(model)
    for i in range(16):
        alone = np.sum(labels == labels[i]) == 1
        parts = np.array(
            [
                [log_predictive(f, prior, _without(x, labels, k, i), x[i]) for f, prior, x in plain]
                for k in range(k_all + 1)
            ]
        )
        weights = np.array([np.sum(_without(labels, labels, k, i) == k) for k in range(k_all)])
        weights = np.append(weights, 1.3).astype(float)
        if alone:
            weights[labels[i]], weights[-1] = 1.3, 0.0
        with np.errstate(divide="ignore"):
            joint = parts.sum(axis=1) + np.log(weights / weights.sum())
        density = special.logsumexp(joint)
        assert found.log_density[i] == pytest.approx(density, abs=CLOSE)
        assert found.probabilities[i] == pytest.approx(np.exp(joint - density), abs=CLOSE)
        own, second = contributions.labels[i], contributions.second[i]
        assert own == labels[i]
        assert second == found.second[i]
        assert contributions.own.to_numpy()[i] == pytest.approx(
            [p if _seen(x[i]) else np.nan for p, (_, _, x) in zip(parts[own], plain, strict=True)],
            abs=CLOSE,
            nan_ok=True,
        )
        odds = contributions.margin.to_numpy()[i]
        odds = np.nansum(odds) - np.subtract(*contributions.weights[i][::-1])
        assert odds == pytest.approx(joint[own] - joint[second], abs=CLOSE)


def _seen(cells):
    return bool(np.any(~np.isnan(cells)))


def test_a_row_with_filled_cells_is_judged_without_itself_by_its_observed_ones():
    model = _model(0, [FILLED], n=40, fill=True)
    labels, found = model.labels_, assignments(model)
    ((_, prior, filled),) = plain_columns(model.columns_, model.partition_.table)
    ((_, _, holed),) = plain_columns(model.columns_)
    open_rows = np.flatnonzero(np.isnan(holed).any(axis=1))
    assert open_rows.size > 5
    for i in open_rows:
        there = ~np.isnan(holed[i])
        joint = []
        for k in range(model.n_clusters_):
            others = _without(filled, labels, k, i)
            weight = max(len(others), 1.3 if k == labels[i] else 0)
            joint.append(np.log(weight) + _marginal_t(prior, others, holed[i], there))
        if np.sum(labels == labels[i]) > 1:
            joint.append(np.log(1.3) + _marginal_t(prior, filled[:0], holed[i], there))
        expected = special.logsumexp(joint) - np.log(39 + 1.3)
        assert found.log_density[i] == pytest.approx(expected, abs=1e-7)


def _marginal_t(prior, others, row, there):
    """Student t of some coordinates, by scipy."""
    posterior = prior.posterior(others)
    if not there.any():
        return 0.0
    dof = posterior.dof - posterior.mean.size + 1
    c = posterior.mean_count
    shape = posterior.scatter[np.ix_(there, there)] * (c + 1) / (c * dof)
    return stats.multivariate_t.logpdf(row[there], posterior.mean[there], shape, dof)


def test_strange_doubtful_and_incomplete_rows_are_found():
    random = np.random.default_rng(1)
    rows = random.normal(size=(60, 3)) + 8.0 * np.repeat([0, 1], 30)[:, None]
    rows[7] = 30.0, -20.0, 4.0
    rows[40] = 4.0, np.nan, np.nan
    model = MAPDP(prior="empirical", random_state=0).fit(rows)
    found = assignments(model)
    assert found.atypical(1)[0] == 7
    assert found.between(1)[0] == 40
    assert found.placed_using(40) == "placed using 1 of 3 columns"
    assert np.all(found.entropy >= 0)
    new = assignments(model, rows[:5])
    assert np.array_equal(new.labels, model.predict(rows[:5]))
    assert new.probabilities == pytest.approx(model.predict_proba(rows[:5]))
