"""Tables and labels in a store of objects: the same labels, whatever the line does; no key told."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from core import MAPDPParts
from core.parts import place as place_module
from core.parts.opened import open_finished
from core.parts.place import Place, place_of
from core.reading.read_options import TableError
from tests.parts.conftest import SCHEMA, SETTINGS, digest
from tests.parts.s3_server import store

SECRET = "not-to-be-told"


@pytest.fixture
def server(monkeypatch, folder):
    """A store that holds the four files."""
    monkeypatch.setattr(place_module, "WAITS", (0.01, 0.02, 0.05))
    place_module._store.cache_clear()  # that of another test has another address
    with store(monkeypatch) as server:
        for file in Path(folder).iterdir():
            server.objects[f"bucket/table/{file.name}"] = file.read_bytes()
        yield server


def test_a_table_in_a_store_gets_the_same_labels_in_a_store(server, fitted):
    model = MAPDPParts(**SETTINGS).fit("s3://bucket/table", SCHEMA, "s3://bucket/labels")
    assert digest(model) == digest(fitted)
    assert model.labels_path_ == "s3://bucket/labels"
    assert not any(".work/" in name and data for name, data in server.objects.items())
    opened = open_finished("s3://bucket/labels")
    assert opened.model.objective_ == pytest.approx(fitted.objective_)


def test_a_line_that_is_cut_changes_nothing(server, fitted, tmp_path):
    server.cuts_every = 7
    model = MAPDPParts(**SETTINGS).fit("s3://bucket/table", SCHEMA, "s3://bucket/labels")
    assert digest(model) == digest(fitted)
    assert server.n_cut > 20


def test_a_page_is_read_by_ranges(server, folder, fitted, tmp_path):
    server.cuts_every = 5
    pages = [f"{server.address}/bucket/table/{file}" for file in sorted(os.listdir(folder))]
    model = MAPDPParts(**SETTINGS).fit(pages, SCHEMA, tmp_path)
    assert digest(model) == digest(fitted)
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        MAPDPParts(**SETTINGS).fit(f"{server.address}/bucket/none.parquet", SCHEMA, tmp_path)
