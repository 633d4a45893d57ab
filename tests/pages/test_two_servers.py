"""Two servers on one cache, one of them killed: what is left, and how both go on."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import requests
from streamlit.proto.BackMsg_pb2 import BackMsg

from mapdp_studio.core.jit import FOLDER
from tests.benchmarks.visitors import Noted, Tab

ROOT = Path(__file__).parents[2]
MARK = b"visitor_1_secret"


class Server:
    """The app in a process of its own, on a port of its own, with options and an environment."""

    def __init__(self, folder: Path, *options: str, **given: str) -> None:
        self.options, self.given = options, given
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.folder, self.temporary = folder, folder / "temporary"
        self.temporary.mkdir(parents=True)
        self.start()

    def start(self) -> None:
        """Start it, as a user would, in an unrelated folder."""
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
        command += ["--server.port", str(self.port), "--server.headless", "true", *self.options]
        with (self.folder / "log.txt").open("a") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=os.environ | {"TMPDIR": str(self.temporary)} | self.given,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        """End it at once: it can tidy up nothing."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def tab(self, number: int) -> Tab:
        """A visitor's tab, once the server answers."""
        for _ in range(1200):
            assert self.process.poll() is None, self.log()
            try:
                return Tab(self.port, number, Noted())
            except OSError:
                time.sleep(0.1)
        raise AssertionError("The server did not answer within two minutes.")

    def log(self) -> str:
        """What it said."""
        return (self.folder / "log.txt").read_text(encoding="utf-8")

    def serves(self, number: int) -> Tab:
        """Have a visitor upload a table and compare methods on it: nothing may go wrong."""
        tab = self.tab(number)
        assert draws(tab, "data")  # which pages there are
        assert draws(tab, "data")
        for _ in range(3):  # a loaded machine may be late to say where files go
            if not tab.noted["uploads"]:
                tab.upload(f"visitor_{number}.csv", table(number, 60))
        assert draws(tab, "compare")
        assert_untroubled(tab)
        return tab


def draws(tab: Tab, page: str) -> bool:
    """Have a page drawn, however long a loaded machine takes."""
    return tab.run(page) or tab.listen(240.0)


def assert_untroubled(tab: Tab) -> None:
    """Its table went in, nothing failed, and it saw nothing of another visitor."""
    assert tab.noted["uploads"] >= 1
    assert tab.project  # which is offered to be saved where there is a table
    assert not tab.noted["errors"]
    assert not tab.noted["foreign values"]


def table(number: int, rows: int) -> bytes:
    random = np.random.default_rng(number)
    cells = random.normal(size=(rows, 2)) + 6 * random.integers(3, size=(rows, 1))
    head = f"visitor_{number}_secret,b\n"
    return (head + "\n".join(f"{a:.3f},{b:.3f}" for a, b in cells)).encode()


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[tuple[Server, Server]]:
    both = Server(tmp_path / "first"), Server(tmp_path / "second")
    yield both
    for server in both:
        server.kill()


@contextmanager
def half_an_upload(tab: Tab, content: bytes) -> Iterator[None]:
    """Send a file without its end to where the tab's server told it to; it has most of that."""
    sent, going = threading.Event(), threading.Event()
    address = f"http://{tab.address}"

    def body() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'
        yield content
        sent.set()
        going.wait(60)

    def put() -> None:
        http = requests.Session()
        http.get(f"{address}/_stcore/health", timeout=20)
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        token = {"X-Xsrftoken": http.cookies.get("_streamlit_xsrf", "")}
        with contextlib.suppress(requests.ConnectionError):
            http.put(address + tab.urls.file_urls[0].upload_url, data=body(), headers=kind | token)

    thread = threading.Thread(target=put)
    thread.start()
    assert sent.wait(60)
    yield
    going.set()
    thread.join()


@pytest.mark.filterwarnings("ignore:connect:DeprecationWarning")  # of the benchmark's tabs
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="This system tells no open files.")
def test_a_server_that_is_killed_leaves_nothing_and_disturbs_nobody(servers):
    first, second = servers
    tab, other = first.serves(1), second.serves(2)
    with half_an_upload(tab, MARK * 1_000_000):
        opened = [os.readlink(link) for link in Path(f"/proc/{first.process.pid}/fd").iterdir()]
        tab.upload("visitor_1.csv", table(1, 20_000))
        asked = BackMsg()
        asked.rerun_script.page_script_hash = tab.pages["compare"]
        tab.send(asked)
        first.kill()
    assert not [path for path in opened if path.startswith(str(first.temporary))]
    kept = [*first.folder.rglob("*"), *FOLDER.rglob("*")]
    assert not [path for path in kept if path.is_file() and MARK in path.read_bytes()]
    assert draws(other, "clusters")
    assert_untroubled(other)
    first.start()
    first.serves(3)
    said = first.log() + second.log()
    assert "kept kernel" not in said
    assert "Traceback" not in said, said
