"""Pairs of columns that say how long each was watched, and whether it happened by then.

Told from the cells, and from names only as far as two of them go together. A time is there for
everybody, not below 0, with many values from near 0 on; a status has few codes, and those to whom
nothing happened were watched longer, up to the end. Neither alone tells: many a marker differs
between two kinds of patients. So the signs are added up, and none makes a pair by itself but one:
the status says just who has the largest time, as where everybody was watched for the same year.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from .background_words import names_origin
from .facts import Facts
from .spec import TIME_TO_EVENT, ColumnSpec
from .vocabulary import denies, names_time, no_then_yes
from .watch_words import names_censored, names_happening, names_watch, share_stem

ROWS = 4_000  # looked at, at most
FEWEST_ROWS = 20
MOST_CODES = 8  # of a status
FEWEST_TIMES = 10  # distinct values of a time
_LATE_START = 0.15  # of the longest time, where the shortest begins
_MOST_HOLES, _MOST_ZEROS = 0.1, 0.2
_MOST_COLUMNS = 150  # of numbers, up to which times are sought among all
_ENOUGH = 5  # signs that make a pair
_SAME_ROWS, _SAME_TIMES = 0.1, 10  # in which two times are one, and distinct ones among them
_PILED = 0.05  # share of the rows with the largest time
_FEWEST_EACH, _WRONG = 5, 0.01  # rows on both sides, and share that may be otherwise


@dataclass(frozen=True)
class Watched:
    """How long each was watched, and what is said of it.

    Parameters
    ----------
    time, status : str
        The two columns.
    censored : code
        "Not yet, when last seen".
    events : tuple of codes
        The others, the commonest first.
    """

    time: str
    status: str
    censored: Any
    events: tuple[Any, ...]


def find_watched(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    given: Collection[str] = (),
    copies: Collection[str] = (),
) -> list[Watched]:
    """Pairs of time and status, each column in one of them at most, in the table's order.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    given : collection of str
        Columns that somebody has decided on: in no pair.
    copies : collection of str
        Columns left aside for others that tell them: a status may follow from its time.
    """
    if len(frame) < FEWEST_ROWS:
        return []
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    times = {
        name: values
        for name in specs
        if name not in given
        and _may_be(specs[name])
        and (values := as_time(some[name], facts[name])) is not None
    }
    statuses = {
        name: codes
        for name, spec in specs.items()
        if name not in given
        and (_may_be(spec) or name in copies)
        and not names_origin(name)  # nobody waits for a sex
        and (codes := _codes(some[name])) is not None
    }
    if len(times) > _MOST_COLUMNS:
        times = {name: values for name, values in times.items() if names_watch(name)}
    same = _same_where(times)
    place = {name: j for j, name in enumerate(specs)}
    scored = []
    for time, values in times.items():
        ranks = rankdata(values)
        for status, codes in statuses.items():
            if status == time:
                continue
            near = abs(place[time] - place[status]) == 1
            if signs := _signs(time, status, values, ranks, codes, same.get(time), near):
                scored.append((signs, -abs(place[time] - place[status]), time, status))
    pairs: list[tuple[str, str]] = []
    for _, _, time, status in sorted(scored, key=lambda one: one[:2], reverse=True):
        if not {time, status} & {name for pair in pairs for name in pair}:
            pairs.append((time, status))
    found = [_watched(t, s, times[t], statuses[s], facts[s]) for t, s in pairs]
    return sorted((one for one in found if one is not None), key=lambda one: place[one.time])


def _may_be(spec: ColumnSpec) -> bool:
    """Whether a column is still open, or named like an outcome, with nothing said of its codes."""
    if spec.role == "validator":
        return spec.family != TIME_TO_EVENT or spec.event_codes is None
    return spec.role in ("cluster", "label")


def as_time(column: pd.Series, facts: Facts) -> np.ndarray | None:
    """A column's numbers, (n,), where they may be times of nearly everybody; None elsewhere.

    Holes are taken as the median.
    """
    if facts.kind != "number" or facts.is_bool or column.dtype.kind not in "iuf":
        return None
    values = column.to_numpy(np.float64, na_value=np.nan)
    there = np.isfinite(values)
    if there.mean() < 1 - _MOST_HOLES or not there.any() or values[there].min() < 0:
        return None
    present = values[there]
    if np.unique(present).size < FEWEST_TIMES:
        return None
    if present.min() > _LATE_START * present.max() and not names_watch(facts.name):
        return None
    if (present == 0).mean() > _MOST_ZEROS:
        return None
    return np.where(there, values, np.median(present))


def _codes(column: pd.Series) -> np.ndarray | None:
    """A column's few values as they stand, (n,) of objects, None where missing; or None."""
    try:
        n_distinct = column.nunique()
    except TypeError:  # lists, say
        return None
    if not 2 <= n_distinct <= MOST_CODES:
        return None
    is_hole = column.isna().to_numpy()
    if is_hole.mean() > _MOST_HOLES:
        return None
    if column.dtype.kind == "f" and (column.dropna() % 1 != 0).any():
        return None
    codes = column.to_numpy(dtype=object, copy=True)
    codes[is_hole] = None
    return codes


