"""The race opens by its address; a class answers on its phones until the answer is shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.wording import escaped
from pages import Session
from pages.parts.teach.class_results import CODE, class_questions
from pages.parts.teach.controls import LEFT, ON_DRAWING, RIGHT, VIEW

ROOT = Path(__file__).parents[2]


def opened(**asked: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "teach.py"), default_timeout=60)
    at.session_state["studio"] = Session()
    for name, value in asked.items():
        at.query_params[name] = value
    at.run()
    assert not at.exception
    return at


def phone(code: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "pages" / "vote.py"))
    at.query_params["vote"] = code
    return at.run()


@pytest.mark.usefixtures("ready")
def test_a_race_by_its_address_and_the_phones_of_a_class():
    at = opened(view="Race", scenario="5.2", rows="150", left="truth", right="DPMeans")
    assert at.session_state[LEFT] == "truth"
    assert at.session_state[RIGHT] == "DPMeans"
    (button,) = [one for one in at.button if one.label == "Ask the class"]
    button.click().run()
    code = at.session_state[CODE]
    first, second = phone(code), phone(code.lower())
    choices = class_questions().find(code).choices
    assert [one.label for one in first.button] == [escaped(choice) for choice in choices]
    first.button[0].click().run()
    first.button[1].click().run()
    second.button[1].click().run()
    assert class_questions().find(code).counts == [0, 2, 0]
    class_questions().close(code)
    assert all(one.disabled for one in first.run().button)
    assert not phone("<b>").button


@pytest.mark.usefixtures("ready")
def test_a_race_on_a_drawing_has_no_start_from_the_truth():
    at = opened(view="Race", drawing="true", left="truth")
    assert at.session_state[VIEW] == "Race"
    assert at.session_state[ON_DRAWING]
    assert at.session_state[LEFT] != "truth"
    assert not at.error
