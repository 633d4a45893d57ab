"""From the release of a slider on the Teach page to the finished redraw, in a real browser.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.redraw http://127.0.0.1:8791 [20]

Medians over so many moves of each slider at N = 4,000. Run it on a quiet machine: the browser draws
WebGL without a graphics card here, which takes what processors there are.
"""

from __future__ import annotations

import shutil
import sys
from statistics import median

import numpy as np
from playwright.sync_api import Page, sync_playwright

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SLIDERS = ("Penalty λ", "Clusters K", "Concentration N₀", "Radius ratio", "Rows N")
#: Notes when the pointer is released, when each figure is drawn anew, and when MAP-DP's was.
WATCH = """() => {
    const seen = new Map();
    window.redraw = {released: 0, finished: 0, mapdp: 0};
    const release = () => { window.redraw = {released: performance.now(), finished: 0, mapdp: 0}; };
    window.addEventListener("pointerup", release, true);
    const look = () => {
        document.querySelectorAll(".st-key-panels .js-plotly-plot").forEach((plot, place) => {
            if (!plot.calcdata || seen.get(place) === plot.calcdata) return;
            seen.set(place, plot.calcdata);
            window.redraw.finished = performance.now();
            if (place === 0) window.redraw.mapdp = performance.now();
        });
        requestAnimationFrame(look);
    };
    look();
}"""
THUMB_AND_RAIL = """(input) => {
    const rail = input.closest("[data-orientation]");
    let thumb = input;
    while (thumb.parentElement !== rail) thumb = thumb.parentElement;
    const a = thumb.getBoundingClientRect(), b = rail.getBoundingClientRect();
    return [a.left + a.width / 2, a.top + a.height / 2, b.left, b.width];
}"""


def settle(page: Page) -> None:
    page.wait_for_timeout(200)
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.wait_for_timeout(600)


def move(page: Page, slider: str, share: float) -> dict[str, float]:
    """Drag a slider to a share of its rail; milliseconds until all, and MAP-DP's, were drawn."""
    x, y, left, width = page.get_by_role("slider", name=slider).evaluate(THUMB_AND_RAIL)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left + width * share, y, steps=3)
    page.mouse.up()
    settle(page)
    times = page.evaluate("() => window.redraw")
    return {name: times[name] - times["released"] for name in ("finished", "mapdp")}


def main(address: str, n_moves: int) -> None:
    random = np.random.default_rng(0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 1100})
        page.goto(f"{address}/teach")
        page.wait_for_selector(".st-key-panels .js-plotly-plot", timeout=120_000)
        settle(page)
        page.evaluate(WATCH)
        for slider in SLIDERS:
            found = [move(page, slider, random.uniform(0.3, 0.75)) for _ in range(n_moves)]
            drawn = [one["finished"] for one in found if one["finished"] > 0]
            mapdp = [one["mapdp"] for one in found if one["mapdp"] > 0]
            first = f"{median(mapdp):.0f} ms" if mapdp else "stays as it is"
            print(
                f"{slider:18} median {median(drawn):5.0f} ms of {len(drawn)}, slowest "
                f"{max(drawn):5.0f} ms; MAP-DP's panel {first}",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
