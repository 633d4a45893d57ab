"""A long mixed table on Compare: first answers, final ones, and how soon Stop is answered.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.long_table http://127.0.0.1:8791

9,105 rows of 48 columns in six groups: measurements, skewed markers, counts, yes/no, categories and
stages, a fifth of the cells missing. Times run from the click; run it on a quiet machine.
"""

from __future__ import annotations

import shutil
import sys
from time import perf_counter

import numpy as np
import pandas as pd
from playwright.sync_api import Page, sync_playwright

from tests.benchmarks.redraw import DONE, FLAGS, settle

N, SHARES, MISSING = 9_105, (0.30, 0.25, 0.20, 0.12, 0.08, 0.05), 0.2
HEADINGS = """() => [...document.querySelectorAll(".st-key-panels .annotation-text")]
    .map((heading) => heading.textContent).join(" | ")"""


def hospital(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """The table, and the group of every row."""
    random, k = np.random.default_rng(seed), len(SHARES)
    group = random.choice(k, N, p=SHARES)
    columns: dict[str, np.ndarray] = {}
    for j in range(20):
        shift = random.normal(0.0, 1.2, k)[group]
        columns[f"lab {j + 1}"] = np.round(100 + 10 * (random.normal(size=N) + shift), 1)
    for j in range(8):
        shift = random.normal(0.0, 0.7, k)[group]
        columns[f"marker {j + 1}"] = np.round(np.exp(random.normal(0.0, 0.6, N) + shift), 3)
    for j in range(6):
        columns[f"count {j + 1}"] = random.poisson(np.exp(random.normal(1.0, 0.5, k))[group])
    for j in range(8):
        is_there = random.random(N) < random.beta(1.0, 1.0, k)[group]
        columns[f"sign {j + 1}"] = np.where(is_there, "yes", "no")
    for j in range(4):
        levels = random.dirichlet(np.ones(5), k).cumsum(axis=1)[group]
        codes = (random.random(N)[:, None] > levels[:, :-1]).sum(axis=1)
        columns[f"kind {j + 1}"] = np.array(list("abcde"))[codes]
    for j in range(2):
        columns[f"stage {j + 1}"] = 1 + random.binomial(3, random.beta(2.0, 2.0, k)[group])
    frame = pd.DataFrame(columns)
    return frame.mask(random.random(frame.shape) < MISSING), group


def answers(page: Page, n_panels: int) -> tuple[float | None, float]:
    """Seconds until so many panels had an answer, first or final, and until all were final."""
    began, first = perf_counter(), None
    while True:
        headings = page.evaluate(HEADINGS)
        if first is None and headings.count("K = ") + headings.count("not run") >= n_panels:
            first = perf_counter() - began
        if page.get_by_text(DONE).count() and "first look" not in headings and first is not None:
            return first, perf_counter() - began
        page.wait_for_timeout(50)


# Noted in the page itself: the driver waits for a button to hold still before it clicks.
STOPWATCH = """() => {
    window.pressed = window.answered = undefined;
    const answer = "Stopped, so not up to date";
    const note = () => { pressed = performance.now(); };
    addEventListener("click", note, { capture: true, once: true });
    new MutationObserver((changes, watching) => {
        if (!document.body.textContent.includes(answer)) return;
        answered = performance.now();
        watching.disconnect();
    }).observe(document.body, { characterData: true, childList: true, subtree: true });
}"""


def stopped(page: Page, wait: int) -> str:
    """Seconds from a click on Stop, so many milliseconds after a change, to its answer."""
    page.get_by_role("slider", name="Restarts").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(wait)
    button = page.locator(".st-key-stop button")
    if not button.count():
        return "nothing ran"
    page.evaluate(STOPWATCH)
    button.click()
    page.wait_for_function("window.answered", timeout=120_000)
    return f"{page.evaluate('answered - pressed') / 1000:.2f} s"


def main(address: str) -> None:
    frame, _ = hospital()
    content = frame.to_csv(index=False).encode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(300_000)
        page.goto(f"{address}/data")
        page.wait_for_selector('input[type="file"]', state="attached")
        settle(page)
        file = {"name": "hospital.csv", "mimeType": "text/csv", "buffer": content}
        page.locator('input[type="file"]').first.set_input_files(files=[file])
        page.locator("summary").filter(has_text="hospital.csv").wait_for()
        settle(page)
        page.get_by_role("button", name="Compare the methods").click()
        first, final = answers(page, 5)
        print(f"{N:,} x {frame.shape[1]}: five answers in {first:.1f} s, final in {final:.1f} s")
        print("Stop", ", ".join(f"at {ms} ms: {stopped(page, ms)}" for ms in (500, 2000, 4000)))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
