"""Tables that describe groups: one line a column, by one measure."""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from ..families.family import COUNT, MEASUREMENT, RATING, YES_NO
from ..statistics.differences import share
from ..wording import percent
from .profiles import ALL, OUTCOME, NaturalColumn, level_weights, summary_of

CAPTION = "What the groups are like: of the rows with a value, in natural units."


#: By group, and ``profiles.ALL``: the number of values, their description with and without that
#: number, and the number of missing cells.
Summary = dict[int, tuple[int, str, str, int]]


def group_table(
    columns: Iterable[tuple[str, Summary]], titles: Mapping[int, str], least: int = 1
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What groups are like, ready to print: a line a column as of ``summarise``, a column a group.

    ``titles`` are those of the groups to show. The first table has numbers of rows, the
    second none; of a group of fewer than ``least`` rows with a value only that is shown.
    """
    counted, bare = [], []
    for name, summary in columns:
        counted.append({"Column": name})
        bare.append({"Column": name})
        for group, title in titles.items():
            n, text, without, gone = summary[group]
            if n < max(least, 1):
                text = without = f"fewer than {least} observed" if n else "none observed"
            elif gone:
                text += f"; {gone:,} missing"
            counted[-1][title], bare[-1][title] = text, without
    names = ["Column", *titles.values()]
    return pd.DataFrame(counted, columns=names), pd.DataFrame(bare, columns=names)


def summarise(column: NaturalColumn, labels: np.ndarray) -> tuple[str, Summary]:
    """A column, or a part of one, with its measure, and what every group is like."""
    measure, found = (_levels if column.is_by_levels else _amounts)(column, labels)
    # Who has no number is counted once, beside the numbers.
    gone = np.bincount(labels, column.is_unknown & (column.kind != OUTCOME)).astype(int).tolist()
    of = dict(enumerate(gone)) | {ALL: sum(gone)}
    return column.name + measure, {k: (*one, of[k]) for k, one in found.items()}


def _amounts(
    column: NaturalColumn, labels: np.ndarray
) -> tuple[str, dict[int, tuple[int, str, str]]]:
    found = {}
    # Means of whole numbers need a digit more.
    write = partial(column.notation.write, more=int(column.kind != MEASUREMENT))
    for line in summary_of(column, labels).itertuples():
        bare = f"{write(line.mean)} ({write(line.sd)})"
        if column.by_rank:
            bare = f"{write(line.median)} [{write(line.lower)} to {write(line.upper)}]"
        total = line.mean * line.n_observed if column.kind == COUNT and line.n_observed else None
        text = bare if total is None else f"{bare}, {total:,.0f} in all"
        found[line.Index] = line.n_observed, f"{text}; n = {line.n_observed:,}", bare
    mean = ", mean score (SD)" if column.kind == RATING else ", mean (SD)"
    return ", median [quartiles]" if column.by_rank else mean, found


def _levels(
    column: NaturalColumn, labels: np.ndarray
) -> tuple[str, dict[int, tuple[int, str, str]]]:
    counts, found = level_weights(column, labels), {}
    for group, numbers in {**dict(enumerate(counts)), ALL: counts.sum(axis=0)}.items():
        n = round(float(numbers.sum()))
        shares = numbers / (numbers.sum() or 1.0)
        places = range(column.first_level, len(column.levels))
        bare = ", ".join(f"{column.levels[j]}: {percent(shares[j])}" for j in places)
        text = f"{bare}; n = {n:,}"
        if column.kind == YES_NO:
            bare = percent(shares[1])
            low, high = (percent(float(end)) for end in share(shares[1], np.float64(n))[1:])
            text = f"{column.levels[1]}: {numbers[1]:,.0f} of {n:,}, {bare} ({low} to {high})"
        found[group] = n, text, bare
    return f" = {column.levels[1]}" if column.kind == YES_NO else "", found
