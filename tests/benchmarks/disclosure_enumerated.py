"""Whole numbers enumerated from ratios, intervals and p-values: of one group that stays hidden.

The intruder knows every other group of a column, and tries all that the hidden one can be: each
table of counts is tested as the study does it, and kept where what is printed comes out again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from core.statistics.hypothesis_tests import compare_ratings, compare_tables
from core.statistics.suppression import HIDDEN
from core.statistics.survival import Survival, coarsened, kaplan_meier
from core.statistics.variables import Variable
from core.wording import p_text
from tests.benchmarks.disclosure_bounds import Known
from tests.benchmarks.disclosure_reading import Reader, is_number, levels_of

#: Tables that are tried at most.
MOST_TRIED = 6_000
#: In a permutation's p-value, and that of random tables.
BY_CHANCE = 0.02


def enumerate_column(known: Known, read: Reader, column: Variable, titles: list[str]) -> None:
    """Leave of a hidden group's counts those that bring out what is printed."""
    levels = levels_of(column)
    if levels.size < 2 or column.events is not None or column.kind not in TESTED:
        return
    exact = [_exact(known, k) for k in range(known.shape[0])]
    line = read.overall(column.title)
    if line is not None and line["p"] not in (HIDDEN, "none") and line["Groups"] != HIDDEN:
        tested = [int(k) - 1 for k in line["Groups"].split(", ")]
        _by_overall(known, line, column, levels, tested, exact)
    for one in read.lines("t-tests", "column", column.name):
        if column.levels[:1] != ("a number",):
            _by_size(known, one, levels, titles, exact)


def _exact(known: Known, group: int) -> np.ndarray | None:
    """Counts of a group where all are known."""
    counts = []
    for weights in np.eye(known.shape[1]):
        low, high = known.range_of(known.of(group, weights))
        if low != high:  # the other levels need not be solved
            return None
        counts.append(low)
    return np.array(counts)


def _tables(known: Known, group: int) -> Iterator[np.ndarray]:
    """Every row of counts that a group can have; none where there are too many."""
    ends = [known.range_of(known.of(group, w)) for w in np.eye(known.shape[1])]
    size = known.range_of(known.of(group))
    widths = [high - low + 1 for low, high in ends[:-1]]
    if size[0] != size[1] or np.prod([float(w) for w in widths]) > 20 * MOST_TRIED:
        return
    grid = np.indices(widths).reshape(len(widths), -1).T + [low for low, _ in ends[:-1]]
    missing = size[0] - grid.sum(axis=1)
    fits = (missing >= ends[-1][0]) & (missing <= ends[-1][1])
    if fits.sum() <= MOST_TRIED:
        yield from np.column_stack([grid, missing])[fits]


def _p(column: Variable, levels: np.ndarray, tables: list[np.ndarray]) -> tuple[str, float | None]:
    random, counts = np.random.default_rng(0), np.array([one[:-1] for one in tables])
    few = counts.sum(axis=1).min() < 20
    if column.kind in ("yes/no", "category"):
        expected = counts.sum(axis=0)
        counts = counts[:, expected > 0]
        if len(tables) > 2 and _is_by_chance(counts, few):
            return "Monte-Carlo Fisher", None
        made = compare_tables(counts, few, random)
    else:
        made = compare_ratings([np.repeat(levels, one) for one in counts], False, random)
    return made.name, made.p


def _is_by_chance(counts: np.ndarray, few: bool) -> bool:
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    return few or expected.min() < 5


TESTED = ("yes/no", "category", "rating")


def _by_overall(known, line, column, levels, tested, exact) -> None:
    hidden = [k for k in tested if exact[k] is None]
    if len(hidden) != 1 or "ermutation" in line["Test"]:
        return
    kept = []
    for table in _tables(known, hidden[0]):
        rows = [table if k == hidden[0] else exact[k] for k in tested]
        total = sum(int(row[:-1].sum()) for row in rows)
        if line["n"] != HIDDEN and f"{total:,}" != line["n"]:
            continue
        name, p = _p(column, levels, rows)
        if name == line["Test"] and (p is None or p_text(p) == line["p"]):
            kept.append(table)
    _keep(known, hidden[0], kept)


