"""Two runs under one clock open by their address."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.teach.controls import BESIDE, ON_DRAWING, VIEW, WALK
from tests.pages.conftest import settle

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
def test_two_runs_by_their_address():
    at = opened(view="Step", scenario="5.2", rows="150", walk="truth", beside="DPMeans")
    assert (at.session_state[WALK], at.session_state[BESIDE]) == ("truth", "DPMeans")
    settle(at)
    tables = [one.label for one in at.expander if one.label.startswith("The steps of")]
    assert len(tables) == 2


@pytest.mark.usefixtures("ready")
def test_on_a_drawing_there_is_no_start_from_the_truth():
    at = opened(view="Step", drawing="true", walk="truth", beside="MAPDP")
    assert at.session_state[VIEW] == "Step"
    assert at.session_state[ON_DRAWING]
    assert at.session_state[WALK] != "truth"
    assert not at.error
