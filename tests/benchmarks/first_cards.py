"""From a file to the first cards: alone, and while another visitor's chance search runs.

    mapdp-studio --server.port 8840 --server.headless true &
    python -m tests.benchmarks.first_cards 8840 [table.csv]      # ../shared/exports/marketing.csv

Two visitors of one server, without browsers (`tests.benchmarks.visitors`): the first uploads the
table and looks at Clusters until the cards are there, which begins the search for what chance
makes; then the second does the same with the same table. For each: seconds from the upload to the
first picture and to the cards, and the processor's seconds that the server spent. The
engine is compiled by then: run it twice on a server that is new to its computer.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.benchmarks.papers import DATA
from tests.benchmarks.visitors import Noted, Tab, server_of

TABLE = DATA.parent / "exports" / "marketing.csv"
#: What a message says that draws the first picture, and a card.
LOOK, CARD = b"a first look", b"Cluster this group again"
#: Seconds between two looks of a visitor, and until the cards are given up.
BETWEEN, MOST = 0.5, 900.0


class Reader(Tab):
    """A visitor who waits for something to be drawn."""

    seen: dict[bytes, float]

    def note(self, message: ForwardMsg) -> None:
        """Remember when it was first said."""
        super().note(message)
        said = message.SerializeToString()
        for words in (LOOK, CARD):
            if words in said:
                self.seen.setdefault(words, time.monotonic())

    def seconds_to_cards(self, name: str, content: bytes) -> tuple[float, float]:
        """From the upload to the first picture and to the cards."""
        self.seen = {}
        self.run("data")
        self.run("data")
        began = time.monotonic()
        self.upload(name, content)
        while CARD not in self.seen and time.monotonic() - began < MOST:
            self.run("clusters")
            time.sleep(BETWEEN)
        return tuple(self.seen.get(words, float("nan")) - began for words in (LOOK, CARD))


def processor_seconds(process: int) -> float:
    """That a process has spent."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def main() -> None:
    """Let them come one after the other, both staying."""
    port, path = int(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else TABLE
    server, content, readers = server_of(port), path.read_bytes(), []
    for said in ("alone", "beside a chance search"):
        reader = Reader(port, len(readers), Noted())
        spent = processor_seconds(server)
        picture, cards = reader.seconds_to_cards(path.name, content)
        spent = processor_seconds(server) - spent
        print(f"{said}: picture {picture:.1f} s, cards {cards:.1f} s; {spent:.1f} s of processor")
        readers.append(reader)


if __name__ == "__main__":
    main()
