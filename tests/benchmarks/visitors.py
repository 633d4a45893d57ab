"""Many visitors of one server at once: errors, values of others, the time of a stop, its memory.

    mapdp-studio --server.port 8790 --server.headless true &
    python -m tests.benchmarks.visitors 8790 20 300       # visitors, seconds; then three minutes
    python -m tests.benchmarks.visitors 8790 200 visits   # 200 visits, one after another

Each visitor speaks Streamlit's own protocol, without a browser: uploads a table whose columns bear
the visitor's number, walks through the pages, moves sliders, stops scripts, closes the tab and
comes back as somebody new. Memory is the server's resident set, before the first, at most, and
three minutes after the last has left, with nobody connecting. Of visits one after another it is
told three minutes after a tenth, half and all of them: nothing may stay of each.
"""

from __future__ import annotations

import json
import math
import re
import sys
import threading
import time
import uuid
from collections import Counter
from pathlib import Path

import numpy as np
import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

PAGES = ("data", "compare", "clusters", "take_away", "missing", "about", "teach", "clinical")
OWN = re.compile(rb"visitor_(\d+)_")
WRONG = (b"Something went wrong on this page", b"Traceback (most recent call last)")
UNREADY = b"as soon as the engine is ready"
LEFT = 180.0
#: Of answers, those whose seconds are printed.
SHARES = (0.5, 0.75, 0.9, 0.95, 1.0)
#: Seconds without a sign after which a page is taken to have forgotten its visitor.
PATIENCE = 15.0
#: The component that keeps a tab's key, and how a browser says that a tab is closed (RFC 6455).
KEEPER, GOING_AWAY = "mapdp_studio_tab", 1001


