"""What is said before roles are locked: circular outcomes, unnamed events, codes of two words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import (
    concerns,
    predictability,
    unexplained,
)

N = 200


def judged(values, family: str) -> tuple[dict, list[str]]:
    """How well two columns predict a validator, and what is said of it."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"a": random.normal(size=N), "b": random.normal(size=N)})
    frame["v"] = values(frame["a"].to_numpy() + frame["b"].to_numpy(), random)
    schema = infer_schema(frame).with_column("v", family=family, role="validator")
    return predictability(frame, schema), concerns(frame, schema)


@pytest.mark.parametrize(
    ("noise", "share", "words"),
    [(1.0, 2 / 3, ""), (0.4, 0.93, "prognosis"), (0.1, 0.99, "nearly a function")],
)
def test_a_measurement_is_held_against_what_the_columns_explain(noise, share, words):
    found, said = judged(lambda sum, random: sum + noise * random.normal(size=N), "normal")
    measure, score, _ = found["v"]
    assert measure == "R²"
    assert score == pytest.approx(share, abs=0.06)  # 2 / (2 + noise²)
    assert words in " ".join(said)
    assert len(said) == bool(words)


def test_a_yes_no_is_judged_by_the_area_under_its_curve():
    found, said = judged(lambda sum, random: np.where(sum > 0, "yes", "no"), "bernoulli")
    measure, score, carriers = found["v"]
    assert measure == "AUC"
    assert score > 0.95
    assert set(carriers) == {"a", "b"}
    assert "cross-validated AUC" in said[0]
    assert "“a”" in said[0]


@pytest.mark.parametrize(
    ("values", "family", "judgeable"),
    [
        (lambda sum, random: np.where(np.arange(N) < 29, sum, np.nan), "normal", False),
        (lambda sum, random: np.where(np.arange(N) < 30, sum, np.nan), "normal", True),
        (lambda sum, random: np.where(np.arange(N) < 9, "yes", "no"), "bernoulli", False),
        (lambda sum, random: np.where(np.arange(N) < 10, "yes", "no"), "bernoulli", True),
    ],
)
def test_few_values_and_rare_levels_are_not_judged(values, family, judgeable):
    assert ("v" in judged(values, family)[0]) == judgeable


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "score": random.normal(size=N),
            "walk": random.normal(size=N),
            "time": random.exponential(20, N).round(1),
            "status": random.integers(0, 3, N),
            "deaths": 1 + np.arange(N) % 2,
            "arm": np.arange(N) % 2,
        }
    )


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({}, "nobody named which column"),
        ({"event": "status"}, "nobody named which column"),
        ({"event": "status", "event_codes": (2,)}, "not yet, when last seen"),
        ({"event": "status", "event_codes": (2,), "censored_codes": (0, 1)}, ""),
    ],
)
def test_an_event_is_named_to_its_last_code(frame, named, said):
    schema = infer_schema(frame).with_columns(dict.fromkeys(["status", "deaths", "arm"], "ignore"))
    none = dict.fromkeys(["event", "event_codes", "censored_codes"])
    schema = schema.with_column("time", family="time_to_event", role="validator", **none | named)
    found = concerns(frame, schema)
    assert said in " ".join(found)
    assert bool(found) == bool(said)


def test_codes_that_explain_nothing_are_asked_for(frame):
    told = infer_schema(frame).with_column("deaths", family="bernoulli", role="validator")
    told = told.with_column("arm", family="bernoulli", role="control")
    assert unexplained(frame, told)["deaths"] == (1, 2)
    assert "arm" not in unexplained(frame, told)
    assert unexplained(frame, told.with_column("deaths", levels=(2, 1)))["deaths"] == (2, 1)
