"""Read Parquet and Feather: a small file of either may unpack to thousands of times its size."""

from collections.abc import Iterable, Iterator

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from .columns import is_text, to_frame, unique_names
from .options import MAX_BYTES, ReadOptions, TableError, check_size

MOST_UNPACKED = 1024**3  # bytes of a Parquet file's columns: room for numbers in as many cells


def read_arrow(data: memoryview, options: ReadOptions, name: str) -> pd.DataFrame:
    """Read Parquet or Feather: rows are counted before any is unpacked, text while it is."""
    table, others = _table(data, options.kind, name)
    left_out = "Column '{0.name}' holds {0.type} rather than single values and is left out."
    names, notes = unique_names(table.column_names)
    notes += map(left_out.format, others)
    return to_frame(table.rename_columns(names), options, notes)


def read_own_parquet(data: memoryview, name: str) -> pd.DataFrame:
    """Read a Parquet file of a saved project: cells as they were, nothing tidied."""
    kinds = {pa.bool_(): pd.BooleanDtype()}
    table, _ = _table(data, "parquet", name)
    return table.to_pandas(types_mapper=kinds.get, date_as_object=False, ignore_metadata=True)


def is_flat(kind: pa.DataType) -> bool:
    """Whether cells of that type are single values."""
    if isinstance(kind, pa.BaseExtensionType):
        return is_flat(kind.storage_type)
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return not (pa.types.is_nested(kind) or "binary" in str(kind))


def _table(data: memoryview, kind: str, name: str) -> tuple[pa.Table, list[pa.Field]]:
    """A file's flat columns as plain ones, and its other fields."""
    size, source = 0, pa.BufferReader(pa.py_buffer(data))
    try:
        schema, batches = (_parquet if kind == "parquet" else _feather)(source, name)
        flat = [n for n, kind in zip(schema.names, schema.types, strict=True) if is_flat(kind)]
        columns: list[list[pa.Array]] = [[] for _ in flat]
        for batch in batches if flat else ():
            for column, array in zip(columns, batch.columns, strict=True):
                for part in _parts(array, name):
                    column.append(part)
                    if is_text(part.type):
                        size = _check_text(pc.binary_length(part), size, name)
    except (pa.ArrowException, OSError, UnicodeError):
        what = f"{name} cannot be read as {kind.capitalize()}, damaged or not complete"
        raise TableError(f"{what}: save it again.") from None
    arrays = [pa.chunked_array(column, None if column else pa.null()) for column in columns]
    return pa.table(arrays, flat), [field for field in schema if not is_flat(field.type)]


def _parquet(source: pa.BufferReader, name: str) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    file = pq.ParquetFile(source)
    schema, metadata = file.schema_arrow, file.metadata
    check_size(metadata.num_rows, metadata.num_columns, name)
    flat = [field.name for field in schema if is_flat(field.type)]
    places = [place for place, column in enumerate(file.schema) if column.path in set(flat)]
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    sizes = (group.column(place).total_uncompressed_size for group in groups for place in places)
    _check_unpacked(sum(sizes), MOST_UNPACKED, name)
    text = [field.name for field in schema if is_text(field.type)]  # as codes until it is measured
    return schema, pq.ParquetFile(source, read_dictionary=text).iter_batches(columns=flat)


def _feather(source: pa.BufferReader, name: str) -> tuple[pa.Schema, Iterable[pa.RecordBatch]]:
    schema = pa.ipc.open_file(source).schema
    check_size(ds.IpcFileFormat().make_fragment(source).count_rows(), len(schema), name)
    flat = [place for place, field in enumerate(schema) if is_flat(field.type)]
    file = pa.ipc.open_file(source, options=pa.ipc.IpcReadOptions(included_fields=flat))
    return schema, map(file.get_batch, range(file.num_record_batches))


def _parts(array: pa.Array, name: str) -> Iterator[pa.Array]:
    """Cells without codes, views and extension types, so few at once that their text fits."""
    array = array.storage if isinstance(array, pa.ExtensionArray) else array
    kind, step = array.type, 100_000
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        if is_text(kind):
            array.validate(full=True)
            _check_text(pc.binary_length(array.dictionary).take(array.indices), 0, name)
    elif pa.types.is_string_view(kind):  # whose longest text has no measure but their sum
        longest = array.get_total_buffer_size() - 16 * len(array)
        kind, step = pa.large_string(), max(MOST_UNPACKED // max(longest, 16), 1)
    for part in (array.slice(begin, step) for begin in range(0, len(array), step)):
        part.validate(full=True)  # text that is none would be met in the middle of a page
        if pa.types.is_string_view(part.type):  # whose cast would follow what empty cells hold
            part = part.dictionary_encode()
            yield part.dictionary.cast(kind).take(part.indices)
        else:
            yield part.cast(kind)


def _check_text(lengths: pa.Array, size: int, name: str) -> int:
    """A size with that of more texts, refused where a file of text could not hold as much."""
    size += pc.sum(lengths).as_py() or 0
    return _check_unpacked(size, MAX_BYTES, name, " of text")


def _check_unpacked(size: int, most: int, name: str, what: str = "") -> int:
    if size > most:
        text = f"{name} unpacks to more than {most // 1024**2:,} MB{what}"
        raise TableError(f"{text}: keep the columns you need, or a sample of the rows.")
    return size