class Noted(Counter):
    """What happened how often, and seconds until pages were drawn and stops answered."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[float] = []
        self.stops: list[float] = []


class Tab:
    """A visitor's tab: what it was told last, and what went wrong."""

    def __init__(self, port: int, number: int, noted: Noted) -> None:
        self.address, self.number, self.noted = f"127.0.0.1:{port}", number, noted
        self.sliders: dict = {}
        self.uploader = self.session = self.keeper = ""
        self.pages: dict[str, str] = {}
        self.urls = self.saved = None
        self.page = self.project = ""
        self.is_early = False
        #: What a tab keeps of its visit: by the key the server knows whose work to end.
        self.kept = {"key": uuid.uuid4().hex, "decided": "", "times": 0}
        self.link = connect(
            f"ws://{self.address}/_stcore/stream",
            origin=f"http://{self.address}",
            subprotocols=["streamlit"],
            max_size=2**28,
            ping_interval=None,
        )

    def close(self) -> None:
        """As a browser whose tab is closed."""
        self.link.close(GOING_AWAY)

    def send(self, message: BackMsg) -> None:
        """Say something."""
        self.link.send(message.SerializeToString())

    def run(self, page: str | None = None, **widget: object) -> bool:
        """Ask for a page, or for this one with a widget changed; whether it was drawn."""
        if page is not None:
            self.page, self.sliders = page, {}
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages.get(self.page, "")
        message.rerun_script.page_name = "" if self.pages else self.page
        states = message.rerun_script.widget_states.widgets
        if self.keeper:
            states.add(id=self.keeper, json_value=json.dumps({"tab": self.kept}))
        if widget:
            state = states.add(id=widget.pop("id"))
            for kind, value in widget.items():
                getattr(state, kind).data.extend(value) if kind.endswith("array_value") else (
                    getattr(state, kind).CopyFrom(value)
                )
        began, self.is_early = time.monotonic(), False
        self.send(message)
        drawn = self.listen()
        self.noted.pages.append(time.monotonic() - began)
        return drawn

    def listen(self, seconds: float = 60.0, wanted: str = "script_finished") -> bool:
        """Hear what is drawn until the script has ended."""
        end, last = time.monotonic() + seconds, -math.inf
        while time.monotonic() < end:
            try:
                heard = self.link.recv(timeout=max(0.01, end - time.monotonic()))
            except TimeoutError:
                break
            last = time.monotonic()
            others = {int(n) for n in OWN.findall(heard)} - {self.number}
            self.noted["foreign values"] += len(others)
            self.noted["errors"] += any(words in heard for words in WRONG)
            self.is_early |= UNREADY in heard
            message = ForwardMsg.FromString(heard)
            self.note(message)
            is_begun_anew = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN
            if message.WhichOneof("type") == wanted and not is_begun_anew:
                return True
        at_work = end - last < PATIENCE
        self.noted["still at work, with progress" if at_work else "unanswered"] += 1
        return False

    def note(self, message: ForwardMsg) -> None:
        """Remember what can be asked next."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
        elif kind == "navigation":
            self.pages = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
        elif kind == "file_urls_response":
            self.urls = message.file_urls_response
        elif kind == "backend_operation_response":
            self.saved = message.backend_operation_response.deferred_file
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            if element.WhichOneof("type") == "slider":
                self.sliders[element.slider.id] = element.slider
            elif element.bidi_component.component_name.endswith(KEEPER):
                self.keeper = element.bidi_component.id
            elif ".csv" in element.file_uploader.type:  # not that of settings
                self.uploader = element.file_uploader.id
            elif element.WhichOneof("type") == "download_button":
                self.project = element.download_button.deferred_file_id or self.project
            self.noted["errors"] += element.WhichOneof("type") == "exception"

    def upload(self, name: str, content: bytes) -> None:
        """Hand a file to the uploader of the Data page."""
        ask = BackMsg()
        ask.file_urls_request.request_id = uuid.uuid4().hex
        ask.file_urls_request.file_names.append(name)
        ask.file_urls_request.session_id = self.session
        self.send(ask)
        if not self.listen(20.0, "file_urls_response"):
            return
        (place,) = self.urls.file_urls
        http = requests.Session()
        http.get(f"http://{self.address}/_stcore/health", timeout=20)
        token = http.cookies.get("_streamlit_xsrf", "")
        answer = http.put(
            f"http://{self.address}{place.upload_url}",
            files={name: (name, content)},
            headers={"X-Xsrftoken": token},
            timeout=60,
        )
        self.noted["uploads" if answer.ok else f"uploads refused ({answer.status_code})"] += 1
        state = BackMsg().rerun_script.widget_states.widgets.add().file_uploader_state_value
        file = state.uploaded_file_info.add()
        file.file_id, file.name, file.size = place.file_id, name, len(content)
        file.file_urls.CopyFrom(place)
        self.run(id=self.uploader, file_uploader_state_value=state)

    def save(self) -> str:
        """Have the last file made that a page offered: the project; where it is, "" without one."""
        ask = BackMsg()
        ask.backend_operation_request.request_id = uuid.uuid4().hex
        ask.backend_operation_request.session_id = self.session
        ask.backend_operation_request.deferred_file.file_id = self.project
        self.send(ask)
        return self.saved.url if self.listen(20.0, "backend_operation_response") else ""

    def slide(self, random: np.random.Generator) -> None:
        """Move one of the sliders somewhere."""
        ids = list(self.sliders)
        slider = self.sliders[ids[int(random.integers(len(ids)))]]
        if slider.options:
            places = sorted(random.integers(len(slider.options), size=len(slider.default)))
            self.run(id=slider.id, string_array_value=[slider.options[k] for k in places])
        else:
            value = float(np.round(random.uniform(slider.min, slider.max)))
            self.run(id=slider.id, double_array_value=len(slider.default) * [value])
        self.noted["sliders"] += 1

    def stop(self) -> None:
        """Start a run and stop it once it has begun; how long the answer takes."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self.pages.get("compare", "")
        self.send(message)
        if not self.listen(30.0, "new_session"):
            return
        stop = BackMsg()
        stop.stop_script = True
        self.send(stop)
        began = time.monotonic()
        if self.listen(30.0):
            self.noted.stops.append(time.monotonic() - began)


