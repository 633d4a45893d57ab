"""Read Parquet, a file of which may unpack to thousands of times its size."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .arrow_frame import is_text, to_frame, unique_names
from .read_options import MAX_BYTES, ReadOptions, TableError, check_size

#: Bytes of all columns, unpacked: room for as many numbers as a table may have cells, and for text.
MOST_UNPACKED = 1024**3
_GROUP = 100_000  # identifiers that are written as text at once


def read_parquet(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read a Parquet file, its metadata first: a small file can expand to a huge table.

    Raises
    ------
    TableError
    """
    table, schema = _within_limits(data, name)
    return frame_of_flat(table, schema, options, name)


def read_own_parquet(data: memoryview, name: str) -> pd.DataFrame:
    """Read a Parquet file of the studio's own: cells as they were, nothing tidied.

    Raises
    ------
    TableError
    """
    table, _ = _within_limits(data, name)
    _check_decoded(table.columns, name)
    coded = [pa.types.is_dictionary(field.type) for field in table.schema]
    columns = [
        column.cast(column.type.value_type) if is_coded else column
        for column, is_coded in zip(table.columns, coded, strict=True)
    ]
    table = pa.table(columns, names=table.column_names)
    return table.to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get, date_as_object=False, ignore_metadata=True
    )


def _within_limits(data: memoryview, name: str) -> tuple[pa.Table, pa.Schema]:
    """A file's flat columns, text as codes, and all that it says it holds."""
    source = pa.BufferReader(pa.py_buffer(data))
    try:
        file = pq.ParquetFile(source)
        check_size(file.metadata.num_rows, file.metadata.num_columns, name)
        check_unpacked(_bytes_of_pages(file), name)
        flat = [field.name for field in file.schema_arrow if is_flat(field.type)]
        # Text is read as codes: a long text repeated a million times stays one text until checked.
        text = [field.name for field in file.schema_arrow if is_text(field.type)]
        table = pq.ParquetFile(source, read_dictionary=text).read(columns=flat)
        table.validate(full=True)  # text that is none would be met in the middle of a page
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{name} cannot be read as Parquet, damaged or not complete: save it again."
        ) from None
    return table, file.schema_arrow


def frame_of_flat(
    table: pa.Table, schema: pa.Schema, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """A tidy frame of a file's flat columns, with a note on what was left out of the file.

    Raises
    ------
    TableError
        Its text takes too much room.
    """
    _check_decoded(table.columns, name)
    notes = [
        f"Column '{field.name}' holds {field.type} rather than single values and is left out."
        for field in schema
        if not is_flat(field.type)
    ]
    names, changed = unique_names(table.column_names)
    table = pa.table([_plain_values(column) for column in table.columns], names=names)
    return to_frame(table, options), [*changed, *notes]


def _bytes_of_pages(file: pq.ParquetFile) -> int:
    """Bytes of all pages, unpacked, as the file says; where they are too many, of flat columns."""
    groups = [file.metadata.row_group(g) for g in range(file.metadata.num_row_groups)]
    if (total := sum(group.total_byte_size for group in groups)) <= MOST_UNPACKED:
        return total
    flat = {field.name for field in file.schema_arrow if is_flat(field.type)}
    paths = [file.schema.column(j).path for j in range(len(file.schema))]
    wanted = [j for j, path in enumerate(paths) if path in flat]
    return sum(group.column(j).total_uncompressed_size for group in groups for j in wanted)


def check_unpacked(size: int, name: str, most: int | None = None, what: str = "") -> None:
    """Refuse what takes too much room once unpacked, before it is.

    Raises
    ------
    TableError
    """
    most = MOST_UNPACKED if most is None else most
    if size > most:
        raise TableError(
            f"{name} unpacks to {_in_bytes(size)}{what}, more than the {_in_bytes(most)} this page "
            "takes: keep the columns you need, or a sample of the rows."
        )


def _in_bytes(size: int) -> str:
    return f"{size / 1024**2:,.0f} MB" if size < 1024**3 else f"{size / 1024**3:,.0f} GB"


def _check_decoded(columns: Iterable[pa.ChunkedArray], name: str) -> None:
    """Refuse more than fits, or more text than a file of text may hold."""
    sizes = [(_decoded_bytes(column), _becomes_text(column.type)) for column in columns]
    check_unpacked(sum(size for size, _ in sizes), name)
    check_unpacked(sum(size for size, text in sizes if text), name, MAX_BYTES, " of text")


def _becomes_text(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        return _is_uuid(kind) or _becomes_text(kind.storage_type)
    return is_text(kind.value_type if pa.types.is_dictionary(kind) else kind)


def is_flat(kind: pa.DataType) -> bool:
    """Whether cells of that type are single values."""
    of = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        if _is_uuid(kind):
            return True
        kind = kind.storage_type
    if of.is_dictionary(kind):
        kind = kind.value_type
    is_binary = of.is_binary(kind) or of.is_large_binary(kind) or of.is_binary_view(kind)
    return not (of.is_nested(kind) or is_binary or of.is_fixed_size_binary(kind))


def _is_uuid(kind: pa.DataType) -> bool:
    return getattr(kind, "extension_name", "") == "arrow.uuid"


def _plain_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Values of an extension type as what they are stored as, identifiers as text."""
    if not isinstance(column.type, pa.BaseExtensionType):
        return column
    if _is_uuid(column.type):
        parts = (column.slice(begin, _GROUP) for begin in range(0, len(column), _GROUP))
        texts = [
            pa.array(
                [None if cell is None else str(cell) for cell in part.to_pylist()], pa.string()
            )
            for part in parts
        ]
        return pa.chunked_array(texts, pa.string())
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of a column once every cell has its own copy: of coded text, and of text by views."""
    return sum(map(_decoded_bytes_of, column.chunks))


def _decoded_bytes_of(chunk: pa.Array) -> int:
    if isinstance(chunk.type, pa.BaseExtensionType):
        return 36 * len(chunk) if _is_uuid(chunk.type) else _decoded_bytes_of(chunk.storage)
    if pa.types.is_dictionary(chunk.type):
        if not is_text(chunk.dictionary.type):
            return chunk.nbytes
        lengths = _lengths(chunk.dictionary).take(chunk.indices)
    elif pa.types.is_string_view(chunk.type):
        lengths = _lengths(chunk)
    else:
        return chunk.nbytes
    return pc.sum(lengths).as_py() or 0


def _lengths(texts: pa.Array) -> pa.Array:
    """Bytes of each text, int64."""
    if not pa.types.is_string_view(texts.type):
        return pc.binary_length(texts).cast(pa.int64())
    # The first of the four numbers that a view is; pyarrow has no measure of them.
    views = np.frombuffer(texts.buffers()[1], "<i4")[::4]
    lengths = views[texts.offset : texts.offset + len(texts)].astype(np.int64)
    return pa.array(lengths, mask=texts.is_null().to_numpy(zero_copy_only=False))
