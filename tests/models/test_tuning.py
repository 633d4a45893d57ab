"""The four ways to choose the prior scale and N_0, against what each of them promises."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student_t

from core import MAPDP, Schema
from core.engine.columns import default_priors
from core.families import NormalPrior
from core.models.concentration import map_concentration
from core.models.tuning import WAYS, tune
from core.schema.encoded import Encoded
from core.schema.schema import ColumnSpec


def _groups(n=90, seed=0):
    random = np.random.default_rng(seed)
    centers = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 9.0]])
    return centers[np.arange(n) % 3] + random.normal(size=(n, 2))


def _model(**more):
    return MAPDP(patience=5, random_state=0, **more)


def test_coordinate_search_ends_where_no_one_change_lowers_the_objective():
    scales, concentrations = (0.05, 0.2, 1.0), (0.2, 1.0, 5.0)
    tuning = tune(_model(), _groups(), scales=scales, concentrations=concentrations)
    table = tuning.table
    best = table[table["chosen"]].iloc[0]
    assert (best["scale"], best["concentration"]) == (tuning.scale, tuning.concentration)
    assert best["objective"] == table["objective"].min()
    same_scale = table[table["scale"] == tuning.scale]
    same_concentration = table[table["concentration"] == tuning.concentration]
    assert set(same_scale["concentration"]) >= set(concentrations)
    assert set(same_concentration["scale"]) >= set(scales)
    assert best["n_clusters"] == 3
    # With the terms in N_0 counted, E is lowest near the N_0 that expects three clusters.
    nearest = min(
        {*concentrations, 3.0},
        key=lambda n_0: abs(np.log(n_0 / map_concentration(3, 90, 0.0, 0.0))),
    )
    assert tuning.concentration == nearest


def test_what_was_chosen_gives_the_objective_in_the_table():
    values = _groups()
    tuning = tune(_model(), values, concentrations=(0.3, 3.0))
    model = MAPDP(**tuning.arguments, random_state=1).fit(values)
    assert model.objective_ == pytest.approx(tuning.table["objective"].min(), abs=1e-6)
    expected = default_priors(Encoded.from_array(values, "normal"), tuning.scale)
    assert tuning.priors == expected == model.prior_


def test_gamma_prior_comes_to_rest_at_the_mode_for_its_clusters():
    for gamma_prior in ((1.0, 1.0), (8.0, 0.5)):
        tuning = tune(_model(), _groups(), way="gamma", gamma_prior=gamma_prior)
        best = tuning.table[tuning.table["chosen"]].iloc[0]
        mode = map_concentration(int(best["n_clusters"]), 90, *gamma_prior)
        assert tuning.concentration == pytest.approx(mode)
        path = tuning.table[tuning.table["scale"] == tuning.scale]["penalised"]
        assert np.all(np.diff(path) <= 1e-6)


def test_held_out_density_is_that_of_one_cluster_where_no_other_can_open():
    values = np.random.default_rng(3).normal(5.0, 2.0, (12, 1))
    settings = {"scales": [0.5], "concentrations": [1e-12], "n_folds": 12}
    tuning = tune(_model(), values, way="cross-validation", **settings)
    expected = []
    for i in range(12):
        rest = np.delete(values[:, 0], i)
        post = NormalPrior.default(rest, 0.5).posterior(rest)
        spread = np.sqrt(post.rate * (post.mean_count + 1) / (post.shape * post.mean_count))
        expected.append(student_t.logpdf(values[i, 0], 2 * post.shape, post.mean, spread))
    row = tuning.table.iloc[0]
    assert row["n_clusters"] == 1
    assert row["held_out"] == pytest.approx(np.mean(expected))
    assert row["standard_error"] == pytest.approx(np.std(expected, ddof=1) / np.sqrt(12))


def test_cross_validation_takes_the_highest_held_out_density():
    grid = {"scales": (0.1, 1.0), "concentrations": (1e-9, 1.0)}
    tuning = tune(_model(), _groups(), way="cross-validation", n_folds=3, **grid)
    assert len(tuning.table) == 4
    best = tuning.table.loc[tuning.table["held_out"].idxmax()]
    assert best["chosen"]
    assert (best["scale"], best["concentration"]) == (tuning.scale, tuning.concentration)
    assert tuning.table["held_out"].max() > tuning.table["held_out"].min() + 0.1


@pytest.mark.parametrize("way", WAYS)
def test_a_mixed_table_with_holes_can_be_tuned_stopped_and_tuned_again(way):
    random = np.random.default_rng(1)
    group = np.arange(40) % 2
    frame = pd.DataFrame(
        {
            "length": np.where(random.random(40) < 0.2, np.nan, random.normal(6.0 * group)),
            "visits": random.poisson(1 + 8 * group).astype(float),
        }
    )
    schema = Schema([ColumnSpec("length", "normal"), ColumnSpec("visits", "poisson")])
    settings = {"way": way, "scales": (0.1, 0.5), "concentrations": (0.5, 2.0), "n_folds": 2}
    model = _model()
    tuning = tune(model, frame, schema, **settings)
    assert not hasattr(model, "labels_")
    assert tuning.sentence.startswith(WAYS[way])
    assert MAPDP(**tuning.arguments, random_state=0).fit(frame, schema).n_clusters_ == 2

    class Stop(BaseException):
        pass

    seen = []

    def callback(progress):
        seen.append(progress)
        assert 0 <= progress.done < progress.total
        if len(seen) == 7:
            raise Stop

    with pytest.raises(Stop):
        tune(model, frame, schema, callback=callback, **settings)
    assert len(seen) == 7
    again = tune(model, frame, schema, **settings)
    pd.testing.assert_frame_equal(again.table, tuning.table)


def test_scales_are_left_alone_where_no_column_is_a_measurement():
    codes = np.random.default_rng(0).integers(2, size=(30, 3)).astype(float)
    tuning = tune(_model(likelihood="bernoulli"), codes, concentrations=(0.5, 2.0))
    assert tuning.table["scale"].nunique() == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"way": "luck"}, "way"),
        ({"scales": ()}, "scales is empty"),
        ({"concentrations": (0.0,)}, "concentrations"),
        ({"way": "cross-validation", "n_folds": 1}, "n_folds"),
        ({"way": "cross-validation", "n_folds": 91}, "there are 90 rows"),
        ({"way": "gamma", "gamma_prior": (-1.0, 1.0)}, "shape"),
    ],
)
def test_wrong_arguments_are_named(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        tune(_model(), _groups(), **arguments)
