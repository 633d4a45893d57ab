"""Read Feather, Arrow's own format of files: measured by what it says of itself, then decoded.

A message of an Arrow file is a flatbuffers table and a body. The table has the rows, and where the
body's buffers lie; a packed buffer begins with its unpacked length, which Arrow holds it to.
"""

from __future__ import annotations

import struct

import numpy as np
import pandas as pd
import pyarrow as pa

from .parquet import check_unpacked, frame_of_flat, is_flat
from .read_options import ReadOptions, TableError, check_size

#: The mark that such a file begins with, up to the first message; the messages are a stream.
_MARK = 8
#: Fields of the tables in Arrow's Message.fbs, and kinds of a message's header.
_KIND, _HEADER, _DATA = 1, 2, 1
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3
_OF_DICTIONARY, _OF_ROWS = 2, 3


def read_feather(
    data: memoryview, options: ReadOptions, name: str
) -> tuple[pd.DataFrame, list[str]]:
    """Read a Feather file, a huge one refused before any of it is unpacked.

    Raises
    ------
    TableError
    """
    buffer = pa.py_buffer(data)
    try:
        file = pa.ipc.open_file(pa.BufferReader(buffer))
        stream = buffer.slice(_MARK)
        batches, rows, unpacked = _measured(stream)
        if batches != file.num_record_batches:
            raise ValueError("cut short")
        check_size(rows, len(file.schema), name)
        check_unpacked(unpacked, name)
        flat = [field.name for field in file.schema if is_flat(field.type)]
        # What was measured is what is read: the file's own list of messages may name others.
        table = pa.ipc.open_stream(pa.BufferReader(stream)).read_all().select(flat)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, IndexError, struct.error) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(
            f"{name} cannot be read as Feather, damaged or not complete: save it again."
        ) from None
    return frame_of_flat(table, file.schema, options, name)


def _measured(stream: pa.Buffer) -> tuple[int, int, int]:
    """Batches, rows, and bytes once unpacked, of a stream of messages none of which is decoded."""
    batches = rows = unpacked = 0
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(stream)):
        about = memoryview(message.metadata)
        root = _target(about, 0)
        kind = about[_place(about, root, _KIND)]
        if kind not in (_OF_DICTIONARY, _OF_ROWS):
            continue
        batch = _target(about, _place(about, root, _HEADER))
        if kind == _OF_DICTIONARY:
            batch = _target(about, _place(about, batch, _DATA))
        else:
            length = _place(about, batch, _LENGTH)
            rows += struct.unpack_from("<q", about, length)[0] if length else 0
            batches += 1
        unpacked += _unpacked_bytes(about, batch, message.body)
    return batches, rows, unpacked


def _unpacked_bytes(about: memoryview, batch: int, body: pa.Buffer | None) -> int:
    """Bytes of a batch's buffers once unpacked."""
    place = _place(about, batch, _BUFFERS)
    if not place or body is None:
        return 0
    vector = _target(about, place)
    count = struct.unpack_from("<I", about, vector)[0]
    begins, lengths = np.frombuffer(about, "<i8", 2 * count, vector + 4).reshape(-1, 2).T
    if not _place(about, batch, _COMPRESSION):
        return int(lengths.sum())
    filled = lengths > 0
    firsts = begins[filled, None] + np.arange(8)
    told = np.frombuffer(body, np.uint8)[firsts].view("<i8").ravel()
    # A buffer that packing would not make smaller stands as it is, behind a -1.
    sizes = np.where(told == -1, lengths[filled] - 8, told)
    if (sizes < 0).any():
        raise ValueError("a negative size")
    return sum(sizes.tolist())


def _place(data: memoryview, table: int, field: int) -> int:
    """Where a field of a flatbuffers table lies; 0 where it is left out."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    at = 4 + 2 * field
    if at >= struct.unpack_from("<H", data, fields)[0]:
        return 0
    offset = struct.unpack_from("<H", data, fields + at)[0]
    return table + offset if offset else 0


def _target(data: memoryview, place: int) -> int:
    """Where the offset at a place points to."""
    return place + struct.unpack_from("<I", data, place)[0]
