"""The simulated cohort beside the published tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema
from mapdp_studio.demo_datasets import (
    load_parkinsonism,
)
from mapdp_studio.demo_datasets.parkinsonism import cohort_columns
from tests.demo_datasets.energy import energy

# R16 Table 3: probability of yes in groups 1 to 4.
TABLE_3 = {
    "Resting tremor (present and typical)": (0.81, 0.91, 0.42, 0.78),
    "Resting tremor (absent)": (0.14, 0.06, 0.42, 0.11),
    "Symptoms in the past week": (0.58, 0.94, 1.00, 0.67),
}
# R16 Table 4: lowest and highest score, then mean scores of groups 1 to 4.
TABLE_4 = {
    "Facial expression": (0, 4, 1.42, 1.47, 0.42, 2.33),
    "Tremor at rest (face, lips and chin)": (0, 4, 0.05, 0.32, 0.23, 1.00),
    "Rigidity (right upper extremity)": (0, 4, 0.90, 1.30, 0.38, 2.11),
    "Rigidity (left upper extremity)": (0, 4, 0.62, 1.33, 0.19, 2.00),
    "Rigidity (right lower extremity)": (0, 4, 0.46, 0.97, 0.04, 2.56),
    "Rigidity (left lower extremity)": (0, 4, 0.38, 1.06, 0.04, 2.67),
    "Finger taps (left hand)": (0, 4, 0.65, 1.41, 0.50, 2.33),
    "PD state during exam": (1, 4, 2.65, 3.85, 4.00, 3.00),
    "Modified Hoehn and Yahr stage": (0, 7, 2.46, 3.19, 1.62, 6.33),
}


@pytest.fixture(scope="module")
def cohorts():
    return [load_parkinsonism(seed) for seed in range(5)]


def test_cohort_has_the_papers_shape(cohorts):
    for frame, schema, truth in cohorts:
        assert list(np.bincount(truth)) == [264, 226, 26, 9, 2]
        assert list(frame.columns) == list(schema)
        assert len(schema.names("cluster")) == 215
        families = {schema[name].family for name in schema.names("cluster")}
        assert families == {"bernoulli", "binomial", "categorical", "poisson"}
        assert frame["Patient"].is_unique
        assert schema.names("id") == ("Patient",)
        assert len(schema.names("validator")) >= 4
        assert len(schema.names("control")) >= 1
        missing = np.isnan(schema.encode(frame).values)
        assert 0.08 < missing.mean() < 0.12
        assert missing.all(axis=0).sum() == 0
    frame, schema, _ = cohorts[0]
    pd.testing.assert_frame_equal(frame, load_parkinsonism(0)[0])
    assert not frame.equals(cohorts[1][0])
    assert Schema.from_dict(schema.to_dict()) == schema


def test_61_columns_differ_between_the_largest_groups():
    columns = cohort_columns()
    differ = [c.name for c in columns if not np.array_equal(c.rates[0], c.rates[1])]
    assert len(columns) == 215
    assert len(differ) == 61
    assert {*TABLE_3, *TABLE_4} <= set(differ)


def test_tables_3_and_4_within_sampling_error(cohorts):
    published = {name: (0, 1, *values) for name, values in TABLE_3.items()} | TABLE_4
    surprises = []
    for name, (lowest, highest, *means) in published.items():
        for group, mean in enumerate(means):
            scores = pd.concat([frame[name][truth == group] for frame, _, truth in cohorts])
            scores = scores.dropna()
            if highest == 1:
                scores = scores == "yes"
            share = (mean - lowest) / (highest - lowest)
            error = (scores.astype(float).mean() - mean) / (highest - lowest)
            sd = np.sqrt(share * (1 - share) / ((highest - lowest) * len(scores)))
            surprises.append(error / sd if sd else (0.0 if error == 0.0 else np.inf))
    assert np.abs(surprises).max() < 4.0
    assert 0.6 < np.std(surprises) < 1.4  # drawn, not forced to the published values


def test_typical_and_absent_tremor_exclude_each_other(cohorts):
    typical, absent = (name for name in TABLE_3 if name.startswith("Resting"))
    for frame, _, _ in cohorts:
        assert not ((frame[typical] == "yes") & (frame[absent] == "yes")).any()


def test_outcomes_follow_the_groups_and_controls_do_not(cohorts):
    frame = pd.concat([frame for frame, _, _ in cohorts])
    truth = np.concatenate([truth for _, _, truth in cohorts])
    largest = [frame[truth == group] for group in (0, 1)]
    fall = [group["Motor decline a year (points)"].mean() for group in largest]
    assert fall[1] - fall[0] > 1.0
    even = [(group["Enrolled in an even month"] == "yes").mean() for group in largest]
    assert abs(even[1] - even[0]) < 0.08
    assert set(frame["Died"]) == {"yes", "no"}


def test_the_model_prefers_the_cohorts_groups(cohorts):
    for frame, schema, truth in cohorts:
        encoded = schema.encode(frame)
        apart = energy(encoded, truth)
        for small in (1, 2, 3, 4):
            for other in range(small):
                merged = np.where(truth == small, other, truth)
                assert apart < energy(encoded, merged) - 10.0


def test_a_mark_says_which_of_the_large_groups_is_higher():
    rates = {column.name: column.rates for column in cohort_columns()}
    assert rates["Gait"][1] > rates["Gait"][0]
    independence = rates["Independence in daily life (tens)"]
    assert independence[1] < independence[0]
    assert rates["Speech"][0] == rates["Speech"][1]
