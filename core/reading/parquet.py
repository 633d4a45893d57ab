"""Read Parquet, a file of which may unpack to thousands of times its size."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .arrow_frame import is_text, to_frame, unique_names
from .read_options import ReadOptions, TableError, check_size

MOST_UNPACKED = 2 * 1024**3


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
    _check_bytes(sum(map(_decoded_bytes, table.columns)), name)
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
        _check_bytes(_bytes_of_pages(file.metadata), name)
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
    _check_bytes(sum(map(_decoded_bytes, table.columns)), name)
    notes = [
        f"Column '{field.name}' holds {field.type} rather than single values and is left out."
        for field in schema
        if not is_flat(field.type)
    ]
    names, changed = unique_names(table.column_names)
    table = pa.table([_plain_values(column) for column in table.columns], names=names)
    return to_frame(table, options.na_tokens), [*changed, *notes]


def _bytes_of_pages(metadata: pq.FileMetaData) -> int:
    """Bytes of all pages, unpacked, as the file itself says."""
    groups = (metadata.row_group(g) for g in range(metadata.num_row_groups))
    return sum(group.total_byte_size for group in groups)


def _check_bytes(size: int, name: str) -> None:
    if size > MOST_UNPACKED:
        raise TableError(
            f"{name} unpacks to {size / 1024**3:,.0f} GB: keep the columns you need, or a sample "
            "of the rows."
        )


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
        found = (None if cell is None else str(cell) for cell in column.to_pylist())
        return pa.chunked_array([pa.array(found, pa.string())])
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)


def _decoded_bytes(column: pa.ChunkedArray) -> int:
    """Bytes of a column of coded text once every cell has its own copy."""
    if not pa.types.is_dictionary(column.type):
        return column.nbytes
    total = 0
    for chunk in column.chunks:
        if len(chunk.dictionary):
            lengths = pc.binary_length(chunk.dictionary.cast(pa.large_string()))
            total += pc.sum(lengths.cast(pa.int64()).take(chunk.indices)).as_py() or 0
    return total
