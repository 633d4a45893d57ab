"""A real browser on a real server: skipped, with the reason, where either half is absent."""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.studio import Studio

ROOT = Path(__file__).parents[2]
#: There is no graphics card: what WebGL draws is drawn by the processor, and pages are put together
#: without it, which took a third of all the time that these tests cost the processor.
FLAGS = ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the app, served from an unrelated folder as a user would."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    command += ["--server.port", str(port), "--server.headless", "true"]
    process = subprocess.Popen(command, cwd=tmp_path_factory.mktemp("server"))
    address = f"http://127.0.0.1:{port}"
    try:
        ends = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < ends:
            with suppress(OSError), urllib.request.urlopen(f"{address}/healthz", timeout=9):
                break
            time.sleep(0.1)
        else:
            pytest.fail("The server ended, or did not answer within two minutes.")
        yield address
    finally:
        process.terminate()
        process.wait(timeout=90)


# Not for the whole session: Playwright keeps an event loop running in this thread, and tests of
# other rooms start their own.
@pytest.fixture(scope="module")
def browser() -> Iterator:
    sync_api = pytest.importorskip("playwright.sync_api", reason="the playwright wheel is absent")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is absent (apt-get install chromium).")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def studio(browser, server: str) -> Iterator[Studio]:
    """The app in a fresh tab, shared by a module's tests; its console must stay free of errors."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    studio = Studio(context.new_page(), server)
    yield studio
    context.close()
    assert studio.errors == []
