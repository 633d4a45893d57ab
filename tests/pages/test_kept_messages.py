"""No run names a message that its browser may have let go of since it asked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_run_context import create_reference_msg

from mapdp_studio.pages.parts.visit.kept_messages import send_what_is_gone


class Browser:
    """What Streamlit's browser keeps (ForwardMsgCache.ts of 1.67), and how often it ran."""

    def __init__(self) -> None:
        self.runs, self.used, self.part = 0, {}, {}

    def hear(self, message: ForwardMsg) -> None:
        if message.ref_hash:
            assert message.ref_hash in self.used, "Cached ForwardMsg MISS"
        name = message.ref_hash or message.hash
        if name not in self.used:
            self.part[name] = message.delta.fragment_id
        self.used[name] = self.runs

    def end_run(self, parts: list[str]) -> None:
        self.runs += 1
        for name in list(self.used):
            is_looked_at = not parts or self.part[name] in parts
            if is_looked_at and self.runs - self.used[name] > 2:
                del self.used[name]


@pytest.fixture
def visit(monkeypatch):
    """Runs pages, of which each is the names of its messages, "part:name"; what was sent whole."""
    browser, whole = Browser(), []

    def run(runner: ScriptRunner, asked: RerunData) -> None:
        for name in asked.query_string.split():
            message = ForwardMsg(hash=name)
            message.metadata.cacheable = True
            message.delta.fragment_id = name.rpartition(":")[0]
            is_kept = name in asked.cached_message_hashes
            told = create_reference_msg(message) if is_kept else message
            ScriptRunner._enqueue_forward_msg(runner, told)
        browser.end_run(asked.fragment_id_queue)

    def send(_: ScriptRunner, message: ForwardMsg) -> None:
        browser.hear(message)
        whole.extend([message.hash] if message.hash else [])

    monkeypatch.setattr(ScriptRunner, "_run_script", run)
    monkeypatch.setattr(ScriptRunner, "_enqueue_forward_msg", send)
    send_what_is_gone()
    manager = type("Pages", (), {})()

    def ask(page: str, parts: tuple[str, ...] = ()):
        """Ask now for what is run later."""
        kept = frozenset(browser.used)
        asked = RerunData(
            query_string=page, cached_message_hashes=kept, fragment_id_queue=list(parts)
        )
        return lambda: ScriptRunner._run_script(SimpleNamespace(_pages_manager=manager), asked)

    return SimpleNamespace(ask=ask, whole=whole)


def test_what_a_page_shows_again_is_not_sent_again(visit):
    visit.ask("a b")()
    for _ in range(4):
        visit.ask("line:tick", ("line",))()
    visit.ask("a c")()
    assert visit.whole == ["a", "b", "line:tick", "c"]


def test_what_the_browser_let_go_of_since_it_asked_is_sent(visit):
    visit.ask("a b")()
    for _ in range(4):
        visit.ask("line:tick", ("line",))()
    elsewhere, back = visit.ask("c"), visit.ask("a b")
    elsewhere()
    back()  # it had a and b when it asked; once the other page was there it had not
    assert visit.whole == ["a", "b", "line:tick", "c", "a", "b"]


def test_what_went_with_a_part_that_ran_by_itself_is_sent(visit):
    visit.ask("a chart:old")()
    for _ in range(4):
        visit.ask("line:tick", ("line",))()
    changed, back = visit.ask("chart:new", ("chart",)), visit.ask("a chart:old")
    changed()
    back()
    assert visit.whole == ["a", "chart:old", "line:tick", "chart:new", "chart:old"]
