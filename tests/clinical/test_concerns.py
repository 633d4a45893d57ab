"""What is said before roles are locked: circular outcomes, and events that nobody named."""

import re

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import concerns, predictability

N = 200
RANDOM = np.random.default_rng(0)
A, B, NOISE = RANDOM.normal(size=(3, N))
YES = np.where(A + B > 0, "yes", "no")


@pytest.mark.parametrize(
    ("values", "family", "measure", "score", "words"),
    [
        (A + B + NOISE, "normal", "R²", 2 / 3, ""),  # 2 / (2 + noise²)
        (A + B + 0.4 * NOISE, "normal", "R²", 0.93, "follows from"),
        (A + B + 0.1 * NOISE, "normal", "R²", 0.99, "follows from"),
        (YES, "bernoulli", "AUC", 0.99, "follows from"),
        # Few values and rare levels are not judged.
        (np.where(np.arange(N) < 29, A, np.nan), "normal", "", 0, ""),
        (np.where(np.arange(N) < 30, A, np.nan), "normal", "R²", 1.0, "follows from"),
        (np.where(np.arange(N) < 9, "yes", "no"), "bernoulli", "", 0, ""),
        (np.where(np.arange(N) < 10, "yes", "no"), "bernoulli", "AUC", None, ""),
    ],
)
def test_an_outcome_is_held_against_what_the_columns_explain(values, family, measure, score, words):
    frame = pd.DataFrame({"a": A, "b": B, "v": values})
    schema = infer_schema(frame).with_column("v", family=family, role="validator")
    found, text = predictability(frame, schema), " ".join(concerns(frame, schema))
    assert [one[0] for one in found.values()] == ([measure] if measure else [])
    assert not score or found["v"][1] == pytest.approx(score, abs=0.06)
    assert words in text
    assert bool(words) == bool(text) == ("“a”" in text)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    table = {"score": A, "walk": B, "time": RANDOM.exponential(20, N).round(1)}
    return pd.DataFrame(table | {"status": RANDOM.integers(0, 3, N), "word": "the same"})


@pytest.mark.parametrize(
    ("role", "named", "text"),
    [
        ("validator", {}, "nobody named which column"),
        ("control", {"event": "status"}, "nobody named which column"),
        ("control", {"event": "status", "event_codes": (2,)}, "not yet, when last seen"),
        ("validator", {"event": "status", "event_codes": (2,), "censored_codes": (0, 1)}, ""),
    ],
)
def test_an_event_is_named_to_its_last_code(frame, role, named, text):
    ignored = dict.fromkeys(["status", "word"], "ignore")
    none = dict.fromkeys(["event", "event_codes", "censored_codes"])
    schema = infer_schema(frame).with_columns(ignored)
    schema = schema.with_column("time", family="time_to_event", role=role, **none | named)
    found = concerns(frame, schema)
    assert text in " ".join(found)
    assert bool(found) == bool(text)
    unreadable = schema.with_column("word", family="bernoulli", role="validator")
    assert "Not testable. Column 'word'" in " ".join(concerns(frame, unreadable))
    same = frame.assign(word="a")
    found = concerns(same, infer_schema(same).with_column("word", role="validator"))
    assert re.search(r"'word' has no type.*The same value \(a\)", " ".join(found))
