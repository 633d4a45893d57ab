"""From the release of a slider, or a click on the board, to the finished redraw, in a browser.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.redraw http://127.0.0.1:8791 [20] [teach | draw | compare]

Medians over so many moves of each slider; on Draw over so many clicks, one point each, beside 500
points. On Compare: N_0 is moved on 4,000 x 2 (scenario 5.1), on
pbc and on 100,000 x 10, never twice to one place, so that nothing is known before. Run it on a
quiet machine: the browser draws WebGL without a graphics card here, which takes what processors
there are. Beside the times stand their parts, measured in this process: CPU seconds of the fits and
of the figure, bytes sent; and in the browser the time from a panel's arrival to its drawing.
"""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from mapdp_studio.core import infer_schema
from mapdp_studio.core.comparing.comparison import Results, Truth, known_truth, suggestion, tasks
from mapdp_studio.core.comparing.first_look import FirstLook, is_long
from mapdp_studio.core.comparing.panels import algorithm_panels, method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.plots.panels import kind_of, panel_part, panels_figure
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.teaching.drawing import PLACES, drawn_table, write_points
from mapdp_studio.demo_datasets import load_demo
from mapdp_studio.pages.parts.compare.panel_chart import part_in_json
from mapdp_studio.pages.parts.compare.settings import CONCENTRATIONS, PENALTIES

FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
SLIDERS = ("Penalty λ", "Clusters K", "Concentration N₀", "Radius ratio", "Rows N")
PBC = Path(__file__).parents[3] / "shared" / "data" / "pbc" / "pbc.csv"
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
#: The same of Compare: when each panel's part came, and when the chart was drawn after it.
WATCH_PARTS = """() => {
    const plot = document.querySelector(".st-key-panels .js-plotly-plot");
    const parts = window.mapdpPanels.parts, set = parts.set.bind(parts);
    const fresh = () => ({released: performance.now(), came: [], drawn: []});
    window.redraw = fresh();
    parts.set = (name, part) => {
        const before = parts.get(name);
        if (before?.version !== part.version || Boolean(before?.first) !== part.first) {
            window.redraw.came.push(performance.now());
        }
        return set(name, part);
    };
    plot.on("plotly_afterplot", () => window.redraw.drawn.push(performance.now()));
    window.addEventListener("pointerup", () => { window.redraw = fresh(); }, true);
}"""
THUMB_AND_RAIL = """(input) => {
    const rail = input.closest("[data-orientation]");
    let thumb = input;
    while (thumb.parentElement !== rail) thumb = thumb.parentElement;
    const a = thumb.getBoundingClientRect(), b = rail.getBoundingClientRect();
    return [a.left + a.width / 2, a.top + a.height / 2, b.left, b.width];
}"""
DONE = "All results belong to these settings."


def settle(page: Page) -> None:
    page.wait_for_timeout(200)
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    page.wait_for_timeout(600)


def drag(page: Page, slider: str, share: float) -> None:
    """Drag a slider to a share of its rail."""
    x, y, left, width = page.get_by_role("slider", name=slider).evaluate(THUMB_AND_RAIL)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(left + width * share, y, steps=3)
    page.mouse.up()


def move(page: Page, slider: str, share: float) -> dict[str, float]:
    """Move a slider of Teach; milliseconds until all, and MAP-DP's, panels were drawn."""
    drag(page, slider, share)
    settle(page)
    times = page.evaluate("() => window.redraw")
    return {name: times[name] - times["released"] for name in ("finished", "mapdp")}


def teach(page: Page, address: str, n_moves: int) -> None:
    """Every slider of the Teach page."""
    random = np.random.default_rng(0)
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


# ---- Compare


def large_table() -> pd.DataFrame:
    """100,000 x 10 measurements in six groups."""
    random = np.random.default_rng(1)
    group = random.integers(6, size=100_000)
    middles = random.normal(0.0, 2.0, (6, 10))
    values = middles[group] + random.normal(size=(100_000, 10))
    return pd.DataFrame(values.round(3), columns=[f"x{j}" for j in range(10)])


