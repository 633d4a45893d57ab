"""Columns that say more together: two dates, the parts of a total."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import groupby

import numpy as np
import pandas as pd

from ..prepare.cell_reading import read_days, this_year
from ..prepare.columns import DivideBy, ShareOfTotal
from ..prepare.date_formats import likely_format
from ..prepare.dates import TimeBetween
from ..prepare.step import PrepareError
from ..reading.dates import are_dates
from ..schema.vocabulary import words
from ..wording import counted
from .suggestion import Look, Suggestion, listed_names, short, word_set

_ROWS = 2000
_LEAST_IN_ORDER = 0.95
#: Times that are told in days, and not in years.
_MOST_DAYS = 200


def dates(look: Look) -> Iterator[Suggestion]:
    """Two dates of which one comes before the other in nearly all rows."""
    some = look.frame.iloc[:: max(len(look.frame) // _ROWS, 1)].reset_index(drop=True)
    days, forms = {}, {}
    for name in look.names:
        if look.role(name) == "cluster" or not _are_dates(look, name):
            continue
        forms[name] = likely_format(look.frame[name].dropna().iloc[:300])
        try:
            days[name] = read_days(some, name, forms[name], this_year())
        except PrepareError:
            continue
    table = pd.DataFrame(days).dropna(axis=1, how="all")
    if table.shape[1] == 1:
        yield from _until_the_last(look, str(table.columns[0]), forms)
    if table.shape[1] < 2:
        return
    for start in table.median().sort_values().index.astype(str):
        later = {name: _in_order(table[start], table[name]) for name in table if name != start}
        end = str(max(later, key=lambda name: later[name]))
        typical = (table[end] - table[start]).median()
        unit = "days" if typical.days < _MOST_DAYS else "years"
        into = f"{unit} from {start} to {end}"
        if later[end] < 0.3 * len(some) or into in look.names:
            continue
        turned = int((table[end] < table[start]).sum())
        but = f" ({counted(turned, 'row')} the other way round)" * (turned > 0)
        why = (
            f"{table.shape[1]} columns hold dates, which are left out: take the time from "
            f"'{short(start)}' to '{short(end)}'{but}?"
        )
        step = TimeBetween(start, forms[start], end, forms[end], unit=unit, into=into)
        yield Suggestion(step, why)
        return


def _until_the_last(look: Look, name: str, forms: Mapping[str, str]) -> Iterator[Suggestion]:
    """The only date of a table: how long before the last one each row was."""
    days = read_days(look.frame, name, forms[name], this_year())
    last, first = days.max(), days.min()
    if days.notna().sum() < 0.3 * len(days) or last == first:
        return
    unit = "days" if (last - first).days < _MOST_DAYS else "years"
    on_day = last.date().isoformat()
    into = f"{unit} from {name} to {on_day}"
    if into not in look.names:
        why = (
            f"'{short(name)}' holds dates, which are left out: take the time until the last of "
            "them?"
        )
        step = TimeBetween(name, forms[name], unit=unit, on_day=on_day, into=into)
        yield Suggestion(step, why)


def _are_dates(look: Look, name: str) -> bool:
    if pd.api.types.is_datetime64_any_dtype(look.frame[name]):
        return True
    return look.is_text(name) and are_dates([str(level) for level in look.levels(name)[:100]])


def _in_order(start: pd.Series, end: pd.Series) -> int:
    """Rows in which one date comes before another; 0 where they do not do so as a rule."""
    known = start.notna() & end.notna()
    before = int((start < end)[known].sum())
    return before if before >= _LEAST_IN_ORDER * max(int(known.sum()), 1) else 0


_FEWEST_PARTS = 3
_MOST_PARTS = 30
#: Distinct values of an amount, at least.
_AMOUNTS = 15
#: Share of the rows in which a total is the largest.
_ALWAYS = 0.98


def parts_of_a_total(look: Look) -> Iterator[Suggestion]:
    """Amounts of one kind side by side, the larger the larger the row."""
    runs = [run for run in _runs(look) if _are_parts(look, run)]
    if runs:
        parts = max(runs, key=len)
        why = (
            f"{len(parts)} columns look like parts of a total ({listed_names(parts)}): take their "
            "shares, so that groups differ in kind and not in size?"
        )
        yield Suggestion(ShareOfTotal(tuple(parts)), why)


#: Words of a name that say that a number is no part of anything.
_NO_PARTS = word_set(
    "rate rates share shares mean avg average median pct percent percentage proportion ratio index",
    "per cap capita low high lo hi max min maximum minimum sd std se total totals sum all record",
    "year years month months week weeks day days age score rank",
)


def _runs(look: Look) -> Iterator[list[str]]:
    """Amounts side by side that share the first, or the last, word of their names.

    Names that differ in their numbers only are one thing at several times.
    """
    for place in (0, -1):
        for word, run in groupby(look.names, key=lambda name: (words(name) or [""])[place]):
            names = [name for name in run if _may_be_part(look, name)]
            kinds = {re.sub(r"[\d\W_]+", "", name) for name in names}
            if word and _FEWEST_PARTS <= len(names) <= _MOST_PARTS and len(kinds) == len(names):
                yield names


def _may_be_part(look: Look, name: str) -> bool:
    return _has_amounts(look, name) and _NO_PARTS.isdisjoint(words(name))


def _has_amounts(look: Look, name: str) -> bool:
    """Whether a column to cluster on holds many numbers of 0 or more."""
    if not look.is_number(name) or look.role(name) != "cluster":
        return False
    if len(look.levels(name)) < _AMOUNTS:
        return False
    values = look.values(name)
    return bool(np.nanmin(values) >= 0 and 1 < np.nanmax(values) < np.inf)


def _are_parts(look: Look, names: list[str]) -> bool:
    """Whether columns are as long-tailed as sums are, on one scale, and rise together."""
    table = np.column_stack([look.values(name)[:_ROWS] for name in names])
    table = table[~np.isnan(table).any(axis=1)]
    if len(table) < 20:
        return False
    means, sds = table.mean(axis=0), table.std(axis=0)
    if (means <= 0).any() or (sds <= 0.7 * means).any() or means.max() > 100 * means.min():
        return False
    sums = table.sum(axis=1)
    if sums.std() < 0.2 * sums.mean():  # shares already
        return False
    if ((table >= table.max(axis=1, keepdims=True)).mean(axis=0) > _ALWAYS).any():
        return False  # one of them is what all others are part of
    ranks = pd.DataFrame(table).rank().corr().to_numpy()
    return bool(0.2 < np.mean(ranks[np.triu_indices(len(names), 1)]) < 0.95)


#: Words of a column that says how large what a row is about is: its people, and those of a firm.
_SIZES = word_set(
    "population pop inhabitants residents people persons households employees staff headcount",
    "workforce students pupils enrollment enrolment members einwohner bevölkerung haushalte",
    "mitarbeiter beschäftigte schüler habitants ménages salariés effectif población",
    "habitantes hogares empleados popolazione abitanti famiglie dipendenti população inwoners",
)
#: Correlation of the logarithms of a count with those of a size, and what it rises with it.
_LEAST_RISING, _SLOPES = 0.75, (0.75, 1.25)
#: Standard deviation of the logarithms of sizes that differ.
_LEAST_SPREAD = 0.7


def counts_per_size(look: Look) -> Iterator[Suggestion]:
    """Counts that are the larger the larger the town, the country, the firm is."""
    amounts = [name for name in look.names if _has_amounts(look, name)]
    sizes = [name for name in amounts if not _SIZES.isdisjoint(words(name))]
    counts = [name for name in amounts if name not in sizes]
    found = {size: tuple(n for n in counts if _rises_with(look, n, size)) for size in sizes}
    size = max(found, key=lambda name: len(found[name]), default="")
    if size and found[size]:
        rise = "column rises" if len(found[size]) == 1 else "columns rise"
        why = (
            f"{len(found[size])} {rise} in step with '{short(size)}' "
            f"({listed_names(found[size])}): divide by it, so that groups differ in kind and not "
            "in size?"
        )
        yield Suggestion(DivideBy(found[size], size), why)


def _rises_with(look: Look, name: str, size: str) -> bool:
    """Whether a column is about proportional to a size that differs widely."""
    x, y = look.values(size), look.values(name)
    both = (x > 0) & (y > 0)
    if both.sum() < max(20, 0.5 * len(x)):
        return False
    x, y = np.log(x[both]), np.log(y[both])
    if x.std() < _LEAST_SPREAD or y.std() == 0:
        return False
    correlation = float(np.corrcoef(x, y)[0, 1])
    slope = float(y.std() / x.std())
    return correlation >= _LEAST_RISING and _SLOPES[0] <= slope <= _SLOPES[1]
