"""Rows that count more than once, in every estimator; a likelihood to a power, in three of them."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import (
    MAPDP,
    CollapsedGibbs,
    DPMeans,
    KernelDPMeans,
    KMeansBIC,
    MixtureEM,
    Schema,
    load_model,
    save_model,
)
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.em import em_states
from mapdp_studio.core.models.mixture import Mixture
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.schema.schema import ColumnSpec, SchemaError
from tests.random_tables import as_frame, random_table
from tests.reference import set_partitions

RANDOM = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], [20, 15, 10])
TABLE = RANDOM.normal(size=(45, 3)) + 6.0 * TRUTH[:, None]
WEIGHTS = RANDOM.integers(1, 4, 45).astype(float)
COPIES = np.repeat(TABLE, WEIGHTS.astype(int), axis=0)
EVERY = (
    MAPDP(random_state=0),
    CollapsedGibbs(n_sweeps=20, random_state=0),
    MixtureEM(3, random_state=0),
    KMeansBIC(k_max=4, n_init=3, random_state=0),
    DPMeans(penalty=60.0),
)
every_estimator = pytest.mark.parametrize("model", EVERY, ids=lambda model: type(model).__name__)


@every_estimator
def test_weights_are_copies_that_stay_together(model):
    model.fit(TABLE, sample_weight=WEIGHTS)
    long, objective = np.repeat(model.labels_, WEIGHTS.astype(int)), model.objective_
    if not isinstance(model, DPMeans):  # whose penalty a row of weight w meets w times over
        assert np.array_equal(model.fit(COPIES).labels_, long)
        if isinstance(model, MixtureEM):
            assert model.objective_ == pytest.approx(objective, rel=1e-9)


@every_estimator
def test_a_row_of_weight_0_has_no_say_and_gets_its_predicted_label(model):
    wild = np.vstack([TABLE, [[900.0, -900.0, 900.0]], TABLE[:1]])
    model.fit(wild, sample_weight=np.append(WEIGHTS, [0.0, 0.0]))
    labels, objective = model.labels_, model.objective_
    assert labels[46] == labels[0]
    alone = model.fit(TABLE, sample_weight=WEIGHTS)
    assert np.array_equal(alone.labels_, labels[:45])
    assert alone.objective_ == pytest.approx(objective)


@every_estimator
@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        (np.ones(3), "one weight for each of 45 rows"),
        (np.where(np.arange(45) == 4, -1.0, 1.0), "holds -1 in row 5"),
        (np.where(np.arange(45) == 4, np.nan, 1.0), "holds nan in row 5"),
        (np.zeros(45), "All weights are zero"),
    ],
)
def test_weights_that_cannot_be_are_refused_in_a_sentence(model, weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        model.fit(TABLE, sample_weight=weights)


@pytest.mark.parametrize("model", [*EVERY, KernelDPMeans(60.0)], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("total", [1.0, 4.5, 22.4])
def test_weights_of_less_than_half_a_row_each_are_scaled_with_one_warning(model, total):
    expected = model.fit(TABLE, sample_weight=WEIGHTS / WEIGHTS.mean())
    labels, objective = expected.labels_, expected.objective_
    with pytest.warns(UserWarning, match=r"weights sum to .* 45 rows.* mean of 1\.") as told:
        model.fit(TABLE, sample_weight=total * WEIGHTS / WEIGHTS.sum())
    assert len(told) == 1
    assert np.array_equal(model.labels_, labels)
    assert model.objective_ == pytest.approx(objective)


def test_a_column_of_the_role_weight_is_sample_weight_of_mean_1():
    frame = pd.DataFrame(TABLE, columns=list("abc")).assign(times=WEIGHTS, other=1)
    schema = Schema(ColumnSpec(name, "normal") for name in frame)
    schema = schema.with_column("other", role="weight").with_column("times", role="weight")
    assert (schema["other"].role, schema["times"].role) == ("ignore", "weight")
    model = MAPDP(random_state=0).fit(frame, schema)
    again = MAPDP(random_state=0).fit(TABLE, sample_weight=WEIGHTS / WEIGHTS.mean())
    assert np.array_equal(model.labels_, again.labels_)
    assert model.objective_ == pytest.approx(again.objective_)
    assert model.predict(frame[["a", "b", "c"]]).shape == (45,)
    for cell, sentence in ((-1.0, "has -1 in row 3"), (np.nan, "has no value in row 3")):
        frame.loc[2, "times"] = cell
        with pytest.raises(SchemaError, match=sentence):
            schema.encode(frame)


def test_sizes_posteriors_and_saved_models_count_the_weights():
    model = MAPDP(likelihood_power=0.5, random_state=0).fit(TABLE, sample_weight=WEIGHTS)
    sizes = np.bincount(model.labels_, WEIGHTS)
    assert [cluster.size for cluster in model.clusters_] == pytest.approx(sizes)
    prior = model.prior_[0]
    assert model.clusters_[0].posterior["x0"].mean_count == pytest.approx(
        prior.mean_count + 0.5 * sizes[0]
    )
    again = load_model(save_model(model))
    assert np.allclose(again.predict_proba(TABLE), model.predict_proba(TABLE), atol=1e-12)
    assert np.allclose(again.score_samples(TABLE), model.score_samples(TABLE))


@pytest.mark.parametrize("power", [0.3, 0.6, 1.0])
def test_the_search_finds_the_exact_minimum_with_weights_and_at_a_power(power):
    for seed in range(4):
        random = np.random.default_rng([seed, int(10 * power)])
        encoded, priors = random_table(random, 6, ["normal", "categorical", "poisson"])
        weights = random.choice([0.5, 1.0, 3.0], 6) if seed % 2 else None
        columns = Columns.pack(Encoded(encoded.values, encoded.units, weights), priors, power)
        lowest = min(
            Partition(columns, 1.0, np.array(labels)).objective() for labels in set_partitions(6)
        )
        frame, schema = as_frame(encoded)
        model = MAPDP(1.0, prior=list(priors), likelihood_power=power, random_state=seed)
        model.fit(frame, schema, sample_weight=weights)
        assert model.objective_ == pytest.approx(lowest, abs=1e-8)


@pytest.mark.parametrize("power", [0.2, 1.0])
def test_e_m_never_worsens_under_a_power_and_weights(power):
    random = np.random.default_rng(2)
    encoded, priors = random_table(random, 40, ["normal", "poisson", "gaussian"], fill=True)
    weighted = Encoded(encoded.values, encoded.units, random.uniform(0.5, 2.0, 40))
    mixture = Mixture.of(weighted, priors, power=power)
    states = em_states(mixture, mixture.read(weighted), random.dirichlet(np.ones(3), 40), tol=0.0)
    objectives = [state.objective for state in itertools.islice(states, 30)]
    assert (np.diff(objectives) <= 1e-8).all()
