"""The parts of a table: row groups of Parquet files, each read by whoever is told which it is."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..reading.arrow_frame import is_text
from ..reading.parquet import is_flat
from ..reading.read_options import TableError
from ..schema.frames import as_frame, is_table

#: Neighbouring row groups are one part up to so many rows.
ROWS_OF_PART = 2**18
#: Rows that are read and encoded at a time.
ROWS_OF_BATCH = 2**16


@dataclass(frozen=True)
class Part:
    """Some neighbouring rows of a table: what a worker is told instead of the rows."""

    path: str
    #: Row groups of the file.
    groups: tuple[int, ...]
    #: Rows of the table before it, and rows in it.
    first_row: int
    n_rows: int

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[int, pd.DataFrame]]:
        """Yield some of the columns, some rows at a time, with the number of the first row."""
        row = self.first_row
        with _opened(self.path) as file:
            for batch in file.iter_batches(ROWS_OF_BATCH, self.groups, list(columns)):
                if batch.num_rows:
                    yield row, _frame(pa.table(batch))
                    row += batch.num_rows

    def __str__(self) -> str:
        return (
            f"{Path(self.path).name}, rows {self.first_row + 1:,} to "
            f"{self.first_row + self.n_rows:,} of the table"
        )


@dataclass(frozen=True)
class Source:
    """A table in parts."""

    parts: tuple[Part, ...]
    #: Names of its columns of single values.
    columns: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Rows of all the parts."""
        return sum(part.n_rows for part in self.parts)

    @property
    def digest(self) -> str:
        """Changes when a file does."""
        files = {part.path: Path(part.path).stat() for part in self.parts}
        facts = [(path, stat.st_size, stat.st_mtime_ns) for path, stat in sorted(files.items())]
        return hashlib.sha256(repr((facts, self.columns)).encode()).hexdigest()


def open_source(table: Any, folder: Path) -> Source:
    """Find the parts of a table.

    Parameters
    ----------
    table : str or Path, sequence of them, DataFrame, or iterable of DataFrames
        A folder of Parquet files, in the order of their names; such files; or frames, which are
        written to the folder as Parquet, one after the other.
    folder : Path
        Where frames go.

    Raises
    ------
    TableError
        No Parquet file, a damaged one, files of different columns, or no rows.
    """
    single = isinstance(table, str | Path) or is_table(table)
    paths = list(_files(([table] if single else table), folder))
    parts: list[Part] = []
    columns: tuple[str, ...] | None = None
    for path in paths:
        try:
            with _opened(path) as file:
                found = _flat_columns(file)
                parts += _parts_of(str(path), file.metadata, sum(p.n_rows for p in parts))
        except (pa.ArrowException, OSError) as error:
            raise TableError(
                f"{path} cannot be read as Parquet ({type(error).__name__}): name a folder of"
                " Parquet files, or save this one again."
            ) from None
        if columns is not None and set(found) != set(columns):
            other = sorted(set(found) ^ set(columns))[0]
            raise TableError(
                f"{path} and {paths[0]} have different columns ('{other}' is in one of them): give"
                " all files the same columns."
            )
        columns = columns or found
    if not parts or not sum(part.n_rows for part in parts):
        raise TableError("The table has no rows: give it at least one.")
    return Source(tuple(parts), columns or ())


def _files_of(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = sorted(file for file in path.rglob("*.parquet") if not file.name.startswith((".", "_")))
    if not found:
        raise TableError(f"There is no Parquet file in {path}: name a folder that holds some.")
    return found


def _files(tables: Iterable[Any], folder: Path) -> Iterator[Path]:
    """Paths as they are; frames written as they come, so that one at a time is held."""
    for place, table in enumerate(tables):
        if isinstance(table, str | Path):
            yield from _files_of(Path(table))
        else:
            yield _written(table, folder / f"frame-{place:06d}.parquet")


def _written(table: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        pq.write_table(pa.Table.from_pandas(as_frame(table), preserve_index=False), path)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(
            f"A frame cannot be written as Parquet ({error}): give every column one type."
        ) from None
    return path


def _opened(path: str | Path) -> pq.ParquetFile:
    """A Parquet file whose text is read as codes."""
    schema = pq.read_schema(path)
    return pq.ParquetFile(path, read_dictionary=[f.name for f in schema if is_text(f.type)])


def _flat_columns(file: pq.ParquetFile) -> tuple[str, ...]:
    return tuple(field.name for field in file.schema_arrow if is_flat(field.type))


def _parts_of(path: str, metadata: pq.FileMetaData, before: int) -> list[Part]:
    """Neighbouring row groups of a file, about as many rows in each part; none without rows."""
    parts: list[Part] = []
    for group in range(metadata.num_row_groups):
        n_rows = metadata.row_group(group).num_rows
        last = parts[-1] if parts else None
        if last is not None and last.n_rows + n_rows <= ROWS_OF_PART:
            parts[-1] = replace(last, groups=(*last.groups, group), n_rows=last.n_rows + n_rows)
        elif n_rows:
            parts.append(Part(path, (group,), before, n_rows))
        before += n_rows
    return parts


def _frame(table: pa.Table) -> pd.DataFrame:
    """A frame of plain columns; text as categories, so that a word is looked at once."""
    columns = [
        column.cast(pa.float64()) if pa.types.is_decimal(column.type) else column
        for column in table.columns
    ]
    frame = pa.table(columns, names=table.column_names).to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get, date_as_object=False, ignore_metadata=True
    )
    return as_frame(frame)
