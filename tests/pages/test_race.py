"""The race opens by its address."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.teach.controls import LEFT, ON_DRAWING, RIGHT, VIEW

ROOT = Path(__file__).parents[2]


def opened(**asked: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "teach.py"), default_timeout=60)
    at.session_state["studio"] = Session()
    for name, value in asked.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


@pytest.mark.usefixtures("ready")
def test_a_race_by_its_address():
    at = opened(view="Race", scenario="5.2", rows="150", left="truth", right="DPMeans")
    assert at.session_state[LEFT] == "truth"
    assert at.session_state[RIGHT] == "DPMeans"


@pytest.mark.usefixtures("ready")
def test_a_race_on_a_drawing_has_no_start_from_the_truth():
    at = opened(view="Race", drawing="true", left="truth")
    assert at.session_state[VIEW] == "Race"
    assert at.session_state[ON_DRAWING]
    assert at.session_state[LEFT] != "truth"
    assert not at.error
