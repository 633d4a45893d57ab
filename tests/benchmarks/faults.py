"""Faults under a visitor: what the tab says, and what is lost of what was decided.

    python -m tests.benchmarks.faults                # all, half an hour; servers of its own
    python -m tests.benchmarks.faults cut restart    # those whose names hold one of the words

A visitor uploads 60 rows and moves N_0, in Chromium. Then the disk is full, the home cannot be
written, the line is silent, slow or cut, the server is killed or its clock jumps. Printed: what the
page says while it lasts and after, and what is lost then. Lines are a relay between the browser and
the server that stops passing bytes on, for Chromium's own switch leaves open sockets alone. Disks
and homes need root, to mount them.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from playwright.sync_api import Browser, Error, Route, sync_playwright

from mapdp_studio.core.jit import FOLDER
from tests.benchmarks.monkey import mixed_table
from tests.browser.conftest import FLAGS, Studio, _wait_until_healthy
from tests.pages.test_two_servers import Server

SIZES = {"width": 1024, "height": 768}
N0 = "Concentration N₀"
DAY = 86_400
UNREACHED = (
    "server endpoint|server is not responding|disconnected from server|AxiosError|net::ERR_"
    "|DoInitPings timed out|Connection timed out|Failed to fetch"
)
# Everything that a page says of a fault.
SAYS = """() => {
    const where = ['[data-testid="stConnectionStatus"]', '[role="dialog"]', '[role="alert"]',
        '[data-testid="stToast"]'];
    const said = where.flatMap((one) => [...document.querySelectorAll(one)]
        .map((found) => found.innerText));
    const why = [...document.querySelectorAll('[data-why]')].map((one) => one.dataset.why);
    return [...new Set([...said, ...why].map((text) => text.replace(/\\s+/g, ' ').trim()))]
        .filter((text) => text).join(' | ');
}"""
# The server's clock is as many seconds off as the file holds: below Python, whose own class of
# moments cannot be another one (pandas' compiled modules read its memory, and crash).
CLOCK = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile long *off;
__attribute__((constructor)) static void begin(void) {
    off = mmap(0, sizeof *off, PROT_READ, MAP_SHARED, open(getenv("CLOCK_OFF"), O_RDONLY), 0);
}
int clock_gettime(clockid_t clock, struct timespec *told) {
    long answer = syscall(SYS_clock_gettime, clock, told);
    if (clock == CLOCK_REALTIME && off) told->tv_sec += *off;
    return answer;
}
"""


class Line:
    """A relay in front of a server, that can fall silent, break, and be slow."""

    def __init__(self, server: Server) -> None:
        self.to, self.bytes_a_second = server.port, float("inf")
        self.passes = threading.Event()
        self.passes.set()
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._take, args=(self._door,), daemon=True).start()

    def _take(self, door: socket.socket) -> None:
        with suppress(OSError):  # until the door is closed
            while True:
                near, _ = door.accept()
                threading.Thread(target=self._link, args=(near,), daemon=True).start()

    def _link(self, near: socket.socket) -> None:
        self.passes.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            near.close()
            return
        self._ends += [near, far]
        threading.Thread(target=self._pass_on, args=(near, far), daemon=True).start()
        self._pass_on(far, near)

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while content := one.recv(4096):
                self.passes.wait()
                time.sleep(len(content) / self.bytes_a_second)
                other.sendall(content)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def broken(self, seconds: float) -> None:
        """Break every connection, and take none for so long."""
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        time.sleep(seconds)
        self._door = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._take, args=(self._door,), daemon=True).start()


