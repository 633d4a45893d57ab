"""Outcomes corrected for classification error."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from mapdp_studio.core import MAPDP, DPMeans, MixtureEM, three_step
from mapdp_studio.core.public.three_step import METHODS

#: Error of the best assignment, columns, and the outcomes of the two classes.
ERROR, M = 0.15, 4
MEANS, SHARES = (0.0, 1.0), (0.2, 0.6)


def draw(seed: int, n: int = 1_000, error: float = ERROR) -> tuple[np.ndarray, ...]:
    """Class, columns (n, M), a normal outcome and a yes/no outcome of every row."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    apart = 2.0 * norm.isf(error) / np.sqrt(M)
    rows = random.normal(size=(n, M)) + apart * group[:, None]
    amount = random.normal(np.array(MEANS)[group])
    yes = random.random(n) < np.array(SHARES)[group]
    return group, rows, amount, np.where(yes, "yes", "no")


def corrected(seed: int, n: int = 800) -> dict[str, float]:
    """Differences of the two classes over the true ones, and whether intervals and tests err."""
    _, rows, amount, answer = draw(seed, n)
    model = MixtureEM(2, prior=None, random_state=seed).fit(rows)
    upward = np.argsort(model.parameters_["x0"]["mean"])
    noise, told = np.random.default_rng([seed, 1]).normal(size=n), {}
    for method in METHODS:
        found = three_step(model, pd.Series(amount).where(np.arange(n) > 9), method)
        assert found.n_observed == n - 10
        shares = three_step(model, answer, method).table.xs("yes", level="level")
        for name, table, truth in (("amount", found.table, MEANS), ("share", shares, SHARES)):
            for column, said in (("naive", "naive"), ("estimate", method)):
                gap = np.diff(table[column].to_numpy()[upward])[0]
                told[f"{name}, {said}"] = float(gap / (truth[1] - truth[0]))
        difference = abs(float(np.diff(found.table["estimate"])[0]))
        error = np.sqrt(np.array([-1.0, 1.0]) @ found.covariance @ [-1.0, 1.0])
        assert found.chi2 == pytest.approx((difference / error) ** 2)
        told[f"covered, {method}"] = abs(difference - 1.0) < 1.96 * error
        told[f"rejected, {method}"] = three_step(model, noise, method).p < 0.05
    return told


def test_the_classification_table_holds_every_row_and_the_expected_error():
    _, rows, amount, _ = draw(1)
    weights = np.where(np.arange(len(rows)) < 500, 2.0, 1.0)
    model = MixtureEM(2, random_state=0).fit(rows, sample_weight=weights)
    found = three_step(model, amount)
    assert found.classification.to_numpy().sum() == pytest.approx(1_500.0)
    for k, naive in enumerate(found.table["naive"]):
        own = model.responsibilities_.argmax(axis=1) == k
        assert naive == pytest.approx(np.average(amount[own], weights=weights[own]))
    surest = model.responsibilities_.max(axis=1)
    assert found.classification_error == pytest.approx(1.0 - weights @ surest / 1_500.0)
    assert found.classification_error == pytest.approx(ERROR, abs=0.03)
    surely = MAPDP(random_state=0).fit(np.repeat([[0.0], [99.0]], 9, axis=0))
    assert three_step(surely, np.arange(18.0)).classification_error == pytest.approx(0.0)
    known = np.tile([-1.0, 0.0, 1.0], 6) + np.repeat([0.0, 10.0], 9)  # variance 2 / 3, no skew
    found = three_step(surely, known, "ml").covariance
    np.testing.assert_allclose(found, np.eye(2) * 2 / 27, atol=1e-9)
    with pytest.raises(TypeError, match="DPMeans has no likelihood"):
        three_step(DPMeans(penalty=4.0).fit(rows), amount)


def test_three_steps_give_back_what_wrong_assignments_take_and_say_how_sure():
    sets = pd.DataFrame([corrected(seed) for seed in range(25)])
    mean = sets.mean()
    assert mean.filter(like="naive").between(0.62, 0.76).all()
    assert mean.filter(regex="^(amount|share), (bch|ml)").between(0.92, 1.08).all()
    # A share of two answers is what it is, whichever way it is corrected.
    assert np.allclose(sets["share, bch"], sets["share, ml"], atol=2e-3)
    assert (mean.filter(like="covered") >= 0.8).all()
    assert (mean.filter(like="rejected") <= 0.2).all()


def test_groups_of_map_dp_are_corrected_for_their_own_error():
    found, told, true = [], [], []
    for seed in range(8):
        group, rows, amount, _ = draw(seed, error=0.1)
        model = MAPDP(random_state=0, patience=2).fit(rows)
        corrected = three_step(model, amount)
        told.append(corrected.classification_error)
        wrong = np.mean(model.labels_ != group)
        true.append(min(wrong, 1.0 - wrong))
        found.append(np.abs(np.diff(corrected.table[["naive", "estimate"]], axis=0))[0])
    assert np.mean(told) == pytest.approx(np.mean(true), abs=0.01)
    naive, estimate = np.mean(found, axis=0)
    assert 0.75 < naive < 0.85
    assert 0.95 < estimate < 1.05


@pytest.mark.parametrize("varies", [np.random.default_rng(0).normal(size=99), ["yes", "no"] * 50])
def test_a_constant_class_has_no_error_under_maximum_likelihood(varies):
    outcome = np.where(np.arange(99) < 40, varies[0], varies[:99])
    surely = MAPDP(random_state=0).fit(np.repeat([[0.0], [99.0]], [40, 59], axis=0))
    found = three_step(surely, outcome, "ml")
    per_class = found.table["se"].groupby(level="class").max()
    assert per_class["Cluster 1"] > 0.0
    assert np.isnan([per_class["Cluster 2"], found.p, found.chi2]).all()
    assert "no error of a class that is constant" in found.sentence
    assert three_step(surely, outcome, "bch").p < 1.0


@pytest.mark.parametrize(
    ("k", "outcome", "method", "why"),
    [
        (2, np.ones(60), "modal", "give bch or ml"),
        (2, np.ones(59), "bch", "has 59 values where the model was fitted to 60 rows"),
        (1, np.ones(60), "bch", "one class only"),
        (2, np.full(60, np.nan), "bch", "fewer than two rows with a known outcome"),
        (2, ["yes"] * 60, "bch", "fewer than two different values"),
    ],
)
def test_what_cannot_be_corrected_gets_a_sentence(k, outcome, method, why):
    with pytest.raises(ValueError, match=why):
        three_step(MixtureEM(k, random_state=0).fit(draw(0, 60)[1]), outcome, method)
