"""What groups are like, in words: one line a column, by one measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    sizes = dict(enumerate(np.bincount(labels).tolist())) | {ALL: labels.size}
    lines = []
    for part in (part for column in columns for part in column.parts):
        measure, found = _levels(part, labels) if part.is_told_by_levels else _amounts(part, labels)
        line = {"Column": part.name + measure}
        for group, title in titles.items():
            n, text, bare = found[group]
            gone = sizes[group] - n if part.kind != OUTCOME else 0
            # Of yes/no it says of how many.
            more = [] if part.kind == YES_NO else [f"n = {n:,}"]
            more += [f"{gone:,} missing"] if gone else []
            line[title] = "; ".join([text, *more]) if is_counted else bare
            if n < max(least, 1):
                line[title] = f"fewer than {least} observed" if n else "none observed"
        lines.append(line)
    return pd.DataFrame(lines, columns=["Column", *titles.values()])


#: Of a group: rows with a value, and what they are like with and without numbers of rows.
_Told = dict[int, tuple[int, str, str]]


def _amounts(column: NaturalColumn, labels: np.ndarray) -> tuple[str, _Told]:
    known, write, told = column.values[~np.isnan(column.values)], column.notation.write, {}
    is_skewed = known.size > 2 and abs(stats.skew(known)) > SKEWED
    by_rank = column.kind == MEASUREMENT and (column.is_log or is_skewed)
    for line in summary_of(column, labels).itertuples():
        text = bare = f"{write(line.mean)} ({write(line.sd)})"
        if by_rank:
            text = bare = f"{write(line.median)} [{write(line.lower)} to {write(line.upper)}]"
        elif column.kind == COUNT and line.n_observed:
            text = f"{bare}, {line.mean * line.n_observed:,.0f} in all"
        told[line.Index] = line.n_observed, text, bare
    mean = ", mean score (SD)" if column.kind == RATING else ", mean (SD)"
    return ", median [quartiles]" if by_rank else mean, told


def _levels(column: NaturalColumn, labels: np.ndarray) -> tuple[str, _Told]:
    counts, told = level_weights(column, labels), {}
    for group, numbers in {**dict(enumerate(counts)), ALL: counts.sum(axis=0)}.items():
        n = round(float(numbers.sum()))
        shares = numbers / (numbers.sum() or 1.0)
        places = range(column.first_level, len(column.levels))
        text = bare = ", ".join(f"{column.levels[j]} {percent(shares[j])}" for j in places)
        if column.kind == YES_NO:
            bare = f"{column.levels[1]}: {percent(shares[1])}"
            low, high = (percent(float(end)) for end in share(shares[1], np.float64(n))[1:])
            text = f"{column.levels[1]}: {numbers[1]:,.0f} of {n:,}, "
            text += f"{percent(shares[1])} ({low} to {high})"
        told[group] = n, text, bare
    return f" = {column.levels[1]}" if column.kind == YES_NO else "", told
