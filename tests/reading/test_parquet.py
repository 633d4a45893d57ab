"""Parquet: types, and files that unpack to far more than they are."""

from __future__ import annotations

import io
import uuid

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from mapdp_studio.core import TableError, read_table


def test_typed_files_keep_their_types_and_lose_nested_columns(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [1.5, None],
            "text": [" x", "?"],
            "yes": pd.array([True, None], dtype="boolean"),
            "day": pd.to_datetime(["2020-01-01", None]),
            "list": [[1], [2]],
        }
    )
    frame.to_parquet(tmp_path / "wrongly_named.csv")
    read = read_table(tmp_path / "wrongly_named.csv")
    assert read["text"].tolist()[0] == "x"
    assert read["text"].isna().tolist() == [False, True]
    assert read.drop(columns="text").equals(frame.drop(columns=["text", "list"]))
    assert "'list'" in read.attrs["notes"][0]


def test_a_long_text_repeated_in_parquet_is_not_unpacked():
    text = pa.DictionaryArray.from_arrays(np.zeros(30_000, np.int32), ["x" * 100_000])
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": text}), buffer)
    with pytest.raises(TableError, match="unpacks to more than 300 MB of text"):
        read_table(buffer)


def test_attributes_survive_a_parquet_export(tmp_path):
    frame = read_table(b"a,b\n1,2\n")
    frame.to_parquet(tmp_path / "out.parquet")
    assert pd.read_parquet(tmp_path / "out.parquet").attrs["read_options"]["delimiter"] == ","


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_of_every_layout_is_measured_before_it_is_unpacked(kind, monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", 10 * 1024**2)
    buffer = io.BytesIO()
    try:
        pq.write_table(pa.table({"a": pa.array(["x" * 1000] * 20_000, kind)}), buffer)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"pyarrow {pa.__version__} writes no {kind}.")
    assert len(buffer.getvalue()) < 10_000
    with pytest.raises(TableError, match="unpacks to more than 10 MB of text"):
        read_table(buffer)
    pq.write_table(pa.table({"a": pa.array([" x ", "NA", "y"], kind)}), buffer := io.BytesIO())
    assert read_table(buffer)["a"].fillna("missing").tolist() == ["x", "missing", "y"]


def test_text_is_bounded_as_in_a_file_of_text(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", 10 * 1024**2)
    table = pa.table({"a": ["x" * 1000] * 20_000, "n": np.arange(20_000.0)})
    pq.write_table(table, buffer := io.BytesIO())
    with pytest.raises(TableError, match="unpacks to more than 10 MB of text"):
        read_table(buffer)
    pq.write_table(table.slice(0, 10_000), buffer := io.BytesIO())
    assert read_table(buffer).shape == (10_000, 2)


def test_pages_of_columns_that_are_left_out_do_not_count(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MOST_UNPACKED", 2**20)
    table = pa.table({"n": np.arange(1000.0), "l": [list(range(1000))] * 1000})
    pq.write_table(table, buffer := io.BytesIO(), use_dictionary=False)
    assert read_table(buffer).shape == (1000, 1)


def test_pages_are_measured_before_they_are_read(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MOST_UNPACKED", 10 * 1024**2)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *a, **k: pytest.fail("too early"))
    buffer = io.BytesIO()
    texts = pa.array([f"{row}" + "x" * 1000 for row in range(20_000)])
    pq.write_table(pa.table({"a": texts}), buffer, use_dictionary=False, compression="zstd")
    assert len(buffer.getvalue()) < 1_000_000
    with pytest.raises(TableError, match="unpacks to more than 10 MB:"):
        read_table(buffer)


def test_identifiers_of_a_type_of_their_own_are_text():
    own = [uuid.UUID(int=k) for k in range(3)]
    ids = pa.array([one.bytes for one in own], pa.uuid())
    json = pa.array(["1", None, "{}"], pa.json_())
    pq.write_table(pa.table({"id": ids, "json": json}), buffer := io.BytesIO())
    frame = read_table(buffer)
    assert frame["id"].tolist() == [str(one) for one in own]
    assert frame["json"].isna().tolist() == [False, True, False]
    none = pa.array([None] * 2, pa.uuid())
    parts = pa.chunked_array([ids, none])
    pyarrow.feather.write_feather(pa.table({"id": parts}), buffer := io.BytesIO(), chunksize=3)
    assert read_table(buffer)["id"].isna().tolist() == [False] * 3 + [True] * 2
