"""What an attacker tries on a running server, and what becomes of the visitor beside him.

    python -m tests.benchmarks.attacks            # some two minutes; starts servers of its own

A visitor has a table on Compare. Beside him: garbage and very large frames on a socket, sockets
that say nothing, another visitor's upload and download addresses, the numbers about all visitors;
then the server is killed in a fit and started again. Printed: what was answered, and whether the
visitor's page was drawn as before.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from mapdp_studio.pages.parts.visit.saved_files import KEPT
from mapdp_studio.pages.parts.visit.serving import BETWEEN_LOOKS
from tests.benchmarks.visitors import Tab
from tests.pages.test_two_servers import Server, draws, table

LARGE = 2**28


def socket_of(server: Server) -> ClientConnection:
    """A socket of nobody known."""
    address = f"127.0.0.1:{server.port}"
    return connect(
        f"ws://{address}/_stcore/stream",
        origin=f"http://{address}",
        subprotocols=["streamlit"],
        max_size=2**28,
    )


def frames(server: Server, content: bytes | str) -> str:
    """Send one frame that no page sends, and tell what comes of the socket."""
    with socket_of(server) as link:
        try:
            link.send(content)
            for _ in range(20):
                link.recv(timeout=2.0)
        except TimeoutError:
            return "passed over"
        except (ConnectionClosed, OSError) as error:
            return f"socket closed ({type(error).__name__})"
    return "answered"


def silent(server: Server) -> str:
    """Open many sockets that say nothing."""
    links = [socket_of(server) for _ in range(100)]
    for link in links:
        link.close()
    return f"{len(links)} opened and closed"


def status(server: Server, path: str, **how: object) -> str:
    """What an address answers to somebody without a cookie of the visitor's."""
    ask = requests.put if how else requests.get
    found = ask(f"http://127.0.0.1:{server.port}{path}", timeout=20, **how)
    return f"answer {found.status_code}"


def stolen_upload(server: Server, visitor: Tab) -> str:
    """Put a file in the place of the visitor's, from another site."""
    place = visitor.urls.file_urls[0].upload_url
    return status(server, place, files={"f": ("f.csv", b"a,b\n1,2\n")})


def guessed_download(server: Server, visitor: Tab) -> str:
    """Ask for a file by a name that is a guess: names are hashes of what is in them."""
    return status(server, f"/media/{'0' * 56}.csv")


def stolen_download(server: Server, visitor: Tab) -> str:
    """Fetch the project that the visitor saves, once others had pages drawn, and later."""
    place = visitor.save()
    for number in (2, 3):
        other = server.tab(number)
        draws(other, "data")
        other.close()
    at_once = status(server, place)
    time.sleep(KEPT + 2 * BETWEEN_LOOKS)
    return f"{at_once}, {KEPT:.0f} s later {status(server, place)}"


def killed(server: Server, visitor: Tab) -> str:
    """Kill the server in a fit, and start it anew."""
    visitor.upload("visitor_1.csv", table(1, 20_000))
    ask = BackMsg()
    ask.rerun_script.page_script_hash = visitor.pages["compare"]
    visitor.send(ask)
    server.kill()
    server.start()
    server.serves(1)
    return "started anew, it takes a table and compares methods on it"


def main() -> int:
    """Attack, and print what came of it; 1 where the visitor was disturbed."""
    disturbed = 0
    with tempfile.TemporaryDirectory() as made:
        server = Server(Path(made) / "one")
        try:
            visitor = server.serves(1)
            attacks: dict[str, Callable[[], str]] = {
                "200 bytes of garbage": lambda: frames(server, bytes(range(200))),
                "text for bytes": lambda: frames(server, "hello"),
                f"a frame of {LARGE >> 20} MB": lambda: frames(server, bytes(LARGE)),
                "100 silent sockets": lambda: silent(server),
                "another's upload address": lambda: stolen_upload(server, visitor),
                "another's download address": lambda: stolen_download(server, visitor),
                "a guessed download": lambda: guessed_download(server, visitor),
                "numbers of visitors": lambda: status(server, "/_stcore/metrics"),
            }
            print(f"{'attack':28}{'answer':52}the visitor's page")
            for name, attack in attacks.items():
                said = attack()
                is_drawn = draws(visitor, "compare") and not visitor.noted["errors"]
                disturbed += not is_drawn
                print(f"{name:28}{said:52}{'drawn' if is_drawn else 'DISTURBED'}", flush=True)
            print(f"{'killed in a fit':28}{killed(server, visitor)}")
            log = server.log()
            ends = re.findall(r"Traceback.*\n(?:[ \t].*\n)+(\S.*)", log)
            print(f"tracebacks in the server's log: {len(ends)}", *ends, sep="\n  ")
        finally:
            server.kill()
    return bool(disturbed)


if __name__ == "__main__":
    sys.exit(main())
