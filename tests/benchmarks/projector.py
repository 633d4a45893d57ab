"""Every screen of every lesson measured: on a projector, in the frame of a slide, at a desk.

    mapdp-studio --server.port 8772 &
    python -m tests.benchmarks.projector http://127.0.0.1:8772 [pictures/] [5.1 embed=1 ...]

Before and after the prediction, at 1024 x 768, 1280 x 720 and 1920 x 1080: share of the height that
the picture fills, and the rows of a walk; how far equal scales are from equal, whether axes of two
units have names, and whether anything of the picture is cut, of what the stop says and asks, or of
the controls. At a desk the page is longer than the window, so that there it is only the scales, the
names and what is cut at the sides. About 25 minutes, the projector first; a line a screen that
falls short, and the least of all at the end; in a folder for pictures, every screen.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from mapdp_studio.core.teaching.lessons import LESSONS
from tests.browser.conftest import FLAGS, Studio

SIZES = ((1024, 768), (1280, 720), (1920, 1080))
LEAST, APART = 0.6, 0.02
#: Milliseconds without a change, after which a screen stands still.
STILL = 400
PLACES = PROJECTOR, FRAME, DESK = "projector=true", "embed=1", "projector=false"
#: What is filled is counted from the highest panel's heading to the lowest panel's foot.
MEASURE = """() => {
    const plots = [...document.querySelectorAll('.js-plotly-plot')]
        .filter((plot) => plot.closest('.st-key-panels-data, .st-key-panels, .st-key-steps'));
    const boxes = plots.map((plot) => plot.getBoundingClientRect());
    const scales = plots.flatMap(({_fullLayout}) => Object.keys(_fullLayout)
        .filter((name) => /^yaxis[0-9]*$/.test(name) && _fullLayout[name].scaleanchor)
        .map((name) => [_fullLayout[name.replace('y', 'x')], _fullLayout[name]])
        .map(([x, y]) => Math.abs(x.c2p(1) - x.c2p(0)) / Math.abs(y.c2p(1) - y.c2p(0))));
    const texts = plots.flatMap((plot) => [...plot.querySelectorAll('.annotation text')]
        .map((text) => text.getBoundingClientRect()));
    const said = [...document.querySelectorAll('.st-key-lesson-said p, .st-key-lesson-said button')]
        .map((text) => [text, text.getBoundingClientRect()]);
    const main = document.querySelector('[data-testid="stMainBlockContainer"]');
    const controls = [...main.querySelectorAll('button, input, summary, [role=radio], p')]
        .filter((control) => control.checkVisibility({ visibilityProperty: true }))
        .map((control) => control.getBoundingClientRect());
    const walk = plots.find((plot) => plot.closest('.st-key-steps'))?._fullLayout;
    // In a row of charts the first one names the axis up.
    const inRow = (plot) => plots.filter((other) =>
        other.getBoundingClientRect().top === plot.getBoundingClientRect().top);
    const nameless = plots.filter((plot) => !plot._fullLayout.yaxis.scaleanchor
        && !(plot._fullLayout.xaxis.title.text
            && inRow(plot).some(({_fullLayout}) => _fullLayout.yaxis.title.text)));
    return {
        low_rows: walk ? walk.yaxis._length : null,
        nameless: nameless.length,
        edge: controls.filter((box) => box.top < innerHeight && box.bottom > innerHeight + 1)
            .length,
        hidden: said.filter(([text, box]) => box.bottom > innerHeight || box.right > innerWidth
            || box.top < 0 || text.scrollWidth > text.clientWidth + 1).length,
        low: Math.min(...boxes.map((box) => box.top)),
        high: Math.max(...boxes.map((box) => box.bottom)),
        tall: Math.max(...plots.flatMap(({_fullLayout}) => Object.keys(_fullLayout)
            .filter((name) => /^yaxis[0-9]*$/.test(name))
            .map((name) => _fullLayout[name]._length))),
        scales, inner: innerHeight,
        beyond: document.documentElement.scrollWidth - innerWidth,
        cut: texts.filter((box) => box.right > innerWidth + 1 || box.left < -1).length,
        plots: plots.length,
    };
}"""


def screens(asked: list[str]) -> Iterator[tuple[str, int, bool, str]]:
    """Every lesson's stops, before and after the prediction, in all places, or those asked for."""
    places = [place for place in PLACES if place in asked]
    keys = [key for key in LESSONS if key in asked]
    for place, key in product(places or PLACES, keys or LESSONS):
        numbers = range(1, len(LESSONS[key]) + 1)
        for number, answered in product(numbers, (False, True)):
            yield key, number, answered, place


def at_rest(page: Page) -> dict:
    """What a screen measures once that stays: on a busy machine charts follow a window later."""
    found: dict = {}
    while (now := page.evaluate(MEASURE)) != found:
        found = now
        page.wait_for_timeout(STILL)
    return found


def faults(found: dict, place: str) -> list[str]:
    """What falls short on one screen."""
    share = (found["high"] - found["low"]) / found["inner"]
    rows = (found["low_rows"] or found["inner"]) / found["inner"]
    fits, is_large = place != DESK, place == PROJECTOR
    said = [
        (fits and share < LEAST, f"fills {share:.2f}"),
        (is_large and rows < LEAST, f"rows fill {rows:.2f}"),
        (
            fits and (found["low"] < 0 or found["high"] > found["inner"] + 1),
            "is not all on the screen",
        ),
        (found["nameless"] > 0, "axes have no names"),
        (fits and found["edge"] > 0, "a control is cut"),
        (any(abs(scale - 1) > APART for scale in found["scales"]), "scales differ"),
        (found["beyond"] > 0, "is too wide"),
        (found["cut"] > 0, "a heading is cut"),
        (fits and found["hidden"] > 0, "what is said or asked is cut"),
        (not found["plots"], "has no picture"),
    ]
    return [text for is_so, text in said if is_so]


def measure(browser: Browser, address: str, wanted: list[str], pictures: Path | None) -> None:
    """Open every screen once, and see it at every size."""
    page = browser.new_context(viewport={"width": SIZES[0][0], "height": SIZES[0][1]}).new_page()
    studio, n_screens, n_short, least = Studio(page, address), 0, 0, 1.0
    for key, number, answered, place in screens(wanted):
        asked = f"scenario={key}&lesson={number}{'&prediction=1' * answered}&{place}"
        page.goto(f"{address}/teach?{asked}")
        page.wait_for_selector(".js-plotly-plot .main-svg", timeout=180_000)
        studio.settle()
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            studio.settle()
            found = at_rest(page)
            short = faults(found, place)
            n_screens, n_short = n_screens + 1, n_short + bool(short)
            if place != DESK:
                least = min(least, (found["high"] - found["low"]) / height)
            if short:
                tall = found["tall"] / height
                print(f"{asked} {width}x{height}: {', '.join(short)} ({tall:.2f})", flush=True)
            if pictures:
                name = asked.replace("&", " ").replace("=", "-")
                page.screenshot(path=pictures / f"{name} {width}.png")
    print(f"{n_screens} screens, {n_short} fall short; the least picture fills {least:.2f}")


def main(address: str, *more: str) -> None:
    """Measure the lessons and places named, or all."""
    folder = [Path(one) for one in more if one.endswith("/")]
    for one in folder:
        one.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        wanted = [one for one in more if not one.endswith("/")]
        measure(browser, address, wanted, folder[0] if folder else None)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
