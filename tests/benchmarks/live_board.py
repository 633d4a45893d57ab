"""Frames a second of the live board while a point is dragged, and what the server hears of it.

    streamlit run app.py --server.port 8790 --server.headless true &
    python -m tests.benchmarks.live_board 8790

600 points in 8 clouds, K = 8, all three methods; one move of the pointer a frame, for four
seconds, in headless Chromium. At least 30 frames a second and no message are wanted.
"""

from __future__ import annotations

import shutil
import sys

import numpy as np
from playwright.sync_api import Page, sync_playwright

from mapdp_studio.core.teaching.drawing import PLACES, write_points

SECONDS, WANTED = 4.0, 30.0
MIDDLES = ((7, 7), (20, 6), (34, 7), (6, 21), (20.5, 20.5), (35, 21), (10, 35), (30, 35))
#: Moves a point in every frame; how many there were.
DRAG = """(board, seconds) => new Promise((done) => {
    const {left, top, width, height} = board.getBoundingClientRect();
    const begun = performance.now();
    let frames = 0;
    const frame = (now) => {
        frames += 1;
        board.dispatchEvent(new PointerEvent("pointermove", {
            clientX: left + width * (0.5 + 0.4 * Math.sin(frames / 20)),
            clientY: top + height * (0.5 + 0.4 * Math.sin(frames / 15)),
        }));
        if (now - begun < 1000 * seconds) requestAnimationFrame(frame);
        else done(frames);
    };
    requestAnimationFrame(frame);
})"""


def points() -> str:
    """The drawing; one point lies in the middle of the board."""
    random = np.random.default_rng(1)
    clouds = [
        random.normal(100 * np.array(middle), random.uniform(80, 220, 2), (75, 2))
        for middle in MIDDLES
    ]
    places = np.concatenate(clouds).round().clip(0, PLACES - 1).astype(int)
    places[0] = PLACES // 2
    return write_points(places)


def measure(page: Page, address: str, method: str) -> None:
    """Print what one method, shown large, reaches."""
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: heard.append("sent")))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(f"{address}/teach?view=Draw&k=8&show={method}&points={points()}")
    board = page.get_by_role("application", name="Board")
    board.wait_for()
    page.wait_for_timeout(3000)
    box = board.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    before = len(heard)
    rate = board.evaluate(DRAG, SECONDS) / SECONDS
    said = "; ".join(page.locator(".cards small").all_inner_texts())
    verdict = "as wanted" if rate >= WANTED and len(heard) == before else "NOT AS WANTED"
    print(
        f"{method}: {rate:.0f} frames a second, {len(heard) - before} messages: {verdict} ({said})"
    )
    page.mouse.up()


def main(port: str) -> None:
    """All three, one after the other."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for method in ("kmeans", "dpmeans", "mapdp"):
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            measure(page, f"http://127.0.0.1:{port}", method)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
