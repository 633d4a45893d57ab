"""What may be told outside the room: of which group, column, pair and curve.

A number is withheld where a count of patients below the threshold could be worked out of it, or of
it together with the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from ..families.family import COUNT, RATING, YES_NO
from ..once import once
from ..release.allowed import SHOWN, T_TESTS, TESTED
from ..release.door import let_out
from ..schema.encoded import Unit
from ..statistics.association import Associations, ColumnAssociation
from ..statistics.group_summaries import GroupSummary, summarise
from ..statistics.suppression import OFF, Suppressed, suppress_tables, thresholds_up_to
from ..statistics.variables import Variable
from .distinctions import Distinctions
from .left_out import are_found, sides
from .subgroups import Subgroups
from .t_test_lines import TTests
from .t_tests import Pair

#: Counts that range over so many values hide how many patients have each.
MOST_VALUES = 24


def sizes(groups: Subgroups, least: int) -> Suppressed:
    """Sizes of the groups with what must be hidden among them."""
    return _sizes(tuple(groups.sizes.tolist()), least)


@lru_cache(maxsize=16)
def _sizes(counts: tuple[int, ...], least: int) -> Suppressed:
    """Asked for by every pair of every column, and the same for all of them."""
    return suppress_tables(np.repeat(np.arange(len(counts)), counts), {}, least).sizes


def shown(groups: Subgroups, least: int) -> tuple[int, ...]:
    """Groups whose size is shown; of the others no number leaves."""
    hidden = sizes(groups, least).hidden["Patients"].to_numpy()[:-1]
    return tuple(np.flatnonzero(~hidden).tolist())


def told_means(seen: Distinctions, names: Sequence[str], least: int) -> pd.DataFrame:
    """Of which column that formed the groups, and of which group, a share or mean may be told."""
    return _told_means(seen, least).loc[list(dict.fromkeys(names))]


@once
def _told_means(seen: Distinctions, least: int) -> pd.DataFrame:
    """The same of all columns: half a dozen tables and figures of a report ask for it."""
    groups, encoded = seen.groups, seen.encoded
    unit_of = {name: unit for unit in encoded.units for name in unit.columns}
    is_shown = np.isin(np.arange(groups.sizes.size), shown(groups, least))
    levels, rows = {}, {}
    for name in encoded.columns:
        values, unit = encoded.values[:, encoded.names.index(name)], unit_of[name]
        if unit.is_nominal:
            levels[name] = np.where(np.isnan(values), None, values)
        else:
            parts = [values[groups.labels == k] for k in range(is_shown.size)]
            rows[name] = is_shown
            for step in thresholds_up_to(least):
                enough = [_is_enough(unit, part, step) for part in parts]
                rows[name] = _not_alone(rows[name] & enough, groups.sizes)
        if name in encoded.outcome_of:  # its shares are told beside the mean
            outcome = encoded.values[:, encoded.starts[encoded.outcome_of[name]]]
            levels[encoded.units[encoded.outcome_of[name]].name] = np.where(
                np.isnan(outcome), None, outcome
            )
    tables = suppress_tables(groups.labels, levels, least).columns
    for name, table in tables.items():
        of = unit_of[name].of
        whole = table.is_whole.to_numpy()[:-1]
        rows[of] = rows[of] & whole if of in rows else whole
    told = np.array([rows[name] for name in encoded.columns], dtype=bool)
    return pd.DataFrame(told.reshape(-1, is_shown.size), index=list(encoded.columns))


def _is_enough(unit: Unit, values: np.ndarray, least: int) -> bool:
    """Whether no small count follows from a group's mean: a sum of 1 is one patient."""
    values = values[~np.isnan(values)]
    if unit.kind == RATING:
        steps = values.sum()
        return min(values.size, steps, unit.options["trials"] * values.size - steps) >= least
    if unit.kind == COUNT:
        return min(values.size, values.sum()) >= least
    return values.size >= least


def _not_alone(told: np.ndarray, group_sizes: np.ndarray) -> np.ndarray:
    """The same without a lone gap, which a total would fill: the smallest other goes with it."""
    if (~told).sum() == 1 and told.any():
        told[np.argmin(np.where(told, group_sizes, group_sizes.max() + 1))] = False
    return told


