"""Files that are packed: gzip, and a zip archive with one table in it; unpacked within limits."""

from __future__ import annotations

import io
import os
import zipfile
import zlib

from .read_options import MAX_BYTES, TableError

_STEP = 1024**2
_ASIDE = ("__MACOSX/", ".")


def unpacked(data: memoryview, name: str) -> tuple[memoryview, str]:
    """What a packed file holds and its name; a file that is not packed as it is.

    Raises
    ------
    TableError
        Damaged, too large once unpacked, or an archive of several files.
    """
    start = bytes(data[:4])
    if start[:3] == b"\x1f\x8b\x08":
        plain = name.strip("'")
        inner = plain[:-3] if plain.lower().endswith(".gz") else plain
        return memoryview(_gunzipped(data, name)), f"'{inner}'" if name != "The file" else name
    if start == b"PK\x03\x04":
        return _of_archive(data, name)
    return data, name


def _gunzipped(data: memoryview, name: str) -> bytes:
    parts, size = [], 0
    unzip = zlib.decompressobj(wbits=31)
    pending = bytes(data)
    try:
        while pending and not unzip.eof:
            part = unzip.decompress(pending, _STEP)
            pending = unzip.unconsumed_tail
            size += len(part)
            parts.append(part)
            if size > MAX_BYTES:
                raise _too_large(name)
    except zlib.error:
        raise _damaged(name) from None
    if not unzip.eof:
        raise _damaged(name)
    return b"".join(parts)


def _of_archive(data: memoryview, name: str) -> tuple[memoryview, str]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir()
            and not member.filename.startswith(_ASIDE)
            and not os.path.basename(member.filename).startswith(".")
        ]
    except (zipfile.BadZipFile, OSError, ValueError):
        return data, name  # told as a damaged workbook, the likeliest of its kind
    names = [member.filename for member in members]
    if {"[Content_Types].xml", "xl/workbook.xml", "mimetype"} & set(names):
        return data, name  # a workbook, or another document
    if len(members) != 1:
        some = ", ".join(sorted(names)[:3]) or "nothing"
        raise TableError(
            f"{name} holds {len(members):,} files ({some}): unpack it and load one of them."
        )
    if members[0].file_size > MAX_BYTES:
        raise _too_large(name)
    try:
        with archive.open(members[0]) as file:
            content = file.read(MAX_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError):
        raise _damaged(name) from None
    if len(content) > MAX_BYTES:
        raise _too_large(name)
    return memoryview(content), f"'{os.path.basename(members[0].filename)}'"


def _too_large(name: str) -> TableError:
    return TableError(
        f"{name} unpacks to more than {MAX_BYTES // 1024**2} MB: keep a sample of the rows, or "
        "save it as Parquet."
    )


def _damaged(name: str) -> TableError:
    return TableError(f"{name} cannot be unpacked, damaged or not complete: save it again.")
