"""Every lesson of the Teach page walked with the keyboard alone, every stop's link opened anew.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.lesson_walks http://127.0.0.1:8791 [5.1 wine ...]

The keyboard finds the data set with Tab, begins with Alt+L, goes on with Alt+N, predicts with Tab
and Enter, and reads the answer. The address that stands in the browser at every stop, at the
question and at its answer is opened in a fresh context: where its controls stand, what its figures
hold and what is said have to be the same. About 6 minutes.
"""

from __future__ import annotations

import shutil
import sys
import time

from playwright.sync_api import Browser, sync_playwright

from mapdp_studio.core.teaching.lessons import LESSONS
from mapdp_studio.core.wording import unbroken
from mapdp_studio.demo_datasets import TAUGHT
from tests.browser.conftest import FLAGS, Studio

#: Seconds that a screen may come later than its page is at rest.
LATE = 20.0
#: Every control, and every panel or walk with the colours of its rows, the words of its lesson.
SCREEN = """() => {
    const main = document.querySelector('[data-testid="stMainBlockContainer"]');
    const all = (selector) => [...main.querySelectorAll(selector)];
    const name = (node) => node.getAttribute('aria-label') ?? node.textContent;
    const controls = [
        ...all('[role=slider]').map((at) =>
            [name(at), at.getAttribute('aria-valuetext') ?? at.getAttribute('aria-valuenow')]),
        ...all('input[type=number]').map((at) => [name(at), at.value]),
        ...all('input[type=checkbox]').map((at) => [name(at), at.checked]),
        ...all('[role=radio]').map((at) => [at.textContent, at.getAttribute('aria-checked')]),
    ];
    const figures = all('.js-plotly-plot').map((plot) => plot._fullData.map((trace) => [
        trace.type, trace.name, Array.from(trace.marker?.color ?? []).join(),
        Array.from(trace.customdata ?? []).join(),
        Array.from(trace.x ?? []).slice(0, 50).join(), (trace.z ?? []).length]));
    const words = all('p, td, th').map((at) => at.textContent)
        .filter((text) => !/ m?s$/.test(text));
    return { controls, figures, words };
}"""
#: What is in focus, and what all choices say that it is one of.
FOCUSED = """() => {
    const at = document.activeElement;
    return [at?.textContent.trim() ?? '', at?.closest('[role=radiogroup]')?.textContent ?? ''];
}"""
MOST_TABS = 120
#: A chart of Streamlit's own is a skeleton until its script has come.
DRAWN = "() => !document.querySelector('[data-testid=stSkeleton]')"


def press_until(studio: Studio, wanted: str) -> None:
    """Press Tab, among choices an arrow, until something that says so is in focus."""
    for _ in range(MOST_TABS):
        focused, choices = studio.page.evaluate(FOCUSED)
        if focused == wanted:
            return
        studio.page.keyboard.press("ArrowRight" if wanted in choices else "Tab")
    raise AssertionError(f"The keyboard does not reach “{wanted}”.")


def differences(browser: Browser, studio: Studio) -> list[str]:
    """What differs between the screen and the one that its address opens in a fresh context."""
    context = browser.new_context(viewport=studio.page.viewport_size)
    fresh = Studio(context.new_page(), studio.address)
    fresh.open(studio.page.url.removeprefix(f"{studio.address}/"))
    fresh.page.wait_for_selector(".js-plotly-plot .main-svg", timeout=60_000)
    fresh.settle()
    here, other = _once_alike(studio, fresh)
    found = [name for name in here if here[name] != other[name]]
    if "words" in found:
        apart = {*here["words"]} ^ {*other["words"]}
        found += [text[:60] for text in apart][:3]
    if fresh.page.url != studio.page.url:
        found.append("address")
    found += fresh.errors
    context.close()
    return found


def _once_alike(one: Studio, other: Studio) -> tuple[dict[str, list], dict[str, list]]:
    """What two pages show, once it is the same: on a busy machine either may come late."""
    end = time.monotonic() + LATE
    while True:
        screens = _screen(one), _screen(other)
        if screens[0] == screens[1] or time.monotonic() > end:
            return screens
        other.page.wait_for_timeout(500)


def _screen(studio: Studio) -> dict[str, list]:
    """What a page shows, once every chart is drawn."""
    studio.page.wait_for_function(DRAWN)
    return studio.page.evaluate(SCREEN)


def walk(browser: Browser, address: str, key: str) -> int:
    """Walk one lesson; how many screens differ from those of their links."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    studio, n_apart = Studio(context.new_page(), address), 0
    studio.page.set_default_timeout(120_000)
    studio.open("teach")
    studio.page.wait_for_selector(".js-plotly-plot .main-svg", timeout=60_000)
    studio.settle()
    press_until(studio, TAUGHT[key].title)
    studio.page.keyboard.press("Enter")
    studio.settle()
    for number, stop in enumerate(LESSONS[key]):
        studio.page.keyboard.press("Alt+n" if number else "Alt+l")
        assert studio.sees(unbroken(stop.question))
        studio.settle()
        n_apart += _report(key, stop.question, differences(browser, studio))
        wrong = unbroken(stop.choices[stop.right - 1])
        press_until(studio, wrong)
        studio.page.keyboard.press("Enter")
        assert studio.sees(unbroken(f"Not “{wrong}” but “{stop.rightly}”"))
        assert studio.sees(unbroken(stop.answer))
        studio.settle()
        n_apart += _report(key, stop.answer, differences(browser, studio))
    n_apart += len(studio.errors)
    context.close()
    return n_apart


def _report(key: str, text: str, apart: list[str]) -> int:
    print(
        f"{key:6}{text[:50]:52}{'differs: ' + '; '.join(apart) if apart else 'equal'}", flush=True
    )
    return bool(apart)


def main(address: str, keys: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        n_apart = sum(walk(browser, address, key) for key in keys or LESSONS)
        browser.close()
    print(f"{n_apart} screens differ")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