def is_told(
    column: ColumnAssociation, tested: Sequence[int], groups: Subgroups, least: int
) -> bool:
    """Whether the numbers of some groups on a column kept out, or a part of it, may be told."""
    counts = [
        count
        for summary in column.groups
        if summary.group in tested
        for count in (*_observed_or_not(summary), *summary.counts, *_events(summary))
    ]
    return set(tested) <= set(shown(groups, least)) and min(counts, default=0) >= least


def are_told(
    found: Associations,
    column: ColumnAssociation,
    tested: Sequence[int],
    groups: Subgroups,
    least: int,
) -> bool:
    """The same of all parts of its column: one part's numbers follow from the other's."""
    return all(is_told(part, tested, groups, least) for part in found.parts(column))


def told_pairs(found: Associations, groups: Subgroups, least: int) -> list[ColumnAssociation]:
    """The columns, each with those pairs of groups of which numbers may be told."""
    return [
        replace(
            column,
            pairs=tuple(
                pair for pair in column.pairs if are_told(found, column, pair.groups, groups, least)
            ),
        )
        for column in found.columns
    ]


def told_total(
    found: Associations, column: ColumnAssociation, groups: Subgroups, least: int
) -> bool:
    """Whether it may be told how many patients the test of all groups took in."""
    tested = column.overall.groups
    parts = found.parts(column)
    counts = [
        n
        for part in parts
        for summary in part.groups
        if summary.group in tested
        for n in (*_observed_or_not(summary), *(summary.counts if len(parts) > 1 else ()))
    ]
    return set(tested) <= set(shown(groups, least)) and min(counts, default=0) >= least


def _observed_or_not(summary: GroupSummary) -> tuple[int, ...]:
    """Patients observed in a column, and those not unless they all are."""
    missing = summary.size - summary.n
    return (summary.n, missing) if missing else (summary.n,)


def _events(summary: GroupSummary) -> tuple[float, ...]:
    """Events of a time to an event, and patients without one; events of a count."""
    if "events" not in summary.numbers:
        return ()
    events = summary.numbers["events"]
    if "rate" in summary.numbers:
        return (events,)
    others = (summary.numbers["others"],) if "others" in summary.numbers else ()
    return (events, *others, summary.n - events - sum(others))


def told_lines(tests: TTests, lines: pd.DataFrame, seen: Distinctions, least: int) -> pd.DataFrame:
    """Lines of t-tests that may leave; of the others only direction and about the size remain.

    A line tells of both groups how many patients are observed, and their mean: that leaves where
    no count below ``least`` follows from it in either. What it tells of the groups found without
    the column leaves where none follows from the difference to those shown either; else only
    about how large the difference and the p-value are.
    """
    whole = {name: of.to_numpy() for name, of in told_columns(tests, seen, least).items()}
    of_line = [*zip(lines["column"], lines["pair"], strict=True)]
    shown = [bool(whole[name][list(_groups_of(pair, tests))].all()) for name, pair in of_line]
    tested = [
        told and _again_told(tests, name, pair, least)
        for told, (name, pair) in zip(shown, of_line, strict=True)
    ]
    about = np.array(shown, dtype=bool) & ~np.array(tested, dtype=bool)
    for name in ("p_left_out", "judged"):
        lines = lines.assign(**{name: lines[name].where(~about, rounded_up(lines[name]))})
    because = f"a count below {least} would follow"
    why = [f"{'rounded' if told else 'hidden'}: {because}" for told in shown]
    return let_out(lines, T_TESTS, {SHOWN: shown, TESTED: tested}, why)


def rounded_up(p: pd.Series) -> pd.Series:
    """P-values up to one digit, none below .001: on the same side of every usual level."""
    p = p.clip(lower=0.001)
    unit = 10.0 ** np.floor(np.log10(p))
    return (np.ceil(p / unit - 1e-9) * unit).round(4)


