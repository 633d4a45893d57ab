"""MAP-DP: its slow twin, every partition of tiny tables, its priors."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone

from mapdp_studio.core import MAPDP
from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import FAMILIES, GaussianPrior
from mapdp_studio.core.models.priors import SCALES, choose_prior
from mapdp_studio.core.partitions.labels import by_size
from tests.random_tables import (
    above_the_lowest,
    as_frame,
    plain_columns,
    random_families,
    random_table,
)
from tests.reference import published_map_dp

KINDS = {
    "normal columns": lambda random: ["normal"] * 3,
    "gaussian block": lambda random: ["gaussian"],
    "mixed": random_families,
}


@pytest.mark.parametrize("kind", KINDS)
def test_published_algorithm_gives_the_labels_of_its_slow_twin(kind):
    compared = several = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        n_0 = float(np.exp(random.uniform(-1, 2)))
        encoded, priors = random_table(random, 18, KINDS[kind](random), fill=True)
        labels, trace, tied = published_map_dp(plain_columns(Columns.pack(encoded, priors)), n_0)
        if tied:
            continue
        model = MAPDP(n_0, prior=list(priors), refine=False, shuffle=False).fit(*as_frame(encoded))
        assert np.array_equal(model.labels_, by_size(labels)[0])
        assert model.objective_trace_ == pytest.approx(trace, rel=1e-9)
        compared += 1
        several += model.n_clusters_ > 1
    assert compared >= 7
    assert several >= 4


def test_search_finds_the_lowest_of_all_partitions():
    """The last two have rows alike that are best each alone; 300 are tried in the benchmark."""
    above = np.array([above_the_lowest(seed) for seed in (*range(40), 148, 222)])
    assert np.abs(above).max() < 1e-8


def _mixed(seed=0, n=40):
    return as_frame(random_table(np.random.default_rng(seed), n, list(FAMILIES), fill=True)[0])


def _state(model):
    return model.labels_.tolist(), model.objective_, model.objective_trace_.tolist()


@pytest.mark.parametrize("refine", [True, False])
def test_callback_stops_at_once_and_leaves_nothing_broken(refine):
    frame, schema = _mixed()
    model, seen = MAPDP(refine=refine, n_init=2, patience=5, random_state=0), []
    expected = _state(clone(model).fit(frame, schema))

    def callback(progress):
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(frame, schema, callback=callback)
    assert len(seen) == 3
    assert all(0 <= progress.done <= progress.total for progress in seen)
    assert not hasattr(model, "labels_")
    for same in (0, np.random.default_rng(0)):
        model.random_state = same
        assert _state(model.fit(frame, schema)) == expected


def test_eight_threads_change_nothing():
    tables = [_mixed(seed) for seed in range(8)]
    models = [MAPDP(prior="empirical", patience=5, random_state=seed) for seed in range(8)]
    alone = [_state(clone(model).fit(*table)) for model, table in zip(models, tables, strict=True)]
    ready = threading.Barrier(8)

    def fit(model, table):
        ready.wait()
        return _state(model.fit(*table))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(fit, models, tables)) == alone


WIDE = GaussianPrior.default(np.eye(3))


@pytest.mark.parametrize(
    ("arguments", "cell", "sentence"),
    [
        ({"prior": []}, 0.0, "prior"),
        ({"likelihood": "cauchy"}, 0.0, "likelihood"),
        ({"likelihood": "poisson"}, -1.0, "'x1' has .* in row 2"),
        ({"likelihood": "binomial"}, 0.5, "'x1' has .* in row 2"),
        ({"likelihood": "gaussian", "prior": WIDE}, 0.0, "3 dimensions where the block has 2"),
    ],
)
def test_what_cannot_be_is_named(arguments, cell, sentence):
    values = np.array([[1.0, 0.0], [1.0, cell], [np.nan, 1.0]])
    with pytest.raises(ValueError, match=sentence):
        MAPDP(**arguments).fit(values)


@pytest.mark.parametrize(
    ("objectives", "scale"), [((9, 8, 7, 6, 5, 4, 5), 5.0), ((9, 10, 8, 7), 0.02), ((9, 9, 9), 0.1)]
)
def test_the_grid_is_walked_both_ways_while_e_falls(objectives, scale):
    """Of every family; what is chosen has the default priors at that scale."""
    encoded, _ = random_table(np.random.default_rng(0), 60, list(FAMILIES), fill=True)
    left = iter(objectives)

    def trial(columns, known):
        return np.zeros(60, dtype=np.int64), float(next(left))

    choice = choose_prior("scale-grid", encoded, trial, np.random.default_rng(0))
    assert (choice.scale, next(left, None)) == (scale, None)
    wanted = default_priors(encoded, scale)
    assert [prior.to_dict() for prior in choice.columns.priors] == [p.to_dict() for p in wanted]


def test_a_scale_chosen_on_a_sample_is_that_of_lowest_e_on_all_rows():
    """On this table the grid of a sample stops one scale short."""
    random = np.random.default_rng(9)
    n, k, d = 21_000, int(random.integers(3, 30)), int(random.integers(2, 6))
    middle, spread = random.normal(0, 6, (k, d)), random.uniform(0.2, 3, (k, d))
    group = random.choice(k, n, p=random.dirichlet(np.full(k, 0.5)))
    model = MAPDP(random_state=0).fit(middle[group] + spread[group] * random.normal(size=(n, d)))
    encoded = model.columns_.encoded
    objectives = {
        scale: Partition(
            Columns.pack(encoded, default_priors(encoded, scale)), 3.0, model.labels_
        ).objective()
        for scale in SCALES
    }
    assert model.objective_ == pytest.approx(min(objectives.values()), abs=1e-6)
    assert model.prior_scale_ == min(objectives, key=objectives.__getitem__)
    assert (np.diff(model.result_.objective_trace) < 1e-6).all()
