"""Checkboxes are seen as such, and what is set aside is listed with its reason."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.profiling.suggestions import suggestions
from mapdp_studio.pages.parts.data.aside import set_aside


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


def test_what_is_set_aside_is_listed_with_a_short_reason():
    listed = set_aside(infer_schema(form()))
    assert list(listed) == ["lift", "balcony", "Pie: Apple", "dog", "city", "seen"]
    assert listed["city"] == "The same value (Wien) in every row that has one"
    assert all(0 < len(why) <= 90 for why in listed.values())
