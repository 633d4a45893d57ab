"""Any file: told apart by content, refused in one sentence, within the caps."""

import gzip
import io
import time
import zipfile
from dataclasses import replace

import pandas as pd
import pytest

from mapdp_studio.core import TableError, read_table
from mapdp_studio.core.reading import options as limits
from mapdp_studio.core.reading.tables import ReadOptions


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", ["column 1", "column 2", "column 3"]),
        ("country,2007,2008\nX,1,2\n", ["country", "2007", "2008"]),
        ("0,1,2\n5,6,7\n", ["0", "1", "2"]),
        ('"two\nlines",b\n1,2\n', ["two lines", "b"]),
        (",2019,2020\nCH,12,13\nDE,22,23\n", ["column 1", "2019", "2020"]),
        ("x,y\nr1,1,2\nr2,3,4\n", ["row name", "x", "y"]),
        ("x,y\n1,2,\n3,4,\n", ["x", "y", "column 3"]),
        ("low,yes\nlow,no\nhigh,yes\nhigh,no\n", ["column 1", "column 2"]),
        ("'a b','c'\n'x, y','1'\n'z','2'\n", ["a b", "c"]),
    ],
)
def test_the_header_is_recognised(text, names):
    assert list(read_table(text.encode()).columns) == names


def test_names_become_unique_with_a_note():
    frame = read_table(b" age ,age,,age (2)\n1,2,3,4\n")
    assert list(frame.columns) == ["age", "age (3)", "column 3", "age (2)"]
    assert len(frame.attrs["notes"]) == 2
    assert "repeats the name 'age'" in frame.attrs["notes"][0]
    (note,) = read_table(b"a,,,,\n1,2,3,4,5\n").attrs["notes"]
    assert "4 columns have no name" in note
    assert note.endswith("'column 2', 'column 3', 'column 4' and 1 more.")


def test_options_are_shown_and_changed():
    content = b"a,b\n1,-99\n2,5\n"
    options = ReadOptions(**read_table(content).attrs["read_options"])
    assert (options.kind, options.delimiter) == ("delimited", ",")
    frame = read_table(content, options=replace(options, na_tokens=["-99"]))
    assert frame["b"].isna().tolist() == [True, False]


UTF_8 = "\n".join(["id;name", *(f"{k};Müller" for k in range(60))]).encode()
BAD = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\n", "is empty"),
    "header alone": (b"a,b\n", "header but no rows"),
    "binary": (bytes(range(256)) * 9, "binary file"),
    "picture": (b"\x89PNG\r\n\x1a\n", "binary file"),
    "page": (b"\n<TABLE><tr><td>1</td></tr></TABLE>", "a page or a document"),
    "text of a PDF": (b"%PDF-1.4\n1 0 obj\n", "a page or a document"),
    "gzip": (b"\x1f\x8b\x08\x00", "cannot be unpacked"),
    "odd byte": (UTF_8 + b"\n61;M\xfcller\n", "UTF-8 but for 1 sign, the first in line 62"),
    "long line": (b"a,b\n1,2\n\n1,2,3\n", "3 values in line 4 where its header has 2"),
    "short line": (b"a,b\n1,2\n1\n", "1 value in line 3"),
    "encoding": (b"\xff\xfea,b\n1", "not valid UTF-16"),
    "cut parquet": (b"PAR1 and nothing more", "cannot be read as Parquet"),
    "cut feather": (b"ARROW1 and nothing more", "cannot be read as Feather"),
    "cut workbook": (b"PK\x03\x04 and nothing more", "workbook"),
    "many columns": (b",".join([b"c"] * 5001) + b"\n1", "5,001 columns"),
    "json text": (b'{"a":1\n}', "line 1"),
    "json numbers": (b'{"a":1}\n7', "line 2"),
    "json of columns": (b'{"a":{"0":1},"b":{"0":2}}', "one object a line"),
}


@pytest.mark.parametrize(("content", "says"), BAD.values(), ids=BAD.keys())
def test_what_is_no_table_gets_one_sentence(content, says):
    with pytest.raises(TableError, match=says) as caught:
        read_table(content, name="upload.csv")
    sentence = str(caught.value)
    assert sentence.count("\n") == 0
    assert sentence.startswith("'upload.csv'")
    assert sentence.endswith((".", ")."))


