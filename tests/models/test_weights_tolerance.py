"""Rows that count more than once, a likelihood to a power, and the groups that survive it."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

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
    tolerance_path,
)
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.em import Mixture, em_states
from mapdp_studio.core.models.tolerance import TolerancePath, count_clusters, finest_plateau
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.schema.schema import ColumnSpec, SchemaError
from mapdp_studio.core.wording import percent
from tests.misfit_tables import NOISES, load_misfit
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
        if isinstance(model, MAPDP | MixtureEM):
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
    with pytest.warns(UserWarning, match=r"weights sum to .* 45 rows.* mean of 1\.") as caught:
        model.fit(TABLE, sample_weight=total * WEIGHTS / WEIGHTS.sum())
    assert len(caught) == 1
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
        packed = PackedTable.pack(Encoded(encoded.values, encoded.units, weights), priors, power)
        lowest = min(
            Partition(packed, 1.0, np.array(labels)).objective() for labels in set_partitions(6)
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


@pytest.fixture(scope="module")
def wine() -> tuple[MAPDP, TolerancePath]:
    model = MAPDP(patience=5, random_state=0).fit(load_wine().data)
    return model, tolerance_path(model)


def test_wine_and_iris_stay_as_their_strong_groups(wine):
    model, path = wine
    assert path.n_clusters[0] > 4
    assert path.n_clusters[path.proposed] == 3
    assert nmi(load_wine().target, path.labels[path.proposed]) >= 0.85
    iris = tolerance_path(MAPDP(patience=5, random_state=0).fit(load_iris().data))
    assert nmi(load_iris().target, iris.labels[iris.proposed]) >= 0.70
    assert np.array_equal(path.labels[0], model.labels_)
    high, low = map(percent, path.plateau)
    assert path.sentence.endswith(f"3 clusters stay from {high} of its weight down to {low}.")


def test_powers_fall_from_1_and_every_partition_is_lower_than_its_cut(wine):
    model, path = wine
    assert path.powers[0] == 1.0
    assert path.powers[-1] == pytest.approx(0.02)
    assert len(path.powers) == len(path.labels) == len(path.n_clusters) == 40
    assert np.diff(np.log(path.powers)) == pytest.approx(np.log(0.02) / 39)
    on_path = [model.merge_path_.labels_at(k) for k in range(1, model.n_clusters_ + 1)]
    for power, labels, objective in zip(path.powers, path.labels, path.objectives, strict=True):
        packed = model.columns_.with_power(power)
        assert Partition(packed, 3.0, labels).objective() == pytest.approx(objective)
        assert objective <= min(Partition(packed, 3.0, cut).objective() for cut in on_path) + 1e-9


@pytest.mark.parametrize("noise", NOISES)
def test_every_deviation_makes_a_group_and_the_plateau_finds_three(noise):
    frame, truth = load_misfit(noise)
    model = MAPDP(random_state=0).fit(frame)
    path = tolerance_path(model)
    assert model.n_clusters_ >= 7
    assert path.n_clusters[path.proposed] == 3
    assert nmi(truth, path.labels[path.proposed]) > 0.9


#: Steps of a factor 1.105: a plateau of five is just too short, one of six within others is not.
POWERS = np.geomspace(1.0, 0.1, 24)
ONE = np.zeros(200, dtype=int)


def partition(*sizes: int) -> np.ndarray:
    return np.repeat(np.arange(len(sizes)), sizes)


def path(*runs: tuple[int, np.ndarray]) -> list[np.ndarray]:
    labels = [found for times, found in runs for _ in range(times)]
    return labels + [ONE] * (len(POWERS) - len(labels))


def found(*runs: tuple[int, np.ndarray]) -> tuple[int, int, int] | None:
    return finest_plateau(POWERS, path(*runs))


TEN, FIVE, TWO = partition(*[20] * 10), partition(*[40] * 5), partition(120, 80)
THREE, TAIL = partition(80, 70, 50), partition(107, 87, 6)
COMING = [partition(100, 100), partition(100, 92, 8), partition(91, 9, 100)]


@pytest.mark.parametrize(
    ("runs", "expected"),
    {
        "too short": ([(1, FIVE), (1, partition(*[50] * 4)), (4, TWO)], None),
        "a factor long": ([(1, FIVE), (1, partition(*[50] * 4)), (5, TWO)], (2, 2, 7)),
        "longer": ([(1, FIVE), (1, partition(*[50] * 4)), (9, TWO)], (2, 2, 11)),
        "from power 1, too short": ([(3, TWO)], None),
        "from power 1, may be shorter": ([(4, TWO)], (0, 0, 4)),
        "the finer of two": ([(2, TEN), (6, THREE), (12, partition(150, 50))], (2, 2, 8)),
        "outliers come and go": ([(1, COMING[i % 3]) for i in range(9)], (0, 0, 9)),
        "the first without": (
            [*((1, COMING[1 + i % 2]) for i in range(4)), (2, COMING[0])],
            (4, 0, 6),
        ),
        "others of the same number": (
            [(1, np.roll(partition(100, 100), 30 * i)) for i in range(8)],
            None,
        ),
        "one and its tail": ([(12, partition(183, 17))], None),
        "nine rows are a tail": ([(24, partition(71, 9))], None),
        "ten are a group": ([(24, partition(70, 10))], (0, 0, 24)),
        "more than a tail": ([(12, partition(181, 19))], (0, 0, 12)),
        "a tail alone is kept": ([(1, FIVE), (6, TAIL)], (1, 1, 7)),
        "a tail is no finer": ([(1, FIVE), (6, TAIL), (2, partition(110, 90))], (7, 1, 9)),
        "three before two": ([(1, FIVE), (6, THREE), (6, partition(110, 90))], (1, 1, 7)),
        # Of a fit that needs no more groups every one counts.
        "a tail of the fit": ([(6, TAIL), (2, partition(110, 90))], (0, 0, 6)),
    }.values(),
)
def test_the_finest_plateau(runs, expected):
    assert found(*runs) == expected


def test_weights_count_as_copies():
    runs = [(4, partition(30, 20, 20)), (8, partition(50, 20))]
    labels = [np.resize(some, 70) for some in path(*runs)[:12]]
    weights = np.resize([1, 2, 3], 70)
    copied = [np.repeat(some, weights) for some in labels]
    some_powers = POWERS[:12]
    assert finest_plateau(some_powers, labels, weights) == finest_plateau(some_powers, copied)
    assert count_clusters(partition(4, 3), np.full(7, 2)) == 2


@pytest.mark.parametrize(("sizes", "n"), [((980, 12, 9, 4), 2), ((20, 5, 4), 2), ((1, 1, 1, 1), 1)])
def test_clusters_count_from_5_rows_and_1_percent(sizes, n):
    assert count_clusters(partition(*sizes)) == n
