"""Parquet and Feather: types, and small files that unpack to far more, refused in time."""

import io
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from mapdp_studio.core import TableError, read_table

FEW = 10 * 1024**2
OLD = int(pa.__version__.split(".")[0]) < 25


def parquet(table: pa.Table, **more: object) -> bytes:
    pq.write_table(table, buffer := io.BytesIO(), **more)
    return buffer.getvalue()


def feather(table: pa.Table, compression: str = "zstd", rows: int | None = None) -> bytes:
    buffer = io.BytesIO()
    pyarrow.feather.write_feather(table, buffer, compression, chunksize=rows or table.num_rows)
    return buffer.getvalue()


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
    read.to_parquet(tmp_path / "again.parquet")
    assert pd.read_parquet(tmp_path / "again.parquet").attrs["read_options"]["kind"] == "parquet"


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
            # Before 25, pyarrow dies as it writes compressed views.
            "view": words
            if OLD and compression != "uncompressed"
            else words.cast(pa.string_view()),
            "large": words.cast(pa.large_string()),
            "list": pa.array([[1, 2]] * 5_000),
            "json": pa.array([*["1", None] * 2_500], pa.json_()),
        }
    )
    frame = read_table(feather(table, compression))
    for column in ("word", "coded", "view", "large"):
        assert frame[column].fillna("").tolist() == [word or "" for word in words.to_pylist()]
    assert frame["x"].tolist() == table["x"].to_pylist()
    assert frame["json"].isna().tolist() == [False, True] * 2_500
    assert frame["n"].fillna(-1).tolist() == table["n"].fill_null(-1).to_pylist()


def seen_from_many_cells() -> pa.Table:
    """A text of a thousand letters that 60,000 cells look at."""
    views = np.zeros((60_000, 4), np.int32)
    views[:, 0] = 1000  # bytes from the start of the only buffer
    views[:, 1] = np.frombuffer(b"xxxx", np.int32)
    buffers = [None, pa.py_buffer(views), pa.py_buffer(b"x" * 1000)]
    return pa.table({"a": pa.Array.from_buffers(pa.string_view(), len(views), buffers)})


def of_codes() -> pa.Table:
    text = pa.DictionaryArray.from_arrays(np.zeros(30_000, np.int32), ["x" * 100_000])
    return pa.table({"a": text})


def long_texts(kind: pa.DataType = pa.string()) -> pa.Table:  # noqa: B008  a type has no state
    return pa.table({"a": pa.array(["x" * 1000] * 200_000, kind), "n": np.zeros(200_000)})


MANY_ROWS = pa.table({"a": np.zeros(60_000_000, np.int8)})
#: Small files, what they are refused for, and bytes that may be unpacked meanwhile.
BOMBS: dict[str, tuple[Callable[[], bytes], str, int]] = {
    "rows, Parquet": (lambda: parquet(MANY_ROWS), "60,000,000 rows", 2**20),
    "rows, Feather": (lambda: feather(MANY_ROWS), "60,000,000 rows", 2**20),
    "codes, Parquet": (lambda: parquet(of_codes()), "10 MB of text", 2 * FEW),
    "codes, Feather": (lambda: feather(of_codes()), "10 MB of text", 2**20),
    "text, Parquet": (lambda: parquet(long_texts()), "10 MB of text", 2 * FEW),
    "large text": (lambda: parquet(long_texts(pa.large_string())), "10 MB of text", 2 * FEW),
    "text, Feather": (lambda: feather(long_texts(), rows=1000), "10 MB of text", 2 * FEW),
    "views": (
        lambda: feather(seen_from_many_cells(), "uncompressed" if OLD else "zstd"),
        "10 MB of text",
        3 * FEW,
    ),
    "pages": (
        lambda: parquet(long_texts(), use_dictionary=False, compression="zstd"),
        "unpacks to more than 20 MB:",
        2**20,
    ),
}
#: Kept: what was allocated of one may be let go after its test.
POOLS: list[pa.MemoryPool] = []


@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_file_that_unpacks_to_far_more_is_refused_before_it_does(bomb, monkeypatch):
    make, says, most = BOMBS[bomb]
    content = make()
    assert len(content) < 1_000_000
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", FEW)
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MOST_UNPACKED", 2 * FEW)
    before = pa.default_memory_pool()
    POOLS.append(pool := pa.proxy_memory_pool(before))
    pa.set_memory_pool(pool)
    try:
        with pytest.raises(TableError, match=says):
            read_table(content)
    finally:
        pa.set_memory_pool(before)
    assert pool.max_memory() < most


def test_a_text_below_the_cap_is_read(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MAX_BYTES", FEW)
    assert read_table(parquet(long_texts().slice(0, 10_000))).shape == (10_000, 2)


def test_columns_that_are_left_out_do_not_count_and_stay_packed(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.arrow_files.MOST_UNPACKED", 2**20)
    places = np.arange(0, 5_000_001, 100, np.int32)
    lists = pa.ListArray.from_arrays(places, np.zeros(5_000_000))
    table = pa.table({"n": np.arange(50_000), "list": lists})
    for content in (parquet(table, use_dictionary=False), feather(table)):
        before = pa.default_memory_pool().max_memory()
        assert read_table(content).columns.tolist() == ["n"]
        assert pa.default_memory_pool().max_memory() - before < 2**20
    with pytest.raises(TableError, match="holds no columns"):
        read_table(feather(pa.table({"list": [[1], [2]]})))


def test_any_damage_is_told_in_one_sentence():
    random = np.random.default_rng(1)
    words = pa.array(["a", "some longer text", None] * 100)
    columns = {"x": random.normal(size=300), "w": words, "view": words.cast(pa.string_view())}
    content = feather(pa.table(columns | {"list": [[1]] * 300}), "uncompressed")
    sentences = set()
    for _ in range(1000):
        damaged = bytearray(content)
        for place in random.integers(8, len(content), 3):
            damaged[place] = random.integers(256)
        try:
            read_table(bytes(damaged))
        except TableError as error:
            sentences.add(str(error))
    assert any("cannot be read as Feather" in sentence for sentence in sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
