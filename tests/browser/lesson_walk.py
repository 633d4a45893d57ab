"""A lesson walked with the keyboard alone, and whether a link opens the same screen anew."""

from __future__ import annotations

import time

from playwright.sync_api import Browser

from tests.browser.conftest import Studio

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
