"""A table in parts: runs of row groups of Parquet files, or dask's partitions."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from ..optional import require
from ..reading.arrow_files import is_flat
from ..reading.options import TableError
from ..schema.encoded import Encoded
from ..schema.schema import Schema, SchemaError

BATCH = 2**16
#: A file of more rows is several parts if its row groups allow it.
ROWS_OF_PART = 2**20


@dataclass(frozen=True, eq=False)
class Part:
    """Neighbouring rows of a table, which one task reads."""

    #: Its place among the parts, and the number of its first row in the table.
    number: int
    first: int
    n_rows: int
    #: A fragment of a Parquet dataset, or a delayed dask frame, which reaches a task computed.
    rows: Any
    #: Types of the whole dataset; None of a frame.
    schema: pa.Schema | None = None

    def tables(self, columns: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
        """Yield neighbouring rows with the number of the first, in constant memory."""
        first, columns = self.first, list(columns)
        try:
            if self.schema is None:
                frame = self.rows.compute() if hasattr(self.rows, "compute") else self.rows
                whole = pa.Table.from_pandas(frame[columns], preserve_index=False)
                tables = (whole.slice(at, BATCH) for at in range(0, len(frame), BATCH))
            else:
                batches = self.rows.to_batches(self.schema, columns=columns, batch_size=BATCH)
                tables = map(pa.table, batches)
            for table in tables:
                if table.num_rows:
                    yield first, table
                first += table.num_rows
        except (OSError, pa.ArrowException) as error:
            raise _unreadable(error) from None

    def encoded(self, schema: Schema) -> Iterator[tuple[int, Encoded]]:
        """Yield the same rows as numbers under a model's schema; unknown levels are missing."""
        for first, table in self.tables(schema.names("cluster")):
            try:
                encoded = schema.encode(frame_of(table), allow_new_levels=True)
            except SchemaError as error:
                raise SchemaError(f"Counted from row {first + 1:,} of the table: {error}") from None
            for u, unit in enumerate(encoded.units):
                filled = np.flatnonzero(encoded.is_filled(u))
                if filled.size:
                    raise SchemaError(
                        f"Row {first + filled[0] + 1:,} of the table has some cells of the block"
                        f" '{unit.name}' and lacks others, which are not filled in a table that is"
                        " read in parts: take the block apart, or drop such rows."
                    )
            yield first, encoded


def take(part: Part, rows: np.ndarray, columns: Sequence[str]) -> pa.Table:
    """Rows of a part by their numbers in the table, in rising order."""
    tables = [pa.table({})]
    for first, table in part.tables(columns) if rows.size else ():
        begin, end = np.searchsorted(rows, [first, first + table.num_rows])
        tables.append(table.take(rows[begin:end] - first))
    return pa.concat_tables(tables, promote_options="permissive")


def open_source(source: Any) -> tuple[tuple[Part, ...], tuple[str, ...]]:
    """Parts of a dataset, and its columns of single values.

    A TableError if it cannot be read, or its files have different columns.
    """
    if hasattr(source, "to_delayed"):
        sizes = source.map_partitions(len).compute().tolist()
        parts = _numbered(zip(sizes, source.to_delayed(), strict=True), None)
        return parts, tuple(map(str, source.columns))
    try:
        dataset = _dataset(*store_of(source))
        runs = chain.from_iterable(map(_runs, dataset.get_fragments()))
        parts = _numbered(runs, dataset.schema)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(error) from None
    return parts, tuple(field.name for field in dataset.schema if is_flat(field.type))


def store_of(address: str | Path) -> tuple[fs.FileSystem, str]:
    """File system and path of a path or of an address that fsspec opens."""
    if "://" not in str(address):
        return fs.LocalFileSystem(), str(Path(address).absolute())
    if "@" in urlsplit(str(address)).netloc:
        raise TableError("An address holds no keys: give them in the environment.")
    require("fsspec", "Tables in a store need", extra="scale")
    from fsspec.core import url_to_fs

    opened, path = url_to_fs(str(address))
    return fs.PyFileSystem(fs.FSSpecHandler(opened)), path


def _dataset(filesystem: fs.FileSystem, path: str) -> ds.Dataset:
    """Dataset whose column types hold the cells of all files."""
    how = {"filesystem": filesystem, "format": "parquet", "partitioning": "hive"}
    found = ds.dataset(path, **how)
    schemas = [file.physical_schema for file in found.get_fragments()]
    for file, schema in zip(found.files, schemas, strict=True):
        for name in {*schemas[0].names} ^ {*schema.names}:
            where = f"'{found.files[0]}' and '{file}'"
            raise TableError(f"Only one of {where} has '{name}': give all the same columns.")
    whole = pa.unify_schemas([found.schema, *schemas], promote_options="permissive")
    return ds.dataset(path, schema=whole, **how)


def _runs(file: ds.ParquetFileFragment) -> Iterator[tuple[int, ds.ParquetFileFragment]]:
    """Yield runs of row groups: rows, and a fragment without the whole file's metadata."""
    run, n_rows, groups = [], 0, file.row_groups
    for group, following in zip_longest(groups, groups[1:]):
        run, n_rows = [*run, group.id], n_rows + group.num_rows
        if following is None or n_rows + following.num_rows > ROWS_OF_PART:
            where = file.path, file.filesystem, file.partition_expression
            yield n_rows, file.format.make_fragment(*where, row_groups=run)
            run, n_rows = [], 0


def _numbered(found: Iterable[tuple[int, Any]], schema: pa.Schema | None) -> tuple[Part, ...]:
    parts, first = [], 0
    for n_rows, rows in found:
        if n_rows:
            parts.append(Part(len(parts), first, n_rows, rows, schema))
        first += n_rows
    return tuple(parts)


def _unreadable(error: Exception) -> TableError:
    what = str(error).splitlines()[0]
    return TableError(f"The table cannot be read ({what}): name a folder of Parquet files.")


def frame_of(*tables: pa.Table) -> pd.DataFrame:
    """Tables one below the other as plain columns; text as categories, decoded once a word."""
    table = pa.concat_tables(tables, promote_options="permissive")
    kinds = [pa.float64() if pa.types.is_decimal(kind) else kind for kind in table.schema.types]
    table = table.cast(pa.schema(zip(table.column_names, kinds, strict=True)))
    return table.unify_dictionaries().to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get,
        date_as_object=False,
        strings_to_categorical=True,
        ignore_metadata=True,
    )
