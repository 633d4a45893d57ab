"""Files that hold no table, such as a zip of a CSV: what each is, and what to do instead."""

from __future__ import annotations

from collections.abc import Collection

from .read_options import TableError

# First bytes of what is often uploaded by mistake: what it is, and what to do instead.
_UNREADABLE = (
    (b"BZh", "compressed (bzip2)", "unpack it first"),
    (b"\xfd7zXZ", "compressed (xz)", "unpack it first"),
    (b"(\xb5/\xfd", "compressed (zstd)", "unpack it first"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it first"),
    (b"Rar!", "a rar archive", "unpack it first"),
    (b"%PDF", "a PDF", "copy its table into a spreadsheet and save that as CSV"),
    (b"\x89PNG", "a picture", "choose a table instead"),
    (b"\xff\xd8\xff", "a picture", "choose a table instead"),
    (b"GIF8", "a picture", "choose a table instead"),
    (b"\x89HDF", "an HDF5 file", "save its table as Parquet or CSV"),
    (b"SQLite format 3", "a database", "export its table as CSV"),
    (b"RDX", "an R workspace", "write its table with write.csv"),
    (b"\x80\x04", "a Python pickle, which is never opened", "save the table as Parquet or CSV"),
    (b"\x80\x05", "a Python pickle, which is never opened", "save the table as Parquet or CSV"),
)


def refuse_by_first_bytes(start: bytes, name: str) -> None:
    """Refuse what its first bytes say is no table.

    Raises
    ------
    TableError
    """
    for magic, what, advice in _UNREADABLE:
        if start.startswith(magic):
            raise TableError(f"{name} is {what}: {advice}.")


def refuse_zip_of_other_files(members: Collection[str], name: str) -> None:
    """Refuse a zip archive that is no workbook.

    Raises
    ------
    TableError
    """
    if not {"xl/workbook.xml", "xl/workbook.bin", "mimetype"} & {*members}:
        raise TableError(f"{name} is a zip archive, not a table: unpack it and load the table.")
