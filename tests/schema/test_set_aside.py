"""Checkboxes are seen as such."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.suggestions import suggestions


def form(n=60):
    random = np.random.default_rng(0)
    ticked = {name: random.random(n) < 0.4 for name in ("lift", "balcony", "Pie: Apple", "dog")}
    return pd.DataFrame(
        {
            "rent": random.normal(900, 90, n),
            "lift": np.where(ticked["lift"], 1.0, np.nan),
            "balcony": np.where(ticked["balcony"], "x", None),
            "Pie: Apple": np.where(ticked["Pie: Apple"], "Apple", None),
            "dog": np.where(ticked["dog"], 7.0, np.nan),
            "city": "Wien",
            "seen": pd.date_range("2020-01-01", periods=n).strftime("%Y-%m-%d"),
        }
    )


def test_one_mark_and_blanks_are_a_checkbox():
    frame = form()
    schema = infer_schema(frame)
    (ticks,) = (s.step for s in suggestions(frame, schema) if s.step.key == "fill blanks")
    assert ticks.columns == ("lift", "balcony", "Pie: Apple")
    assert "The same value" in schema["dog"].reason


def test_answers_with_a_column_each_are_checkboxes():
    random = np.random.default_rng(1)
    words = ("Carrots", "Corn", "Peas")
    columns = {f"q{j}_": np.where(random.random(50) < 0.5, w, None) for j, w in enumerate(words)}
    frame = pd.DataFrame(columns)
    (ticks,) = suggestions(frame, infer_schema(frame))
    assert ticks.step.columns == tuple(frame)
