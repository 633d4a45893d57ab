"""The parts of a table: row groups of Parquet files, each read by whoever is told which it is."""

from __future__ import annotations

import hashlib
import io
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..reading.arrow import is_flat
from ..reading.arrow_frame import is_text
from ..reading.read_options import TableError
from ..schema.frames import as_frame, is_table
from .hive import Keys, keys_of, with_keys
from .place import WAITS, Place, place_of

#: Neighbouring row groups are one part up to so many rows.
ROWS_OF_PART = 2**18
#: Rows that are read and encoded at a time.
ROWS_OF_BATCH = 2**16
#: Runs of neighbouring parts that workers are handed: hundreds, for hundreds of workers.
MOST_RUNS = 512
#: Files of a store that are looked at together.
AT_A_TIME = 16

T = TypeVar("T")


@dataclass(frozen=True)
class Part:
    """Some neighbouring rows of a table: what a worker is told instead of the rows."""

    place: Place
    #: Row groups of the file.
    groups: tuple[int, ...]
    #: Rows of the table before it, and rows in it.
    first_row: int
    n_rows: int
    #: What the folders that it is in say of all its rows.
    keys: Keys = ()

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[int, pd.DataFrame]]:
        """Yield some of the columns, some rows at a time, with the number of the first row.

        Raises
        ------
        TableError
            The line to a store was cut, again and again.
        """
        row = self.first_row
        for wait in (*WAITS, None):
            try:
                for first, batch in self._batches(columns):
                    if first == row and batch.num_rows:
                        yield row, _frame(with_keys(batch, self.keys, columns))
                        row += batch.num_rows
                return
            except OSError as error:
                if self.place.is_local:
                    raise
                if wait is None:
                    raise self.place.failed(error) from None
                time.sleep(wait)

    def _batches(self, columns: Sequence[str]) -> Iterator[tuple[int, pa.Table]]:
        """Yield what the file holds of some columns; a second time, it comes in the same pieces."""
        row, keys = self.first_row, dict(self.keys)
        with _opened(self.place) as file:
            held = [name for name in columns if name not in keys]
            # A batch without columns has no rows either.
            held = held or file.schema_arrow.names[:1]
            for batch in file.iter_batches(ROWS_OF_BATCH, self.groups, held):
                yield row, pa.table(batch)
                row += batch.num_rows

    def __str__(self) -> str:
        return (
            f"{self.place.name}, rows {self.first_row + 1:,} to "
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
    def runs(self) -> tuple[tuple[Part, ...], ...]:
        """Neighbouring parts that one worker looks at, one after the other.

        There are only so many runs, however many the parts, so that what the driver takes in does
        not grow with them; and they are the same whoever the workers are, as sums are theirs.
        """
        size = -(-len(self.parts) // MOST_RUNS)
        return tuple(self.parts[i : i + size] for i in range(0, len(self.parts), size))

    @property
    def digest(self) -> str:
        """Changes when a file does."""
        places = list(dict.fromkeys(part.place for part in self.parts))
        facts = [
            (place.address, *found)
            for place, found in zip(places, _of_all(Place.facts, places), strict=True)
        ]
        return hashlib.sha256(repr((facts, self.columns)).encode()).hexdigest()


def open_source(table: Any, folder: Place) -> Source:
    """Find the parts of a table.

    Parameters
    ----------
    table : str or Path, sequence of them, DataFrame, or iterable of DataFrames
        A folder of Parquet files, in the order of their names; such files; or frames, which are
        written to the folder as Parquet, one after the other. Keys of its folders, as in
        year=2024, are columns, before those of that name in the files.
    folder : Place
        Where frames go.

    Raises
    ------
    TableError
        No Parquet file, a damaged one, files of different columns, or no rows.
    """
    single = isinstance(table, str | Path) or is_table(table)
    files = list(_files(([table] if single else table), folder))
    parts: list[Part] = []
    columns: tuple[str, ...] | None = None
    before = 0
    for (place, keys), (found, rows) in zip(
        files, _of_all(_contents, [place for place, _ in files]), strict=True
    ):
        found = (*(name for name in found if name not in dict(keys)), *dict(keys))
        parts += _parts_of(place, keys, rows, before)
        before += sum(rows)
        if columns is not None and set(found) != set(columns):
            other = sorted(set(found) ^ set(columns))[0]
            raise TableError(
                f"{place} and {files[0][0]} have different columns ('{other}' is in one of them):"
                " give all files the same columns."
            )
        columns = columns or found
    if not parts or not sum(part.n_rows for part in parts):
        raise TableError("The table has no rows: give it at least one.")
    return Source(tuple(parts), columns or ())


def _files(tables: Iterable[Any], folder: Place) -> Iterator[tuple[Place, Keys]]:
    """Where files are, and their keys; frames are written as they come, one at a time held."""
    for number, table in enumerate(tables):
        if isinstance(table, str | Path):
            yield from _files_of(place_of(table))
        else:
            yield _written(table, folder / f"frame-{number:06d}.parquet"), ()


def _files_of(place: Place) -> list[tuple[Place, Keys]]:
    if place.is_file():
        return [(place, ())]
    found = [
        file
        for file in place.below()
        if file.name.endswith(".parquet") and not file.name.startswith((".", "_"))
    ]
    if not found:
        raise TableError(f"There is no Parquet file in {place}: name a folder that holds some.")
    below = [file.address[len(place.address) :].lstrip("/") for file in found]
    return list(zip(found, keys_of(below), strict=True))


def _written(table: Any, place: Place) -> Place:
    file = io.BytesIO()
    try:
        pq.write_table(pa.Table.from_pandas(as_frame(table), preserve_index=False), file)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(
            f"A frame cannot be written as Parquet ({error}): give every column one type."
        ) from None
    place.write(file.getbuffer())
    return place


def _of_all(look: Callable[[Place], T], places: Sequence[Place]) -> list[T]:
    """What a look at each of some files tells; a store is asked for many at a time."""
    if all(place.is_local for place in places):
        return [look(place) for place in places]
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        return list(threads.map(look, places))


def _contents(place: Place) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names of the columns of single values, and the rows of every row group."""
    try:
        return place.patiently(lambda: _footer(place))
    except (pa.ArrowException, OSError) as error:
        raise TableError(
            f"{place} cannot be read as Parquet ({type(error).__name__}): name a folder of Parquet"
            " files, or save this one again."
        ) from None


def _footer(place: Place) -> tuple[tuple[str, ...], tuple[int, ...]]:
    with place.open() as raw, pq.ParquetFile(raw) as file:
        columns = tuple(field.name for field in file.schema_arrow if is_flat(field.type))
        groups = range(file.metadata.num_row_groups)
        return columns, tuple(file.metadata.row_group(group).num_rows for group in groups)


@contextmanager
def _opened(place: Place) -> Iterator[pq.ParquetFile]:
    """A Parquet file whose text is read as codes; neighbouring columns come at one request."""
    with place.open() as raw:
        first = pq.ParquetFile(raw)
        text = [field.name for field in first.schema_arrow if is_text(field.type)]
        far = not place.is_local
        yield pq.ParquetFile(raw, metadata=first.metadata, read_dictionary=text, pre_buffer=far)


def _parts_of(place: Place, keys: Keys, rows: Sequence[int], before: int) -> list[Part]:
    """Neighbouring row groups of a file, about as many rows in each part; none without rows."""
    parts: list[Part] = []
    for group, n_rows in enumerate(rows):
        last = parts[-1] if parts else None
        if last is not None and last.n_rows + n_rows <= ROWS_OF_PART:
            parts[-1] = replace(last, groups=(*last.groups, group), n_rows=last.n_rows + n_rows)
        elif n_rows:
            parts.append(Part(place, (group,), before, n_rows, keys))
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