class Visitor:
    """Somebody in a browser who has a table and has moved N_0."""

    def __init__(self, browser: Browser, address: str, patience: int = 240_000) -> None:
        self.page = browser.new_context(viewport=SIZES).new_page()
        self.studio = Studio(self.page, address)
        self.page.set_default_timeout(patience)
        self.said: list[str] = []

    def decide(self) -> None:
        """Upload the table and move N_0."""
        self.load()
        self.go("Compare")
        self.move()
        self.decided = self.n0()

    def load(self) -> None:
        """Hand the table to the Data page."""
        self.studio.open("data")
        self.studio.upload("mixed.csv", mixed_table(0))

    def go(self, page: str) -> None:
        """To a page, by its name above."""
        self.page.get_by_role("link", name=page).first.click()
        self.studio.settle()

    def move(self) -> None:
        """N_0, one stop up."""
        self.page.get_by_role("slider", name=N0).focus()
        self.page.keyboard.press("ArrowRight")
        self.studio.settle()

    def n0(self) -> str:
        """What N_0's slider shows; nothing where there is none."""
        slider = self.page.get_by_role("slider", name=N0)
        return slider.get_attribute("aria-valuetext", timeout=20_000) if slider.count() else ""

    def hear(self) -> None:
        """Note what the page says now."""
        with suppress(Error):
            text = self.page.evaluate(SAYS)
            if text and text not in self.said:
                self.said.append(text)

    def listen(self, seconds: float) -> None:
        """Note what the page says for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.hear()
            self.page.wait_for_timeout(250)

    def lost(self) -> str:
        """What is not there any more, on Compare."""
        self.studio.settle()
        self.hear()
        if not self.page.locator(".st-key-undo").count():
            return "THE TABLE"
        if self.n0() != self.decided:
            return f"N0: {self.n0()} for {self.decided}"
        return "nothing"

    def told(self, lost: str) -> tuple[str, str]:
        """A row of the table; the tab is closed."""
        said = " / ".join(self.said) or "nothing"
        # Of a server that is not there Streamlit's own page tells the console, too.
        errors = [one for one in self.studio.errors if not re.search(UNREACHED, one)]
        wrong = f" CONSOLE: {errors[:3]}" if errors else ""
        with suppress(Error):
            self.page.context.close()
        return said, lost + wrong


@contextmanager
def serving(folder: Path, *options: str, **given: str) -> Iterator[Server]:
    """A server until it is not needed any more; its errors are printed."""
    server = Server(folder, *options, **given)
    try:
        server.tab(0).close() if not options else time.sleep(8)
        yield server
    finally:
        server.kill()
        for line in server.log().splitlines():
            if "Error" in line or line.startswith("  File"):
                print(f"    server's log: {line[:200]}")


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A disk of a megabyte."""
    folder.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
    try:
        if options == "full":
            with suppress(OSError), (folder / "filler").open("wb", buffering=0) as filler:
                while filler.write(bytes(4096)):
                    pass
        else:
            subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def works(browser: Browser, server: Server, path: str = "") -> tuple[str, str]:
    """Upload, decide, save, reload."""
    visitor = Visitor(browser, f"http://127.0.0.1:{server.port}{path}")
    visitor.decide()
    visitor.hear()
    save(visitor)
    visitor.page.reload()
    visitor.page.get_by_role("slider", name=N0).wait_for()
    return visitor.told(visitor.lost())


def save(visitor: Visitor) -> None:
    """Save the project from the bar."""
    visitor.page.locator(".st-key-session_bar").get_by_test_id("stPopover").click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Save the project").last.click()
    assert Path(download.value.path()).stat().st_size > 1000


def full_disk(browser: Browser, folder: Path) -> tuple[str, str]:
    """No room at home and for temporary files; the kernels were kept before the disk was full."""
    with mounted(folder / "disk", "full") as disk:
        given = {"TMPDIR": str(disk), "XDG_CACHE_HOME": str(FOLDER.parents[1]), "HOME": str(disk)}
        with serving(folder / "server", **given) as server:
            return works(browser, server)


def read_only(browser: Browser, folder: Path) -> tuple[str, str]:
    """A home and a folder for temporary files that nobody can write to; kernels were kept."""
    with mounted(folder / "disk", "ro") as disk:
        given = {"TMPDIR": str(disk), "XDG_CACHE_HOME": str(FOLDER.parents[1]), "HOME": str(disk)}
        with serving(folder / "server", **given) as server:
            return works(browser, server)


