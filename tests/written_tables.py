"""Random tables written as text in many hands, each with the values that it should be read as.

``python -m tests.written_tables 2000`` prints how many columns come back equal, how many with a
note that names them, and how many wrong without a word.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mapdp_studio.core import read_table

WORDS = {
    "utf-8": ("Größe", "Ж", "naïve", "低", "μ", "plain", "two words", "O'Brien"),
    "cp1252": ("Größe", "café", "señor", "plain", "two words", "O'Brien", "10 µg", "naïve"),
    "utf-16": ("Größe", "Ж", "naïve", "低", "plain", "two words"),
}
MISSING = ("", "NA", "n/a", "?", "-", "NULL")


@dataclass(frozen=True)
class Written:
    """A column: its cells as text, and what each should be read as (None for missing)."""

    name: str
    cells: list[str]
    values: list[float | str | None]
    #: Whether its cells can be meant in one way only.
    is_clear: bool


def grouped(number: float, decimals: int, sign: str, mark: str) -> str:
    """A number with its digits in groups of three."""
    return f"{number:,.{decimals}f}".replace(",", "\0").replace(".", sign).replace("\0", mark)


def numbers(rng: np.random.Generator, name: str, n: int) -> Written:
    """Numbers of 0 to 6 decimals, with or without groups, by a point or by a comma."""
    decimals = int(rng.integers(0, 7))
    sign = str(rng.choice([".", ","], p=[0.7, 0.3]))
    marks = ["", "", " ", "'", {".": ",", ",": "."}[sign]]
    mark = str(rng.choice(marks))
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


def codes(rng: np.random.Generator, name: str, n: int) -> Written:
    """Codes with zeros in front."""
    width = int(rng.integers(2, 6))
    cells = [f"{k:0{width}d}" for k in rng.integers(0, 10 ** (width - 1), n)]
    return Written(name, cells, [*cells], is_clear=False)


def long_digits(rng: np.random.Generator, name: str, n: int) -> Written:
    """Identifiers of more digits than floating point holds."""
    cells = [str(10**17 + int(k)) for k in rng.integers(0, 10**16, n)]
    return Written(name, cells, [*cells], is_clear=True)


def signs(rng: np.random.Generator, name: str, n: int) -> Written:
    """A plus or a minus."""
    cells = ["+", "-", *rng.choice(["+", "-"], n - 2)]
    return Written(name, cells, [*cells], is_clear=True)


def words(rng: np.random.Generator, name: str, n: int, encoding: str) -> Written:
    """Words, some with the delimiter in them."""
    some = [*WORDS[encoding], "a, b and c", "x; y", 'said "no"']
    cells = [str(word) for word in rng.choice(some, n)]
    return Written(name, cells, [*cells], is_clear=True)


def with_missing(rng: np.random.Generator, column: Written) -> Written:
    """The same with some cells missing, by one token."""
    if rng.random() < 0.5 or {"+", "-"} & {*column.cells}:
        return column
    token = str(rng.choice(MISSING))
    holes = rng.random(len(column.cells)) < 0.15
    holes[:2] = False
    cells = [token if hole else cell for hole, cell in zip(holes, column.cells, strict=True)]
    values = [None if hole else v for hole, v in zip(holes, column.values, strict=True)]
    grouped_cells = any(re.search(r"\d[,. ']\d{3}", cell) for cell in cells)
    return Written(
        column.name, cells, values, column.is_clear and not (token == "-" and grouped_cells)
    )


def table(rng: np.random.Generator) -> tuple[bytes, list[Written]]:
    """A table of two to seven columns, as the bytes of a file."""
    encoding = str(rng.choice([*WORDS], p=[0.5, 0.35, 0.15]))
    n = int(rng.integers(12, 120))
    columns = []
    for place in range(int(rng.integers(2, 8))):
        kind = rng.choice(
            ["numbers", "codes", "long", "signs", "words"], p=[0.6, 0.1, 0.05, 0.05, 0.2]
        )
        name = f"{kind}{place}"
        make = {"numbers": numbers, "codes": codes, "long": long_digits, "signs": signs}.get(kind)
        column = words(rng, name, n, encoding) if make is None else make(rng, name, n)
        columns.append(with_missing(rng, column))
    quoting = csv.QUOTE_ALL if rng.random() < 0.2 else csv.QUOTE_MINIMAL
    file = io.StringIO()
    delimiter = str(rng.choice([",", ";", "\t", "|"], p=[0.4, 0.3, 0.2, 0.1]))
    writer = csv.writer(file, delimiter=delimiter, quoting=quoting)
    writer.writerow([column.name for column in columns])
    writer.writerows(zip(*(column.cells for column in columns), strict=True))
    return file.getvalue().encode(encoding), columns


def judged(seed: int) -> Iterator[tuple[str, Written, str]]:
    """What becomes of each column of one table: "equal", "noted" or "wrong"; the notes on it.

    Yields
    ------
    str
        "equal", "noted" (read otherwise, with a note that names the column) or "wrong".
    Written
    str
        The notes that name it.
    """
    content, columns = table(np.random.default_rng(seed))
    frame = read_table(content)
    for column in columns:
        notes = [note for note in frame.attrs["notes"] if f"'{column.name}'" in note]
        yield _outcome(frame, column, bool(notes)), column, " ".join(notes)


def _outcome(frame: pd.DataFrame, column: Written, is_noted: bool) -> str:
    if column.name in frame and len(frame) == len(column.values):
        read = [None if pd.isna(cell) else cell for cell in frame[column.name].tolist()]
        if read == column.values:
            return "equal"
    return "noted" if is_noted else "wrong"


def main(n: int) -> None:
    """Print the table."""
    outcomes: Counter[str] = Counter()
    clear: Counter[bool] = Counter()
    for seed in range(n):
        for outcome, column, notes in judged(seed):
            outcomes[outcome] += 1
            if column.is_clear:
                clear[bool(notes)] += 1
            if outcome == "wrong":
                print(seed, column.name, column.cells[:4])
    total = sum(outcomes.values())
    for outcome in ("equal", "noted", "wrong"):
        print(f"{outcome:6} {outcomes[outcome]:6,} of {total:,} columns")
    print(f"notes on {clear[True] / sum(clear.values()):.2%} of the columns with one reading")


if __name__ == "__main__":
    main(int(sys.argv[1]))
