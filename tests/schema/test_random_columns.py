"""Random columns as people write them, and what each has to be read as."""

import io
from typing import NamedTuple

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.exports.tables import as_csv, as_parquet

BANDS = ("18-24", "25-34", "35-44", "45-64", "65+")
STUFEN = ("niedrig", "mittel", "hoch")
AGREE = ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")
#: Words for a missing cell, of which two are read as missing.
HOLES = ("", "n/a", "unknown")


def _european(amount: float) -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def _step(x: float, words: tuple[str, ...]) -> str:
    return words[int(min(abs(2 * x), len(words) - 1))]


def _day(x: float, style: str) -> str:
    return (pd.Timestamp("2020-06-01") + pd.Timedelta(int(50 * x), "D")).strftime(style)


#: How a standard normal number is written in a column of each kind.
WRITTEN = {
    "dollars": lambda x: f"${1e4 + 1e3 * x:,.2f}",
    "euros": lambda x: f"{_european(1e4 + 1e3 * x)} \u20ac",
    "small euros": lambda x: f"{abs(x):.2f} \u20ac".replace(".", ","),
    "percent": lambda x: f"{50 + 9 * x:.1f} %",
    "height": lambda x: f"{170 + 9 * x:.0f} cm",
    "accounts": lambda x: f"({-1e3 * x:,.0f})" if x < 0 else f"{1e3 * x:,.0f}",
    "limit": lambda x: "<0.5" if x < -0.5 else f"{np.exp(x):.2f}",
    "band": lambda x: _step(x, BANDS),
    "clock": lambda x: f"{int(12 + 3 * x) % 24}:{int(100 * abs(x)) % 60:02d}",
    "weight": lambda x: f"{70 + 9 * x:.1f} kg".replace(".", ","),
    "power": lambda x: f"{1e5 * np.exp(x):.3e}",
    "day": lambda x: _day(x, "%Y-%m-%d"),
    "tag": lambda x: _day(x, "%d.%m.%Y"),
    "jour": lambda x: _day(x, "%d/%m/%Y"),
    "ja": lambda x: "ja" if x > 0 else "nein",
    "si": lambda x: "s\u00ed" if x > 0 else "no",
    "oui": lambda x: "oui" if x > 0 else "non",
    "stufe": lambda x: _step(x, STUFEN),
    "agree": lambda x: _step(x, AGREE),
    "number": lambda x: round(x, 3),
}
ORDER = {
    **{"band": BANDS, "stufe": STUFEN, "agree": AGREE},
    **{"ja": ("nein", "ja"), "si": ("no", "s\u00ed"), "oui": ("non", "oui")},
}
FAMILY = dict.fromkeys(WRITTEN, "normal") | {
    **dict.fromkeys(("band", "stufe", "agree"), "binomial"),
    **dict.fromkeys(("day", "tag", "jour"), None),
    **dict.fromkeys(("ja", "si", "oui"), "bernoulli"),
}


class Column(NamedTuple):
    """What became of one column."""

    kind: str
    #: Read as said: the family, the order of its words, and every number written in it.
    right: bool
    #: Every cell as it was written, in the table and in what is exported.
    kept: bool
    reason: str


def read_columns(seed: int, rows: int = 120) -> list[Column]:
    """Write five random columns to a file, read it, guess, encode, answer and export it."""
    random = np.random.default_rng(seed)
    kinds = random.choice(list(WRITTEN), 5, replace=False)
    numbers = pd.DataFrame(random.normal(size=(rows, 5)), columns=kinds)
    written = pd.DataFrame({k: [str(WRITTEN[k](x)) for x in numbers[k]] for k in kinds})
    for name in kinds:  # holes and a stray word, as tables have them
        written.loc[random.random(rows) < 0.05, name] = random.choice(HOLES)
    frame = read_table(written.to_csv(index=False).encode(), name="written.csv")
    before, schema = frame.copy(), infer_schema(frame)
    for chosen in (schema, *(a(schema) for q in schema.questions for a in q.answers)):
        if chosen.names("cluster"):
            chosen.encode(frame)
    pd.testing.assert_frame_equal(frame, before)
    out = pd.read_parquet(io.BytesIO(as_parquet(frame)))
    text = as_csv(frame).decode("utf-8-sig")
    csv = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    for name in kinds:  # text stays text, with a guard before formulas
        is_number = pd.api.types.is_numeric_dtype(frame[name].dtype)
        csv[name] = pd.to_numeric(csv[name]) if is_number else csv[name].str.removeprefix("'")
    return [
        Column(
            name,
            _is_right(schema, frame, name, written[name], numbers[name]),
            all(_is_kept(found[name], written[name]) for found in (out, csv)),
            schema[name].reason,
        )
        for name in kinds
    ]


def _is_right(schema, frame, name: str, written: pd.Series, numbers: pd.Series) -> bool:
    spec = schema[name]
    if spec.family != FAMILY[name]:
        return False
    if name in ORDER:
        return spec.levels == tuple(level for level in ORDER[name] if (written == level).any())
    if spec.family is None:
        return True
    encoded = schema.encode(frame)
    codes = encoded.values[:, encoded.names.index(name)]
    codes = np.exp(codes) if spec.transform == "log" else codes
    expected = np.where(written.isin(HOLES), np.nan, [_meant(name, x) for x in numbers])
    return bool(np.allclose(codes, expected, rtol=1e-9, equal_nan=True))


def _meant(name: str, x: float) -> float:
    """The number that the cell of a kind says."""
    cell = str(WRITTEN[name](x))
    if cell.startswith("<"):
        return np.nan
    if name == "clock":
        hours, minutes = cell.split(":")
        return int(hours) + int(minutes) / 60
    if name in ("euros", "small euros", "weight"):
        cell = cell.replace(".", "").replace(",", ".")
    number = cell.strip("$\u20ac %kgcm()").replace(",", "")
    return -float(number) if cell.startswith("(") else float(number)


def _is_kept(found: pd.Series, written: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(found.dtype):
        plain = pd.to_numeric(written, errors="coerce").to_numpy()
        return bool(np.array_equal(found.to_numpy(np.float64), plain, equal_nan=True))
    if pd.api.types.is_datetime64_any_dtype(found.dtype):
        found = found.dt.strftime("%Y-%m-%d")
    cells = found.astype(object).where(found.notna(), "").astype(str)
    is_hole = (cells == "").to_numpy() & written.isin(HOLES[:2]).to_numpy()
    return bool(((cells.to_numpy() == written.to_numpy()) | is_hole).all())


def test_random_columns_as_people_write_them():
    columns = [column for seed in range(16) for column in read_columns(seed)]
    assert {column.kind for column in columns} == set(WRITTEN)
    assert [(c.kind, c.reason) for c in columns if not (c.right and c.kept)] == []