def base_path(browser: Browser, folder: Path) -> tuple[str, str]:
    """Behind a path."""
    with serving(folder, "--server.baseUrlPath", "groups") as server:
        _wait_until_healthy(f"http://127.0.0.1:{server.port}/groups/_stcore/health", server.process)
        return works(browser, server, "/groups")


def line_off(browser: Browser, folder: Path, seconds: float, is_silent: bool) -> tuple[str, str]:
    """The line is off for a while, and N_0 is moved meanwhile."""
    with serving(folder) as server:
        line = Line(server)
        visitor = Visitor(browser, f"http://127.0.0.1:{line.port}")
        visitor.decide()
        if is_silent:
            line.passes.clear()
            off = threading.Timer(seconds, line.passes.set)
        else:
            off = threading.Thread(target=line.broken, args=(seconds,))
        off.start()
        slider = visitor.page.get_by_role("slider", name=N0)
        slider.focus()
        visitor.page.keyboard.press("ArrowRight")
        visitor.decided = visitor.n0()
        visitor.listen(seconds + 20)
        off.join()
        visitor.go("Data")
        visitor.go("Compare")
        return visitor.told(visitor.lost())


def script_cut(browser: Browser, folder: Path, script: str) -> tuple[str, str]:
    """The line is cut, 10 s, as the browser fetches one of the scripts that draw charts."""
    with serving(folder) as server:
        line = Line(server)
        off = threading.Thread(target=line.broken, args=(10,))
        visitor = Visitor(browser, f"http://127.0.0.1:{line.port}")
        visitor.load()

        def cut(route: Route) -> None:
            if off.ident is None:
                off.start()
            route.abort() if off.is_alive() else route.continue_()

        visitor.page.route(re.compile(rf"/{script}[^/]*js$"), cut)
        visitor.go("Compare")
        visitor.listen(30)
        visitor.move()
        visitor.decided = visitor.n0()
        visitor.listen(10)
        lost = visitor.lost()
        undrawn = visitor.page.get_by_text("dynamically imported module").count()
        drawn = visitor.page.locator(".st-key-panels .main-svg").count()
        return visitor.told(lost if drawn and not undrawn else "CHARTS")


def restart(browser: Browser, folder: Path) -> tuple[str, str]:
    """The server is killed and started again under an open tab; the same file is loaded again."""
    with serving(folder) as server:
        visitor = Visitor(browser, f"http://127.0.0.1:{server.port}")
        visitor.decide()
        return started_again(visitor, server)


def started_again(visitor: Visitor, server: Server) -> tuple[str, str]:
    """Kill the server, start it, load the file again."""
    server.kill()
    visitor.listen(3)
    server.start()
    server.tab(0).close()
    visitor.listen(20)
    visitor.go("Data")
    visitor.studio.upload("mixed.csv", mixed_table(0))
    visitor.hear()
    visitor.go("Compare")
    return visitor.told(f"cells and results until loaded again; then {visitor.lost()}")


def killed_in_upload(browser: Browser, folder: Path) -> tuple[str, str]:
    """Killed while a second file is on its slow way."""
    with serving(folder) as server:
        line = Line(server)
        visitor = Visitor(browser, f"http://127.0.0.1:{line.port}")
        visitor.decide()
        visitor.go("Data")
        line.bytes_a_second = 100_000
        content = mixed_table(1, 60_000)
        file = {"name": "large.csv", "mimeType": "text/csv", "buffer": content}
        visitor.page.locator('input[type="file"]').first.set_input_files(files=[file])
        visitor.listen(3)
        line.bytes_a_second = float("inf")
        return started_again(visitor, server)


def killed_in_fit(browser: Browser, folder: Path) -> tuple[str, str]:
    """Killed as a change of N_0 is being worked out."""
    with serving(folder) as server:
        visitor = Visitor(browser, f"http://127.0.0.1:{server.port}")
        visitor.decide()
        before = visitor.page.evaluate("traffic.sent")
        visitor.page.get_by_role("slider", name=N0).focus()
        visitor.page.keyboard.press("ArrowRight")
        visitor.decided = visitor.n0()
        # The slider speaks a moment after it was moved.
        visitor.page.wait_for_function("before => traffic.sent > before", arg=before, polling=10)
        return started_again(visitor, server)


