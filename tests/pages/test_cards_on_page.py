"""Cards on the page Clusters, and their rules on Take away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.pages import Session, Table
from tests.pages.conftest import settle

PAGES = Path(__file__).parents[2] / "pages"
GROUP = np.repeat([0, 1, 2], [80, 40, 40])
RANDOM = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {
        name: (np.array([0.0, 100.0, 140.0])[GROUP] + RANDOM.normal(0.0, 2.0, 160)).round(1)
        for name in ("height", "mass", "age")
    }
)
FRAME["doctor"] = RANDOM.choice(
    ["Ann Smith", "Bo Lee", "Carl Vogt", "Eva Nunez", "Ida Noyes", "Jan Kok"], 160
)


@pytest.fixture
def studio() -> Session:
    studio = Session()
    studio.take(Table(FRAME, "three.csv", "three"), infer_schema(FRAME))
    return studio


def _page(name: str, studio: Session) -> AppTest:
    at = AppTest.from_file(str(PAGES / f"{name}.py"))
    at.session_state["studio"] = studio
    return settle(at)


def test_each_card_has_its_sentence_and_its_rule(ready, studio):
    at = _page("clusters", studio)
    said = [m.value for m in at.markdown]
    assert sum(text.startswith("Like Cluster") for text in said) == 3
    rules = [code.value for code in at.code]
    assert len(rules) == 3
    assert any("right for 80 of 80 left out" in caption.value for caption in at.caption)
    assert any("doctor may hold names of persons" in caption.value for caption in at.caption)


def test_two_cards_that_begin_alike_can_be_merged(ready, studio):
    at = _page("clusters", studio)
    (merge,) = (button for button in at.button if (button.key or "").startswith("twins-"))
    merge.click().run(timeout=60)
    (naming,) = studio.naming.values()
    assert len(naming.merged) == 1
    assert not any((button.key or "").startswith("twins-") for button in at.button)


def test_the_rules_are_taken_away(ready, studio):
    at = _page("take_away", studio)
    texts = [code.value for code in at.code]
    (rules,) = (text for text in texts if "def group_of(row)" in text)
    assert "        return 'Cluster " in rules
    assert any("100\u00a0% are given their own group" in caption.value for caption in at.caption)