def server_parts(
    frame: pd.DataFrame, schema: Schema, truth: Truth | None
) -> tuple[float, float, int]:
    """CPU seconds of MAP-DP's and Gibbs' fits and of their panels' figures; bytes of the latter.

    On a long table those of MAP-DP's first look.
    """
    encoded, completed = schema.encode(frame), schema.completed(frame)
    view = choose_view(encoded)
    kind = kind_of(view)
    wanted = tasks("benchmark", schema, Settings(concentration=4.0), len(frame))
    began = process_time()
    if is_long(*encoded.values.shape):
        first = FirstLook.of(frame, completed, encoded, view, truth)
        first.fit("MAPDP", wanted, lambda progress: None)
        fitted, panels = process_time(), [first.panel("MAPDP", view, wanted)]
        view = first.view(view)
    else:
        results = Results()
        for name in ("MAPDP", "CollapsedGibbs"):
            results.fit(wanted[name], frame, schema)
        fitted = process_time()
        panels = [
            method_panel(name, view, results, wanted, wanted, truth)
            for name in ("MAPDP", "CollapsedGibbs")
        ]
    size = 0
    for place, panel in enumerate(panels):
        traces, heading = panel_part(view, panel, place, kind)
        size += len(part_in_json(traces, heading=heading))
    return fitted - began, process_time() - fitted, size


def draw(page: Page, address: str, n_moves: int) -> None:
    """Points put on the board of the Draw view, beside 500 that are there."""
    random = np.random.default_rng(0)
    clouds = [((1400, 1500), 480, 250), ((3000, 2700), 130, 125), ((2500, 3300), 110, 125)]
    places = np.concatenate([random.normal(middle, sd, (n, 2)) for middle, sd, n in clouds])
    places = places.round().clip(0, PLACES - 1).astype(np.int64)
    server = median(server_seconds(places[k:]) for k in range(5))
    page.goto(f"{address}/teach?view=Draw&points={write_points(places)}")
    page.wait_for_selector(".st-key-panels .js-plotly-plot", timeout=120_000)
    settle(page)
    page.evaluate(WATCH)
    board = page.get_by_role("application", name="Board").bounding_box()
    times = []
    for across, down in random.uniform(0.1, 0.9, (n_moves, 2)):
        page.mouse.click(board["x"] + across * board["width"], board["y"] + down * board["height"])
        settle(page)
        clicked = page.evaluate("() => window.redraw")
        if clicked["finished"]:
            times.append(clicked["finished"] - clicked["released"])
    print(
        f"{'Draw, 500 points':18} median {median(times):5.0f} ms of {len(times)}, slowest "
        f"{max(times):5.0f} ms; CPU of fits and figure {1000 * server:.0f} ms",
        flush=True,
    )


def server_seconds(places: np.ndarray) -> float:
    """CPU seconds from a drawing to the figure that is sent."""
    frame, schema = drawn_table(places)
    encoded, results = schema.encode(frame), Results()
    penalty = suggestion(encoded, 3, PENALTIES).penalty
    wanted = tasks("drawing", schema, Settings(3.0, penalty, 3, 3, bic=False), len(frame))
    began = process_time()
    for task in wanted.values():
        results.fit(task, frame, schema)
    view = choose_view(encoded)
    panels_figure(view, algorithm_panels(view, results, wanted, wanted, None), 3).to_json()
    return process_time() - began


