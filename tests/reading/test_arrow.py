"""Parquet and Feather: types, and small files that unpack to far more, refused in time."""

from __future__ import annotations

import io
import uuid
from collections.abc import Iterator

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


def written(table: pa.Table, compression: str = "zstd") -> bytes:
    buffer = io.BytesIO()
    pyarrow.feather.write_feather(table, buffer, compression, chunksize=table.num_rows)
    return buffer.getvalue()


#: Kept: what was allocated of one may be let go after its test.
_POOLS: list[pa.MemoryPool] = []


@pytest.fixture
def arrow_memory() -> Iterator[pa.MemoryPool]:
    """What Arrow allocates from here on, with its peak."""
    before = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(before)
    _POOLS.append(pool)
    pa.set_memory_pool(pool)
    yield pool
    pa.set_memory_pool(before)


def test_rows_are_counted_before_any_is_unpacked(arrow_memory):
    content = written(pa.table({"a": np.zeros(60_000_000, np.int8)}))
    assert len(content) < 10_000
    before = arrow_memory.max_memory()
    with pytest.raises(TableError, match="60,000,000 rows"):
        read_table(content)
    assert arrow_memory.max_memory() - before < 2**20


def test_text_is_counted_batch_by_batch(arrow_memory, monkeypatch):
    buffer, table = io.BytesIO(), pa.table({"a": pa.array(["x" * 1000] * 200_000)})
    pyarrow.feather.write_feather(table, buffer, "zstd", chunksize=1000)
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", 10 * 1024**2)
    before = arrow_memory.max_memory()
    with pytest.raises(TableError, match="unpacks to more than 10 MB of text"):
        read_table(buffer)
    assert arrow_memory.max_memory() - before < 20 * 2**20


def test_a_long_text_of_many_codes_is_not_unpacked(arrow_memory):
    text = pa.DictionaryArray.from_arrays(np.zeros(30_000, np.int32), ["x" * 100_000])
    before = arrow_memory.max_memory()
    with pytest.raises(TableError, match="unpacks to more than 300 MB of text"):
        read_table(written(pa.table({"a": text})))
    assert arrow_memory.max_memory() - before < 2**20


def test_columns_that_are_left_out_stay_packed(arrow_memory):
    places = np.arange(0, 5_000_001, 100, np.int32)
    lists = pa.ListArray.from_arrays(places, np.zeros(5_000_000))
    content = written(pa.table({"n": np.arange(50_000), "list": lists}))
    before = arrow_memory.max_memory()
    assert read_table(content).columns.tolist() == ["n"]
    assert arrow_memory.max_memory() - before < 2**20
    pyarrow.feather.write_feather(pa.table({"list": [[1], [2]]}), buffer := io.BytesIO())
    with pytest.raises(TableError, match="holds no columns"):
        read_table(buffer)


@pytest.mark.parametrize("compression", ["zstd", "lz4", "uncompressed"])
def test_cells_are_what_was_written(compression):
    random = np.random.default_rng(0)
    words = pa.array(random.choice(["red", "green", None], 5_000).tolist())
    table = pa.table(
        {
            "x": random.normal(size=5_000),
            "n": pa.array(np.arange(5_000), mask=random.random(5_000) < 0.1),
            "word": words,
            "coded": words.dictionary_encode(),
            "view": words.cast(pa.string_view()),
            "list": pa.array([[1, 2]] * 5_000),
        }
    )
    frame = read_table(written(table, compression))
    for column in ("word", "coded", "view"):
        assert frame[column].fillna("").tolist() == [word or "" for word in words.to_pylist()]
    assert frame["x"].tolist() == table["x"].to_pylist()
    assert frame["n"].fillna(-1).tolist() == table["n"].fill_null(-1).to_pylist()


def test_a_long_text_seen_from_many_cells_is_not_unpacked(monkeypatch):
    views = np.zeros((20_000, 4), np.int32)
    views[:, 0] = 1000  # bytes from the start of the only buffer
    views[:, 1] = np.frombuffer(b"xxxx", np.int32)
    buffers = [None, pa.py_buffer(views), pa.py_buffer(b"x" * 1000)]
    text = pa.Array.from_buffers(pa.string_view(), len(views), buffers)
    content = written(pa.table({"a": text}))
    assert len(content) < 20_000
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", 10 * 1024**2)
    with pytest.raises(TableError, match="unpacks to more than 10 MB of text"):
        read_table(content)


def test_any_damage_is_told_in_one_sentence():
    random = np.random.default_rng(1)
    words = pa.array(["a", "some longer text", None] * 100)
    columns = {"x": random.normal(size=300), "w": words, "view": words.cast(pa.string_view())}
    content = written(pa.table(columns | {"list": [[1]] * 300}), "uncompressed")
    told = set()
    for _ in range(1000):
        damaged = bytearray(content)
        for place in random.integers(8, len(content), 3):
            damaged[place] = random.integers(256)
        try:
            read_table(bytes(damaged))
        except TableError as error:
            told.add(str(error))
    assert any("cannot be read as Feather" in sentence for sentence in told)
    assert all(sentence.endswith(".") for sentence in told)
