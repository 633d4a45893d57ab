"""Whether anything on Compare blinks or jumps while it is worked with, in a real browser.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.steady http://127.0.0.1:8791

On a scenario, the cohort, pbc and penguins the sliders of N_0, lambda, K and Restarts are moved and
the axes are changed, while the chart's box is sampled every 50 ms. Printed, by table and move:
samples, how many without a box, places of its top, and whether zoom and marks were kept; other axes
have another zoom.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright

from mapdp_studio.demo_datasets import DEMOS
from tests.browser.conftest import FLAGS, Studio
from tests.browser.test_compare import PLOT, SAMPLE, drag_over

DATA = Path(__file__).parents[3] / "shared" / "data"
TABLES = ("5.1", "parkinsonism", "pbc", "penguins")
SLIDERS = ("Concentration N₀", "Penalty λ", "Clusters K", "Restarts")
DONE = "All results belong to these settings."
SIZES = {"width": 1024, "height": 768}


def state(studio: Studio) -> tuple:
    """The first panel's range, and the rows that stand out in each."""
    return studio.page.evaluate(f"() => {PLOT}._fullLayout.xaxis.range"), studio.marked()


def come_to_rest(studio: Studio) -> None:
    studio.page.get_by_text(DONE).wait_for(timeout=300_000)
    studio.settle()


def open_table(studio: Studio, name: str) -> bool:
    """Bring a table to Compare; whether its file is here."""
    path = DATA / name / f"{name}.csv"
    if name in DEMOS:
        studio.open(f"compare?example={name}")
    elif path.exists():
        studio.open("data")
        studio.upload(path.name, path.read_bytes())
        studio.page.get_by_role("link", name="Compare", exact=True).click()
    else:
        return False
    studio.page.wait_for_function(f"() => {PLOT}?._fullData?.length > 5", timeout=300_000)
    come_to_rest(studio)
    return True


def choose_axes(studio: Studio) -> None:
    studio.page.get_by_role("button", name="Panels", exact=True).click()
    studio.page.get_by_text("Two columns", exact=True).click()
    studio.settle()
    studio.page.keyboard.press("Escape")


def slide(studio: Studio, slider: str) -> None:
    studio.page.get_by_role("slider", name=slider).focus()
    studio.page.keyboard.press("ArrowRight")
    studio.page.wait_for_timeout(300)


def watched(studio: Studio, name: str, label: str, work: Callable[[], None]) -> bool:
    """Do something while the chart's box is sampled, and print what became of it."""
    before = state(studio)
    studio.page.evaluate(SAMPLE)
    work()
    come_to_rest(studio)
    boxes = studio.page.evaluate("() => { clearInterval(window.sampler); return window.boxes; }")
    empty = sum(box is None or 0 in box[1:] for box in boxes)
    tops = len({box[0] for box in boxes if box is not None})
    kept = [("no", "yes")[a == b] for a, b in zip(before, state(studio), strict=True)]
    is_slider = label in SLIDERS
    is_well = not empty and tops == 1 and (not is_slider or kept == ["yes", "yes"])
    shown = kept if is_slider else ["-", "-"]
    print(
        f"{name:14}{label:18}{len(boxes):8}{empty:7}{tops:6}{shown[0]:>6}{shown[1]:>7}"
        f"{'' if is_well else '  NOT STEADY'}",
        flush=True,
    )
    return is_well


def main(address: str) -> None:
    print(f"{'':14}{'':18}{'samples':>8}{'empty':>7}{'tops':>6}{'zoom':>6}{'marks':>7}")
    all_well = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in TABLES:
            page = browser.new_page(viewport=SIZES)
            studio = Studio(page, address)
            if not open_table(studio, name):
                print(f"{name:14}its file is absent")
                continue
            box = page.locator(".st-key-panels .js-plotly-plot").bounding_box()
            is_whole = box["y"] > 0 and box["y"] + box["height"] <= SIZES["height"]
            print(f"{name:14}panels {'' if is_whole else 'NOT '}whole on the first screen")
            drag_over(page, 100, 80)
            studio.settle()
            page.get_by_role("radio", name="Click or zoom").click()
            studio.settle()
            drag_over(page, 120, 60)
            studio.settle()
            for slider in SLIDERS:
                all_well.append(watched(studio, name, slider, partial(slide, studio, slider)))
            all_well.append(watched(studio, name, "axes", partial(choose_axes, studio)))
            all_well.append(is_whole and not studio.errors)
            page.close()
        browser.close()
    print(f"{sum(all_well)} of {len(all_well)} as they should be")


if __name__ == "__main__":
    main(sys.argv[1])