def _by_size(known, line, levels, titles, exact) -> None:
    """From Hedges' g, however coarse, and from whether two groups are said to differ."""
    pair = [titles.index(title) for title in line["groups"].split(" and ")]
    hidden = [k for k in pair if exact[k] is None]
    if len(hidden) != 1 or line.get("made") or not is_number(line.get("g")):
        return
    half = 0.05 if round(line["g"], 1) == line["g"] else 5e-4
    kept = []
    for table in _tables(known, hidden[0]):
        g = _g(levels, *(table if k == hidden[0] else exact[k] for k in pair))
        if np.isfinite(g) and abs(g - line["g"]) <= half + 1e-9:
            kept.append(table)
    _keep(known, hidden[0], kept)


def _g(levels: np.ndarray, *tables: np.ndarray) -> float:
    a, b = (np.repeat(levels, table[:-1]) for table in tables)
    dof = a.size + b.size - 2
    if min(a.size, b.size) < 2:
        return np.nan
    pooled = ((a.size - 1) * a.var(ddof=1) + (b.size - 1) * b.var(ddof=1)) / dof
    return (a.mean() - b.mean()) / np.sqrt(pooled) * (1 - 3 / (4 * dof - 1)) if pooled else np.nan


def _keep(known: Known, group: int, kept: list[np.ndarray]) -> None:
    if kept:
        for level, numbers in enumerate(np.array(kept).T):
            known.only((group, level), numbers.tolist())


def dropped(
    read: Reader, column: Variable, labels: np.ndarray, titles: list[str], complete: np.ndarray
) -> Iterator[tuple[int, int]]:
    """Of a yes/no outcome: events among those whom a regression dropped, and numbers left for them.

    Whole numbers of events in the complete cases that bring out the odds ratio, its interval and
    its p-value, taken from the events of all observed.
    """
    for line in read.lines("adjusted", "Column", column.title):
        pair = tuple(titles.index(title) for title in line["Groups"].split(" and "))
        n = [int(part.replace(",", "")) for part in line["Complete cases"].split(" and ")]
        numbers = re.findall(r"-?[\d,]+\.?\d*(?:e-?\d+)?", line["Unadjusted (95 % interval)"])
        if len(numbers) != 3:
            continue
        printed = [float(number.replace(",", "")) for number in numbers]
        kept = [
            (a, c)
            for a in range(1, n[0])
            for c in range(1, n[1])
            if _brings_out(a, n[0], c, n[1], printed)
        ]
        for side, group in enumerate(pair):
            inside = (labels == group) & column.observed
            away = inside & ~complete
            if away.any():
                all_events = int(column.values[inside].sum())
                left = {all_events - one[side] for one in kept}
                assert int(column.values[away].sum()) in left
                events = int(column.values[away].sum())
                yield min(events, int(away.sum()) - events), len(left)


def _brings_out(a: int, n_a: int, c: int, n_c: int, printed: list[float]) -> bool:
    ratio = a * (n_c - c) / ((n_a - a) * c)
    error = np.sqrt(1 / a + 1 / (n_a - a) + 1 / c + 1 / (n_c - c))
    ends = ratio, ratio * np.exp(-1.959964 * error), ratio * np.exp(1.959964 * error)
    return all(abs(end - said) <= 0.0051 * said for end, said in zip(ends, printed, strict=True))


def events_by_time(
    read: Reader, column: Variable, labels: np.ndarray, titles: list[str], least: int
) -> Iterator[tuple[int, int]]:
    """Events until each time that a curve is told at, and the numbers left for them."""
    for caption, table in read.printed:
        if not caption.startswith(f"{column.title}: share without"):
            continue
        for line in table.to_dict("records"):
            group = titles.index(line.pop("Group"))
            rows = (labels == group) & column.observed
            times, events = column.values[rows], column.events[rows]
            for name, text in line.items():
                until = float(name.removeprefix("at "))
                if text:
                    count = int(events[times <= until].sum())
                    if count:
                        yield count, _numbers(text, times.size, count, least)


def _numbers(text: str, n: int, count: int, least: int) -> int:
    """Numbers of events whose share, had nobody been lost before, is told as this text."""
    from core.wording import percent

    ticks = np.array([0.0, 1.0])
    left = 0
    for events in range(n + 1):
        times = np.where(np.arange(n) < events, 0.5, 2.0)
        curve = kaplan_meier(times, times < 1)
        told = coarsened(Survival("", {0: curve}, ticks), least).curves[0]
        left += told.share.size > 1 and percent(float(told.share[1])) == text
    return left or n  # some were lost before: the share is of none of these
