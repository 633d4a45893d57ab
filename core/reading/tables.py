"""Read a table from a file of any usual kind, told apart by content; else a ``TableError``."""

import gzip
import io
import os
import re
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pandas as pd
import pyarrow as pa

from .arrow_files import read_arrow
from .delimited import read_delimited, sniff_text
from .encodings import find_encoding
from .excel import OF_WORKBOOKS, read_workbook
from .json_records import looks_like_json, read_json
from .options import MAX_BYTES, ReadOptions, TableError, check_size, no_rows
from .statistical import KINDS, read_statistical

__all__ = ["ReadOptions", "TableError", "read_table"]

_READERS = {
    "delimited": read_delimited,
    "json": read_json,
    "parquet": read_arrow,
    "feather": read_arrow,
    "xlsx": read_workbook,
    **dict.fromkeys(KINDS, read_statistical),
}
#: How files begin.
_BY_BYTES = {
    "parquet": rb"PAR1",
    "feather": rb"ARROW1",
    "xlsx": rb"PK\x03\x04|\xd0\xcf\x11\xe0",
    "spss": rb"\$FL[23]",
    "stata": rb"<stata_dta>|[\x71-\x73][\x01\x02]\x01",
    "sas": rb"(?s:.{12})\xc2\xea\x81`\xb3\x14\x11\xcf",
    "xport": rb"HEADER RECORD\*{7}LIB",
}
#: What saves its tables as pages often calls them .xls; a PDF may be text throughout.
_MARKUP = re.compile(rb"(\xef\xbb\xbf)?\s*(<(!doctype|html|\?xml|table)|%PDF)", re.IGNORECASE)
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, EOFError)


def read_table(
    path_or_buffer: Any, *, options: ReadOptions | None = None, name: str | None = None
) -> pd.DataFrame:
    r"""Read a table.

    Parameters
    ----------
    path_or_buffer : str, path, bytes or file-like object
        Delimited text, Parquet, Feather, JSON (lines or records), workbooks, .sav, .dta, .sas7bdat,
        .xpt; as such, in gzip, or alone in a zip.
    options : ReadOptions, optional
        How to read it; guessed from its content when None.
    name : str, optional
        What to call it in messages; its own name when None.

    Returns
    -------
    DataFrame, shape (N, M)
        Unique names without surrounding blanks. ``attrs["notes"]`` lists what was changed, and
        ``attrs["read_options"]`` the options used, as a dict for ``ReadOptions(**...)``.

    Raises
    ------
    TableError
        The file is empty, too large, damaged, or no table.

    Examples
    --------
    >>> from mapdp_studio import read_table
    >>> read_table(b"age;weight\n40;70,5\n52;81,0\n").dtypes.astype(str).to_dict()
    {'age': 'int64', 'weight': 'float64'}
    """
    data, name = _open(path_or_buffer, name)
    options = options or _sniff(data, name)
    if options.kind not in _READERS:
        raise TableError(
            f"'{options.kind}' is no kind of file: choose one of {', '.join(_READERS)}."
        )
    try:
        frame = _READERS[options.kind](data, options, name)
    except pa.ArrowException:  # damage inside a cell, met only when its text is looked at
        raise TableError(f"{name} is damaged, some text in it is no text: save it again.") from None
    pa.default_memory_pool().release_unused()
    if frame.shape[1] == 0:
        raise TableError(f"{name} holds no columns: choose a file with a table in it.")
    if len(frame) == 0:
        raise no_rows(name)
    check_size(*frame.shape, name)
    used = frame.attrs.pop("used", asdict(options))
    frame.attrs["notes"] += [doubt["text"] for doubt in frame.attrs.get("open", ())]
    frame.attrs["read_options"] = used | {n: list(used[n]) for n in ("na_tokens", "columns")}
    return frame


def _open(source: Any, name: str | None) -> tuple[memoryview, str]:
    """Get the bytes of a source, without a copy where that can be, and its name in quotes."""
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        try:
            with open(path, "rb") as file:
                return _open(file, name or os.path.basename(path))
        except TableError:
            raise
        except (OSError, ValueError) as error:  # a path with a NUL in it, say
            why = getattr(error, "strerror", error)
            raise TableError(f"'{path}' cannot be opened ({why}): check the path.") from None
    name = name or getattr(source, "name", None)
    name = f"'{name}'" if name else "The file"
    view = memoryview(_content(source, name))
    _check_bytes(len(view), name)
    if not re.search(rb"\S", view):
        raise TableError(f"{name} is empty: choose a file with a header and at least one row.")
    return _unpacked(view, name)


def _content(source: Any, name: str) -> Any:
    if isinstance(source, (bytes, bytearray, memoryview)):
        return source
    if hasattr(source, "seek"):
        _check_bytes(source.seek(0, io.SEEK_END), name)
        source.seek(0)
    if not hasattr(source, "read"):
        raise TableError(f"{name} is no file: give a path, bytes or an open file.")
    content = source.read()
    return content.encode("utf-8") if isinstance(content, str) else content


def _check_bytes(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise TableError(
            f"{name} has {size / 1024**2:,.0f} MB, more than the {MAX_BYTES // 1024**2} MB this "
            "page takes: keep a sample of the rows, or save it as Parquet."
        )


def _unpacked(data: memoryview, name: str) -> tuple[memoryview, str]:
    """What gzip, or a zip archive of one table, holds and its name; another file as it is."""
    if bytes(data[:3]) == b"\x1f\x8b\x08":
        inner = name[:-4] + "'" if name.lower().endswith(".gz'") else name
        return _from_archive(lambda: gzip.open(io.BytesIO(data)), name), inner
    if bytes(data[:4]) != b"PK\x03\x04":
        return data, name
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGED:
        return data, name  # told as a damaged workbook, the likeliest of its kind
    # Neither folders nor what a system hides.
    names = [n for n in archive.namelist() if not re.search(r"^(\.|__MACOSX/)|/(\.[^/]*)?$", n)]
    if ({"[Content_Types].xml"} | OF_WORKBOOKS) & {*names}:
        return data, name  # a workbook, or another document
    if len(names) != 1:
        some = ", ".join(sorted(names)[:3]) or "nothing"
        raise TableError(
            f"{name} holds {len(names):,} files ({some}): unpack it and load one of them."
        )
    return _from_archive(lambda: archive.open(names[0]), name), f"'{os.path.basename(names[0])}'"


def _from_archive(opened: Callable[[], Any], name: str) -> memoryview:
    try:
        with opened() as file:
            content = file.read(MAX_BYTES + 1)
    except _DAMAGED:
        what = f"{name} cannot be unpacked, damaged or not complete"
        raise TableError(f"{what}: save it again.") from None
    if len(content) > MAX_BYTES:
        what = f"{name} unpacks to more than {MAX_BYTES // 1024**2} MB"
        raise TableError(f"{what}: keep a sample of the rows, or save it as Parquet.")
    return memoryview(content)


def _sniff(data: memoryview, name: str) -> ReadOptions:
    """Guess how a file is written, from its content first and its name second."""
    for kind, beginning in _BY_BYTES.items():
        if re.match(beginning, data):
            return ReadOptions(kind=kind)
    extension = os.path.splitext(name.strip("'"))[1].lower()
    if _MARKUP.match(data):
        what = f"{name} is a page or a document, not a table"
        raise TableError(f"{what}: open it in a spreadsheet, and save that as xlsx or CSV.")
    if looks_like_json(data, extension):
        return ReadOptions(kind="json", encoding=find_encoding(data, name))
    return sniff_text(data, name)
