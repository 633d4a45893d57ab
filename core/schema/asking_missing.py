"""What is asked about cells that may say nothing: codes, zeros, words, limits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, YES_NO
from ..reading.numbers import read_numerals
from ..wording import counted
from .asking_words import SHOWN, joined, listed, quoted
from .cells import MissingCodes, factorize
from .facts import Facts, spelled
from .guess import guess_numbers
from .guess_words import guess_words
from .impossible import cannot_be, last_year_of
from .no_answers import may_say_unknown
from .outside_scale import outside_scales
from .questions import Answer, Question
from .readings import read_words
from .spec import ColumnSpec
from .special_values import far_away, find_special, find_special_days, is_amount_of_none, wrong_sign


def ask_special_values(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[Question]:
    """One question for every family of values that may be none, about all columns that hold some.

    Zeros are one family, the codes of a survey (-9, 8, 99, 998) another; columns with both are
    asked about for themselves, as an answer about some of its codes would undo that about others.
    """
    families: dict[tuple[bool, ...], dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for name, column in facts.items():
        if codes := _doubtful(column, specs[name]):
            family = column.kind == "date", 0 in codes, any(code != 0 for code in codes)
            families[family][name] = codes
    asked = [_special_value(frame, codes, facts, specs) for codes in families.values()]
    return [*asked, *_mistakes(facts, specs)]


def _doubtful(facts: Facts, spec: ColumnSpec) -> tuple[Any, ...]:
    """Values of a column that may be none, in increasing order."""
    if facts.kind == "date":
        return find_special_days(list(map(str, facts.levels)), facts.counts.tolist())
    if spec.role != "cluster":
        return ()
    found = {code for code in spec.special_codes if code == 0}.union(find_special(facts))
    if 0 in found and is_amount_of_none(facts):
        found.discard(0)
    return tuple(sorted(map(int, found)))


def _special_value(
    frame: pd.DataFrame,
    codes: Mapping[str, tuple[Any, ...]],
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
) -> Question:
    """What some codes of some columns mean, of each column those that it holds."""
    every = sorted(set().union(*codes.values()))
    rows = {c: sum(_rows_of(c, facts[n]) for n in codes if c in codes[n]) for c in every}
    many = len(every) > 1
    zeros, others = ([c for c in every if c == 0], [c for c in every if c != 0])
    #: Of each answer: the codes that are missing, those that stand apart, and what is said of all.
    choices: dict[str, tuple[list[Any], list[Any], str]] = {
        "Missing": (every, [], "missing"),
        "Keep apart": ([], every, "kept beside the numbers"),
        "Plain values" if many else "A plain value": ([], [], "like the other values"),
    }
    first = [] if others else ["Keep apart"]
    if zeros and others:
        mixed = f"Keep 0 apart, {_told(others)} missing"
        choices[mixed] = (others, zeros, "0 kept beside the numbers, the others missing")
        if rows[0] > 0.3 * sum(facts[name].n_present for name in codes):
            first = [mixed]
    answers = []
    for text in sorted(choices, key=lambda text: text not in first):
        missing, apart, said = choices[text]
        decided = {n: _decided(facts[n], specs[n], codes[n], missing, apart) for n in codes}
        changes = {
            n: changed | {"reason": f"{specs[n].reason} {_told(codes[n])}: {said}, as you said."}
            for n, changed in decided.items()
            if not apart or changed.get("family") not in (None, "categorical")
        }
        if changes:
            answers.append(Answer(text, changes))
    does = "Do" if many else "Does"
    total = counted(_rows_with(codes, frame, facts, specs), "row")
    text = f"{does} {_told(every)} in {listed(list(codes))} ({total}) mean something else?"
    return Question("missing", tuple(codes), text, tuple(answers))


def _told(codes: Collection[Any]) -> str:
    return joined(map(str, codes))


def _mistakes(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Whether a few numbers that cannot be, or lie far from all others, are mistakes."""
    found = []
    last_year = last_year_of(facts)
    outside = outside_scales(facts, specs)
    for name, spec in specs.items():
        where, odd = _odd_numbers(facts[name], spec, last_year)
        can_be = where == _FAR
        if not odd and name in outside and not _doubtful(facts[name], spec):
            (where, odd), can_be = outside[name], True
        if not odd:
            continue
        more = len(odd) - _MISTAKES_SHOWN
        shown = [*map(spelled, odd[:_MISTAKES_SHOWN])] + [counted(more, "other")] * (more > 0)
        told = joined(shown)
        missing = _decided(facts[name], spec, odd, odd, ())
        missing["reason"] = f"{spec.reason} {told} missing, as you said."
        answers = [Answer("No: plain values", {}), Answer("Yes: missing", {name: missing})]
        # The best guess stands first.
        answers = answers if can_be else answers[::-1]
        text = f"Is what lies {where} in {quoted(name)} ({told}) a mistake?"
        found.append(Question("missing", (name,), text, answers))
    return found


_MISTAKES_SHOWN = 6
_FAR = "far from all others"
#: Likelihoods of amounts, from whose values one can be far; counts that vary widely have tails.
_OF_AMOUNTS = ("normal", "exponential", "poisson")


def _odd_numbers(facts: Facts, spec: ColumnSpec, last_year: float) -> tuple[str, tuple[float, ...]]:
    """Where a few odd numbers of a column lie, and which they are; none of those asked about."""
    if spec.role != "cluster":
        return "", ()
    if below := wrong_sign(facts):
        return "below 0", below
    if facts.kind != "number" or _doubtful(facts, spec):
        return "", ()
    codes = [code for code in spec.missing_codes if not isinstance(code, str)]
    plain = facts.without([*codes, *([0] if 0 in spec.special_codes else [])])
    where, odd = cannot_be(plain, last_year)
    if odd or spec.family not in _OF_AMOUNTS:
        return where, odd
    return _FAR, far_away(plain, spec.family, spec.transform == "log")


