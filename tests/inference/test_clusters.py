"""Rows drawn from fitted clusters: their law, their words, their labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import NotFittedError

from mapdp_studio.core import MAPDP, Schema, load_model, save_model
from mapdp_studio.core.schema.schema import ColumnSpec


def test_a_column_s_draws_follow_its_predictive():
    values = np.random.default_rng(0).normal(5.0, 2.0, size=(12, 1))
    model = MAPDP(random_state=0, concentration=1e-6).fit(values)
    rows, labels = model.sample(4000, random_state=1)
    assert rows.shape == (4000, 1)
    assert not labels.any()
    p = model.clusters_[0].posterior["x0"]
    width = np.sqrt(p.rate * (p.mean_count + 1.0) / (p.mean_count * p.shape))
    law = stats.t(2.0 * p.shape, p.mean, width)
    assert stats.kstest(rows[:, 0], law.cdf).pvalue > 0.01
    assert np.mean(model.score_samples(rows)) < np.mean(law.logpdf(rows[:, 0]))  # a new one's share


def test_rows_of_a_frame_come_in_its_words_and_by_the_clusters_sizes():
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], [150, 50])
    cost = np.where(random.random(200) < 0.4, 0.0, np.exp(random.normal(size=200) + 4 * group))
    frame = pd.DataFrame(
        {
            "cost": cost,
            "stage": 1 + random.binomial(3, 0.1 + 0.8 * group),
            "colour": np.where(group == 1, "red", "blue"),
            "height": random.normal(170 + 40 * group, 5),
            "weight": random.normal(70 + 40 * group, 5),
        }
    )
    schema = Schema(
        [
            ColumnSpec("cost", "normal", transform="log", special=("0",), special_codes=(0.0,)),
            ColumnSpec("stage", "binomial", offset=1, trials=3),
            ColumnSpec("colour", "categorical"),
            ColumnSpec("height", "normal"),
            ColumnSpec("weight", "normal"),
        ]
    ).with_block("size", columns=["height", "weight"], family="gaussian")
    model = MAPDP(random_state=0).fit(frame, schema)
    assert model.n_clusters_ == 2
    rows, labels = model.sample(2000, random_state=0)
    assert set(rows.columns) == set(frame.columns)
    assert set(rows["colour"]) == {"red", "blue"}
    assert set(rows["stage"]) <= {1, 2, 3, 4}
    assert np.mean(labels) == pytest.approx(0.25, abs=0.05)
    assert np.mean(rows["cost"] == 0.0) == pytest.approx(0.4, abs=0.1)
    assert rows["cost"].min() == 0.0
    assert np.mean(model.predict(rows) == labels) > 0.97
    assert rows["height"][labels == 1].mean() == pytest.approx(210, abs=3)


def test_a_model_read_from_a_file_draws_the_same_rows():
    model = MAPDP(random_state=0).fit(np.random.default_rng(0).normal(size=(30, 2)))
    rows, labels = load_model(save_model(model)).sample(5, random_state=1)
    np.testing.assert_allclose(rows, model.sample(5, random_state=1)[0])
    assert labels.shape == (5,)
    with pytest.raises(NotFittedError):
        MAPDP().sample()
    with pytest.raises(ValueError, match="n_samples=0 is not allowed"):
        model.sample(0)
