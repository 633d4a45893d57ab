"""One file is read at a time, and none where the tables that are open take all the room."""

from __future__ import annotations

import threading
import time

import pytest

from mapdp_studio.core import TableError, read_table
from mapdp_studio.core.session.room import Room
from mapdp_studio.pages.parts.shared import turns, uploads


def test_no_two_files_are_read_at_once(monkeypatch):
    at_once, most = [], []

    def slow(content, **options):
        at_once.append(1)
        most.append(len(at_once))
        time.sleep(0.05)
        at_once.pop()
        return read_table(content, **options)

    monkeypatch.setattr(uploads, "read_table", slow)
    monkeypatch.setattr(turns, "heed_stop", lambda: None)
    read = [
        threading.Thread(target=uploads.read_upload, args=(f"{k}.csv", b"a,b\n1,2\n"))
        for k in range(4)
    ]
    for thread in read:
        thread.start()
    for thread in read:
        thread.join()
    assert most == [1, 1, 1, 1]


def test_a_file_is_refused_beside_the_tables_that_are_open(monkeypatch):
    room = Room(20_000)
    monkeypatch.setattr(uploads, "room", lambda: room)
    content = b"a,b\n" + b"1,2\n" * 700
    kept = uploads.read_upload("kept.csv", content)
    with pytest.raises(TableError, match=r"'next\.csv' takes 0 MB of memory, and the tables that"):
        uploads.read_upload("next.csv", content)
    del kept
    assert len(uploads.read_upload("next.csv", content)) == 700