def ask_words(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[Question]:
    """Whether words such as "unknown" are a value of their own, one question for all columns."""
    changes: dict[str, dict[str, Any]] = {}
    found: dict[str, list[str]] = {}
    for name, spec in specs.items():
        if spec.role != "cluster" or facts[name].kind != "text":
            continue
        if spec.kind not in (CATEGORY, YES_NO):
            continue
        words = _unknown(facts[name], spec)
        if not words:
            continue
        found[name] = words
        left = guess_words(facts[name].keeping(~np.isin(facts[name].levels, words)))
        alone = left.levels is not None and len(left.levels) < 2
        told = f"{joined(map(quoted, map(str, words)))} missing, as you said."
        changes[name] = {
            "family": spec.family if alone else left.family,
            "levels": spec.levels if alone else left.levels,
            "missing_codes": (*spec.missing_codes, *map(str, words)),
            "reason": f"{left.reason} {told}",
        } | ({"role": "ignore"} if alone else {})
    if not changes:
        return []
    said = list(dict.fromkeys(word for words in found.values() for word in words))
    rows = counted(_rows_with(found, frame, facts, specs), "row")
    more = len(said) - SHOWN
    shown = [quoted(word) for word in said][:SHOWN] + [counted(more, "other word")] * (more > 0)
    does = "Do" if len(said) > 1 else "Does"
    text = f"{does} {joined(shown)} in {listed(list(changes))} ({rows}) say that nothing is known?"
    answers = Answer("A value like the others", {}), Answer("Missing", changes)
    return [Question("missing", tuple(changes), text, answers)]


def _rows_with(
    held: Mapping[str, Collection[Any]],
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
) -> int:
    """Rows with some values in any of some columns; told from the frame where these are several."""
    most = max(sum(_rows_of(code, facts[name]) for code in held[name]) for name in held)
    if len(held) == 1:
        return most
    hit = np.zeros(len(frame), dtype=bool)
    for name, codes in held.items():
        places, words = factorize(frame[name])
        is_one = MissingCodes(tuple(codes)).holds
        said = [is_one(word) and word != "" for word in read_words(words, specs[name].reading)]
        hit |= np.array([*said, False])[places]
    return max(most, int(hit.sum()))


def _rows_of(code: Any, facts: Facts) -> int:
    return int(facts.counts[[str(v) == str(code) or v == code for v in facts.levels]].sum())


def _decided(
    facts: Facts,
    spec: ColumnSpec,
    codes: tuple[Any, ...],
    missing: Collection[Any],
    apart: Collection[Any],
) -> dict[str, Any]:
    """What becomes of a column of whose codes some are missing and some stand apart."""
    missing, apart = [c for c in codes if c in missing], [c for c in codes if c in apart]
    kept = tuple(code for code in spec.missing_codes if code not in codes)
    others = zip(spec.special, spec.special_codes, strict=True)
    special = {name: code for name, code in others if code not in codes}
    out = [c for c in (*kept, *special.values(), *missing, *apart) if not isinstance(c, str)]
    words = {"zero" if code == 0 else f"code {code}": code for code in apart}
    return _options(facts, out) | {
        "missing_codes": (*kept, *missing),
        "special": special | words,
    }


def _options(facts: Facts, codes: list[float]) -> dict[str, Any]:
    """Likelihood of a column of numbers without some codes; nothing is decided about dates."""
    if facts.kind != "number":
        return {}
    spec = guess_numbers(facts.without(codes))
    options = ("family", "role", "transform", "levels", "trials", "offset")
    return {option: getattr(spec, option) for option in options}


def _unknown(facts: Facts, spec: ColumnSpec) -> list[str]:
    """Words of a column that may say that nothing is known, and are not missing yet.

    Beside other words as short as it, an abbreviation is one of their kind: "ND" among states.
    """
    words = [str(word) for word in facts.levels]
    lengths = sorted(map(len, words))
    usual = lengths[len(lengths) // 2]
    found = [w for w in words if may_say_unknown(w) and not len(w) <= min(usual, 3)]
    return [] if len(found) == len(words) else [w for w in found if w not in spec.missing_codes]


def ask_limits(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """What a cell such as "<0.5" counts as."""
    found = []
    for name, spec in specs.items():
        limits = facts[name].limits
        if not limits or not spec.special or spec.role != "cluster":
            continue
        others = {
            outcome: code
            for outcome, code in zip(spec.special, spec.special_codes, strict=True)
            if not (isinstance(code, str) and code[:1] in "<>\u2264\u2265")
        }
        numerals = read_numerals(list(limits))
        values = {} if numerals is None else {c: f.value for c, f in numerals.cells.items()}
        half = {
            cell: value / 2 if cell.strip()[0] in "<\u2264" else value
            for cell, value in values.items()
        }
        said = f"{', '.join(f'{cell} is {half[cell]:g}' for cell in list(half)[:SHOWN])}"
        as_number = {
            "special": others,
            "taken_as": tuple(half.items()),
            "reason": f"{spec.reason} {said}, as you said.",
        }
        missing = {
            "special": others,
            "missing_codes": (*spec.missing_codes, *limits),
            "reason": f"{spec.reason} Cells at a limit are missing, as you said.",
        }
        rows = counted(sum(limits.values()), "row")
        text = f"What does {quoted(next(iter(limits)))} in {quoted(name)} ({rows}) count as?"
        answers = (
            Answer("Keep apart", {}),
            Answer(f"Half the limit ({said})", {name: as_number}),
            Answer("Missing", {name: missing}),
        )
        found.append(Question("missing", (name,), text, answers))
    return found
