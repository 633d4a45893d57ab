"""What an intruder reads: tables, text and figures of a report; and what its sums tell."""

from __future__ import annotations

import base64
import html
import json
import re
from functools import cached_property

import numpy as np
import pandas as pd

from core.clinical.report import Package
from core.schema.spec import NUMBER
from core.statistics.suppression import HIDDEN
from core.statistics.variables import Variable
from tests.benchmarks.disclosure_bounds import Known

#: Different values up to which patients are counted by value.
MOST_VALUES = 30
NUMBER_IN_TEXT = r"[\d,]+(?:\.\d+)?"


class Reader:
    """Everything of one package, as whoever receives it reads it."""

    def __init__(self, package: Package) -> None:
        self.tables, self.html = package.tables, package.html.partition("<script>")[0]

    def lines(self, table: str, column: str, of: str) -> list[dict]:
        """Lines of a CSV about one column."""
        found = self.tables.get(table, pd.DataFrame({column: []}))
        return found[found[column] == of].to_dict("records")

    def of_table_one(self, title: str) -> list[dict]:
        """Lines of Table 1 about a column, whatever summary its name ends with."""
        lines = self.tables["table-1"]
        names = lines["Column"].str.replace(r", (?:mean|median) .*", "", regex=True)
        return lines[names == title].to_dict("records")

    @cached_property
    def printed(self) -> list[tuple[str, pd.DataFrame]]:
        """Tables of the report with their captions."""
        found = []
        for text in re.findall(r"<table>(.*?)</table>", self.html, flags=re.DOTALL):
            caption = re.search(r"<caption>(.*?)</caption>", text, flags=re.DOTALL)
            rows = [
                [html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)]
                for row in re.findall(r"<tr>(.*?)</tr>", text, flags=re.DOTALL)
            ]
            said = "" if caption is None else html.unescape(caption.group(1))
            found.append((said, pd.DataFrame(rows[1:], columns=rows[0])))
        return found

    @cached_property
    def figures(self) -> list[dict]:
        """Figures of the report."""
        found = re.findall(
            r'<script type="application/json">(.*?)</script>', self.html, flags=re.DOTALL
        )
        return [json.loads(figure) for figure in found]

    def overall(self, title: str) -> dict | None:
        """The line of a column in the table of all groups at once."""
        for caption, table in self.printed:
            if caption.startswith("All groups at once"):
                for line in table[table["Column"] == title].to_dict("records"):
                    return line
        return None

    @cached_property
    def heat(self) -> tuple[list[str], list[str], np.ndarray] | None:
        """Columns, groups and standardised means of the heat map."""
        for figure in self.figures:
            first = figure["data"][0] if figure["data"] else {}
            if first.get("type") == "heatmap" and "ticktext" in figure["layout"]["yaxis"]:
                names = figure["layout"]["yaxis"]["ticktext"]
                across = figure["layout"]["xaxis"]["ticktext"]
                return names, across, array(first["z"]).reshape(len(names), -1)
        return None

    @cached_property
    def share_missing(self) -> tuple[float, float] | None:
        """Bounds of the share of missing cells that the methods tell; None where it is not told."""
        found = re.search(rf"({NUMBER_IN_TEXT}) % of the cells", self.html)
        if found is None:
            return (0.0, 0.0) if "No cell missing" in self.html else None
        share, half = float(found.group(1)) / 100, half_unit(found.group(1)) / 100
        return share - half, share + half


def array(data: object) -> np.ndarray:
    """Numbers of a figure, written as a list or packed."""
    if isinstance(data, dict):
        return np.frombuffer(base64.b64decode(data["bdata"]), data["dtype"]).astype(np.float64)
    return np.array([np.nan if one is None else one for one in np.ravel(data)], dtype=np.float64)


