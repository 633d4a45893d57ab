"""What is asked about columns that say what others say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pandas as pd

from ..wording import counted, percent
from .arithmetic import SUM
from .asking_words import by_default, listed, quoted
from .coarser import find_coarser
from .questions import Answer, Question
from .repeats import Repeat
from .spec import ColumnSpec
from .vocabulary import names_computed

_REPEATS_SHOWN = 8  # columns named in a question, each with the one that it repeats
_ADDS_LITTLE = 0.99  # share of the rows in which what follows is none to keep beside it
_MOST_COARSER = 2  # questions about what follows from a finer category


def ask_repeats(repeats: Sequence[Repeat], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Columns that say what others say, or add others up; they are left aside by default."""
    if not repeats:
        return []
    told = [f"{quoted(repeat.name)} as {repeat.words}" for repeat in repeats[:_REPEATS_SHOWN]]
    more = len(repeats) - len(told)
    listed = "; ".join(told) + (f"; {counted(more, 'other')}" if more else "")
    names = tuple(repeat.name for repeat in repeats)
    alone = len(names) == 1
    does = "says what another one says, and is" if alone else "say what others say, and are"
    text = f"{counted(len(names), 'column')} {does} left aside by default: {listed}."
    aside = {name: {"role": "ignore", "reason": specs[name].reason} for name in names}
    answers = (
        Answer("Leave aside", aside),
        Answer("Cluster on all", {name: {"role": "cluster"} for name in names}),
        *_only_totals(repeats, specs),
    )
    return [Question("repeat", names, text, answers, is_taken=True)]


def _only_totals(repeats: Sequence[Repeat], specs: Mapping[str, ColumnSpec]) -> list[Answer]:
    """Totals in place of what they add up: of totals that share items, the smallest."""
    totals = {r.name: r.of for r in repeats if len(r.of) > 1 and r.how == SUM}
    kept: list[str] = []
    aside: dict[str, str] = {}
    of_totals = {n for n, of in totals.items() if not totals.keys().isdisjoint(of)}
    for name in sorted(totals, key=lambda n: (n in of_totals, len(totals[n]))):
        if {*kept, *aside}.isdisjoint(totals[name]):
            kept.append(name)
            aside |= dict.fromkeys(totals[name], name)
    if not kept:
        return []
    changes: dict[str, dict[str, Any]] = {name: {"role": "cluster"} for name in kept}
    for item, total in aside.items():
        reason = f"In {quoted(total)}, as you said. {specs[item].reason}"
        changes[item] = {"role": "ignore", "reason": reason}
    only = f"Only {listed(kept)}" if len(kept) == 1 else f"Only the {len(kept)} sums"
    where = "it" if len(kept) == 1 else "them"
    return [Answer(f"{only}, not the {len(aside)} columns in {where}", changes)]


def ask_computed(
    specs: Mapping[str, ColumnSpec], told: Mapping[str, Mapping[str, Any]]
) -> list[Question]:
    """Columns that an analysis or a form computed: what they say comes from others.

    What an analysis saved, a distance or a prediction, is left aside by default.
    """
    found = [
        name
        for name, spec in specs.items()
        if spec.role == "cluster"
        and (
            names_computed(name)
            or names_computed(str(told.get(name, {}).get("label", "")))
            or "made_of" in told.get(name, {})
        )
    ]
    if not found:
        return []
    made = [name for name in found if "made_of" in told.get(name, {})]
    by = "the form" if made == found else "the form or" * bool(made) + " an earlier analysis"
    reason = "Computed from others, as you said."
    aside = {name: {"role": "ignore", "reason": f"{reason} {specs[name].reason}"} for name in found}
    was = "Was" if len(found) == 1 else "Were"
    text = f"{was} {listed(found)} computed from other columns by {by.strip()}?"
    back = {name: {"role": "cluster"} for name in found}
    answers = Answer("Yes: leave aside", aside), Answer("No: cluster on them", back)
    if made:
        return [Question("repeat", tuple(found), text, answers)]
    return [Question("repeat", tuple(found), f"{text} {by_default(found)}", answers, is_taken=True)]


def ask_made(made: Mapping[str, Sequence[str]], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Whether what a step computed and what it computed it from are all to count."""
    takes_part = {name for name, spec in specs.items() if spec.role == "cluster"}
    return [
        _made(name, of, specs)
        for name, of in made.items()
        if len(of) > 1 and takes_part.issuperset((name, *of))
    ]


def _made(name: str, of: Sequence[str], specs: Mapping[str, ColumnSpec]) -> Question:
    text = (
        f"{quoted(name)} was made of {listed(of)}, so that the same facts count twice: keep which?"
    )
    parts = {
        n: {"role": "ignore", "reason": f"In {quoted(name)}, as you said. {specs[n].reason}"}
        for n in of
    }
    whole = {"role": "ignore", "reason": f"Made of others, as you said. {specs[name].reason}"}
    answers = (
        Answer("All", {}),
        Answer(f"Only {quoted(name)}", parts),
        Answer(f"All but {quoted(name)}", {name: whole}),
    )
    return Question("repeat", (name, *of), text, answers)


def ask_coarser(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec], asked: Collection[str]
) -> list[Question]:
    """Whether a category and what follows from it are both to count; those asked about do not."""
    free = {name: spec for name, spec in specs.items() if name not in asked}
    found = find_coarser(frame, free)
    most = sorted(found, key=lambda fine: -len(found[fine]))[:_MOST_COARSER]
    return [_coarser(fine, found[fine], specs) for fine in found if fine in most]


def _coarser(
    fine: str, of: Sequence[tuple[str, float]], specs: Mapping[str, ColumnSpec]
) -> Question:
    names = tuple(name for name, _ in of)
    share = percent(min(share for _, share in of))
    follow = "follows" if len(names) == 1 else "follow"
    text = (
        f"{listed(names)} {follow} from {quoted(fine)} in {share} of the rows, so that one fact "
        "counts twice: keep which?"
    )
    whose = f"Follows from {quoted(fine)}, as you said."
    coarse = {n: {"role": "ignore", "reason": f"{whose} {specs[n].reason}"} for n in names}
    told = f"{listed(names)} {'tells' if len(names) == 1 else 'tell'} it coarser, as you said."
    both = Answer("All" if len(names) > 1 else "Both", {})
    finer = Answer(f"Only {quoted(fine)}", coarse)
    adds_little = min(share for _, share in of) >= _ADDS_LITTLE
    answers = (
        *((finer, both) if adds_little else (both, finer)),
        Answer(
            f"Only {quoted(names[0])}" if len(names) == 1 else f"All but {quoted(fine)}",
            {fine: {"role": "ignore", "reason": f"{told} {specs[fine].reason}"}},
        ),
    )
    return Question("repeat", (*names, fine), text, answers)
