"""Columns that say what came of it: known only afterwards, or what the table is about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from ..families.family import CATEGORY, RATING, YES_NO
from .facts import Facts
from .known_classes import may_be_predicted, usual_values, values_of
from .repeats import Repeat
from .spec import ColumnSpec
from .ties import SAME, few_codes, ties_of
from .vocabulary import (
    names_all_paid,
    names_outcome,
    names_paid,
    names_reply,
    names_review,
    names_score,
    says_answer,
)

#: Share of the columns that are replies, at most, where these are outcomes.
_MOST_REPLIES = 0.75
#: Prices, at least, that are those of several offers.
_FEWEST_OFFERS = 3


def known_afterwards(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    labels: Collection[str],
    repeats: Sequence[Repeat],
    late: Collection[str] = (),
) -> list[str]:
    """Columns that may be outcomes, in the table's order.

    Those that the time watched gave away (``late``). By their names, a family of answers to offers
    as a whole, and with them those that say the same; or else the last column, where the others
    predict it. A price is one where nothing else is clearly the answer, but not those of several
    offers, and a rating where reviews are counted beside it.
    """
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    usual = usual_values(facts, described)
    may_be = [n for n in described if n not in labels and values_of(facts[n]) not in usual]
    copies = [repeat.name for repeat in repeats]
    found = {name for name in (*may_be, *copies) if names_outcome(name)}
    if not any(map(says_answer, labels)):
        found |= _paid(may_be)
    found |= (_replies(described, specs) | set(late)) - set(labels)
    numbers = [name for name in may_be if specs[name].kind not in (YES_NO, CATEGORY)]
    reviewed = {name for name in numbers if names_review(name)}
    if reviewed:
        found |= reviewed | {name for name in numbers if names_score(name)}
    found |= _with_them(found, repeats) - set(labels)
    found |= _that_tell(found, frame, {name: specs[name] for name in {*may_be, *found}})
    if not found and not labels:
        came = {name: spec for name, spec in specs.items() if not facts[name].is_made}
        offers = {name for name in came if names_paid(name)} - _paid(may_be)
        found = set(may_be_predicted(frame, facts, came)) - offers if came else set()
    return [name for name in specs if name in found and specs[name].family is not None]


def _paid(names: Sequence[str]) -> set[str]:
    """Columns of what was paid in the end; of many prices only with one for the whole among them.

    What each of several offers costs is what somebody chose among.
    """
    found = {name for name in names if names_paid(name)}
    is_whole = any(map(names_all_paid, found))
    return found if is_whole or len(found) < _FEWEST_OFFERS else set()


def _replies(described: Sequence[str], specs: Mapping[str, ColumnSpec]) -> set[str]:
    """Columns of yes and no that tell how somebody answered to what was asked, offered or sent.

    Where nearly all columns of a table do, they are what it describes.
    """
    found = {name for name in described if specs[name].kind == YES_NO and names_reply(name)}
    return found if len(found) <= _MOST_REPLIES * len(described) else set()


def _that_tell(
    found: Collection[str], frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> set[str]:
    """Columns of few values from which a yes-or-no outcome follows."""
    few = {n: spec for n, spec in specs.items() if spec.kind in (YES_NO, CATEGORY, RATING)}
    codes = few_codes(frame, few)
    return {
        other
        for name in found
        if name in few and few[name].kind == YES_NO
        for other, (strength, _) in ties_of(codes, name).items()
        if strength > SAME
    }


def _with_them(found: Collection[str], repeats: Sequence[Repeat]) -> set[str]:
    """Columns that say the same as some of those."""
    pairs = [(repeat.name, repeat.of[0]) for repeat in repeats if len(repeat.of) == 1]
    sources = {of for name, of in pairs if name in found} | set(found)
    return sources | {name for name, of in pairs if of in sources}
