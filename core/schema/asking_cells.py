"""What is asked about cells: codes, zeros, words, limits, mistakes, several facts, an order."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from ..families.family import CATEGORY, YES_NO
from ..prepare import split
from ..prepare.step import in_words
from ..reading.columns import several_answers
from ..reading.numbers import read_numerals
from ..wording import counted, cut, listed
from .facts import Facts, spelled
from .guess import guess_words
from .odd_values import cannot_be, far_away, find_codes, is_amount_of_none
from .orders import likely_order
from .questions import SHOWN, Answer, Look, Question, joined, named, quoted, worded
from .rules import CATEGORY_CEILING, NUMBERS, are_serial_days, decide, holds_pairs, holds_several
from .spec import ColumnSpec
from .words import may_say_unknown

_MOST_LOST = 0.2  # share of the cells that an order may leave without a place, to be the best guess
_MISTAKES_SHOWN = 6
_FAR, _SPELT = "far from all others", {2: "two", 3: "three"}


def ask_special_values(look: Look) -> Iterator[Question]:
    """One question for every family of values that may be none, about all columns with some."""
    families: dict[tuple[bool, ...], dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for name in look.open:
        if codes := _doubtful(name, look):
            families[0 in codes, any(codes)][name] = codes
    for (has_zero, has_others), codes_of in families.items():
        every = sorted(set().union(*codes_of.values()))
        alike = "Plain values" if len(every) > 1 else "A plain value"
        #: Of each answer: the codes that are missing, those that stand apart, and what is said.
        choices: list[tuple[str, list[Any], list[Any], str]] = [
            ("Missing", every, [], "missing"),
            ("Keep apart", [], every, "kept beside the numbers"),
            (alike, [], [], "like the other values"),
        ]
        if not has_others:
            choices[:2] = reversed(choices[:2])
        elif has_zero:
            others = [code for code in every if code != 0]
            mixed = f"Keep 0 apart, {joined(map(str, others))} missing"
            choices.append((mixed, others, [0], "0 kept beside the numbers, the others missing"))
        answers = []
        for text, missing, apart, remark in choices:
            changes = {}
            for name, codes in codes_of.items():
                change = _decided(look.facts[name], look.specs[name], codes, missing, apart)
                said = f"{joined(map(str, codes))}: {remark}, as you said."
                if not apart or change["family"] not in (None, "categorical"):
                    changes[name] = change | {"reason": f"{look.specs[name].reason} {said}"}
            if changes:
                answers.append(Answer(text, changes))
        text = "Do[es|] {codes} in {columns} ({cells}) mean something else?"
        shown, columns, cells = [*map(str, every)], named([*codes_of]), _cells(codes_of, look)
        text = worded(text, shown, codes=joined(shown), columns=columns, cells=cells)
        yield Question("missing", tuple(codes_of), text, tuple(answers))


def _doubtful(name: str, look: Look) -> tuple[Any, ...]:
    """Codes of a column, of which 0 may stand apart already."""
    facts = look.facts[name]
    found = {*find_codes(facts), *(code for code in look.specs[name].special_codes if code == 0)}
    if 0 in found and is_amount_of_none(facts):
        found.discard(0)
    return tuple(sorted(int(code) if code % 1 == 0 and code < 1e15 else code for code in found))


def _decided(
    facts: Facts,
    spec: ColumnSpec,
    codes: Collection[Any],
    missing: Collection[Any],
    apart: Collection[Any],
) -> dict[str, Any]:
    """What becomes of a column of whose codes some are missing and some stand apart."""
    others = zip(spec.special, spec.special_codes, strict=True)
    special = {name: code for name, code in others if code not in codes}
    special |= {"zero" if c == 0 else f"code {c}": c for c in codes if c in apart}
    kept = [code for code in spec.missing_codes if code not in codes]
    changes = {"missing_codes": (*kept, *(c for c in codes if c in missing)), "special": special}
    left = decide(NUMBERS, facts.without((*changes["missing_codes"], *special.values())))
    return changes | {n: getattr(left, n) for n in ("family", "role", "transform", "levels")}


def ask_mistakes(look: Look) -> Iterator[Question]:
    """Whether a few numbers that cannot be, or lie far from all others, are mistakes."""
    for name, spec in look.open_specs().items():
        facts = look.facts[name]
        if facts.kind != "number" or _doubtful(name, look):
            continue
        out = [*spec.missing_codes, *(code for code in spec.special_codes if code == 0)]
        left = facts.without(out)
        where, odd = cannot_be(left)
        if not odd:
            where, odd = _FAR, far_away(left, spec.family, spec.transform == "log")
        if not odd:
            continue
        shown = listed(map(spelled, odd), _MISTAKES_SHOWN)
        missing = _decided(facts, spec, odd, odd, ())
        missing["reason"] = f"{spec.reason} {shown} missing, as you said."
        answers = [Answer("No: plain values", {}), Answer("Yes: missing", {name: missing})]
        if where != _FAR:  # the best guess stands first
            answers.reverse()
        text = f"Is what lies {where} in {quoted(name)} ({shown}) a mistake?"
        yield Question("missing", (name,), text, tuple(answers))


def ask_unknown_words(look: Look) -> Iterator[Question]:
    """Whether words such as "unknown" are a value of their own, one question for all columns."""
    found = {name: words for name in look.open if (words := _unknown(name, look))}
    if not found:
        return
    changes: dict[str, dict[str, Any]] = {}
    for name, words in found.items():
        left = guess_words(look.facts[name].without(words))
        alone = left.levels is None or len(left.levels) < 2
        changes[name] = {
            "missing_codes": (*look.specs[name].missing_codes, *words),
            "reason": f"{left.reason} {joined(map(quoted, words))} missing, as you said.",
        } | ({"role": "ignore"} if alone else {"family": left.family, "levels": left.levels})
    unknown = [*dict.fromkeys(word for words in found.values() for word in words)]
    shown, cells = listed(map(quoted, unknown), SHOWN), _cells(found, look)
    text = "Do[es|] {words} in {columns} ({cells}) say that nothing is known?"
    text = worded(text, unknown, words=shown, columns=named([*changes]), cells=cells)
    answers = Answer("A value like the others", {}), Answer("Missing", changes)
    yield Question("missing", tuple(changes), text, answers)


def _unknown(name: str, look: Look) -> list[str]:
    """Words of a category that may say that nothing is known, and are not missing yet."""
    spec, words = look.specs[name], look.facts[name].shown
    if look.facts[name].kind != "text" or spec.kind not in (CATEGORY, YES_NO):
        return []
    usual = sorted(map(len, words))[len(words) // 2]
    found = [w for w in words if may_say_unknown(w) and not len(w) <= min(usual, 3)]
    return [] if len(found) == len(words) else [w for w in found if w not in spec.missing_codes]


def _cells(held: Mapping[str, Collection[Any]], look: Look) -> str:
    """How many cells of some columns hold some values, in words."""
    facts = ((look.facts[name], [*values]) for name, values in held.items())
    return counted(sum(int(one.counts[np.isin(one.levels, of)].sum()) for one, of in facts), "cell")


def ask_limits(look: Look) -> Iterator[Question]:
    """What a cell such as "<0.5" counts as."""
    for name, spec in look.open_specs().items():
        limits = look.facts[name].limits
        if not limits:
            continue
        pairs = zip(spec.special, spec.special_codes, strict=True)
        others = {k: v for k, v in pairs if v not in limits and v not in ("<", ">")}
        answers = [Answer("Keep apart", {})]
        if numerals := read_numerals(list(limits)):
            below = {cell for cell in numerals.cells if cell.strip()[0] in "<\u2264"}
            half = {
                cell: found.value / 2 if cell in below else found.value
                for cell, found in numerals.cells.items()
            }
            halves = ", ".join(f"{cell} is {half[cell]:g}" for cell in list(half)[:SHOWN])
            taken = {"special": others, "taken_as": tuple(half.items())}
            taken["reason"] = f"{spec.reason} {halves}, as you said."
            words = "Half the limit" if below else "The limit itself"
            answers.append(Answer(f"{words} ({halves})", {name: taken}))
        missing = {"special": others, "missing_codes": (*spec.missing_codes, *limits)}
        missing["reason"] = f"{spec.reason} Cells at a limit are missing, as you said."
        answers.append(Answer("Missing", {name: missing}))
        rows = counted(sum(limits.values()), "row")
        text = f"What does {quoted(next(iter(limits)))} in {quoted(name)} ({rows}) count as?"
        yield Question("missing", (name,), text, tuple(answers))


def ask_several_facts(look: Look) -> Iterator[Question]:
    """What to do with cells of several facts, and with days of a program."""
    for name, spec in look.specs.items():
        facts = look.facts[name]
        if spec.role != "ignore":
            continue
        if are_serial_days(facts):
            text = f"Do the numbers in {quoted(name)} ({facts.shown[0]}) count days or seconds "
            text += "since a date, as programs keep dates? They are left aside until you say."
            plain = {"role": "cluster", "family": "normal"}
            answers = [Answer("Leave aside", {}), Answer("No: plain numbers", {name: plain})]
        elif (pairs := holds_pairs(facts)) or holds_several(facts):
            cells = facts.shown
            what = f"{_SPELT[len(split.numbered(cells))]} numbers" if pairs else "several answers"
            example = " ".join(max(cells, key=len).split()) if pairs else several_answers(cells)
            answers = [*_splits(look, name), Answer("Leave aside", {})]
            asks = f"Split {quoted(name)}? It" if len(answers) > 1 else quoted(name)
            text = f"{asks} holds {what} in a cell ({cut(example, 40)}), and is left aside."
            if facts.n_distinct <= CATEGORY_CEILING:
                words = {"family": "categorical", "levels": tuple(sorted(cells)), "role": "cluster"}
                answers.append(Answer("Take each cell as one value", {name: words}))
        else:
            continue
        if len(answers) > 1:
            yield Question("cells", (name,), text, tuple(answers))


def _splits(look: Look, name: str) -> Iterator[Answer]:
    """The ways to split the cells of a column, the likeliest first."""
    words = look.facts[name].shown
    sign, likely = split.likely_split(words) or ("", "")

    def into(text: str, how: str, parts: tuple[str, ...] = ()) -> Answer:
        return Answer(text, {}, step=split.SplitCell(name, sign, how, parts))

    if likely == split.ANSWERS:
        parts = split.answers_in(in_words(look.frame[name]), sign)
        if len(parts) <= split.MOST_ANSWERS:
            yield into(f"Split into {counted(len(parts), 'yes/no column')}", likely, parts)
    elif likely:
        parts = split.numbered(words)
        if likely == split.WEEKS:
            yield into("Weeks and days: read as weeks", likely)
        if sign == "+":
            yield into("Add them", split.SUM)
        yield into(f"Split into {_SPELT[len(parts)]} columns", split.NUMBERS, parts)


def ask_orders(look: Look) -> Iterator[Question]:
    """Whether the values of a category have an order, one question for all with the same words.

    Other words, in hardly any row, become missing.
    """
    likely: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, spec in look.open_specs().items():
        facts = look.facts[name]
        is_category = spec.kind == CATEGORY and facts.kind == "text"
        if order := is_category and likely_order(facts.levels):
            likely[order].append(name)
    for order, names in likely.items():
        chain, changes, lost = " < ".join(order), {}, 0
        for name in names:
            is_other = ~np.isin(look.facts[name].levels, order)
            lost += int(look.facts[name].counts[is_other].sum())
            others = map(str, look.facts[name].levels[is_other])
            changes[name] = {
                "family": "binomial",
                "levels": order,
                "missing_codes": (*look.specs[name].missing_codes, *others),
                "reason": f"{chain}, as you said: rating.",
            }
        more = f"; {counted(lost, 'cell')} with other words become missing" if lost else ""
        answers = [Answer(f"In this order{more}", changes), Answer("No order", {})]
        if lost > _MOST_LOST * sum(look.facts[name].n_present for name in names):
            answers.reverse()
        text = f"Have the values of {named(names)} an order: {chain}?"
        yield Question("order", tuple(names), text, tuple(answers))
