"""What groups are like, in words: one line a column, by one measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from ..families.family import COUNT, MEASUREMENT, RATING, YES_NO
from ..statistics.intervals import share
from ..wording import percent
from .profiles import ALL, OUTCOME, NaturalColumn, level_weights, summary_of

CAPTION = "What the groups are like: of the rows with a value, in natural units."
#: Skewness of all rows from which on a measurement is told by median and quartiles.
SKEWED = 1.0


def group_table(
    columns: Iterable[NaturalColumn],
    labels: np.ndarray,
    titles: Mapping[int, str],
    is_counted: bool = True,
    least: int = 1,
) -> pd.DataFrame:
    """What groups are like, ready to print: a line a column, and a column a group.

    ``titles`` are those of the groups to be told of, ``profiles.ALL`` for all rows. ``is_counted``
    adds numbers of rows; of a group of fewer than ``least`` with a value only that is told.
    """
    lines = []
    for part in (part for column in columns for part in column.parts):
        measure, found = _levels(part, labels) if part.is_told_by_levels else _amounts(part, labels)
        # Who has no number is told once, beside the numbers.
        gone = np.bincount(labels, part.is_unknown & (part.kind != OUTCOME)).astype(int)
        of = dict(enumerate(gone.tolist())) | {ALL: int(gone.sum())}
        cells = {t: cell(*found[k], of[k], is_counted, least) for k, t in titles.items()}
        lines.append({"Column": part.name + measure} | cells)
    return pd.DataFrame(lines, columns=["Column", *titles.values()])


def cell(n: int, text: str, bare: str, gone: int, is_counted: bool, least: int) -> str:
    """What ``n`` rows with a value are like, and how many have none; of too few, only that."""
    if n < max(least, 1):
        return f"fewer than {least} observed" if n else "none observed"
    text = f"{text}; {gone:,} missing" if gone else text
    return text if is_counted else bare


#: Of a group: rows with a value, and what they are like with and without numbers of rows.
_Told = dict[int, tuple[int, str, str]]


def _amounts(column: NaturalColumn, labels: np.ndarray) -> tuple[str, _Told]:
    known, told = column.values[~np.isnan(column.values)], {}
    # Means of whole numbers need a digit more.
    write = partial(column.notation.write, more=int(column.kind != MEASUREMENT))
    is_skewed = known.size > 2 and abs(stats.skew(known)) > SKEWED
    by_rank = column.kind == MEASUREMENT and (column.is_log or is_skewed)
    for line in summary_of(column, labels).itertuples():
        bare = f"{write(line.mean)} ({write(line.sd)})"
        if by_rank:
            bare = f"{write(line.median)} [{write(line.lower)} to {write(line.upper)}]"
        total = line.mean * line.n_observed if column.kind == COUNT and line.n_observed else None
        text = bare if total is None else f"{bare}, {total:,.0f} in all"
        told[line.Index] = line.n_observed, f"{text}; n = {line.n_observed:,}", bare
    mean = ", mean score (SD)" if column.kind == RATING else ", mean (SD)"
    return ", median [quartiles]" if by_rank else mean, told


def _levels(column: NaturalColumn, labels: np.ndarray) -> tuple[str, _Told]:
    counts, told = level_weights(column, labels), {}
    for group, numbers in {**dict(enumerate(counts)), ALL: counts.sum(axis=0)}.items():
        n = round(float(numbers.sum()))
        shares = numbers / (numbers.sum() or 1.0)
        places = range(column.first_level, len(column.levels))
        bare = ", ".join(f"{column.levels[j]} {percent(shares[j])}" for j in places)
        text = f"{bare}; n = {n:,}"
        if column.kind == YES_NO:
            bare = f"{column.levels[1]}: {percent(shares[1])}"
            low, high = (percent(float(end)) for end in share(shares[1], np.float64(n))[1:])
            text = f"{column.levels[1]}: {numbers[1]:,.0f} of {n:,}, "
            text += f"{percent(shares[1])} ({low} to {high})"
        told[group] = n, text, bare
    return f" = {column.levels[1]}" if column.kind == YES_NO else "", told