def compare(page: Page, address: str, n_moves: int) -> None:
    """N_0 on three tables."""
    scenario = load_demo("5.1")
    tables = {
        "4,000 x 2": (*scenario[:2], f"{address}/compare?example=5.1", None),
        "pbc": (None, None, f"{address}/data", PBC.read_bytes() if PBC.exists() else b""),
        "100,000 x 10": (large_table(), None, f"{address}/data", b""),
    }
    print(
        f"{'N_0 moved':14}{'first panel':>12}{'all panels':>12}   CPU: fit, figure; sent; browser",
    )
    for name, (frame, schema, start, content) in tables.items():
        if name == "pbc":
            if not content:
                print(f"{name:14} its file is absent")
                continue
            frame = pd.read_csv(io.BytesIO(content))
        schema = infer_schema(frame) if schema is None else schema
        is_whole = not is_long(*schema.encode(frame).values.shape)
        open_table(page, start, name, frame, is_whole)
        page.evaluate(WATCH_PARTS)
        times = [one for share in shares(n_moves) if (one := released(page, share, is_whole))]
        first, every, drawing = (median(one[k] for one in times) for k in range(3))
        fit, figure, size = server_parts(frame, schema, known_truth(frame, schema))
        said = f"{every:9.0f} ms" if is_whole else f"{'':12}"
        print(
            f"{name:14}{first:9.0f} ms{said}   {fit:.2f} s, {figure:.2f} s; {size / 1024:,.0f} kB;"
            f" {drawing:.0f} ms   (first / fit {first / 1000 / fit:.1f}, {len(times)} moves)",
            flush=True,
        )


def open_table(page: Page, start: str, name: str, frame: pd.DataFrame, is_whole: bool) -> None:
    """Bring a table to Compare and wait for its panels."""
    page.goto(start)
    if start.endswith("/data"):
        content = frame.to_csv(index=False).encode()
        file = {"name": f"{name}.csv", "mimeType": "text/csv", "buffer": content}
        page.wait_for_selector('input[type="file"]', state="attached", timeout=120_000)
        settle(page)
        page.locator('input[type="file"]').first.set_input_files(files=[file])
        page.locator("summary").filter(has_text=name).wait_for(timeout=120_000)
        settle(page)
        page.get_by_role("button", name="Compare the methods").click()
    page.wait_for_selector(".st-key-panels .js-plotly-plot", timeout=120_000)
    page.get_by_text(DONE).wait_for(timeout=600_000)
    if is_whole:
        settle(page)


def shares(n_moves: int) -> list[float]:
    """Places of the slider, no two alike, the present one not among them."""
    random = np.random.default_rng(0)
    steps = [k for k, value in enumerate(CONCENTRATIONS) if value != Settings().concentration]
    chosen = random.permutation(steps)[:n_moves]
    return [k / (len(CONCENTRATIONS) - 1) for k in chosen]


def released(page: Page, share: float, is_whole: bool) -> tuple[float, float, float] | None:
    """Milliseconds to the first and to the last changed panel, and from arrival to drawing."""
    drag(page, "Concentration", share)
    page.wait_for_function(
        "() => { const r = window.redraw; return r.came.length && r.drawn.at(-1) > r.came[0]; }",
        timeout=120_000,
    )
    if is_whole:
        page.get_by_text(DONE).wait_for(timeout=120_000)
        settle(page)
    times = page.evaluate("() => window.redraw")
    begun, came, drawn = times["released"], times["came"], times["drawn"]
    after = [next((d for d in drawn if d > c), None) for c in came]
    after = [(c, d) for c, d in zip(came, after, strict=True) if d is not None]
    if not after:
        return None
    first, last = after[0][1] - begun, after[-1][1] - begun
    return first, last, median(d - c for c, d in after)


def main(address: str, n_moves: int, which: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name, measure in {"teach": teach, "draw": draw, "compare": compare}.items():
            if which in ("", name):
                page = browser.new_page(viewport={"width": 1440, "height": 1100})
                measure(page, address, n_moves)
                page.close()
        browser.close()


if __name__ == "__main__":
    main(
        sys.argv[1],
        int(sys.argv[2]) if len(sys.argv) > 2 else 20,
        sys.argv[3] if len(sys.argv) > 3 else "",
    )
