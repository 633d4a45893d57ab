"""Rows under clusters, new and fitted: Bayes' rule on the reference's marginals, and scipy."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from mapdp_studio.core import MAPDP, CollapsedGibbs, MixtureEM, SchemaError
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.inference.clusters import assignment_costs
from mapdp_studio.core.inference.contributions import (
    assignments,
    column_contributions,
    row_contributions,
    unit_log_marginals,
)
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import (
    COLUMN_FAMILIES,
    FILLED,
    as_frame,
    plain_columns,
    random_families,
    random_fit,
    random_prior,
    random_table,
    random_values,
)
from tests.reference import log_marginal, log_predictive

CLOSE = 1e-8


def _by_bayes(model, cells, i=-1):
    """Ln p(z = k) of every cluster and a new one, and ln p(x | k) by unit, of one row.

    ``cells`` are the row's, unit by unit; a fitted row, number i, is taken out of its cluster.
    """
    labels, n = model.labels_, model.n_clusters_
    among = [np.flatnonzero((labels == k) & (np.arange(labels.size) != i)) for k in range(n + 1)]
    units = [*zip(plain_columns(model.columns_, model.partition_.table), cells, strict=True)]
    parts = np.array(
        [[log_predictive(*of[:2], of[2][rows], x) for of, x in units] for rows in among]
    )
    sizes = np.array([len(rows) for rows in among], dtype=float)
    sizes[n] = model.concentration
    if i >= 0 and sizes[labels[i]] == 0.0:  # alone: its cluster stands for the new one
        sizes[labels[i]], sizes[n] = model.concentration, 0.0
    with np.errstate(divide="ignore"):
        return np.log(sizes / sizes.sum()), parts


def _model(seed, families=None, n=16, **options):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, n, families or random_families(random), **options)
    model = MAPDP(1.3, prior=list(priors), patience=2, random_state=seed)
    return model.fit(*as_frame(encoded))


@pytest.mark.parametrize("seed", range(5))
def test_new_rows_are_scored_by_bayes_rule(seed):
    model, new, encoded = random_fit(seed, list(FAMILIES) if seed == 0 else None)
    probabilities, densities = model.predict_proba(new), model.score_samples(new)
    assert probabilities.shape == (6, model.n_clusters_ + 1)
    assert np.array_equal(model.predict(new), probabilities.argmax(axis=1))
    assert model.score(new) == pytest.approx(densities.mean())
    names = [unit.family for unit in encoded.units]
    cells = [encoded.unit_values(u) for u in range(len(names))]
    for i in range(6):
        if FILLED in names and np.isnan(cells[names.index(FILLED)][i]).any():
            continue
        weights, parts = _by_bayes(model, [of_unit[i] for of_unit in cells])
        joint = weights + parts.sum(axis=1)
        assert densities[i] == pytest.approx(special.logsumexp(joint), abs=CLOSE)
        assert probabilities[i] == pytest.approx(special.softmax(joint), abs=CLOSE)


@pytest.mark.parametrize("seed", range(5))
def test_a_fitted_row_is_judged_by_the_others(seed):
    families = [name for name in random_families(np.random.default_rng(seed)) if name != FILLED]
    model = _model(seed, families or ["poisson"])
    found, why = assignments(model), row_contributions(model)
    cells = [values for _, _, values in plain_columns(model.columns_)]
    for i in range(16):
        weights, parts = _by_bayes(model, [of_unit[i] for of_unit in cells], i)
        joint = weights + parts.sum(axis=1)
        assert found.log_density[i] == pytest.approx(special.logsumexp(joint), abs=CLOSE)
        assert found.probabilities[i] == pytest.approx(special.softmax(joint), abs=CLOSE)
        own, second = model.labels_[i], why.second[i]
        assert second == found.second[i]
        seen = [bool(np.any(~np.isnan(of_unit[i]))) for of_unit in cells]
        expected = np.where(seen, parts[own] - parts[second], np.nan)
        assert why.margin.to_numpy()[i] == pytest.approx(expected, abs=CLOSE, nan_ok=True)
        odds = np.nansum(why.margin.to_numpy()[i]) + np.subtract(*why.weights[i])
        assert odds == pytest.approx(joint[own] - joint[second], abs=CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_columns_add_up_to_what_the_clusters_put_into_the_objective(seed):
    families = list(FAMILIES) if seed == 0 else None
    encoded, priors = random_table(
        np.random.default_rng(seed),
        20,
        families or random_families(np.random.default_rng(seed)),
        fill=True,
    )
    packed = PackedTable.pack(encoded, priors)
    partition = Partition(packed, 0.7, np.arange(20) % 3)
    partition.settle()
    found = unit_log_marginals(partition)
    plain = plain_columns(packed, partition.table)
    expected = [
        [log_marginal(family, prior, values[partition.labels == k]) for k in range(3)]
        for family, prior, values in plain
    ]
    assert found == pytest.approx(np.array(expected), abs=CLOSE)
    table = column_contributions(partition)
    assert list(table.index) == [unit.name for unit in encoded.units]
    whole = [log_marginal(*unit) for unit in plain]
    assert table["nats"].to_numpy() == pytest.approx(found.sum(axis=1) - whole, abs=CLOSE)
    first = encoded.unit_values(0)
    assert table["n_observed"].iloc[0] == np.sum(~np.isnan(first))


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
            others = filled[(labels == k) & (np.arange(labels.size) != i)]
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


@pytest.mark.parametrize("estimator", [MAPDP, CollapsedGibbs])
def test_an_empty_row_gets_the_prior_weights(estimator):
    random = np.random.default_rng(3)
    frame, schema = as_frame(random_table(random, 30, list(FAMILIES), fill=True)[0])
    model = estimator(2.0, prior="empirical", random_state=0).fit(frame, schema)
    empty = pd.DataFrame(np.nan, index=[0], columns=frame.columns)
    expected = np.append(model.result_.sizes, 2.0) / 32.0
    assert model.predict_proba(empty)[0] == pytest.approx(expected)
    assert model.score_samples(empty)[0] == pytest.approx(0.0, abs=1e-12)


def test_codes_that_a_model_never_met():
    codes = np.random.default_rng(0).integers(3, size=(30, 2)).astype(float)
    new = np.array([[0.0, 7.0], [0.0, np.nan]])
    new.flags.writeable = False  # as pandas 3 hands out a table's cells; they are left as they are
    for estimator in (MAPDP, MixtureEM):
        strange, empty = estimator(likelihood="categorical").fit(codes).score_samples(new)
        assert strange == empty
        with pytest.raises(ValueError, match="above 2"):
            estimator(likelihood="binomial").fit(codes).predict([[0.0, 3.0]])


def test_rows_are_scored_block_by_block_and_leave_the_model_as_it_was(monkeypatch):
    model, frame, _ = random_fit(2)
    before = model.partition_.clusters.state.copy()
    whole = model.predict_proba(frame)
    monkeypatch.setattr("mapdp_studio.core.inference.prediction.BLOCK", 4)
    assert np.array_equal(model.predict_proba(frame), whole)
    model.impute()
    assert np.array_equal(before, model.partition_.clusters.state, equal_nan=True)


@pytest.mark.parametrize("name", COLUMN_FAMILIES)
def test_next_value_and_draws_follow_the_predictive(name):
    random, family = np.random.default_rng(7), FAMILIES[name]
    values, options = random_values(family, 30, random)
    prior = random_prior(family, values, options, random).posterior(values)
    found, draws = prior.predictive(), prior.draw(4000, random)
    is_whole, spread = family.support.is_whole, np.sqrt(found.variance)
    x = np.arange(1.0 + (150 if prior.top is None else prior.top))
    if not is_whole:
        low = 0.0 if family.support.starts_at_zero else found.mean - 30.0 * spread
        x = low + (np.arange(6000) + 0.5) * spread / 100.0

    def log_p(cell: float) -> float:
        return log_predictive(name, prior, values[:0], cell)

    p = np.exp([log_p(cell) for cell in x]) * (x[1] - x[0])
    assert p.sum() == pytest.approx(1.0, rel=1e-4)
    assert found.mean == pytest.approx(p @ x, rel=1e-4)
    assert found.variance == pytest.approx(p @ np.square(x - p @ x), rel=1e-3)
    assert np.exp(log_p(found.mode)) * (x[1] - x[0]) >= p.max() * (1.0 - 1e-9)
    assert prior.summary().get("mean", found.mean) == pytest.approx(found.mean, rel=0.1)
    if is_whole:
        assert np.bincount(draws.astype(int), minlength=x.size) / 4000 == pytest.approx(p, abs=0.04)
    else:
        assert stats.kstest(draws, lambda y: np.interp(y, x, p.cumsum())).pvalue > 1e-3


@pytest.mark.parametrize("name", ["gaussian", "spherical"])
def test_missing_cells_of_a_block_are_filled_given_the_others(name):
    random = np.random.default_rng(2)
    values, _ = random_values(FAMILIES[name], 40, random, width=3)
    prior = random_prior(FAMILIES[name], values, {}, random)
    posterior = prior.posterior(values)
    draws = posterior.draw(200_000, random)
    missing = np.array([False, True, False])
    row = posterior.mean + 0.4 * draws.std(axis=0)
    mean, variance = posterior.conditional(row[None], missing)
    # The draws whose other cells are nearest the row's, brought to it by a regression.
    design = np.column_stack([np.ones(len(draws)), draws[:, [0, 2]] - row[[0, 2]]])
    fit, *_ = np.linalg.lstsq(design, draws[:, 1], rcond=None)
    assert mean[0, 0] == pytest.approx(fit[0], abs=0.02 * draws[:, 1].std())
    near = np.abs(design[:, 1:] / design[:, 1:].std(axis=0)).max(axis=1) < 0.3
    spread = (draws[:, 1] - design @ fit)[near].var()
    assert variance[0, 0] == pytest.approx(spread, rel=0.1)
    one_less = prior.posterior(np.delete(values, 3, axis=0)).to_dict()
    if name != "spherical":
        for key, value in posterior.without(values[3]).to_dict().items():
            assert value == pytest.approx(np.array(one_less[key]), rel=1e-8), key


LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3])


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_costs_are_changes_of_e_at_every_power_and_weight(power, seed):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, 10, random_families(random))
    weights = random.choice([0.5, 1.0, 3.0], 10) if seed % 2 else None
    packed = PackedTable.pack(Encoded(encoded.values, encoded.units, weights), priors, power)
    partition = Partition(packed, 1.7, LABELS)
    for row in (1, 8, 9):
        total = np.sum(found := assignment_costs(partition, row), axis=0)
        times = np.ones(10) if weights is None else weights
        others = np.bincount(LABELS, times * (np.arange(10) != row))
        count = special.gammaln(others) - special.gammaln(others + times[row])
        count[others == 0.0] = -np.log(1.7) - special.gammaln(times[row])
        assert found[1][:4] == pytest.approx(count, abs=1e-9)
        possible = np.flatnonzero(np.isfinite(total))
        assert possible.tolist() == ([0, 1, 2, 3] if row == 9 else [0, 1, 2, 3, 4])
        energies = []
        for k in possible:
            moved = LABELS.copy()
            moved[row] = k
            moved = np.unique(moved, return_inverse=True)[1]
            energies.append(Partition(packed, 1.7, moved).objective())
        own = np.flatnonzero(possible == LABELS[row])[0]
        expected = np.array(energies) - energies[own]
        assert total[possible] - total[possible][own] == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(partition.labels, LABELS)


@pytest.mark.parametrize("kind", [MAPDP, MixtureEM])
def test_a_limit_among_new_numbers_is_taken_with_a_warning_and_a_word_is_missing(kind):
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(80, 2)), columns=["crp", "iq"]) + 10.0
    frame[40:] += 20.0
    model = kind(random_state=0).fit(frame)
    new = frame.iloc[[0, 1, 50]].reset_index(drop=True)
    cells = [10.0, np.nan, 30.5], ["<20", "lost", "30.5"]
    plain, written = (new.assign(crp=crp) for crp in cells)
    with pytest.warns(UserWarning, match=r"'crp'.*\(<20\).*\(lost\)"):
        found = model.predict_proba(written)
    np.testing.assert_array_equal(found, model.predict_proba(plain))
    with pytest.raises(SchemaError, match="lacks the column"):
        model.predict(written[["crp"]])


def test_what_new_rows_write_otherwise_is_what_the_model_knows_or_is_named():
    random = np.random.default_rng(0)
    lab = [f"{cell:.2f}" if cell > 1 else "<1" for cell in random.lognormal(1, 1, 90)]
    frame = pd.DataFrame({"lab": lab, "ill": ["no", "yes", "no"] * 30, "old": [True, False] * 45})
    model = MAPDP(random_state=0).fit(frame.assign(iq=random.normal(size=90)))
    own = pd.DataFrame({"lab": ["<1", "<1", "7.2", ">90"], "iq": 0.5, "ill": ["no", "yes"] * 2})
    other = own.assign(lab=["< 1", "<0,5", "7,2 mg/l", ">90"], ill=["No", "YES", "no", "maybe"])
    own["old"], other["old"] = True, "TRUE"
    own["lab"], own["ill"] = own["lab"].replace(">90", "90"), own["ill"].mask(own.index == 3)
    ill, lab = (rf"'{name}' .*\({cell}\)" for name, cell in (("ill", "maybe"), ("lab", ">90")))
    with pytest.warns(UserWarning, match=ill), pytest.warns(UserWarning, match=lab):
        found = model.predict_proba(other)
    np.testing.assert_array_equal(found, model.predict_proba(own))
