"""What may be told outside the room: of which group, column, pair and curve.

A number is withheld where a count of patients below the threshold could be worked out of it, or of
it together with the others. What decides that of a cell is ``release.cells.told_cells`` alone, so
that Table 1 and the later tables hide the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, MEASUREMENT, RATING, YES_NO
from ..once import once
from ..release.allowed import ABOUT, SHOWN, T_TESTS, TESTED
from ..release.cells import ALL, MOST_VALUES, tells_of_few, told_cells
from ..release.door import let_out
from ..schema.encoded import Encoded
from ..statistics.association import Associations, ColumnAssociation, Comparison
from ..statistics.effects import no_effect
from ..statistics.hypothesis_tests import no_test
from ..statistics.multiplicity import Adjusted, adjust
from ..statistics.suppression import OFF, Suppressed, suppress_sizes
from ..statistics.variables import Variable
from .distinctions import Distinctions
from .left_out import are_found, sides
from .subgroups import Subgroups
from .t_test_lines import TTests
from .t_tests import Pair
from .told_over_time import hidden_over_time

#: In the place of a test that stays inside.
STAYS_INSIDE = "A count that is hidden could be worked out."


def sizes(groups: Subgroups, least: int) -> Suppressed:
    """Sizes of the groups with what must be hidden among them."""
    return _sizes(tuple(groups.sizes.tolist()), least)


@lru_cache(maxsize=16)
def _sizes(counts: tuple[int, ...], least: int) -> Suppressed:
    """Asked for by every pair of every column, and the same for all of them."""
    return suppress_sizes(counts, least, [f"Group {k + 1}" for k in range(len(counts))])


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
    told = [
        _told_made(_as_coded(seen.encoded, name), seen.groups, least)[:-1]
        for name in seen.encoded.columns
    ]
    return pd.DataFrame(np.array(told, dtype=bool), index=list(seen.encoded.columns))


def _told_made(ways: Sequence[Variable], groups: Subgroups, least: int) -> np.ndarray:
    """Of which groups, and whether of all, everything may be told on a column that formed them.

    Its figures are in standard deviations of all patients: of a column of few values that tells
    how many of all have each, of a measurement no number of patients.
    """
    has_total = not all(map(_is_measured, ways))
    return told_cells(ways, groups.labels, shown(groups, least), least, has_total)


def _as_coded(encoded: Encoded, name: str) -> list[Variable]:
    """A column that formed the groups, as the likelihood read it; then its special outcomes."""
    place = encoded.names.index(name)
    unit = next(u for u in encoded.units if name in u.columns and not u.is_outcome)
    found = [_coded(name, unit.kind, encoded.values[:, place], unit.options.get("trials"))]
    if name in encoded.outcome_of:
        u = encoded.outcome_of[name]
        found.append(_coded(name, encoded.units[u].kind, encoded.values[:, encoded.starts[u]]))
    return found


def _coded(name: str, kind: str, codes: np.ndarray, trials: int | None = None) -> Variable:
    n_levels = int(trials or np.nanmax(codes, initial=0.0)) + 1
    levels = tuple(range(n_levels)) if kind in (RATING, YES_NO, CATEGORY) else ()
    return Variable(name, kind, codes, levels)


def told_of(column: Variable, groups: Subgroups, least: int) -> np.ndarray:
    """Of which groups all may be told on a column kept out, shape (K + 1,); all patients last."""
    return _told_of(groups, column, least)


@once
def _told_of(groups: Subgroups, column: Variable, least: int) -> np.ndarray:
    return told_cells(column, groups.labels, shown(groups, least), least)


def is_told(
    column: ColumnAssociation, tested: Sequence[int], groups: Subgroups, least: int
) -> bool:
    """Whether the numbers of some groups on a column kept out, or a part of it, may be told."""
    return bool(told_of(column.variable, groups, least)[list(tested)].all())


def are_told(
    found: Associations,
    column: ColumnAssociation,
    tested: Sequence[int],
    groups: Subgroups,
    least: int,
) -> bool:
    """The same of all parts of its column: one part's numbers follow from the other's."""
    return all(is_told(part, tested, groups, least) for part in found.parts(column))


def outward(found: Associations, groups: Subgroups, least: int) -> Associations:
    """Tests without those whose numbers stay inside, and corrected without them.

    In the correction a test that stays inside counts as one of p = 1, so that neither its p-value
    follows from the others' nor whether it could be made: an adjusted p-value can be larger than
    inside, never smaller. The test of all groups is told where each of them is.
    """
    if least == OFF:
        return found
    found = hidden_over_time(found, groups.labels, least)
    told = [
        replace(
            column,
            overall=_or_nothing(column.overall, found, column, groups, least),
            pairs=tuple(_or_nothing(pair, found, column, groups, least) for pair in column.pairs),
        )
        for column in found.columns
    ]
    if all(
        now is before
        for now, before in zip(_comparisons(told), _comparisons(found.columns), strict=True)
    ):
        return found
    pairs = _adjusted([pair for column in told for pair in column.pairs], len(told))
    overall = _adjusted([column.overall for column in told], len(told))
    corrected_pairs, corrected = iter(pairs.p), iter(overall.p)
    columns = tuple(
        replace(
            column,
            overall=_corrected(column.overall, next(corrected)),
            pairs=tuple(_corrected(pair, next(corrected_pairs)) for pair in column.pairs),
        )
        for column in told
    )
    return replace(found, columns=columns, pairs_adjusted=pairs, overall_adjusted=overall)


def _comparisons(columns: Sequence[ColumnAssociation]) -> list[Comparison]:
    return [one for column in columns for one in (column.overall, *column.pairs)]


def _or_nothing(
    one: Comparison,
    found: Associations,
    column: ColumnAssociation,
    groups: Subgroups,
    least: int,
) -> Comparison:
    """A comparison, or its place where it stays inside."""
    if stays_inside(one) or are_told(found, column, one.groups, groups, least):
        return one
    nothing, unknown = no_effect(""), (float("nan"),) * len(one.n)
    test = no_test(STAYS_INSIDE)
    return replace(one, n=unknown, test=test, effect=nothing, ranking=nothing, second=nothing)


def stays_inside(one: Comparison) -> bool:
    """Whether ``outward`` took the numbers of a comparison away."""
    return one.test.reason == STAYS_INSIDE


def _adjusted(made: Sequence[Comparison], n_columns: int) -> Adjusted:
    return adjust([1.0 if stays_inside(one) else one.test.p for one in made], n_columns)


def _corrected(one: Comparison, p: float | None) -> Comparison:
    return replace(one, adjusted=None if stays_inside(one) else p)


def told_pairs(found: Associations, groups: Subgroups, least: int) -> list[ColumnAssociation]:
    """The columns, each with those pairs of groups of which numbers may be told."""
    return [
        replace(column, pairs=tuple(pair for pair in column.pairs if not stays_inside(pair)))
        for column in outward(found, groups, least).columns
    ]


def told_lines(tests: TTests, lines: pd.DataFrame, seen: Distinctions, least: int) -> pd.DataFrame:
    """Lines of t-tests that may leave; of the others no more remains than about the size.

    A line tells of both groups how many patients are observed, and their mean: that leaves where
    no count below ``least`` follows from it in either. What it tells of the groups found without
    the column leaves where none follows from the difference to those shown either; else only
    about how large the difference and the p-value are. Of a line that stays inside the direction
    and about the size are told of measurements alone: of a 0 or 4 in fifty they would tell which.
    """
    told = told_columns(tests, seen, least)
    whole = {name: of.to_numpy()[:-1] for name, of in told.items()}
    of_line = [*zip(lines["column"], lines["pair"], strict=True)]
    shown = [bool(whole[name][list(_groups_of(pair, tests))].all()) for name, pair in of_line]
    tested = [
        told and _again_told(tests, name, pair, least)
        for told, (name, pair) in zip(shown, of_line, strict=True)
    ]
    about = [
        told or _is_measured(tests.columns[name])
        for told, (name, _) in zip(shown, of_line, strict=True)
    ]
    lines = _rounded(lines, np.array(shown, dtype=bool), np.array(tested, dtype=bool))
    because = f"a count below {least} would follow"
    why = [f"{'rounded' if told else 'hidden'}: {because}" for told in shown]
    return let_out(lines, T_TESTS, {SHOWN: shown, TESTED: tested, ABOUT: about}, why)


def _rounded(lines: pd.DataFrame, shown: np.ndarray, tested: np.ndarray) -> pd.DataFrame:
    """P-values of groups found without a column rounded up where those stay inside.

    So are all that were corrected where any line stays inside: one's would follow from another's.
    """
    about = shown & ~tested
    is_corrected = lines["judged"].ne(lines["p_left_out"]) & lines["judged"].ne(lines["p"])
    for name, away in (
        ("p_left_out", about),
        ("judged", about | (is_corrected & lines["judged"].notna() & (~shown).any())),
    ):
        lines = lines.assign(**{name: lines[name].where(~away, rounded_up(lines[name]))})
    return lines


def _is_measured(column: Variable | str) -> bool:
    """Whether a column has so many values that a size of a difference tells no count."""
    if isinstance(column, str) or column.kind != MEASUREMENT or column.outcome is not None:
        return False
    return np.unique(column.values[column.observed]).size > MOST_VALUES


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
    return not tells_of_few(column, rows, least)


def _groups_of(pair: Pair, tests: TTests) -> tuple[int, ...]:
    """Groups of which a line tells: of one against all others, every one."""
    return tuple(range(len(tests.titles))) if pair[1] is None else pair


def told_columns(tests: TTests, seen: Distinctions, least: int) -> pd.DataFrame:
    """Of which column (a column of the table) and group (a row) everything may be told.

    Everything is the number of patients observed, the mean and the standard deviation, of a column
    of names its levels, of a time its events. The last row, ``ALL``, is about all patients.
    """
    groups = seen.groups
    made = told_means(seen, tests.made, least).T
    told = {}
    for name, column in tests.columns.items():
        if isinstance(column, str):
            told[name] = np.zeros(groups.sizes.size + 1, dtype=bool)
        elif name in made:
            ways = [*_as_coded(seen.encoded, name), column]
            told[name] = _told_made(ways, groups, least)
            told[name][:-1] &= made[name].to_numpy()
        else:
            told[name] = told_of(column, groups, least)
    return pd.DataFrame(told, index=[*range(groups.sizes.size), ALL])
