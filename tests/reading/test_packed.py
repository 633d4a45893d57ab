"""Packed files are unpacked within limits; an archive of several is refused."""

from __future__ import annotations

import gzip
import io
import zipfile

import pandas as pd
import pyarrow.feather
import pytest

from mapdp_studio.core import TableError, read_table

TEXT = b"a,b\n1,x\n2,y\n"


def archive(**files: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def test_gzip_and_a_zip_with_one_table():
    expected = read_table(TEXT)
    for content, name in (
        (gzip.compress(TEXT), "t.csv.gz"),
        (gzip.compress(TEXT[:6]) + gzip.compress(TEXT[6:]), "t.csv.gz"),
        (archive(t__csv=TEXT), "t.zip"),
        (archive(**{"t__csv": TEXT, "._t": b"mac"}), "t.zip"),
    ):
        pd.testing.assert_frame_equal(read_table(content, name=name), expected)


def test_feather_comes_back():
    frame = pd.DataFrame({"x": [1.5, None], "word": ["a", "b"], "n": [1, 2]})
    buffer = io.BytesIO()
    pyarrow.feather.write_feather(frame, buffer)
    pd.testing.assert_frame_equal(read_table(buffer.getvalue()), frame, check_dtype=False)
    with pytest.raises(TableError, match="cannot be read as Feather"):
        read_table(buffer.getvalue()[:80])


def test_what_is_too_much_is_refused(monkeypatch):
    with pytest.raises(TableError, match=r"2 files \(t\.csv, u\.csv\)"):
        read_table(archive(t__csv=TEXT, u__csv=TEXT), name="two.zip")
    with pytest.raises(TableError, match="cannot be unpacked"):
        read_table(gzip.compress(TEXT * 99)[:40], name="cut.csv.gz")
    monkeypatch.setattr("mapdp_studio.core.reading.unpack.MAX_BYTES", 2**20)
    bomb = b"a\n" + b"1\n" * 2**20
    for content in (gzip.compress(bomb), archive(t__csv=bomb)):
        with pytest.raises(TableError, match="unpacks to more than 1 MB"):
            read_table(content, name="bomb")
