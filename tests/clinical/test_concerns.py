"""What is said before roles are locked: which validators are nearly made of the columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import circular_validators, predictability

N = 200


def judged(values, family: str) -> tuple[dict, list[str]]:
    """How well two columns predict a validator, and what is said of it."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=N), "b": random.normal(size=N)})
    frame["v"] = values(frame["a"].to_numpy() + frame["b"].to_numpy(), random)
    schema = infer_schema(frame).with_column("v", family=family, role="validator")
    return predictability(frame, schema), circular_validators(frame, schema)


@pytest.mark.parametrize(("noise", "share"), [(1.0, 2 / 3), (0.4, 0.93)])
def test_a_measurement_is_nearly_made_of_the_columns_where_they_explain_eight_tenths(noise, share):
    found, said = judged(lambda sum, random: sum + noise * random.normal(size=N), "normal")
    assert found["v"].measure == "R²"
    assert found["v"].score == pytest.approx(share, abs=0.06)  # 2 / (2 + noise²)
    assert bool(said) == (share > 0.8)


def test_a_yes_no_is_judged_by_the_area_under_its_curve():
    found, said = judged(lambda sum, random: np.where(sum > 0, "yes", "no"), "bernoulli")
    assert found["v"].measure == "AUC"
    assert found["v"].score > 0.95
    assert set(found["v"].carriers) == {"a", "b"}
    assert "cross-validated AUC" in said[0]


@pytest.mark.parametrize(("known", "judgeable"), [(29, False), (30, True)])
def test_fewer_than_thirty_values_are_not_judged(known, judgeable):
    found, _ = judged(lambda sum, random: np.where(np.arange(N) < known, sum, np.nan), "normal")
    assert ("v" in found) == judgeable


@pytest.mark.parametrize(("rare", "judgeable"), [(9, False), (10, True)])
def test_a_level_of_fewer_than_ten_is_not_judged(rare, judgeable):
    found, _ = judged(lambda sum, random: np.where(np.arange(N) < rare, "yes", "no"), "bernoulli")
    assert ("v" in found) == judgeable
