"""Folders that say what is in them, as year=2024/month=01: their keys are columns of the table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from urllib.parse import unquote

import pyarrow as pa

#: What stands for a missing value.
MISSING = "__HIVE_DEFAULT_PARTITION__"
_WHOLE = re.compile(r"-?\d{1,18}")

#: Names and values of the folders that a file is in.
Keys = tuple[tuple[str, int | str | None], ...]


def keys_of(paths: Sequence[str]) -> list[Keys]:
    """Of every path below the folder of a table, the keys; whole numbers where all are."""
    found = [
        {
            unquote(name): unquote(value)
            for name, equals, value in (folder.partition("=") for folder in folders)
            if equals and name
        }
        for folders in (PurePosixPath(path).parts[:-1] for path in paths)
    ]
    values: dict[str, set[str]] = {}
    for keys in found:
        for name, value in keys.items():
            values.setdefault(name, set()).add(value)
    are_whole = {
        name: all(_WHOLE.fullmatch(value) for value in known - {MISSING})
        for name, known in values.items()
    }
    return [
        tuple((name, _value(value, are_whole[name])) for name, value in keys.items())
        for keys in found
    ]


def _value(text: str, is_whole: bool) -> int | str | None:
    if text == MISSING:
        return None
    return int(text) if is_whole else text


def with_keys(table: pa.Table, keys: Keys, columns: Sequence[str]) -> pa.Table:
    """Some rows of a file with the keys that are asked for, all columns in the order asked for."""
    for name, value in keys:
        if name in columns:
            if name in table.column_names:
                table = table.drop_columns(name)
            table = table.append_column(name, _repeated(value, table.num_rows))
    return table.select(list(columns))


def _repeated(value: int | str | None, n: int) -> pa.Array:
    if isinstance(value, str):
        return pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), [value])
    return pa.repeat(pa.scalar(value, pa.int64()), n)