def _same_where(times: Mapping[str, np.ndarray]) -> dict[str, list[np.ndarray]]:
    """Times that are those of another column in many rows, as where neither event came.

    Returns
    -------
    dict of str to list of ndarray, shape (n,)
        For each such time the rows in which it is the same as one that it is never above.
    """
    found: dict[str, list[np.ndarray]] = {}
    for name, other in permutations(times, 2):
        a, b = times[name], times[other]
        if same_times(a, b):
            found.setdefault(name, [])
            if (a > b).mean() <= _WRONG:
                found[name].append(a == b)
    return found


def same_times(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two columns of times, (n,) each, are one in many rows and no copies."""
    same = (a == b) & (a > 0)
    if same.mean() < _SAME_ROWS or same.all():
        return False
    return np.unique(a[same]).size >= _SAME_TIMES


def _signs(
    time: str,
    status: str,
    values: np.ndarray,
    ranks: np.ndarray,
    codes: np.ndarray,
    same: Sequence[np.ndarray] | None,
    is_near: bool,
) -> int:
    """Signs that a time and a status are a pair, 0 where they are too few.

    ``same`` are the rows in which the time is that of another, None where there is no other.
    """
    longer, z, is_last = _longest(ranks, codes)
    no = _no_code(status, codes)
    is_named = names_watch(time) or names_happening(status) or share_stem(time, status)
    may_tell = is_named or no is not None  # what was chosen has no "not yet"
    says_where = may_tell and any(_says(codes, where) for where in same or ())
    told = _is_piled(values, codes) or says_where
    as_meant = is_last == no or names_happening(status) or told
    stem = share_stem(time, status) and (as_meant or names_watch(time))
    is_shared = same is not None and (is_near or stem)
    of_time = (3 if names_time(time) else 2) * names_watch(time) + 2 * is_shared + 4 * told
    apart = (2 if longer >= 0.7 and z >= 3 else 1 if longer >= 0.57 and z >= 2 else 0) * as_meant
    of_status = names_happening(status) or stem or told
    clearly = names_time(time) and z >= 3
    of_status = of_status or (is_near and apart and (is_shared or clearly))
    if not (of_time or stem) or not of_status or (_is_cut(values, codes) and not told):
        return 0
    signs = of_time + 2 * names_happening(status) + 2 * stem + is_near + apart
    return signs if signs >= _ENOUGH else 0


def _says(codes: np.ndarray, where: np.ndarray) -> bool:
    """Whether one code says just in which rows something holds, (n,) of bool."""
    if not _FEWEST_EACH <= where.sum() <= len(where) - _FEWEST_EACH:
        return False
    return any(((codes == code) != where).mean() <= _WRONG for code in _distinct(codes))


def _is_piled(values: np.ndarray, codes: np.ndarray) -> bool:
    """Whether a status says just who has the largest time, which many share."""
    last = values == values.max()
    return bool(last.mean() >= _PILED) and _says(codes, last)


def _longest(ranks: np.ndarray, codes: np.ndarray) -> tuple[float, float, Any]:
    """Of the code with the longest times: the share of pairs in which it is longer, z, the code."""
    best: tuple[float, float, Any] = (0.5, 0.0, None)
    n = len(ranks)
    for code in _distinct(codes):
        has = codes == code
        m = int(has.sum())
        if min(m, n - m) < 3:
            continue
        share = (ranks[has].sum() - m * (m + 1) / 2) / (m * (n - m))
        z = (share - 0.5) / np.sqrt((n + 1) / (12 * m * (n - m)))
        if share > best[0]:
            best = float(share), float(z), code
    return best


def _distinct(codes: np.ndarray) -> list[Any]:
    return sorted({code for code in codes if code is not None}, key=str)


def _is_cut(values: np.ndarray, codes: np.ndarray) -> bool:
    """Whether a status is the time itself, in bands."""
    _, number = np.unique(codes.astype(str), return_inverse=True)
    changes = np.count_nonzero(np.diff(number[np.lexsort((number, values))]))
    return bool(changes <= 2 * len(np.unique(number)))


def _no_code(name: str, codes: np.ndarray) -> Any:
    """The code that says "not yet", by its words or as the lowest; None where it may be any."""
    found = _distinct(codes)
    if names_censored(name):
        return None
    said = [code for code in found if isinstance(code, str) and _says_not_yet(code)]
    if len(said) == 1:
        return said[0]
    if len(found) == 2:
        return no_then_yes(found, name)[0]
    numbers = [code for code in found if not isinstance(code, str)]
    return 0 if 0 in numbers else None


def _says_not_yet(word: str) -> bool:
    return "cens" in word.lower() or denies(word)


def _watched(
    time: str, status: str, values: np.ndarray, codes: np.ndarray, facts: Facts
) -> Watched | None:
    """The pair with its codes: not yet, and the events."""
    no = _no_code(status, codes)
    if no is None:
        no = _longest(rankdata(values), codes)[2]
    found = _distinct(codes)
    if no is None:
        no = found[0]
    counts = {code: int((codes == code).sum()) for code in found}
    events = sorted((c for c in found if c != no), key=lambda c: -counts[c])
    return Watched(time, status, _plain(no, facts), tuple(_plain(c, facts) for c in events))


def _plain(code: Any, facts: Facts) -> Any:
    """A code as a schema holds it: whole numbers as such, yes and no as they were stored."""
    if isinstance(code, float) and code.is_integer():
        return int(code)
    return bool(code) if facts.is_bool else code


def times_and_statuses(pairs: Sequence[Watched]) -> set[str]:
    """The names in some pairs."""
    return {name for pair in pairs for name in (pair.time, pair.status)}
