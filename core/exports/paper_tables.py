"""Tables as papers print them: one file of HTML that Word takes over, or of Markdown."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..profiling.profiles import ALL, describe_by_group, natural_column
from ..schema.encoded import Encoded
from ..wording import Notation, percent

#: What ``group_table`` shows.
CAPTION = "What the groups are like: of the rows with a value, in natural units."
#: How a line says what its cells are.
MEAN, MEDIAN, SHARE = "mean (SD)", "median (quartiles)", "n (%)"
# Angle brackets as entities: not every reader of Markdown takes a backslash before them.
_MARKDOWN = str.maketrans(
    {mark: f"\\{mark}" for mark in r"\`*_[]|$~"}
    | {mark: html.escape(mark) for mark in "&<>"}
    | dict.fromkeys("\r\n", " ")
)
#: Three rules and no colours, as Word's own tables of papers have them.
_STYLE = (
    "body{font-family:'Times New Roman',serif;font-size:11pt}"
    "table{border-collapse:collapse;border-top:1.5pt solid;border-bottom:1.5pt solid;"
    "margin-bottom:18pt}caption{text-align:left;padding-bottom:4pt}"
    "th,td{padding:2pt 8pt;text-align:right;vertical-align:top}"
    "th:first-child,td:first-child{text-align:left}thead th{border-bottom:.75pt solid}"
)


def group_table(encoded: Encoded, labels: np.ndarray, titles: tuple[str, ...]) -> pd.DataFrame:
    """What each group is like, one line a column or level, one column a group, all rows first.

    Amounts by their mean and standard deviation, counts and what is read on a log scale by median
    and quartiles, levels by how many rows have them and their share of those observed. Everything
    is text, and ``Column`` says of each line what it is.
    """
    amounts, shares = describe_by_group(encoded, labels)
    clusters = [ALL, *range(len(titles))]
    sizes = np.bincount(labels, minlength=len(titles))
    lines: dict[str, list[tuple[str, list[str]]]] = {}
    for name, part in amounts.groupby(level="column", sort=False):
        part = part.droplevel("column").loc[clusters]
        by_rank = bool(part["is_log"].iloc[0]) or part["kind"].iloc[0] == "count"
        notation = natural_column(encoded, name).notation
        said = part.apply(_median if by_rank else _mean, axis=1, notation=notation)
        lines[name] = [(f"{name}, {MEDIAN if by_rank else MEAN}", list(said))]
    for (name, level), part in shares.groupby(level=["column", "level"], sort=False):
        part = part.droplevel(["column", "level"]).loc[clusters]
        said = [
            f"{n:,.0f} ({percent(share)})" if observed else "-"
            for n, observed, share in part[["n", "n_observed", "share"]].itertuples(index=False)
        ]
        lines.setdefault(name, []).append((f"{name} = {level}, {SHARE}", said))
    rows = [[f"{labels.size:,}", *(f"{n:,} ({percent(n, labels.size)})" for n in sizes)]]
    told = [line for name in encoded.columns for line in lines.get(name, [])]
    table = pd.DataFrame(rows + [cells for _, cells in told], columns=["All rows", *titles])
    table.insert(0, "Column", [f"Rows, {SHARE}", *(what for what, _ in told)], True)
    return table


def _mean(row: pd.Series, notation: Notation) -> str:
    spread = "" if np.isnan(row["sd"]) else f" ({notation.write(row['sd'])})"
    return f"{notation.write(row['mean'])}{spread}"


def _median(row: pd.Series, notation: Notation) -> str:
    middle, lower, upper = (notation.write(row[name]) for name in ("median", "lower", "upper"))
    return middle if np.isnan(row["median"]) else f"{middle} ({lower} to {upper})"


def as_html(tables: Mapping[str, pd.DataFrame]) -> bytes:
    """Tables by their captions on one page, to be opened in Word or pasted into it."""
    parts = []
    for caption, table in tables.items():
        head = "".join(f"<th>{html.escape(name)}</th>" for name in _names(table))
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>\n"
            for cells in _cells(table)
        )
        parts.append(
            f"<table>\n<caption>{html.escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n"
            f"<tbody>\n{body}</tbody>\n</table>"
        )
    page = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Tables</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join(parts) + "\n</body></html>\n"
    )
    return page.encode("utf-8", "replace")


def as_markdown(tables: Mapping[str, pd.DataFrame]) -> bytes:
    """Tables by their captions, as pandoc, GitHub, Quarto and R Markdown read them."""
    parts = []
    for caption, table in tables.items():
        lines = [_names(table), ["---", *["---:"] * (table.shape[1] - 1)], *_cells(table)]
        lines[0] = [name.translate(_MARKDOWN) for name in lines[0]]
        lines[2:] = [[cell.translate(_MARKDOWN) for cell in line] for line in lines[2:]]
        rows = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        parts.append(f"{caption.translate(_MARKDOWN)}\n\n{rows}\n")
    return "\n".join(parts).encode("utf-8", "replace")


class Format(NamedTuple):
    """A kind of file that papers are written in."""

    ending: str
    mime: str
    write: Callable[[Mapping[str, pd.DataFrame]], bytes]


FORMATS: Mapping[str, Format] = {
    "Word (HTML)": Format("html", "text/html", as_html),
    "Markdown": Format("md", "text/markdown", as_markdown),
}


def _names(table: pd.DataFrame) -> list[str]:
    return [str(name) for name in table.columns]


def _cells(table: pd.DataFrame) -> list[list[str]]:
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.to_numpy(object)]