def visit(port: int, number: int, until: float, noted: Noted) -> None:
    """What one visitor does until then."""
    random = np.random.default_rng(number)
    while time.monotonic() < until:
        try:
            tab = Tab(port, number, noted)
            tab.run("data")
            tab.run("data")
            tab.upload(f"visitor_{number}_table.csv", table_of(number, random))
            for _ in range(int(random.integers(3, 12))):
                if time.monotonic() > until:
                    break
                tab.run(str(random.choice(PAGES)))
                noted["pages"] += 1
                if tab.sliders and random.random() < 0.7:
                    tab.slide(random)
                if random.random() < 0.2:
                    tab.stop()
                time.sleep(float(random.exponential(1.0)))
            tab.close()
            noted["tabs closed"] += 1
        except (OSError, TimeoutError) as error:
            noted[f"{type(error).__name__}: {error}"[:80]] += 1
            time.sleep(1.0)


def look_at_all(port: int, number: int, noted: Noted) -> None:
    """Upload a table, wait for its methods, look at every page, and leave."""
    tab = Tab(port, number, noted)
    tab.run("data")
    tab.run("data")
    tab.upload(f"visitor_{number}_table.csv", table_of(number, np.random.default_rng(number)))
    while tab.run("compare") and tab.is_early:
        time.sleep(1.0)
    for page in PAGES:
        tab.run(page)
    tab.close()


def one_by_one(port: int, visits: int) -> None:
    """Print what of the server's memory visits leave behind."""
    noted, server = Noted(), server_of(port)
    look_at_all(port, 0, Noted())  # what a first visitor makes the server load is not kept of him
    first = 0.0
    for number in range(1, visits + 1):
        look_at_all(port, number, noted)
        if number in (visits // 10, visits // 2, visits):
            time.sleep(LEFT)
            left = megabytes(server)
            first = first or left
            print(f"{number} visits: {left:,.0f} MB ({left / first - 1:+.1%})", flush=True)
    print(dict(noted))


def table_of(number: int, random: np.random.Generator) -> bytes:
    """A visitor's file: three groups, two measurements that bear the visitor's number, a name."""
    rows = random.normal(size=(300, 2)).round(3) + 5 * random.integers(3, size=(300, 1))
    lines = "\n".join(f"{a},{b},{'xyz'[i % 3]}" for i, (a, b) in enumerate(rows))
    return f"visitor_{number}_a,visitor_{number}_b,kind\n{lines}".encode()


def server_of(port: int) -> int:
    """The process that listens there."""
    wanted = f":{port:04X}"
    sockets = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]:
            parts = line.split()
            if parts[1].endswith(wanted) and parts[3] == "0A":
                sockets.add(f"socket:[{parts[9]}]")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(link.readlink()) in sockets for link in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            continue
    raise SystemExit(f"Nothing listens on port {port}.")


def megabytes(process: int) -> float:
    """Resident memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024


def main() -> None:
    """Let them come, and print what came of it."""
    if sys.argv[3:] == ["visits"]:
        one_by_one(int(sys.argv[1]), int(sys.argv[2]))
        return
    port, visitors, seconds = (int(word) for word in (*sys.argv[1:4], "20", "300")[:3])
    noted, most = Noted(), 0.0
    server = server_of(port)
    look_at_all(port, 0, Noted())  # what a first visitor makes the server load is not kept of him
    time.sleep(LEFT)
    before = megabytes(server)
    until = time.monotonic() + seconds
    threads = [
        threading.Thread(target=visit, args=(port, number, until, noted))
        for number in range(1, visitors + 1)
    ]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        most = max(most, megabytes(server))
        time.sleep(1.0)
    time.sleep(LEFT)
    after = megabytes(server)
    print(dict(noted))
    for said, answers in (("pages and sliders", noted.pages), ("stops", noted.stops)):
        shares = ", ".join(f"{share:.0%} {np.quantile(answers, share):.2f}" for share in SHARES)
        print(f"{len(answers):,} {said}, seconds: {shares}")
    print(f"memory: {before:,.0f} MB, at most {most:,.0f} MB, left {after:,.0f} MB", end=" ")
    print(f"({after / before - 1:+.0%})")


if __name__ == "__main__":
    main()
