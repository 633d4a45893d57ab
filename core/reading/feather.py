"""Read Feather, Arrow's own format of files, batch by batch."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from .parquet import frame_of_flat, is_flat
from .read_options import ReadOptions, TableError, check_size


def read_feather(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read a Feather file so that a huge one is refused early.

    Raises
    ------
    TableError
    """
    try:
        file = pa.ipc.open_file(pa.BufferReader(pa.py_buffer(data)))
        flat = [field.name for field in file.schema if is_flat(field.type)]
        batches, rows = [], 0
        for place in range(file.num_record_batches):
            batch = file.get_batch(place)
            rows += batch.num_rows
            check_size(rows, len(file.schema), name)
            batches.append(batch)
        table = pa.Table.from_batches(batches, file.schema).select(flat)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{name} cannot be read as Feather, damaged or not complete: save it again."
        ) from None
    return frame_of_flat(table, file.schema, options, name)
