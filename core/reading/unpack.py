"""Unpack gzip, and a zip archive with one table in it, within limits; say what is no table."""

import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Collection
from typing import Any

from .options import MAX_BYTES, TableError

DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError)
#: One of these is in every workbook of Excel, and in those of other makers.
_OF_WORKBOOKS = {"xl/workbook.xml", "xl/workbook.bin", "mimetype"}
#: First bytes of what is often uploaded by mistake, and what to do instead.
_NO_TABLES = {
    b"BZh": "compressed (bzip2): unpack it first",
    b"\xfd7zXZ": "compressed (xz): unpack it first",
    b"(\xb5/\xfd": "compressed (zstd): unpack it first",
    b"7z\xbc\xaf": "a 7z archive: unpack it first",
    b"Rar!": "a rar archive: unpack it first",
    b"%PDF": "a PDF: copy its table into a spreadsheet and save that as CSV",
    **dict.fromkeys((b"\x89PNG", b"\xff\xd8\xff", b"GIF8"), "a picture: choose a table instead"),
    b"\x89HDF": "an HDF5 file: save its table as Parquet or CSV",
    b"SQLite format 3": "a database: export its table as CSV",
    b"RDX": "an R workspace: write its table with write.csv",
    **dict.fromkeys(
        (b"\x80\x04", b"\x80\x05"),
        "a Python pickle, which is never opened: save the table as Parquet or CSV",
    ),
}


def refuse_by_first_bytes(start: bytes, name: str) -> None:
    """Refuse what its first bytes say is no table."""
    for magic, what in _NO_TABLES.items():
        if start.startswith(magic):
            raise TableError(f"{name} is {what}.")


def refuse_zip_of_other_files(members: Collection[str], name: str) -> None:
    """Refuse a zip archive that is no workbook."""
    if not _OF_WORKBOOKS & {*members}:
        raise TableError(f"{name} is a zip archive, not a table: unpack it and load the table.")


def unpacked(data: memoryview, name: str) -> tuple[memoryview, str]:
    """What a packed file holds and its name; a file that is not packed as it is."""
    start = bytes(data[:4])
    if start[:3] == b"\x1f\x8b\x08":
        inner = name[:-4] + "'" if name.lower().endswith(".gz'") else name
        return _content(lambda: gzip.open(io.BytesIO(data)), name), inner
    if start != b"PK\x03\x04":
        return data, name
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except DAMAGED:
        return data, name  # told as a damaged workbook, the likeliest of its kind
    names = [
        member.filename
        for member in archive.infolist()
        if not (member.is_dir() or member.filename.startswith("__MACOSX/"))
        and not (member.filename.startswith(".") or os.path.basename(member.filename)[:1] == ".")
    ]
    if ({"[Content_Types].xml"} | _OF_WORKBOOKS) & {*names}:
        return data, name  # a workbook, or another document
    if len(names) != 1:
        some = ", ".join(sorted(names)[:3]) or "nothing"
        raise TableError(
            f"{name} holds {len(names):,} files ({some}): unpack it and load one of them."
        )
    return _content(lambda: archive.open(names[0]), name), f"'{os.path.basename(names[0])}'"


def _content(opened: Callable[[], Any], name: str) -> memoryview:
    try:
        with opened() as file:
            content = file.read(MAX_BYTES + 1)
    except DAMAGED:
        what = f"{name} cannot be unpacked, damaged or not complete"
        raise TableError(f"{what}: save it again.") from None
    if len(content) > MAX_BYTES:
        what = f"{name} unpacks to more than {MAX_BYTES // 1024**2} MB"
        raise TableError(f"{what}: keep a sample of the rows, or save it as Parquet.")
    return memoryview(content)
