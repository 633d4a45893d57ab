"""The Clinical page on 527 x 215, in a real browser: first groups, the preview, the full protocol.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.clinical http://127.0.0.1:8791

Wall seconds. The file is uploaded twice, under two names: the first time warms server and engine.
"""

from __future__ import annotations

import shutil
import sys
from time import perf_counter

from playwright.sync_api import Page, sync_playwright

from mapdp_studio.demo_datasets import load_parkinsonism

RUNNING = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def sees(page: Page, text: str) -> None:
    """Wait until the page says something."""
    page.wait_for_function(
        "text => document.querySelector('[data-testid=\"stMainBlockContainer\"]')"
        ".textContent.includes(text)",
        arg=text,
        timeout=1_200_000,
    )


def press(page: Page, name: str) -> float:
    """Press a button; the time at which it was pressed."""
    page.wait_for_selector(RUNNING)
    began = perf_counter()
    page.get_by_role("button", name=name).first.click()
    return began


def upload(page: Page, name: str, content: bytes) -> tuple[float, float]:
    """Seconds until an uploaded table is shown, and from the lock to the first groups."""
    page.get_by_role("link", name="Data", exact=True).click()
    page.get_by_role("heading", name="Data", exact=True).wait_for()
    page.wait_for_selector(RUNNING)
    page.wait_for_timeout(1000)  # the uploader takes no file while it is drawn
    began = perf_counter()
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.locator('input[type="file"]').first.set_input_files(files=[file])
    page.get_by_role("heading", name=name).wait_for(timeout=120_000)
    read = perf_counter() - began
    page.get_by_role("link", name="Clinical").click()
    page.get_by_role("heading", name="Clinical", exact=True).wait_for()
    page.locator('[data-testid="stButtonGroup"]').first.get_by_text("1 Roles").click()
    page.wait_for_timeout(1000)
    began = press(page, "Lock the roles and find groups")
    sees(page, "Groups (5 or more)")
    return read, perf_counter() - began


def check(page: Page, button: str, finished: str) -> float:
    """Seconds that a check takes, from the button to its last word."""
    began = press(page, button)
    sees(page, finished)
    return perf_counter() - began


def main(address: str) -> None:
    content = load_parkinsonism(seed=0)[0].to_csv(index=False).encode()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(f"{address}/data")
        page.wait_for_selector('input[type="file"]', state="attached")
        for name, how in (("first.csv", "cold"), ("second.csv", "warm")):
            read, found = upload(page, name, content)
            print(
                f"{how}: {read + found:5.1f} s from upload to first groups ({read:.1f} s until the "
                f"table is shown, {found:.1f} s from the lock; target 5 s warm)",
                flush=True,
            )
            page.wait_for_selector("text=Preview: 20 draws", timeout=120_000)
        preview = check(page, "Preview: 20 draws", "rests on the preview of 20 draws")
        print(f"preview of 20 draws: {preview:.0f} s (target 60 s)", flush=True)
        full = check(page, "Full protocol", "The full protocol has run")
        print(f"full protocol: {full:.0f} s (target 600 s)", flush=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
