"""The words of latent class analysis, and outcomes corrected for classification error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.mixture import GaussianMixture

from core import MAPDP, DPMeans, MixtureEM, latent_classes, three_step
from tests.benchmarks.three_step import ERROR, differences, draw


@pytest.mark.parametrize(("likelihood", "kind"), [("gaussian", "full"), ("normal", "diag")])
def test_aic_and_bic_are_scikit_learn_s(likelihood, kind):
    _, rows, _, _ = draw(0, 200)
    ours = MixtureEM(2, likelihood=likelihood, prior=None, tol=1e-12, max_iter=3_000).fit(rows)
    theirs = GaussianMixture(2, covariance_type=kind, tol=1e-12, max_iter=3_000).fit(rows)
    found = latent_classes(ours)
    assert found.aic == pytest.approx(theirs.aic(rows), abs=1e-2)
    assert found.bic == pytest.approx(theirs.bic(rows), abs=1e-2)
    assert found.log_likelihood == pytest.approx(ours.score_samples(rows).sum())
    entropy = -np.sum(ours.responsibilities_ * np.log(ours.responsibilities_))
    assert found.icl == pytest.approx(found.bic + 2.0 * entropy)
    assert found.relative_entropy == pytest.approx(1.0 - entropy / (200 * np.log(2)))


@pytest.mark.parametrize(
    ("likelihood", "each"),
    [
        *(("bernoulli", 3), ("categorical", 3), ("poisson", 3), ("geometric", 3)),
        *(("normal", 6), ("spherical", 3), ("gaussian", 9)),
        ("normal_known_variance", 3),
    ],
)
def test_free_parameters_are_counted_by_family(likelihood, each):
    rows = np.random.default_rng(0).integers(2, size=(40, 3)).astype(float)
    model = MixtureEM(3, likelihood=likelihood, random_state=0).fit(rows)
    assert latent_classes(model).n_parameters == 3 * each + 2


def test_the_classification_table_holds_every_row_and_the_expected_error():
    _, rows, _, _ = draw(1)
    weights = np.where(np.arange(len(rows)) < 500, 2.0, 1.0)
    found = latent_classes(MixtureEM(2, random_state=0).fit(rows, sample_weight=weights))
    assert found.classification.to_numpy().sum() == pytest.approx(1_500.0) == found.n_rows
    assert found.classification_error == pytest.approx(
        1.0 - (weights @ found.probabilities.max(axis=1)) / 1_500.0
    )
    assert found.classification_error == pytest.approx(ERROR, abs=0.03)
    surely = latent_classes(MAPDP(random_state=0).fit(np.repeat([[0.0], [99.0]], 9, axis=0)))
    assert (surely.entropy_r2, surely.classification_error) == pytest.approx((1.0, 0.0))
    with pytest.raises(TypeError, match="DPMeans has no likelihood"):
        latent_classes(DPMeans(penalty=4.0).fit(rows))


def test_three_steps_give_back_what_wrong_assignments_take():
    sets = pd.DataFrame([differences(seed, 800) for seed in range(25)])
    mean = sets.mean()
    assert mean.filter(like="naive").between(0.62, 0.76).all()
    assert mean.drop(mean.filter(like="naive").index).between(0.92, 1.08).all()
    # A share of two answers is what it is, whichever way it is corrected.
    assert np.allclose(sets["share, bch"], sets["share, ml"], atol=2e-3)


def test_groups_of_map_dp_are_corrected_for_their_own_error():
    found, told, true = [], [], []
    for seed in range(8):
        group, rows, amount, _ = draw(seed, error=0.1)
        model = MAPDP(random_state=0, patience=2).fit(rows)
        corrected = three_step(model, amount)
        assert np.array_equal(corrected.classes.labels, model.labels_)
        told.append(corrected.classes.classification_error)
        wrong = np.mean(model.labels_ != group)
        true.append(min(wrong, 1.0 - wrong))
        found.append(np.abs(np.diff(corrected.table[["naive", "estimate"]], axis=0))[0])
    assert np.mean(told) == pytest.approx(np.mean(true), abs=0.01)
    naive, estimate = np.mean(found, axis=0)
    assert 0.75 < naive < 0.85
    assert 0.95 < estimate < 1.05


@pytest.mark.parametrize("method", ["bch", "ml"])
def test_intervals_cover_and_tests_of_noise_reject_seldom(method):
    covered, rejected = [], []
    for seed in range(25):
        _, rows, amount, _ = draw(seed, 500)
        model = MixtureEM(2, random_state=0).fit(rows)
        found = three_step(model, pd.Series(amount).where(np.arange(500) > 9), method)
        assert found.n_observed == 490
        difference = abs(float(np.diff(found.table["estimate"])[0]))
        error = np.sqrt(np.array([-1.0, 1.0]) @ found.covariance @ [-1.0, 1.0])
        assert found.chi2 == pytest.approx((difference / error) ** 2)
        covered.append(abs(difference - 1.0) < 1.96 * error)
        noise = np.random.default_rng([seed, 1]).normal(size=500)
        rejected.append(three_step(model, noise, method).p < 0.05)
    assert np.mean(covered) >= 0.8
    assert np.mean(rejected) <= 0.2


def test_what_cannot_be_corrected_gets_a_sentence():
    _, rows, amount, _ = draw(0, 60)
    model = MixtureEM(2, random_state=0).fit(rows)
    with pytest.raises(ValueError, match="give bch or ml"):
        three_step(model, amount, "modal")
    with pytest.raises(ValueError, match="has 59 values where the model was fitted to 60 rows"):
        three_step(model, amount[1:])
    with pytest.raises(ValueError, match="one class only"):
        three_step(MixtureEM(1).fit(rows), amount)
    with pytest.raises(ValueError, match="fewer than two rows with a known outcome"):
        three_step(model, np.full(60, np.nan))
    with pytest.raises(ValueError, match="fewer than two different values"):
        three_step(model, ["yes"] * 60)
