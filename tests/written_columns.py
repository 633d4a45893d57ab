"""Random columns as people write them, and what each has to be read as."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.exports.tables import as_csv, as_parquet

_FIRST = pd.Timestamp("2020-06-01")


def _european(amount: float) -> str:
    return f"{amount:,.2f}".translate(str.maketrans(",.", ".,"))


def _step(x: float, words: tuple[str, ...]) -> str:
    return words[int(min(abs(2 * x), len(words) - 1))]


#: How a standard normal number is written in a column of each kind.
WRITTEN = {
    "dollars": lambda x: f"${1e4 + 1e3 * x:,.2f}",
    "euros": lambda x: f"{_european(1e4 + 1e3 * x)} \u20ac",
    "small euros": lambda x: f"{abs(x):.2f} \u20ac".replace(".", ","),
    "percent": lambda x: f"{50 + 9 * x:.1f} %",
    "height": lambda x: f"{170 + 9 * x:.0f} cm",
    "accounts": lambda x: f"({-1e3 * x:,.0f})" if x < 0 else f"{1e3 * x:,.0f}",
    "limit": lambda x: "<0.5" if x < -0.5 else f"{np.exp(x):.2f}",
    "band": lambda x: _step(x, ("18-24", "25-34", "35-44", "45-64", "65+")),
    "clock": lambda x: f"{int(12 + 3 * x) % 24}:{int(100 * abs(x)) % 60:02d}",
    "weight": lambda x: f"{70 + 9 * x:.1f} kg".replace(".", ","),
    "power": lambda x: f"{1e5 * np.exp(x):.3e}",
    "day": lambda x: str((_FIRST + pd.Timedelta(int(50 * x), "D")).date()),
    "tag": lambda x: (_FIRST + pd.Timedelta(int(50 * x), "D")).strftime("%d.%m.%Y"),
    "jour": lambda x: (_FIRST + pd.Timedelta(int(50 * x), "D")).strftime("%d/%m/%Y"),
    "ja": lambda x: "ja" if x > 0 else "nein",
    "si": lambda x: "s\u00ed" if x > 0 else "no",
    "oui": lambda x: "oui" if x > 0 else "non",
    "stufe": lambda x: _step(x, ("niedrig", "mittel", "hoch")),
    "agree": lambda x: _step(
        x, ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree")
    ),
    "number": lambda x: round(x, 3),
}
FAMILY = dict.fromkeys(WRITTEN, "normal") | {
    **dict.fromkeys(("band", "stufe", "agree"), "binomial"),
    **dict.fromkeys(("day", "tag", "jour"), None),
    **dict.fromkeys(("ja", "si", "oui"), "bernoulli"),
}
ORDER = {
    "band": ("18-24", "25-34", "35-44", "45-64", "65+"),
    "stufe": ("niedrig", "mittel", "hoch"),
    "agree": ("Strongly disagree", "Disagree", "Neither", "Agree", "Strongly agree"),
    "ja": ("nein", "ja"),
    "si": ("no", "s\u00ed"),
    "oui": ("non", "oui"),
}


@dataclass(frozen=True)
class Column:
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
        word = random.choice(["", "unknown", "n/a"])
        written.loc[random.random(rows) < 0.05, name] = word
    frame = read_table(written.to_csv(index=False).encode(), name="written.csv")
    before = frame.copy()
    schema = infer_schema(frame)
    for chosen in (schema, *(a(schema) for q in schema.questions for a in q.answers)):
        if chosen.names("cluster"):
            chosen.encode(frame)
    pd.testing.assert_frame_equal(frame, before)
    out = pd.read_parquet(io.BytesIO(as_parquet(frame)))
    text = as_csv(frame).decode("utf-8-sig")
    csv = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    return [
        Column(
            name,
            _is_right(schema, frame, name, written[name], numbers[name]),
            _is_kept(out[name], written[name])
            and _is_kept(_like(frame[name], csv[name]), written[name]),
            schema[name].reason,
        )
        for name in kinds
    ]


def _is_right(schema, frame, name: str, written: pd.Series, numbers: pd.Series) -> bool:
    spec = schema[name]
    if spec.family != FAMILY[name]:
        return False
    seen = ~written.isin(["", "unknown", "n/a"])
    if name in ORDER:
        wanted = [level for level in ORDER[name] if (written == level).any()]
        return spec.levels == tuple(wanted)
    if spec.family is None:
        return True
    encoded = schema.encode(frame)
    codes = encoded.values[:, encoded.names.index(name)]
    codes = np.exp(codes) if spec.transform == "log" else codes
    expected = np.array([_meant(name, x) for x in numbers])
    expected[~seen] = np.nan
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


def _like(read: pd.Series, exported: pd.Series) -> pd.Series:
    """The text of a CSV as numbers where the column was numbers; without the guard of formulas."""
    plain = pd.api.types.is_numeric_dtype(read.dtype)
    return pd.to_numeric(exported) if plain else exported.str.removeprefix("'")


def _is_kept(found: pd.Series, written: pd.Series) -> bool:
    if pd.api.types.is_numeric_dtype(found.dtype):
        plain = pd.to_numeric(written, errors="coerce").to_numpy()
        return bool(np.array_equal(found.to_numpy(np.float64), plain, equal_nan=True))
    if pd.api.types.is_datetime64_any_dtype(found.dtype):
        found = found.dt.strftime("%Y-%m-%d")
    cells = found.astype(object).where(found.notna(), "").astype(str)
    same = cells.to_numpy() == written.to_numpy()
    holes = (cells == "").to_numpy() & written.isin(["", "n/a"]).to_numpy()
    return bool((same | holes).all())
