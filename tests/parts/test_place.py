"""Tables and labels in a store of objects: the same labels, whatever the line does; no key told."""

from __future__ import annotations

import os
import traceback
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from core import MAPDPParts
from core.parts import place as place_module
from core.parts.opened import open_finished
from core.parts.place import Place, place_of
from core.reading.read_options import TableError
from tests.parts.conftest import SCHEMA, SETTINGS, digest
from tests.parts.s3_server import KEY, SECRET, store


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


def test_a_line_that_is_cut_changes_nothing_in_processes_that_were_forked(server, fitted):
    place_of("s3://bucket/table").below()  # this process has a client already
    server.cuts_every = 20
    with ProcessPoolExecutor(2, get_context("fork")) as executor:
        model = MAPDPParts(**SETTINGS, executor=executor)
        model.fit("s3://bucket/table", SCHEMA, "s3://bucket/labels")
    assert digest(model) == digest(fitted)
    assert server.n_cut > 10


def test_a_page_is_read_by_ranges(server, folder, fitted, tmp_path):
    server.cuts_every = 5
    pages = [f"{server.address}/bucket/table/{file}" for file in sorted(os.listdir(folder))]
    model = MAPDPParts(**SETTINGS).fit(pages, SCHEMA, tmp_path)
    assert digest(model) == digest(fitted)
    with pytest.raises(TableError, match="cannot be read as Parquet"):
        MAPDPParts(**SETTINGS).fit(f"{server.address}/bucket/none.parquet", SCHEMA, tmp_path)
    with pytest.raises(TableError, match="cannot be written"):
        MAPDPParts(**SETTINGS).fit(folder, SCHEMA, f"{server.address}/labels")


@pytest.mark.parametrize(
    "address",
    [
        f"s3://{KEY}:{SECRET}@bucket/table",
        f"s3://{KEY}:{SECRET}/more@bucket/table",
        f"s3://{SECRET}@bucket/table",
        f"s3://bucket/table?access_key={KEY}&secret_key={SECRET}",
        f"s3://bucket/table?region=eu&session_token={SECRET}",
        f"gs://{SECRET}@bucket/table",
        f"https://me:{SECRET}@example.org/table.parquet",
        f"https://me:{SECRET}/more@example.org/table.parquet",
        f"https://example.org/table.parquet?X-Amz-Signature={SECRET}",
        f"ftp://me:{SECRET}@example.org/table.parquet",
    ],
)
@pytest.mark.parametrize("kind", [str, Path])
def test_an_address_with_a_key_is_refused_by_a_sentence_without_it(address, kind, tmp_path):
    for table, labels in ((kind(address), tmp_path), (str(tmp_path), kind(address))):
        with pytest.raises(TableError) as refused:
            MAPDPParts().fit(table, SCHEMA, labels)
        said = "".join(traceback.format_exception_only(refused.value))
        assert SECRET not in said
        assert KEY not in said
        assert refused.value.__cause__ is None


def test_what_a_store_says_of_an_error_is_not_passed_on(server, tmp_path, caplog, capfd):
    said = f"<Error><Code>AccessDenied</Code><Message>{KEY} {SECRET}</Message></Error>"
    server.refuses = said
    with caplog.at_level(0), pytest.raises(TableError, match=r"ACCESS_DENIED.*environment") as told:
        MAPDPParts().fit("s3://bucket/table", SCHEMA, tmp_path)
    out = capfd.readouterr()
    everything = str(told.value) + caplog.text + out.out + out.err
    assert KEY not in everything
    assert SECRET not in everything
    assert told.value.__suppress_context__


def test_no_key_is_in_the_journal(server, tmp_path):
    def stop(progress):
        if progress.phase == "visit 3":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MAPDPParts(**SETTINGS).fit("s3://bucket/table", SCHEMA, tmp_path, stop)
    kept = [file.read_bytes() for file in (tmp_path / ".work").rglob("*") if file.is_file()]
    assert len(kept) > 5
    assert not any(word.encode() in data for data in kept for word in (KEY, SECRET))


def test_addresses_lead_where_they_say(tmp_path):
    assert place_of(f"file://{tmp_path}/a%20b") == Place(f"{tmp_path}/a b")
    assert place_of(Path("s3://bucket/a")) == place_of("s3://bucket/a")
    regional = place_of("s3://bucket/a?region=eu-west-1")
    assert place_of((regional / "b").with_options) == regional / "b"
    assert str(regional / "b") == "s3://bucket/a/b"
    assert "region" not in repr(regional)
