"""Which columns may be the answer that somebody knew: by name, by place and by ties."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from .background_words import names_origin
from .code_names import names_code
from .facts import Facts
from .spec import ColumnSpec
from .ties import few_codes, foreseen, ties_of
from .vocabulary import (
    is_given,
    is_sentence,
    names_amount,
    names_answer,
    names_count,
    names_outcome,
    names_paid,
    names_person,
    says_answer,
    words,
)

_MOST_CLASSES = 30
_FEW_CLASSES = 10  # of classes that are numbered
_MOST_LOOKED_AT = 200  # columns whose ties are looked at
_MOST_COMPARED = 12  # columns of few values that an end of the table is held against
_LEAST_TIED = 0.08  # share of the other columns that an answer is tied to
_LEAST_FORESEEN = 0.2  # kappa below which the other columns do not know an answer
_CLEARLY_FORESEEN = 0.4  # the same for what is less likely one: in the middle, or three numbers
_FEWEST_ALIKE = 2  # columns of one name and the same values beside another, which make a family
_MOSTLY_CROSSED = 0.8  # share of all pairs of values that rows have, each once, where one numbers


def may_be_known(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[str]:
    """Columns of few values that may be the known class, the likeliest first.

    By their names; or else one that alone holds names; or the last and the first column, where the
    others predict it as they predict an answer.
    """
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    if len(described) < 2:
        return []
    few = [name for name in described if _has_few_values(facts[name], specs[name])]
    usual = usual_values(facts, described)
    numbered = _numbered(described)
    named = [
        name
        for name in few
        if is_given(name)
        and names_answer(name, is_last=name == [*specs][-1])
        and not (name in numbered or names_count(name))
        and (specs[name].kind != COUNT or says_answer(name))
        and (values_of(facts[name]) not in usual or name == [*specs][-1])
    ]
    # Beside an outcome only a name that says nothing else is one.
    followed = any(spec.role == "validator" for spec in specs.values())
    if followed:
        return [name for name in named if says_answer(name, alone=True)]
    # What stands last and is named so needs no other; a word that many features carry, such as
    # "type", says it at an end only.
    last = [name for name in named if name == described[-1] == list(specs)[-1]]
    clear = [name for name in named if says_answer(name)]
    bare = [name for name in named if name in (described[-1], described[0])]
    if known := last or clear or bare:
        return known
    given = any(map(is_given, specs))
    if given and (any(map(names_outcome, described)) or may_be_predicted(frame, facts, specs)):
        return []
    ends = [name for name in _ends(described, specs) if _may_be_unsaid(name, frame, facts)]
    names = [name for name in few if _holds_names(facts[name], specs[name])]
    compared = _some(names, _MOST_COMPARED)
    wanted = dict.fromkeys([*_some(described, _MOST_LOOKED_AT), *compared, *ends])
    codes = few_codes(frame, {name: specs[name] for name in wanted})
    words = [name for name in names if facts[name].kind == "text"]
    lone = names[:1] if len(names) == 1 else words if len(words) == 1 and words[0] in ends else []
    alone = [
        name
        for name in lone
        if len(described) > 3
        and _may_be_unsaid(name, frame, facts)
        and _is_tied(codes, name, facts, specs)
        and (not is_given(name) or foreseen(codes, name) >= _least(name in ends))
    ]
    by_place = [
        name for name in ends if _ends_as_answer(name, facts, specs, described, compared, codes)
    ]
    return list(dict.fromkeys(by_place + alone))


def may_be_predicted(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[str]:
    """The last column, where it is a number that the others predict: nobody named it, or an amount.

    By custom that is what a raw table was made to predict: a price, a strength, a yield.
    """
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    last = [*specs][-1]
    if len(described) < 4 or specs[last].kind not in (MEASUREMENT, COUNT):
        return []
    unnamed = last in described and not any(map(is_given, specs))
    if not unnamed and not names_amount(last):
        return []
    codes = few_codes(frame, {n: specs[n] for n in [*_some(described, _MOST_LOOKED_AT), last]})
    return [last] if foreseen(codes, last) >= (2 if unnamed else 1) * _LEAST_FORESEEN else []


def _some(names: list[str], most: int) -> list[str]:
    return names[:: max(len(names) // most, 1)]


def usual_values(facts: Mapping[str, Facts], described: Sequence[str]) -> set[tuple[Any, ...]]:
    """Values that most of some columns have: a word in the name of one is one more feature."""
    values = Counter(values_of(facts[name]) for name in described)
    return {v for v, columns in values.items() if columns > 0.5 * len(described)}


def _numbered(names: Sequence[str]) -> set[str]:
    """Names that differ from others in their last number only: of several, none is the answer."""
    stems = Counter(re.sub(r"\d+$", "", name) for name in names)
    return {name for name in names if name[-1:].isdigit() and stems[re.sub(r"\d+$", "", name)] > 1}


def _may_be_unsaid(name: str, frame: pd.DataFrame, facts: Mapping[str, Facts]) -> bool:
    """Whether a name leaves open that it is the answer: it says nothing else, such as a sex."""
    if not is_given(name):
        return True
    known = names_outcome(name) or names_paid(name) or names_person(name) or names_code(name)
    known = known or names_origin(name) or names_count(name) or is_sentence(name)
    return not (known or _is_one_of_several(name, facts) or _numbers_rows(frame, name, facts))


def _ends(described: Sequence[str], specs: Mapping[str, ColumnSpec]) -> list[str]:
    """The last and the first column to cluster on, where only mere numbers of rows lie outside.

    Before or after copies of others and columns that were set aside, it is none by custom.
    """
    names = list(specs)
    last, first = described[-1], described[0]
    outside = {last: names[names.index(last) + 1 :], first: names[: names.index(first)]}
    return [
        name
        for name in dict.fromkeys((last, first))
        if all(specs[n].role == "id" or specs[n].family is None for n in outside[name])
    ]


def _is_one_of_several(name: str, facts: Mapping[str, Facts]) -> bool:
    """Whether others have its values under the same first word: "feat.a", "feat.b", "feat.c"."""
    start = _first_word(name)
    alike = (n for n in facts if n != name and _first_word(n) == start)
    same = sum(values_of(facts[other]) == values_of(facts[name]) for other in alike)
    return same >= _FEWEST_ALIKE


def _first_word(name: str) -> str:
    return (words(name) or [""])[0].rstrip("0123456789")


def _numbers_rows(frame: pd.DataFrame, name: str, facts: Mapping[str, Facts]) -> bool:
    """Whether it and another column tell every row apart: the firm and the year of a panel."""
    levels = facts[name].n_distinct
    if levels <= 2:
        return False
    full = len(frame) / levels  # values of the other, where each pair of values is one row
    return any(
        facts[other].n_distinct > 2
        and full <= facts[other].n_distinct <= full / _MOSTLY_CROSSED
        and not frame.duplicated([name, other]).any()
        for other in facts
        if other != name
    )


def _has_few_values(facts: Facts, spec: ColumnSpec) -> bool:
    whole = facts.kind == "text" or facts.is_bool or facts.is_whole
    kinds = (YES_NO, CATEGORY, RATING, COUNT)
    return whole and 2 <= facts.n_distinct <= _MOST_CLASSES and spec.kind in kinds


def _holds_names(facts: Facts, spec: ColumnSpec) -> bool:
    """Whether a column holds names, or so few numbers that they may stand for some."""
    few = facts.n_distinct <= _FEW_CLASSES and spec.kind in (YES_NO, CATEGORY, RATING)
    return facts.kind == "text" or few


def _is_tied(
    codes: Mapping[str, np.ndarray],
    name: str,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
) -> bool:
    """Whether a column has words or yes/no for values, and a tie to another."""
    if specs[name].kind not in (YES_NO, CATEGORY) and facts[name].kind != "text":
        return False
    return any(p < 0.01 for _, p in ties_of(codes, name).values())


def _ends_as_answer(
    name: str,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    described: list[str],
    compared: list[str],
    codes: Mapping[str, np.ndarray],
) -> bool:
    """Whether a first or last column looks like classes: unlike the others, and tied to them.

    Where nobody named the columns, the last one of another kind is an answer by custom. Elsewhere
    the others have to predict it: a first column better than any of those it is compared with, a
    last one better than three quarters of them.
    """
    others = [other for other in described if other != name]
    last = name == described[-1]
    last_unnamed = last and not is_given(name)
    if not _has_few_values(facts[name], specs[name]):
        return last_unnamed and _only_whole(facts, name, others)
    same = [other for other in others if values_of(facts[other]) == values_of(facts[name])]
    if len(same) > 0.8 * len(others):
        return False
    if last_unnamed and _only_whole(facts, name, others):
        return True
    ties = ties_of(codes, name)
    share = sum(p < 1e-3 for _, p in ties.values()) / max(len(ties), 1)
    if share < _LEAST_TIED:
        return False
    if last_unnamed and share > 0 and specs[name].kind in (YES_NO, CATEGORY):
        return True
    if not _holds_names(facts[name], specs[name]):
        return share >= 0.6 and not (is_given(name) and specs[name].kind == COUNT)
    are_numbers = is_given(name) and facts[name].kind == "number" and facts[name].n_distinct > 2
    own = foreseen(codes, name)
    rivals = [other for other in compared if other != name]
    better = sum(foreseen(codes, other) > own for other in rivals) if own > 0 else 0
    return own >= _least(not are_numbers) and better <= (len(rivals) // 4 if last else 0)


def _least(is_likely: bool) -> float:
    """How well the others have to know an answer."""
    return _LEAST_FORESEEN if is_likely else _CLEARLY_FORESEEN


def _only_whole(facts: Mapping[str, Facts], name: str, others: list[str]) -> bool:
    """Whether a column holds whole numbers from 0 on and nearly all others decimals."""
    if not facts[name].is_whole or facts[name].levels[0] < 0 or facts[name].n_distinct > 50:
        return False
    numbers = [facts[other] for other in others if facts[other].kind == "number"]
    decimal = sum(not f.is_whole for f in numbers)
    return len(numbers) > 2 and decimal >= 0.7 * len(numbers)


def values_of(facts: Facts) -> tuple[Any, ...]:
    """The first distinct values of a column, which columns on one scale share."""
    return tuple(sorted(map(str, facts.levels[:50])))
