"""Every run begins at the top of its page; a part that runs by itself never says which that is."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

from mapdp_studio.pages.parts.visit.fragment_runs import keep_runs_apart

LEFT = RerunData(page_script_hash="left", query_string="rows=5", fragment_id="line")
ASKED = RerunData(page_script_hash="asked", page_name="data", query_string="k=3")


@pytest.fixture
def runs(monkeypatch) -> list:
    """What each run was asked for, and the box it began in."""
    seen: list = []
    monkeypatch.setattr(
        ScriptRunner,
        "_run_script",
        lambda runner, asked: seen.append((asked, context_dg_stack.get())),
    )
    monkeypatch.setattr(
        ScriptRequests, "_request_rerun_locked", ScriptRequests._request_rerun_locked
    )
    keep_runs_apart()
    return seen


def test_a_part_that_asks_while_a_page_waits_does_not_turn_back(runs):
    requests = ScriptRequests()
    assert requests.request_rerun(ASKED)
    assert requests.request_rerun(LEFT)
    waiting = requests.on_scriptrunner_ready().rerun_data
    assert waiting.fragment_id_queue == []
    assert (waiting.page_script_hash, waiting.page_name) == ("asked", "data")
    assert waiting.query_string == "k=3"


def test_what_was_asked_before_is_not_asked_again(runs):
    requests = ScriptRequests()
    requests.request_rerun(ASKED)
    requests.on_scriptrunner_ready()
    requests.request_rerun(LEFT)
    assert requests.on_scriptrunner_ready().rerun_data.query_string == "rows=5"


def test_a_part_runs_on_the_page_that_is_there_and_what_follows_at_the_top(runs):
    runner = SimpleNamespace(_pages_manager=SimpleNamespace(current_page_script_hash="asked"))
    top = get_default_dg_stack_value()
    token = context_dg_stack.set((*top, "the part's own box"))
    try:
        ScriptRunner._run_script(
            runner, RerunData(page_script_hash="left", fragment_id_queue=["line"])
        )
        ScriptRunner._run_script(runner, RerunData(page_script_hash="next"))
    finally:
        context_dg_stack.reset(token)
    (part, _), (page, began) = runs
    assert (part.page_script_hash, page.page_script_hash) == ("asked", "next")
    assert began == top
