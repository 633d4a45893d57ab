"""What has to be asked about a table, from the facts and the guess of every column."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, MEASUREMENT
from ..wording import counted
from .facts import RATING_CEILING, Facts
from .guess import guess_numbers
from .known_classes import may_be_known, may_be_predicted
from .numerals import read_numerals
from .ordered_words import are_letters
from .questions import Answer, Question
from .repeats import Repeat
from .spec import TIME_TO_EVENT, ColumnSpec
from .special_values import find_special, find_special_days
from .vocabulary import (
    is_given,
    may_name_identifier,
    names_grades,
    names_outcome,
)

_SHOWN = 3  # columns named in a question before the others are counted
_REPEATS_SHOWN = 8  # the same, where each is named with the one that it repeats


def find_questions(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    repeats: Sequence[Repeat] = (),
) -> tuple[Question, ...]:
    """Everything that the cells cannot answer, the most consequential first."""
    labels = _labels(frame, facts, specs)
    answers = {name for question in labels for name in question.columns}
    return (
        *labels,
        *_outcomes(frame, facts, specs, answers),
        *_repeated(repeats),
        *_special_values(facts, specs),
        *_limits(facts, specs),
        *_identifiers(facts, specs, answers),
        *_headers(specs),
        *_numbered_by_file(specs, frame.attrs.get("columns", {})),
        *_orders(facts, specs),
    )


def _labels(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[Question]:
    """Whether a column of few values is the answer that somebody knew."""
    if any(spec.role == "label" for spec in specs.values()):
        return []
    found = may_be_known(frame, facts, specs)[:_SHOWN]
    if not found:
        return []
    answers = [
        Answer(
            f"Keep {_quoted(name)} out and compare with it"
            if len(found) > 1
            else "Keep it out and compare with it",
            {name: {"role": "label", "reason": f"The known class. {specs[name].reason}"}},
        )
        for name in found
    ]
    if len(found) > 1:
        text = f"Is one of {_listed(found)} the answer, known beforehand?"
        answers.append(Answer("None of them: cluster on all", {}))
    else:
        text = f"Is {_quoted(found[0])} ({_values(facts[found[0]])}) the answer, known beforehand?"
        answers.append(Answer("No: cluster on it", {}))
    return [Question("label", tuple(found), text, tuple(answers))]


def _outcomes(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    asked: set[str],
) -> list[Question]:
    """Columns that name what came of it, kept out so that groups can be held against them."""
    found = [
        name
        for name, spec in specs.items()
        if spec.role == "cluster" and names_outcome(name) and name not in asked
    ]
    if not found and not asked:
        found = may_be_predicted(frame, facts, specs)
    if not found:
        return []
    kept = {n: {"role": "validator", "reason": f"An outcome. {specs[n].reason}"} for n in found}
    answers = [
        Answer("Keep out, and test the groups against it", kept),
        Answer("Not an outcome: cluster on it", {}),
    ]
    aside = [n for n, spec in specs.items() if spec.role == "validator" and names_outcome(n)]
    events = [name for name in (*found, *aside) if facts[name].n_distinct == 2]
    times = [name for name in found if specs[name].kind == MEASUREMENT]
    if len(events) == 1 and len(times) == 1:
        survival = {
            "family": TIME_TO_EVENT,
            "role": "validator",
            "event": events[0],
            "event_codes": (specs[events[0]].levels or (0, 1))[1:],
            "reason": f"A time to an event, with '{events[0]}' telling whether it came.",
        }
        answers.insert(0, Answer("Keep out as survival", kept | {times[0]: survival}))
    is_or_are = "Is {} an outcome" if len(found) == 1 else "Are {} outcomes"
    text = f"{is_or_are.format(_listed(found))}, known only afterwards?"
    return [Question("outcome", tuple(found), text, tuple(answers))]


def _repeated(repeats: Sequence[Repeat]) -> list[Question]:
    """Columns that were left aside because others say the same."""
    if not repeats:
        return []
    told = [f"{_quoted(repeat.name)} as {repeat.words}" for repeat in repeats[:_REPEATS_SHOWN]]
    more = len(repeats) - len(told)
    listed = "; ".join(told) + (f"; {counted(more, 'other')}" if more else "")
    names = tuple(repeat.name for repeat in repeats)
    alone = len(names) == 1
    does = "says what another one says, and is" if alone else "say what others say, and are"
    text = f"{counted(len(names), 'column')} {does} left aside: {listed}."
    answers = (
        Answer("Leave aside", {}),
        Answer("Cluster on all", {name: {"role": "cluster"} for name in names}),
    )
    return [Question("repeat", names, text, answers)]


def _special_values(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """One question for every family of values that may be none, about all columns that hold it.

    No column is in two of them: an answer about some of its codes would undo that about others.
    """
    columns: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    for name, column in facts.items():
        columns[_doubtful(column, specs[name])].append(name)
    columns.pop((), None)
    return [_special_value(codes, names, facts, specs) for codes, names in columns.items()]


def _doubtful(facts: Facts, spec: ColumnSpec) -> tuple[Any, ...]:
    """Values of a column that may be none, in increasing order."""
    if facts.kind == "date":
        return find_special_days(list(map(str, facts.levels)), facts.counts.tolist())
    if spec.role != "cluster":
        return ()
    zeros = {code for code in spec.special_codes if code == 0}
    return tuple(sorted(map(int, zeros.union(find_special(facts)))))


def _special_value(
    codes: tuple[Any, ...],
    names: list[str],
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
) -> Question:
    rows = {code: sum(_rows_of(code, facts[name]) for name in names) for code in codes}
    told, many = _joined(map(str, codes)), len(codes) > 1
    #: Of each answer: the codes that are missing, those that stand apart, and what is said of them.
    choices: dict[str, tuple[tuple[Any, ...], tuple[Any, ...], str]] = {
        "Missing": (codes, (), f"{told} {'are' if many else 'is'} missing"),
        "Keep apart": ((), codes, f"{told} {'stand' if many else 'stands'} beside the numbers"),
        "Plain values" if many else "A plain value": (
            *((), ()),
            f"{told} {'are values' if many else 'is a value'} like the others",
        ),
    }
    first = ["Keep apart"] if codes == (0,) and _is_amount(rows[0], names, facts) else []
    if many and 0 in codes:
        others = tuple(code for code in codes if code != 0)
        rest = _joined(map(str, others))
        mixed = f"Keep 0 apart, {rest} missing"
        choices[mixed] = (others, (0,), f"0 stands beside the numbers and {rest} for none")
        first = [mixed] if _is_amount(rows[0], names, facts) else []
    answers = []
    for text in sorted(choices, key=lambda text: text not in first):
        missing, apart, said = choices[text]
        decided = {n: _decided(facts[n], specs[n], codes, missing, apart) for n in names}
        changes = {
            name: changed | {"reason": f"{specs[name].reason} {said}, as you said."}
            for name, changed in decided.items()
            if not apart or changed.get("family") not in (None, "categorical")
        }
        if changes:
            answers.append(Answer(text, changes))
    does = "Do" if many else "Does"
    total = counted(sum(rows.values()), "row")
    text = f"{does} {told} in {_listed(names)} ({total}) mean something else?"
    return Question("missing", tuple(names), text, tuple(answers))


def _rows_of(code: Any, facts: Facts) -> int:
    return int(facts.counts[[str(v) == str(code) or v == code for v in facts.levels]].sum())


def _decided(
    facts: Facts,
    spec: ColumnSpec,
    codes: tuple[Any, ...],
    missing: tuple[Any, ...],
    apart: tuple[Any, ...],
) -> dict[str, Any]:
    """What becomes of a column of whose codes some are missing and some stand apart."""
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


def _is_amount(rows: int, names: list[str], facts: Mapping[str, Facts]) -> bool:
    """Whether zeros are so many that they are likelier an amount of none than holes."""
    return rows > 0.3 * sum(facts[name].n_present for name in names)


def _limits(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
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
        said = f"{', '.join(f'{cell} is {half[cell]:g}' for cell in list(half)[:_SHOWN])}"
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
        text = f"What does {_quoted(next(iter(limits)))} in {_quoted(name)} ({rows}) count as?"
        answers = (
            Answer("Keep apart", {}),
            Answer(f"Half the limit ({said})", {name: as_number}),
            Answer("Missing", {name: missing}),
        )
        found.append(Question("missing", (name,), text, answers))
    return found


def _identifiers(
    facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec], asked: set[str]
) -> list[Question]:
    found = [
        name
        for name, spec in specs.items()
        if spec.role == "cluster"
        and name not in asked
        and (_numbers_rows(facts[name]) or _is_composite(facts[name], spec))
    ]
    if not found:
        return []
    kept = {n: {"role": "id", "reason": f"Tells rows apart. {specs[n].reason}"} for n in found}
    subject = "Does" if len(found) == 1 else "Do"
    return [
        Question(
            "identifier",
            tuple(found),
            f"{subject} {_listed(found)} only tell rows or places apart, as a number or a code?",
            (Answer("Keep out", kept), Answer("No: cluster on it", {})),
        )
    ]


def _numbers_rows(facts: Facts) -> bool:
    """Whole numbers of one length, nearly all distinct, or named like those."""
    if facts.kind != "number" or not facts.is_whole or facts.reading or facts.n_present < 10:
        return False
    if may_name_identifier(facts.name) and facts.n_distinct > 12:
        return True
    if facts.n_distinct < 0.85 * facts.n_present or facts.levels[0] < 1000:
        return False
    lengths = np.floor(np.log10(facts.levels))
    return bool(np.bincount(lengths.astype(int)).max() >= 0.95 * len(lengths) and lengths[0] >= 4)


def _is_composite(facts: Facts, spec: ColumnSpec) -> bool:
    """Few whole numbers of four digits and more that repeat without being round: codes."""
    if facts.kind != "number" or not facts.is_whole or facts.reading or spec.special:
        return False
    levels, counts = facts.levels, facts.counts
    long = np.mean(levels[levels > 0] >= 1000) if levels[-1] > 0 else 0.0
    squares = np.all(np.sqrt(np.maximum(levels, 0)) % 1 == 0)  # of whole years, say
    if facts.n_distinct < 13 or long < 0.5 or squares:
        return False
    repeated = facts.n_distinct <= 0.5 * facts.n_present
    sparse = (levels[-1] - levels[0]) / facts.n_distinct >= 40
    round_ones = counts[np.mod(levels, 50) == 0].sum() / counts.sum()
    return bool(repeated and sparse and round_ones < 0.2)


def _headers(specs: Mapping[str, ColumnSpec]) -> list[Question]:
    names = tuple(specs)
    if len(names) < 2 or any(map(is_given, names)):
        return []
    return [
        Question(
            "headers",
            names,
            "This table has no headers: name its columns?",
            (Answer("Keep the numbers for names", {}),),
        )
    ]


def _numbered_by_file(
    specs: Mapping[str, ColumnSpec], told: Mapping[str, Mapping[str, Any]]
) -> list[Question]:
    """Words that the file has numbers for, and does not say whether those are an order.

    Stata and SAS number the values of kinds and of scales alike. One question for all columns of
    the same words.
    """
    columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, about in told.items():
        words = tuple(about.get("levels", ()))
        spec = specs.get(name)
        if spec is None or spec.role != "cluster" or spec.kind != CATEGORY:
            continue
        if "measure" not in about and 2 < len(words) <= RATING_CEILING:
            columns[words].append(name)
    found = []
    for words, names in columns.items():
        listed = " < ".join(words)
        reason = f"{listed}, in the order of the file's numbers, as you said: rating."
        rising = {"family": "binomial", "levels": words, "reason": reason}
        answers = (
            Answer("No order", {}),
            Answer(
                f"{words[0]} is the lowest, {words[-1]} the highest", dict.fromkeys(names, rising)
            ),
        )
        text = f"Have the values of {_listed(names)} an order, as the file numbers them?"
        found.append(Question("order", tuple(names), text, answers))
    return found


def _orders(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Letters from A on, which are grades in one table and mere names in another."""
    found = []
    for name, spec in specs.items():
        letters = spec.levels or ()
        if spec.role != "cluster" or spec.kind != CATEGORY or not are_letters(letters):
            continue
        if names_grades(name):
            continue
        rising = tuple(sorted(letters))
        ordered = {"family": "binomial", "levels": rising, "reason": f"{rising[0]} is the lowest."}
        falling = ordered | {"levels": rising[::-1], "reason": f"{rising[0]} is the highest."}
        answers = (
            Answer("No order", {}),
            Answer(f"{rising[0]} is the lowest", {name: ordered}),
            Answer(f"{rising[0]} is the highest", {name: falling}),
        )
        text = f"Have the values of {_quoted(name)} ({_values(facts[name])}) an order?"
        found.append(Question("order", (name,), text, answers))
    return found


def _values(facts: Facts) -> str:
    words = (
        sorted(map(str, facts.levels))
        if facts.kind == "text"
        else [f"{level:g}" for level in facts.levels]
    )
    more = len(words) - _SHOWN
    return (
        f"{', '.join(words[:_SHOWN])} and {counted(more, 'other')}"
        if more > 0
        else ", ".join(words)
    )


def _quoted(name: str) -> str:
    return f"\u201c{name}\u201d"


def _listed(names: list[str]) -> str:
    shown = [_quoted(name) for name in names[:_SHOWN]]
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} and {counted(more, 'other column')}"
    return _joined(shown)


def _joined(words: Iterable[str]) -> str:
    """Words behind one another: "a, b and c"."""
    *some, last = words
    return f"{', '.join(some)} and {last}" if some else last
