"""From the release of a slider to the finished redraw, in a browser, of any number of versions.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.redraw 20 http://127.0.0.1:8791 [http://127.0.0.1:8792 ...]

Medians over so many moves; several versions take turns at every move, so that a busy machine slows
all of them. On Compare N_0 is moved on 4,000 x 2 (scenario 5.1) and on 10,000 x 10, never twice to
one place, so that nothing is known before; on Teach N_0 and K of a thousand rows.
"""

import re
import shutil
import sys
from collections.abc import Iterator
from statistics import median

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, sync_playwright

from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.demo_datasets import DEMOS
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS
from tests.studio import Studio

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
#: The button that leads on from Data, as versions call it.
FIND = re.compile("Find groups|Compare the methods")
DONE = "All results belong to these settings."
#: Notes when the pointer is released, and when any panel is drawn anew.
WATCH = """() => {
    const seen = new WeakMap();
    window.redraw = {released: 0, drawn: []};
    window.addEventListener("pointerup", () => {
        window.redraw = {released: performance.now(), drawn: []};
    }, true);
    const look = () => {
        for (const plot of document.querySelectorAll(".st-key-panels .js-plotly-plot")) {
            if (plot.calcdata && seen.get(plot) !== plot.calcdata) {
                seen.set(plot, plot.calcdata);
                window.redraw.drawn.push(performance.now());
            }
        }
        requestAnimationFrame(look);
    };
    look();
}"""
#: Milliseconds until the first and until the last panel was drawn.
TIMES = """() => [window.redraw.drawn[0], window.redraw.drawn.at(-1)]
    .map((time) => time - window.redraw.released)"""
THUMB_AND_RAIL = """(input) => {
    const rail = input.closest("[data-orientation]");
    let thumb = input;
    while (thumb.parentElement !== rail) thumb = thumb.parentElement;
    const a = thumb.getBoundingClientRect(), b = rail.getBoundingClientRect();
    return [a.left + a.width / 2, a.top + a.height / 2, b.left, b.width];
}"""


def move(studio: Studio, slider: str, share: float) -> tuple[float, float]:
    """Drag a slider to a share of its rail; milliseconds to the first and to the last panel."""
    page = studio.page
    x, y, left, width = page.get_by_role("slider", name=slider).evaluate(THUMB_AND_RAIL)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left + width * share, y, steps=3)
    page.mouse.up()
    studio.settle()
    page.get_by_text(DONE).wait_for(timeout=120_000)
    studio.settle()
    first, last = page.evaluate(TIMES)
    return first, last


def places(n_moves: int) -> Iterator[float]:
    """Places of the slider of N_0, no two alike, the present one not among them."""
    random = np.random.default_rng(0)
    steps = [k for k, value in enumerate(CONCENTRATIONS) if value != Settings().concentration]
    return (k / (len(CONCENTRATIONS) - 1) for k in random.permutation(steps)[:n_moves])


def large_table() -> bytes:
    """10,000 x 10 measurements in six groups, as CSV."""
    random = np.random.default_rng(1)
    group = random.integers(6, size=10_000)
    values = random.normal(0.0, 2.0, (6, 10))[group] + random.normal(size=(10_000, 10))
    columns = [f"x{j}" for j in range(10)]
    return pd.DataFrame(values.round(3), columns=columns).to_csv(index=False).encode()


def opened(browser: Browser, address: str, start: str) -> Studio:
    """A page with its panels drawn; "large" and "small" bring their tables to Compare."""
    studio = Studio(browser.new_page(viewport={"width": 1440, "height": 1100}), address)
    studio.open(start if start.startswith("teach") else "data", height=1100)
    page = studio.page
    if start == "small":
        studio.choose("Examples")
        page.get_by_role("combobox", name="Example").click()
        page.get_by_role("option", name=DEMOS["5.1"].title, exact=True).click()
        studio.has_table(DEMOS["5.1"].title)
        studio.go("Compare")
    if start == "large":
        studio.upload("large.csv", large_table())
        page.get_by_role("button", name=FIND).first.click()
    page.wait_for_selector(".st-key-panels .js-plotly-plot")
    page.get_by_text(DONE).wait_for(timeout=120_000)
    studio.settle()
    page.evaluate(WATCH)
    return studio


def main(n_moves: int, addresses: list[str]) -> None:
    cases = {
        "Compare, 4,000 x 2": ("small", "Concentration"),
        "Compare, 10,000 x 10": ("large", "Concentration"),
        "Watch, N_0": ("teach?rows=1000", "Concentration"),
        "Watch, K": ("teach?rows=1000", "Clusters K"),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for case, (start, slider) in cases.items():
            studios = {address: opened(browser, address, start) for address in addresses}
            times: dict[str, list] = {address: [] for address in addresses}
            for share in places(n_moves):
                for address, studio in studios.items():
                    studio.page.bring_to_front()
                    times[address].append(move(studio, slider, share))
            for address, found in times.items():
                first, last = (median(one[k] for one in found) for k in range(2))
                print(f"{case:22}{address}: first panel {first:5.0f} ms, last {last:5.0f} ms")
            for studio in studios.values():
                studio.page.close()
        browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