def killed_in_saving(browser: Browser, folder: Path) -> tuple[str, str]:
    """Killed as the project is asked for."""
    with serving(folder) as server:
        visitor = Visitor(browser, f"http://127.0.0.1:{server.port}")
        visitor.decide()
        visitor.page.locator(".st-key-session_bar").get_by_test_id("stPopover").click()
        visitor.page.get_by_role("button", name="Save the project").last.click(no_wait_after=True)
        return started_again(visitor, server)


def slow_client(browser: Browser, folder: Path) -> tuple[str, str]:
    """A line of 50 kB a second."""
    with serving(folder) as server:
        line = Line(server)
        visitor = Visitor(browser, f"http://127.0.0.1:{line.port}")
        visitor.load()  # what browsers keep is there
        line.bytes_a_second = 50_000
        began = time.monotonic()
        visitor.decide()
        visitor.said.append(f"decided after {time.monotonic() - began:.0f} s")
        return visitor.told(visitor.lost())


def clock_jump(browser: Browser, folder: Path, seconds: int) -> tuple[str, str]:
    """The server's clock is put forward or back, and the tab reloaded."""
    folder.mkdir(parents=True)
    code, library, off = (folder / name for name in ("clock.c", "clock.so", "off"))
    code.write_text(CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, code], check=True)
    off.write_bytes(struct.pack("l", 0))
    given = {"LD_PRELOAD": str(library), "CLOCK_OFF": str(off)}
    with serving(folder / "server", **given) as server:
        visitor = Visitor(browser, f"http://127.0.0.1:{server.port}")
        visitor.decide()
        with off.open("r+b") as file:  # as long as it was: the server has it in its memory
            file.write(struct.pack("l", seconds))
        visitor.listen(8)  # twice as long as between two looks at who has gone
        visitor.move()
        visitor.decided = visitor.n0()
        visitor.page.reload()
        visitor.page.get_by_role("slider", name=N0).wait_for()
        lost = visitor.lost()
        return visitor.told(lost)


FAULTS: dict[str, Callable[[Browser, Path], tuple[str, str]]] = {
    "base path": base_path,
    "server restarted": restart,
    "killed in an upload": killed_in_upload,
    "killed in a fit": killed_in_fit,
    "killed in saving": killed_in_saving,
    "clock a day forward": lambda *at: clock_jump(*at, DAY),
    "clock a day back": lambda *at: clock_jump(*at, -DAY),
    "slow line, 50 kB/s": slow_client,
    "chart's script cut": lambda *at: script_cut(*at, "PlotlyChart"),
    "panels' script cut": lambda *at: script_cut(*at, "plotly-"),
    "line cut, 30 s": lambda *at: line_off(*at, 30, False),
    "line silent, 30 s": lambda *at: line_off(*at, 30, True),
    "line cut, 90 s": lambda *at: line_off(*at, 90, False),
    "line silent, 90 s": lambda *at: line_off(*at, 90, True),
    "line cut, 10 min": lambda *at: line_off(*at, 600, False),
    "line silent, 10 min": lambda *at: line_off(*at, 600, True),
    "disk full": full_disk,
    "home read-only": read_only,
}


def main(words: list[str]) -> int:
    """Try each fault and print its row; 1 where anything decided was lost."""
    any_lost = False
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        print(f"{'fault':22}{'seconds':>8}  what the visitor sees  =>  what is lost")
        for name, fault in FAULTS.items():
            if words and not any(word in name for word in words):
                continue
            began = time.monotonic()
            try:
                if os.geteuid() and name in ("disk full", "home read-only"):
                    said, lost = "", "NOT MEASURED: needs root"
                else:
                    said, lost = fault(browser, Path(made) / name.replace(" ", "-"))
            except (AssertionError, Error, OSError) as error:
                said, lost = "", f"FAILED: {str(error)[:1500]}"
            any_lost |= not lost.endswith("nothing")
            seconds = time.monotonic() - began
            print(f"{name:22}{seconds:8.0f}  {said}  =>  {lost}", flush=True)
        browser.close()
    return bool(any_lost)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
