"""The table chooses its model: asked for on Data, in one line, each change with its way back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import infer_schema
from core.schema.chosen import in_words
from core.wording import escaped
from pages import Session, Table
from tests.pages.conftest import until

pytestmark = pytest.mark.usefixtures("ready")
PAGES = Path(__file__).parents[2] / "pages"


def _frame(n=150) -> pd.DataFrame:
    random = np.random.default_rng(0)
    group = random.integers(2, size=n)
    x = 3.0 * random.normal(size=(n, 1)) + 0.5 * random.normal(size=(n, 3))
    x[:, 0] += 5.0 * group
    frame = pd.DataFrame(np.round(x, 2), columns=list("abc"))
    frame["rating"] = random.choice([1, 2, 3, 4, 5], n, p=[0.25, 0.2, 0.1, 0.2, 0.25])
    frame["visits"] = random.poisson(3.0, n)
    frame["aside"] = random.normal(size=n)
    return frame


def _studio() -> Session:
    studio, frame = Session(), _frame()
    studio.take(Table(frame, "table.csv", "digest"), infer_schema(frame))
    studio.change({"aside": {"role": "ignore"}, "visits": {"family": "geometric"}})
    return studio


def _page(name: str, studio: Session) -> AppTest:
    at = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    at.session_state["studio"] = studio
    at.run()
    assert not at.exception
    return at


def _lines(at: AppTest) -> str:
    return " ".join(text.value for text in (*at.markdown, *at.caption, *at.info))


def test_a_table_chooses_its_model_at_a_click_and_each_change_can_be_taken_back():
    studio = _studio()
    at = _page("data", studio)
    at.button(key="choose_model").click().run()
    until(at, lambda at: studio.schema.priors)
    at.run()
    schema = studio.schema
    said = in_words(schema.chosen)
    assert "a, b, c together" in said
    assert "rating as category" in said
    assert escaped(said) in _lines(at)
    assert schema["visits"].family == "geometric"  # set by hand
    assert schema["aside"].role == "ignore"
    worth = {change.words: change.worth for change in schema.chosen}
    table = at.dataframe[0].value.set_index("Column")
    assert table.loc["rating", "Why"].startswith("Chosen with the groups: as category (E falls by")
    assert table.loc["a", "Block"] == "a + b + c"
    assert f"**rating** as category{worth['as category']}" in _lines(at)
    back = next(b for b in at.button if (b.key or "").startswith("take back") and "a-b-c" in b.key)
    back.click().run()
    assert not studio.schema.blocks
    assert studio.schema["rating"].family == "categorical"
    assert set(studio.schema.priors) == {"rating", "visits"}
    at.button(key="keep_suggested").click().run()
    assert studio.schema == _studio().schema.completed(_frame())
    assert at.button(key="choose_model")


def test_a_choice_can_be_stopped_and_undone(monkeypatch):
    from pages.parts.shared import model_choice

    def never(frame, schema, callback):
        while True:
            callback(None)

    studio = _studio()
    before = studio.schema
    with monkeypatch.context() as patched:
        patched.setattr(model_choice, "choose_model", never)
        at = _page("data", studio)
        at.button(key="choose_model").click().run()
        at.button(key=f"stop {model_choice.LABEL}").click().run()
        until(at, lambda at: "Stopped: likelihoods and blocks are as suggested." in _lines(at))
    assert studio.schema is before
    at.button(key="choose_model").click().run()
    until(at, lambda at: studio.schema.priors)