def _again_told(tests: TTests, name: str, pair: Pair, least: int) -> bool:
    """Whether the pair found without a column may be told beside the pair shown.

    Who is in one group and not in the other is told of by subtraction, as a group is.
    """
    column, again = tests.columns[name], tests.without.get(name)
    if isinstance(column, str) or again is None:
        return True
    shown, found = sides(tests.labels, pair), sides(again, pair)
    if not are_found(shown, found):
        return True
    parts = [
        part
        for one, other in zip(shown, found, strict=True)
        for part in (other, one & ~other, other & ~one)
    ]
    return all(are_patients_told(column, part, least) for part in parts if part.any())


def are_patients_told(column: Variable, rows: np.ndarray, least: int) -> bool:
    """Whether no count below ``least`` follows from the numbers of some patients on a column.

    Parameters
    ----------
    column : Variable
    rows : ndarray of bool, shape (N,)
    least : int
    """
    return _may_be_told(column, rows.astype(np.int64), 1, least, False)


def _groups_of(pair: Pair, tests: TTests) -> tuple[int, ...]:
    """Groups of which a line tells: of one against all others, every one."""
    return tuple(range(len(tests.titles))) if pair[1] is None else pair


def told_columns(tests: TTests, seen: Distinctions, least: int) -> pd.DataFrame:
    """Of which column (a column of the table) and group (a row) everything may be told.

    Everything is the number of patients observed, the mean and the standard deviation, and of a
    column kept out also what its levels and events are.
    """
    groups = seen.groups
    made = told_means(seen, tests.made, least).T
    is_shown = np.isin(np.arange(groups.sizes.size), shown(groups, least))
    told = {}
    for name, column in tests.columns.items():
        if isinstance(column, str):
            told[name] = np.zeros(groups.sizes.size, dtype=bool)
            continue
        enough = [
            _may_be_told(column, groups.labels, k, least, name in made)
            for k in range(is_shown.size)
        ]
        told[name] = is_shown & enough & (made[name].to_numpy() if name in made else True)
    return pd.DataFrame(told)


def _may_be_told(
    column: Variable, labels: np.ndarray, group: int, least: int, has_made: bool
) -> bool:
    """Whether no count below ``least`` follows from a group's numbers on a column."""
    one = summarise(column, labels, group, 0)
    counts = list(_observed_or_not(one))
    if column.kind == YES_NO or not has_made:
        counts += [*one.counts, *_events(one)]
    if min(counts, default=0) < least:
        return False
    if least == OFF or column.kind not in (RATING, COUNT):
        return True
    values = column.of_group(labels, group)
    if column.kind == RATING:
        counts = np.bincount(values.astype(np.int64), minlength=column.scores.size)
        return not moments_tell(column.scores, counts, counts < least)
    if np.ptp(values) >= MOST_VALUES:
        return True
    support = np.arange(values.min(), values.max() + 1.0)
    counts = np.bincount((values - support[0]).astype(np.int64))
    return not moments_tell(support, counts, (counts < least) & (counts > 0))


def moments_tell(support: np.ndarray, counts: np.ndarray, is_small: np.ndarray) -> bool:
    """Whether the number, mean and standard deviation of some values tell a small count.

    How many patients have each value is bounded by three sums; the bounds are reached at the
    corners of what the sums allow, where three values at most occur. A count is told where only one
    whole number lies between its bounds.

    Parameters
    ----------
    support : ndarray of float64, shape (V,)
        Different values that a patient can have.
    counts : ndarray of int, shape (V,)
        Patients with each.
    is_small : ndarray of bool, shape (V,)
        Counts that must not be told.
    """
    width = min(3, support.size)
    place = (support - support.min()) / (np.ptp(support) or 1.0)
    powers = np.array([place**0, place, place**2])[:width]
    corners = np.array([*combinations(range(support.size), width)])
    bases = powers[:, corners].transpose(1, 0, 2)
    sums = np.broadcast_to((powers @ counts)[:, None], (len(bases), width, 1))
    at = np.linalg.solve(bases, sums)[..., 0]
    allowed = (at > -1e-6).all(axis=1)
    each = np.zeros((int(allowed.sum()), support.size))
    np.put_along_axis(each, corners[allowed], at[allowed], axis=1)
    low, high = np.ceil(each.min(axis=0) - 1e-6), np.floor(each.max(axis=0) + 1e-6)
    return bool((is_small & (low >= high)).any())
