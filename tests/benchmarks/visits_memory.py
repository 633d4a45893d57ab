"""Memory of a server after 10 and after 100 visits that came, compared and left, in a browser.

    mapdp-studio --server.port 8791 &
    python -m tests.benchmarks.visits_memory http://127.0.0.1:8791 $!

What is kept of a visit that left rests after a minute, so each figure is taken a minute later. Of
those that left, 50 are kept at most: memory should grow no further with the hundredth.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.benchmarks.redraw import DONE, FLAGS

#: Scenario 5.2 as it is drawn anew for every visit: none finds the table of another.
PAGE = "compare?scenario=5.2&rows=2000&seed={visit}"
AFTER = (10, 100)
RESTED = 100.0


def megabytes(process: int) -> float:
    """Memory that a process holds now."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def main(address: str, process: int) -> None:
    """The two figures, and their ratio."""
    held = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for visit in range(1, AFTER[-1] + 1):
            context = browser.new_context()
            page = context.new_page()
            page.goto(f"{address}/{PAGE.format(visit=visit)}")
            page.get_by_text(DONE).wait_for(timeout=120_000)
            context.close()
            if visit in AFTER:
                time.sleep(RESTED)
                held.append(megabytes(process))
                print(f"after {visit:3} visits: {held[-1]:,.0f} MB", flush=True)
        browser.close()
    print(f"ratio: {held[1] / held[0]:.2f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