def half_unit(text: str) -> float:
    """Half a unit of the last digit of a number as printed."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def half_of(number: float) -> float:
    """The same of a number of a CSV, which has four digits or all of them."""
    if float(f"{number:.4g}") != number:
        return 1e-9
    return 0.5 * 10.0 ** (np.floor(np.log10(abs(number))) - 3) if number else 0.0


def is_number(value: object) -> bool:
    return value is not None and not isinstance(value, str) and not pd.isna(value)


def levels_of(column: Variable) -> np.ndarray:
    """Amounts of the levels that are counted; of a measurement one, "observed"."""
    if column.kind in ("yes/no", "category"):
        return np.arange(len(column.levels), dtype=np.float64)
    if column.kind == "rating":
        return column.scores
    if column.kind == "time to event":
        return np.array([0.0, 1.0])
    values = np.unique(column.amounts[column.observed])
    if column.kind == "count":
        values = np.arange(values.max() + 1.0)
    return values if values.size <= MOST_VALUES else np.zeros(1)


def crossed(column: Variable, labels: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """The truth: patients by group and level, the last being the missing."""
    amounts = column.events.astype(float) if column.events is not None else column.amounts
    amounts = column.values if amounts is None else amounts
    places = np.searchsorted(levels, np.nan_to_num(amounts)) if levels.size > 1 else 0
    places = np.where(column.observed, places, levels.size)
    counts = np.zeros((labels.max() + 1, levels.size + 1), dtype=np.int64)
    np.add.at(counts, (labels, places), 1)
    return counts


def learn(known: Known, read: Reader, column: Variable, key: str, titles: list[str]) -> None:
    """Every sum that one package tells of a column; ``key`` names it in the attack."""
    levels = levels_of(column)
    seen, amount = np.append(np.ones(levels.size), 0.0), np.append(levels, 0.0)
    for group, patients in enumerate(read.tables["groups"]["Patients"][:-1]):
        if patients != HIDDEN:
            _equal(known, known.of(group), float(patients))
    has_mean = levels.size > 1 and column.events is None and column.levels[:1] != (NUMBER,)
    if not column.part:
        _means(known, read, column.name, seen, amount, titles, has_mean)
        _t_tests(known, read, column, seen, amount, titles, has_mean)
        _missing(known, read, column.name, seen, titles)
    _pairs(known, read, key if column.part else column.title, seen)
    _table_one(known, read, column, seen, amount, titles)
    _everybody(known, read, column, levels, seen)
    if has_mean and column.kind in ("yes/no", "rating"):
        _heat_map(known, read, column, seen, amount, titles)


def _equal(known: Known, weights: np.ndarray, number: float) -> None:
    known.know(weights, number, number)


def _mean(known: Known, weights: np.ndarray, n: np.ndarray, mean: float, half: float) -> None:
    """A mean is known up to half a unit of its last digit."""
    known.know(weights - (mean + half) * n, -np.inf, 0.0)
    known.know(weights - (mean - half) * n, 0.0, np.inf)


def _means(known, read, name, seen, amount, titles, has_mean) -> None:
    for table in ("yes-no", "scores") if has_mean else ():
        for line in read.lines(table, "Column", name):
            for group, title in enumerate(titles):
                if line.get(title, HIDDEN) not in (HIDDEN, "too few"):
                    near = float(line[title]), 0.005
                    _mean(known, known.of(group, amount), known.of(group, seen), *near)


def _t_tests(known, read, column, seen, amount, titles, has_mean) -> None:
    for line in read.lines("t-tests", "column", column.name):
        for side, title in enumerate(line["groups"].split(" and "), 1):
            n, mean, sd = (line[f"{what}_{side}"] for what in ("n", "mean", "sd"))
            if not is_number(n):
                continue
            group = titles.index(title)
            _equal(known, known.of(group, seen), n)
            if not has_mean or not is_number(mean):
                continue
            half = half_of(mean)
            _mean(known, known.of(group, amount), known.of(group, seen), mean, half)
            if is_number(sd):
                ends = [(n - 1) * (sd + by * half_of(sd)) ** 2 for by in (-1, 1)]
                ends = [
                    end + n * (abs(mean) + by * half) ** 2
                    for end, by in zip(ends, (-1, 1), strict=True)
                ]
                known.know(known.of(group, amount**2), *ends)


def _missing(known, read, name, seen, titles) -> None:
    everybody = np.ones(known.shape)
    for line in read.lines("missing", "Column", name):
        for group, title in enumerate(titles):
            if line.get(title, HIDDEN) != HIDDEN:
                share, half = _percent(line[title])
                _mean(known, known.of(group, 1 - seen), known.of(group), share, half)
        if line["All"] != HIDDEN:
            _mean(known, np.tile(1 - seen, (known.shape[0], 1)), everybody, *_percent(line["All"]))
    if "missing" in read.tables and not read.lines("missing", "Column", name):
        _equal(known, np.tile(1 - seen, (known.shape[0], 1)), 0.0)


def _percent(text: str) -> tuple[float, float]:
    number = text.removesuffix(" %")
    return float(number) / 100, half_unit(number) / 100


def _pairs(known, read, title, seen) -> None:
    for table in ("validators", "controls"):
        for line in read.lines(table, "column", title):
            for group, n in (("group", "n"), ("against", "n against")):
                if is_number(line[n]):
                    _equal(known, known.of(int(line[group]) - 1, seen), line[n])


def _table_one(known, read, column, seen, amount, titles) -> None:
    for line in read.of_table_one(column.title):
        for group, title in enumerate(titles):
            text = line.get(title, HIDDEN)
            if text == HIDDEN:
                continue
            if found := re.search(r"n = ([\d,]+)", text):
                _equal(known, known.of(group, seen), float(found[1].replace(",", "")))
            if found := re.search(r": ([\d,]+) of ([\d,]+),", text):
                yes, n = (float(part.replace(",", "")) for part in found.groups())
                _equal(known, known.of(group, amount), yes)
                _equal(known, known.of(group, seen), n)
            elif column.kind == "category":
                for level, share in enumerate(re.findall(r"(\d+)%(?:,|;|$)", text)):
                    near = float(share) / 100, 0.005
                    weights = np.eye(seen.size)[level]
                    _mean(known, known.of(group, weights), known.of(group, seen), *near)
            elif found := re.search(r"([\d,]+) (?:events?|in all)", text):
                _equal(known, known.of(group, amount), float(found.group(1).replace(",", "")))


def _everybody(known, read, column, levels, seen) -> None:
    """Of all patients together number, sum and sum of squares, exactly: more than is printed."""
    if all(line.get("All", HIDDEN) == HIDDEN for line in read.of_table_one(column.title)):
        return
    counts = crossed(column, np.zeros(column.values.size, dtype=np.int64), levels)[0]
    rows = known.shape[0]
    if column.kind in ("yes/no", "category") or column.events is not None:
        for level in range(seen.size):
            _equal(known, np.tile(np.eye(seen.size)[level], (rows, 1)), float(counts[level]))
        return
    _equal(known, np.tile(seen, (rows, 1)), float(counts[:-1].sum()))
    for power in (1, 2) if levels.size > 1 else ():
        amount = np.append(levels**power, 0.0)
        _equal(known, np.tile(amount, (rows, 1)), float(counts @ amount))


def _heat_map(known, read, column, seen, amount, titles) -> None:
    """The mean of all patients follows from means of groups and how they are standardised."""
    if read.heat is None:
        return
    names, across, z = read.heat
    places = [i for i, name in enumerate(names) if name.partition(" = ")[0] == column.name]
    everybody = np.tile(seen, (known.shape[0], 1))
    total = np.tile(amount, (known.shape[0], 1))
    for place in places:
        shown = zip(across, z[place], strict=True)
        told = [(titles.index(title), value) for title, value in shown if np.isfinite(value)]
        if len(told) < 2:
            continue
        sides = []
        for group, value in told:
            n = known.range_of(known.of(group, seen))
            sums = known.range_of(known.of(group, amount))
            if n[0] != n[1] or sums[0] != sums[1]:
                return
            sides.append((sums[0] / n[0], value))
        low, high = _mean_of_all(np.array(sides))
        _mean(known, total, everybody, (low + high) / 2, (high - low) / 2)


def _mean_of_all(sides: np.ndarray) -> tuple[float, float]:
    """Bounds of a mean m from means of groups, mean = m + z s, each z rounded to two digits."""
    means, z = sides.T
    slopes = [
        (means[i] - means[j]) / np.array([z[i] - z[j] - 0.01, z[i] - z[j] + 0.01])
        for i in range(z.size)
        for j in range(i)
        if abs(z[i] - z[j]) > 0.02
    ]
    if not slopes:
        return -np.inf, np.inf
    spread = max(np.min(s) for s in slopes), min(np.max(s) for s in slopes)
    ends = [mean - (v + by) * s for mean, v in sides for by in (-0.005, 0.005) for s in spread]
    ends = np.array(ends).reshape(len(sides), -1)
    return float(ends.min(axis=1).max()) - 1e-9, float(ends.max(axis=1).min()) + 1e-9