def test_a_name_promises_nothing_and_a_path_to_nowhere_is_said():
    assert read_table(b"a\tb\n1\t2\n3\t4\n", name="x.xls").shape == (2, 2)
    for nowhere in ("/nowhere/at/all.csv", "a\0b.csv", f"{'x' * 300}.csv"):
        with pytest.raises(TableError, match="cannot be opened"):
            read_table(nowhere)


def test_the_cap_of_cells_is_checked_before_a_full_parse(monkeypatch):
    monkeypatch.setattr(limits, "MAX_CELLS", 10)
    with pytest.raises(TableError, match="20 rows and 2 columns"):
        read_table(b"a,b\n" + b"1,2\n" * 20)


def test_an_open_file_is_read_without_a_view_that_outlives_it():
    class Source(io.BytesIO):
        def getbuffer(self):
            pytest.fail("a view of the buffer forbids closing the file while it lives")

    assert read_table(Source(b"a,b\n1,2\n3,4\n"))["b"].tolist() == [2, 4]


def test_a_cell_of_megabytes_does_not_keep_the_search_for_the_bad_line_going():
    def seconds(megabytes: int) -> float:
        cell = "x" * 1_000_000 * megabytes
        text = f"a,b\n1,2\n{cell},2\n1,2,3\n".encode()
        began = time.process_time()
        with pytest.raises(TableError, match="in line 4"):
            read_table(text, name="x.csv")
        return time.process_time() - began

    # Sixteen times the length: sixteen times as long, not 256 times.
    assert seconds(16) < 64 * max(seconds(1), 0.02)


def test_a_long_word_does_not_keep_the_search_for_an_encoding_going():
    began = time.process_time()
    frame = read_table(b"name,gene\nM\xfcller," + b"ACGT" * 20_000 + b"\nJ\xf6rg,A\n")
    assert time.process_time() - began < 2.0  # of letters squared it was a minute
    assert frame["name"].tolist() == ["Müller", "Jörg"]


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


def test_what_is_too_much_is_refused(tmp_path, monkeypatch):
    with pytest.raises(TableError, match=r"2 files \(t\.csv, u\.csv\)"):
        read_table(archive(t__csv=TEXT, u__csv=TEXT), name="two.zip")
    with pytest.raises(TableError, match="cannot be unpacked"):
        read_table(gzip.compress(TEXT * 99)[:40], name="cut.csv.gz")
    monkeypatch.setattr("mapdp_studio.core.reading.tables.MAX_BYTES", 2**20)
    bomb = b"a\n" + b"1\n" * 2**20
    for content in (gzip.compress(bomb), archive(t__csv=bomb)):
        with pytest.raises(TableError, match="unpacks to more than 1 MB"):
            read_table(content, name="bomb")
    (tmp_path / "large.csv").write_bytes(bomb)
    with pytest.raises(TableError, match="more than the 1 MB"):
        read_table(tmp_path / "large.csv")


def test_numbers_beyond_64_bits_keep_their_digits_where_all_are_whole():
    text = b'{"a": 1, "b": 99999999999999999999999, "c": 1.5}\n{"a": 2, "b": 1, "c": %d}\n' % 10**30
    frame = read_table(text)
    assert frame["b"].tolist() == ["99999999999999999999999", "1"]
    assert frame["c"].tolist() == [1.5, 1e30]


def test_half_a_character_is_marked_and_a_whole_one_kept():
    text = rb'{"a\ud800": "\ud83d\ude00", "b": "\udc00x"}' + b'\n{"b": "y"}\n'
    frame = read_table(text)
    assert list(frame) == ["a\ufffd", "b"]
    assert frame.iloc[0].tolist() == ["\U0001f600", "\ufffdx"]


def test_ever_new_keys_are_refused_while_they_are_read(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.json_records.MAX_COLUMNS", 50)
    monkeypatch.setattr("mapdp_studio.core.reading.options.MAX_COLUMNS", 50)
    lines = "\n".join(f'{{"k{row}": 1}}' for row in range(60)) + "\nno JSON"
    with pytest.raises(TableError, match="51 columns"):
        read_table(lines.encode())
