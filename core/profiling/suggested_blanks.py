"""Blanks that say something: no, none, or that nothing is there to be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..prepare.cells import FillBlanks
from ..schema.checkboxes import boxes
from ..schema.vocabulary import denies, names_amount, words
from ..wording import counted
from .suggestion import Look, Suggestion, listed_names, short, word_set


def blanks_that_mean_no(look: Look) -> Iterator[Suggestion]:
    """Columns that hold one value or nothing: ticks, or the words of the answers ticked."""
    n = len(look.frame)
    single = [
        name
        for name in look.names
        if len(look.levels(name)) == 1 and 0.02 * n <= n - look.counts(name)[0] and n > 1
    ]
    found = boxes({name: look.levels(name)[0] for name in single})
    if found:
        hold = "column holds" if len(found) == 1 else "columns hold"
        values = list(dict.fromkeys(_told(look.levels(name)[0]) for name in found))
        held = f"{values[0]} or nothing" if len(values) == 1 else "one value or nothing"
        why = (
            f"{len(found):,} {hold} {held} ({listed_names(found)}): does a blank in "
            f"{'it' if len(found) == 1 else 'them'} mean no?"
        )
        yield Suggestion(FillBlanks(found), why)


def _told(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


#: Distinct values of an amount, at least.
_FEWEST_VALUES = 8
#: Share of the cells that are blank, at least, where no other column tells which.
_MOSTLY_BLANK = 0.5
#: Amounts run down towards 0: one in twenty is below this share of the middle one.
_LOW_SHARE = 0.5
#: Words of names whose numbers say when, how long or where, or were measured: there no blank is 0.
_NEVER_NONE = word_set(
    "age ages year years yr yrs date dates day time birth born death latitude longitude lat lon",
    "lng code id number rank grade score rate index mean average avg median ratio percent pct",
    "per latest quality order company agent store alter jahr datum tenure duration",
)


def blanks_that_mean_none(look: Look) -> Iterator[Suggestion]:
    """Amounts that are blank in most rows and never 0: where nothing was, nothing was written."""
    n = len(look.frame)
    found = tuple(
        name
        for name in look.names
        if look.is_number(name)
        and (look.codes(name) >= 0).sum() < (1 - _MOSTLY_BLANK) * n
        and len(look.levels(name)) >= _FEWEST_VALUES
        and _is_amount(look, name)
    )
    if found:
        are, them = ("is", "it") if len(found) == 1 else ("are", "them")
        why = (
            f"{listed_names(found)} {are} blank in most rows and never 0: does a blank in {them} "
            "mean 0?"
        )
        yield Suggestion(FillBlanks(found, 0), why)


def _is_amount(look: Look, name: str) -> bool:
    """Whether the numbers of a column are above 0 and run down towards it, as amounts do."""
    if look.role(name) == "id" or not _NEVER_NONE.isdisjoint(words(name)):
        return False
    values = look.values(name)
    values = values[~np.isnan(values)]
    is_whole = bool(np.all(values == np.floor(values)))
    if not values.size or values.min() <= 0 or not (is_whole or names_amount(name)):
        return False
    low, middle = np.quantile(values, (0.05, 0.5))
    return bool(low < _LOW_SHARE * middle or (values.min() == 1 and middle <= 3))


#: Blank cells, and filled ones, at least; values of the column that tells which, at most.
_FEWEST_CELLS, _MOST_VALUES = 5, 12
#: Share of the rows that may say otherwise, and of the rarer kind of cell.
_MOST_WRONG, _MOST_WRONG_OF_RARE = 0.01, 0.05
#: Levels of a column of words that may be asked about, at most.
_MOST_KINDS = 40


def blanks_that_follow(look: Look) -> Iterator[Suggestion]:
    """Columns that are blank just where another one says no or 0: of nothing there is no kind."""
    tellers = {name: no for name in look.names if (no := _no_of(look, name)) is not None}
    found: dict[bool, dict[str, str]] = {False: {}, True: {}}
    for name in look.names:
        blank = look.codes(name) < 0
        if not _may_be_none(look, name, blank):
            continue
        for other, no in tellers.items():
            if other != name and _are_alike(blank, no, look.codes(other) >= 0):
                told = str(look.levels(other)[look.codes(other)[no][0]]).removesuffix(".0")
                rows = counted(int(blank.sum()), "row")
                found[look.is_number(name)][name] = f"'{short(other)}' is {told} ({rows})"
                break
    for is_number, where in found.items():
        if where:
            means = 0 if is_number else "none"
            yield Suggestion(FillBlanks(tuple(where), means), _why(where, means))


def _why(where: Mapping[str, str], means: object) -> str:
    """One sentence of where some columns are blank."""
    first = next(iter(where))
    alike = [name for name in where if where[name] == where[first]]
    more = len(where) - len(alike)
    are, them = ("is", "it") if len(alike) == 1 else ("are", "them")
    others = f", and {counted(more, 'other column')} where another one says no or 0" * bool(more)
    return (
        f"{listed_names(alike)} {are} blank just where {where[first]}{others}: does a blank in "
        f"{'them' if more else them} mean {means}?"
    )


def _may_be_none(look: Look, name: str, blank: np.ndarray) -> bool:
    """Whether a column with blanks holds amounts, or kinds in words, so that none is one more."""
    if not _FEWEST_CELLS <= blank.sum() <= blank.size - _FEWEST_CELLS:
        return False
    if look.is_number(name):
        return _is_amount(look, name)
    levels = look.levels(name)
    is_kind = look.is_text(name) and 2 <= len(levels) <= _MOST_KINDS
    return is_kind and look.role(name) == "cluster"


def _no_of(look: Look, name: str) -> np.ndarray | None:
    """Rows in which a column says no, or 0 of an amount; None where it never does."""
    levels, says = look.levels(name), np.zeros(0, dtype=bool)
    if len(levels) < 2 or not _MEASURED.isdisjoint(words(name)):
        return None
    if look.is_number(name):
        says = levels == 0
    elif len(levels) <= _MOST_VALUES:
        says = np.array([len(words(str(v))) == 1 and denies(v) for v in levels], dtype=bool)
    if says.sum() != 1 or (look.codes(name) >= 0).mean() < 0.9:
        return None
    return look.codes(name) == int(np.flatnonzero(says)[0])


#: Words of a column that says whether another one was measured: where not, its blank is unknown.
_MEASURED = word_set(
    "measured tested recorded known available observed assessed done after before complete",
    "completed cancelled canceled valid missing gemessen bekannt erhoben",
)


def _are_alike(blank: np.ndarray, no: np.ndarray, known: np.ndarray) -> bool:
    """Whether the cells that are blank are those of the rows that say no, but for a few."""
    wrong = int(((blank != no) & known).sum())
    rare = min(int((blank & known).sum()), int((~blank & known).sum()))
    is_few = wrong <= _MOST_WRONG * known.sum() and wrong <= _MOST_WRONG_OF_RARE * rare
    return rare >= _FEWEST_CELLS and is_few
