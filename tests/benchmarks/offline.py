"""The app with the network cut: what it, or its pages, try to connect to or look up.

    python -m tests.benchmarks.offline           # as root, or where namespaces are allowed

In a network namespace with nothing but loopback: every page with a table, every download on them,
and a connection that a foreign page opens. An attempt is counted by strace (``connect`` or
``sendto`` to any address but loopback), by an audit hook in the server (names looked up), and by
the browser (requests to any other server).
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, ROOT, Studio, _wait_until_healthy

PORT = 8917
#: Pages that show a table, by their addresses.
PAGES = (
    *("data", "compare", "clusters", "clinical", "take_away", "stability", "views", "snapshots"),
    *("missing", "new_rows", "about", "teach"),
)
HOOK = """
import os, sys
def note(event, given):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
        if given[0] not in (None, "127.0.0.1", "localhost", "::1"):
            with open(os.environ["LOOKED_UP"], "a") as log:
                print(event, given[0], file=log)
sys.addaudithook(note)
"""
LOCAL = re.compile(r'AF_UNIX|AF_NETLINK|AF_UNSPEC|inet_addr\("127\.|"::1"|AF_INET.*"127\.')


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The app under strace and the hook; its address."""
    (folder / "sitecustomize.py").write_text(HOOK)
    given = os.environ | {"PYTHONPATH": str(folder), "LOOKED_UP": str(folder / "looked-up.txt")}
    traced = ["strace", "--seccomp-bpf", "-f", "-qq", "-e", "trace=connect,sendto,sendmmsg"]
    traced = [*traced, "-o", str(folder / "calls.txt")] if shutil.which("strace") else []
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    command += ["--server.port", str(PORT), "--server.headless", "true"]
    with (folder / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [*traced, *command],
            cwd=folder,
            env=given,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        _wait_until_healthy(f"http://127.0.0.1:{PORT}/_stcore/health", process)
        yield f"http://127.0.0.1:{PORT}"
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # strace alone would leave the server running
        process.wait(timeout=120)


def foreign_socket() -> str:
    """What the server answers to a WebSocket that a foreign page opens."""
    key = base64.b64encode(os.urandom(16)).decode()
    with socket.create_connection(("127.0.0.1", PORT), timeout=20) as link:
        link.sendall(
            f"GET /_stcore/stream HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nOrigin: http://evil.example\r\n"
            f"Sec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        return link.recv(200).decode(errors="replace").splitlines()[0]


def walk(address: str) -> tuple[int, int, list[str]]:
    """Pages and downloads that were opened, and what the browser asked others for."""
    pages, downloads, asked = 0, 0, []
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        own = (address, address.replace("http", "ws", 1), "data:", "blob:")
        tab.on("request", lambda one: None if one.url.startswith(own) else asked.append(one.url))
        tab.on("websocket", lambda one: None if one.url.startswith(own) else asked.append(one.url))
        studio = Studio(tab, address)
        for example in ("parkinsonism", "5.2"):
            studio.open(f"compare?scenario={example}")
            tab.wait_for_timeout(15_000)
            for name in PAGES:
                studio.open(name)
                tab.wait_for_timeout(1_000)
                pages += 1
                for button in tab.get_by_test_id("stDownloadButton").locator("button").all():
                    if button.is_visible() and button.is_enabled():
                        with tab.expect_download(timeout=60_000):
                            button.click()
                        downloads += 1
        browser.close()
    return pages, downloads, asked


def inside() -> int:
    """Count in a namespace whose only network is loopback."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with served(folder) as address:
            answered = foreign_socket()
            pages, downloads, asked = walk(address)
            answered_again = foreign_socket()
            time.sleep(1)
        calls = folder / "calls.txt"
        lines = calls.read_text().splitlines() if calls.exists() else []
        tried = [line for line in lines if "AF_" in line and not LOCAL.search(line)]
        noted = folder / "looked-up.txt"
        looked_up = noted.read_text().splitlines() if noted.exists() else []
    print(f"{pages} pages, {downloads} downloads, {len(lines):,} calls seen by strace")
    print(f"a foreign page's WebSocket: {answered} / {answered_again}")
    for what, found in (("connected", tried), ("looked up", looked_up), ("browser", asked)):
        print(f"{what}: {len(found)}", *sorted({*found})[:10], sep="\n    ")
    return bool(tried or looked_up or asked)


if __name__ == "__main__":
    if sys.argv[1:] == ["inside"]:
        sys.exit(inside())
    again = f"ip link set lo up && exec {sys.executable} -m tests.benchmarks.offline inside"
    sys.exit(subprocess.run(["unshare", "--net", "sh", "-c", again], cwd=ROOT).returncode)
