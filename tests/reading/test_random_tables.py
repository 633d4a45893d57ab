"""Random tables written as text in many hands, each with the values that it should be read as."""

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import ReadOptions, read_table

WORDS = {
    "utf-8": ("Größe", "Ж", "naïve", "低", "μ", "plain", "two words", "O'Brien"),
    "cp1252": ("Größe", "café", "señor", "plain", "two words", "O'Brien", "10 µg", "naïve"),
    "utf-16": ("Größe", "Ж", "naïve", "低", "plain", "two words"),
}
WORDS |= {"utf-8-sig": WORDS["utf-8"], "utf-16-be": WORDS["utf-16"]}
MISSING = ("", "NA", "n/a", "?", "-", "NULL")


@dataclass(frozen=True)
class Written:
    """A column: its cells as text, and what each should be read as (None for missing)."""

    name: str
    cells: list[str]
    values: list[float | str | None]
    #: Whether its cells can be meant in one way only.
    is_clear: bool = True


def grouped(number: float, decimals: int, sign: str, mark: str) -> str:
    """A number with its digits in groups of three."""
    return f"{number:,.{decimals}f}".replace(",", "\0").replace(".", sign).replace("\0", mark)


def numbers(rng: np.random.Generator, name: str, n: int) -> Written:
    """Numbers of 0 to 6 decimals, with or without groups, by a point or by a comma."""
    decimals = int(rng.integers(0, 7))
    sign = str(rng.choice([".", ","], p=[0.7, 0.3]))
    mark = str(rng.choice(["", "", " ", "'", {".": ",", ",": "."}[sign]]))
    scale = 10.0 ** rng.integers(-1, 7)
    values = rng.normal(0 if rng.random() < 0.4 else 3 * scale, scale, n).round(decimals) + 0.0
    if rng.random() < 0.3:
        values = np.abs(values)
    cells = [grouped(v, decimals, sign, mark) for v in values]
    if rng.random() < 0.2 and not decimals:
        cells = [f"+{cell}" if v > 0 else cell for cell, v in zip(cells, values, strict=True)]
    signed = [cell for cell in cells if re.search(r"[.,]", cell)]
    in_threes = all(re.fullmatch(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+", c) for c in signed)
    one_group = all(len(re.findall(r"[.,]", c)) == 1 for c in signed)
    listed = all(re.fullmatch(r"[1-9]\d?(,[1-9]\d?)?", cell) for cell in cells)
    is_clear = not (signed and ((in_threes and one_group) or listed))
    return Written(name, cells, values.tolist(), is_clear)


def text(rng: np.random.Generator, name: str, n: int, encoding: str) -> Written:
    """Codes with zeros in front, digits beyond floating point, signs, or words with delimiters."""
    width = int(rng.integers(2, 6))
    some = [*WORDS[encoding], "a, b and c", "x; y", 'said "no"']
    cells = {
        "codes": lambda: [f"{k:0{width}d}" for k in rng.integers(0, 10 ** (width - 1), n)],
        "long": lambda: [str(10**17 + int(k)) for k in rng.integers(0, 10**16, n)],
        "signs": lambda: ["+", "-", *map(str, rng.choice(["+", "-"], n - 2))],
        "words": lambda: [str(word) for word in rng.choice(some, n)],
    }[name.rstrip("0123456789")]()
    return Written(name, cells, [*cells], not name.startswith("codes"))


def with_missing(rng: np.random.Generator, column: Written) -> Written:
    """The same with some cells missing, by one token."""
    if rng.random() < 0.5 or {"+", "-"} & {*column.cells}:
        return column
    token, holes = str(rng.choice(MISSING)), rng.random(len(column.cells)) < 0.15
    holes[:2] = False
    cells = [token if hole else cell for hole, cell in zip(holes, column.cells, strict=True)]
    values = [None if hole else v for hole, v in zip(holes, column.values, strict=True)]
    is_sum = token == "-" and any(re.search(r"\d[,. ']\d{3}", cell) for cell in cells)
    return replace(column, cells=cells, values=values, is_clear=column.is_clear and not is_sum)


def table(rng: np.random.Generator) -> tuple[bytes, list[Written], tuple[str, str]]:
    """A table of two to seven columns, as the bytes of a file; its delimiter and encoding."""
    encoding, n = (
        str(rng.choice([*WORDS], p=[0.35, 0.35, 0.1, 0.1, 0.1])),
        int(rng.integers(12, 120)),
    )
    columns = []
    for place in range(int(rng.integers(2, 8))):
        kinds = ["numbers", "codes", "long", "signs", "words"]
        name = f"{rng.choice(kinds, p=[0.6, 0.1, 0.05, 0.05, 0.2])}{place}"
        is_number = name.startswith("numbers")
        column = numbers(rng, name, n) if is_number else text(rng, name, n, encoding)
        columns.append(with_missing(rng, column))
    quoting = csv.QUOTE_ALL if rng.random() < 0.2 else csv.QUOTE_MINIMAL
    delimiter = str(rng.choice([*",;\t|^~"], p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1]))
    writer = csv.writer(file := io.StringIO(), delimiter=delimiter, quoting=quoting)
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(column.cells for column in columns), strict=True))
    content = file.getvalue().encode(encoding)
    is_plain = encoding == "cp1252" and content.isascii()
    return content, columns, (delimiter, "utf-8" if is_plain else encoding)


def judged(seed: int) -> Iterator[tuple[str, Written, str]]:
    """Of each column: "equal", "noted" (read otherwise, with a note) or "wrong"; its notes."""
    content, columns, written = table(np.random.default_rng(seed))
    frame = read_table(content)
    options = ReadOptions(**frame.attrs["read_options"])
    assert (options.delimiter, options.encoding) == written
    named = [f"'{column.name}'" for column in columns] + ["read as cp1252"]
    assert all(any(name in note for name in named) for note in frame.attrs["notes"])
    for column in columns:
        notes = " ".join(note for note in frame.attrs["notes"] if f"'{column.name}'" in note)
        read = frame[column.name].tolist() if column.name in frame else []
        is_equal = [None if pd.isna(cell) else cell for cell in read] == column.values
        yield "equal" if is_equal else "noted" if notes else "wrong", column, notes


@pytest.mark.parametrize("block", range(4))
def test_random_tables_come_back_equal_or_are_noted(block):
    found = [o for seed in range(40 * block, 40 * block + 40) for o in judged(seed)]
    wrong = [(column.name, column.cells[:3]) for outcome, column, _ in found if outcome == "wrong"]
    assert not wrong
    clear = [notes != "" for _, column, notes in found if column.is_clear]
    assert sum(clear) <= 0.02 * len(clear)
