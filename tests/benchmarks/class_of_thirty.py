"""Thirty visitors on one lesson's link, all pressing at once: seconds until each sees the new stop.

    mapdp-studio --server.port 8772 &
    python -m tests.benchmarks.class_of_thirty 8772 [30] [5.1 wine ...]      # about 3 minutes

All press Next at the same moment, and then all predict at the same moment. One is a browser, timed
from its key to the text and picture of the new stop; the others speak Streamlit's own protocol,
timed from the press to the end of what the server sends: two cores cannot draw thirty browsers, and
those of a class have cores of their own. Printed are half and the last of the others, the browser,
and what the server worked, in seconds of a processor. Start the server anew: what it knows already
is quick.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from mapdp_studio.core.teaching.lessons import LESSONS, Stop
from mapdp_studio.core.wording import unbroken
from tests.benchmarks.visitors import Noted, Tab, server_of
from tests.browser.conftest import FLAGS

LIMIT = 2.0
#: Seconds that a class takes to read before it presses again.
READING = 3.0
LATE = 120.0
#: A stop is there when it says so, its picture is drawn, and nothing is on its way any more.
IS_THERE = """([text, figure]) => {
    const app = document.querySelector('[data-testid=stApp]');
    return app.dataset.testScriptState === 'notRunning' && app.textContent.includes(text)
        && document.querySelectorAll(`${figure} .main-svg`).length > 0
        && !document.querySelector('[data-stale=true]');
}"""


class Pupil(Tab):
    """A visitor who follows one lesson, without a browser."""

    def __init__(self, port: int, number: int) -> None:
        super().__init__(port, number, Noted())
        self.buttons: dict[str, str] = {}
        self.choices: dict[str, str] = {}
        self.query = self.said = ""

    def note(self, message: ForwardMsg) -> None:
        """Remember the buttons, what can be predicted, the address, and what is said."""
        super().note(message)
        kind = message.WhichOneof("type")
        if kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            what = element.WhichOneof("type")
            if what == "button":
                self.buttons[element.button.label] = element.button.id
            elif what == "button_group":
                self.choices[element.button_group.label] = element.button_group.id
            elif what == "markdown":
                self.said += element.markdown.body

    def open(self, query: str) -> None:
        """Open a link, and wait until the engine is ready."""
        self.page, self.query = "teach", query
        while self.ask() and "Next" not in self.buttons:
            self.listen(3.0)  # a page that is drawn anew by itself

    def ask(self, widget: WidgetState | None = None) -> bool:
        """Ask for the page with one thing pressed; whether it was drawn."""
        message, self.said, self.is_early = BackMsg(), "", False
        message.rerun_script.page_script_hash = self.pages.get(self.page, "")
        message.rerun_script.page_name = "" if self.pages else self.page
        message.rerun_script.query_string = self.query
        if widget is not None:
            message.rerun_script.widget_states.widgets.append(widget)
        self.send(message)
        return self.listen(LATE)

    def go_on(self, stop: Stop) -> None:
        """Press Next."""
        self.ask(WidgetState(id=self.buttons["Next"], trigger_value=True))
        assert unbroken(stop.question) in self.said, stop.question

    def predict(self, stop: Stop) -> None:
        """Choose the first answer."""
        widget = WidgetState(id=self.choices["Your prediction"])
        widget.string_array_value.data.append(unbroken(stop.choices[0]))
        self.ask(widget)
        assert unbroken(stop.answer) in self.said, stop.answer


class Lecturer:
    """A visitor with a browser; used by the thread that opened it."""

    def __init__(self, page: Page, port: int, query: str) -> None:
        self.page = page
        page.goto(f"http://127.0.0.1:{port}/teach?{query}")
        page.wait_for_selector(".st-key-panels-data .main-svg", timeout=1000 * LATE)
        page.wait_for_timeout(1000)

    def go_on(self, stop: Stop) -> None:
        """Press Next."""
        self.page.keyboard.press("Alt+n")
        self._wait(unbroken(stop.question), ".st-key-panels-data")

    def predict(self, stop: Stop) -> None:
        """Choose the first answer."""
        choices = self.page.get_by_role("radiogroup", name="Your prediction")
        choices.get_by_role("radio").first.click()
        figure = ".st-key-steps" if stop.sets.get("view") == "Step" else ".st-key-panels"
        self._wait(unbroken(stop.answer), figure)

    def _wait(self, text: str, figure: str) -> None:
        self.page.wait_for_function(IS_THERE, arg=[text, figure], timeout=1000 * LATE)


def at_once(visitors: list, deed: str, stop: Stop) -> list[float]:
    """Seconds until each visitor sees what came of its press; the last is this thread's."""
    seconds, start = [float("nan")] * len(visitors), threading.Barrier(len(visitors))

    def press(k: int) -> None:
        start.wait()
        began = time.monotonic()
        getattr(visitors[k], deed)(stop)
        seconds[k] = time.monotonic() - began

    with ThreadPoolExecutor(len(visitors)) as others:
        pressed = [others.submit(press, k) for k in range(len(visitors) - 1)]
        press(len(visitors) - 1)
        for one in pressed:
            one.result()
    return seconds


def worked(process: int) -> float:
    """Seconds that a process has had of the processors."""
    stat = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, stat[11:13])) / os.sysconf("SC_CLK_TCK")


def attend(page: Page, port: int, n_visitors: int, key: str) -> list[float]:
    """One lesson from its first stop to its last; a printed line a press."""
    query, seconds, server = f"scenario={key}&lesson=1", [], server_of(port)
    pupils = [Pupil(port, number) for number in range(1, n_visitors)]
    for pupil in pupils:
        pupil.open(query)
    visitors = [*pupils, Lecturer(page, port, query)]
    for number, stop in enumerate(LESSONS[key], start=1):
        for deed in ("go_on", "predict")[number == 1 :]:
            before = worked(server)
            found = at_once(visitors, deed, stop)
            seconds += found
            half, worst = np.quantile(found[:-1], (0.5, 1.0))
            late = "" if max(found) <= LIMIT else "  late"
            print(
                f"{key:12}{number:2}  {deed:8}{half:6.2f}{worst:6.2f}{found[-1]:9.2f}"
                f"{worked(server) - before:8.2f}{late}",
                flush=True,
            )
            time.sleep(READING)
    for pupil in pupils:
        pupil.close()
    return seconds


def main(port: int, n_visitors: int, keys: list[str]) -> None:
    """Let them attend the lessons named, or all."""
    print("lesson    stop          half  last  browser  server", flush=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        seconds = [s for key in keys or LESSONS for s in attend(page, port, n_visitors, key)]
        browser.close()
    print(f"{len(seconds):,} presses, {sum(s > LIMIT for s in seconds)} later than {LIMIT:g} s")


if __name__ == "__main__":
    words = sys.argv[1:]
    numbers = [int(word) for word in words[:2] if word.isdigit()]
    main(*(*numbers, 30)[:2], words[len(numbers) :])
