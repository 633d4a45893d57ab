"""What is asked about the order of values: words in steps, words that a file numbers, letters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..families.family import CATEGORY
from ..wording import counted
from .asking_words import listed, values
from .facts import RATING_CEILING, Facts
from .likely_order import likely_order
from .ordered_words import are_letters
from .questions import Answer, Question
from .spec import ColumnSpec
from .vocabulary import names_grades

_MOST_LOST = 0.2  # share of the cells that an order may leave without a place, to be the best guess


def ask_orders(
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    told: Mapping[str, Mapping[str, Any]],
) -> list[Question]:
    """Whether the values of a category have an order, one question for all with the same words."""
    steps = _steps(facts, specs)
    asked = {name for question in steps for name in question.columns}
    return [
        *steps,
        *(q for q in _numbered_by_file(specs, told) if asked.isdisjoint(q.columns)),
        *_letters(facts, specs),
    ]


def _steps(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Words that are likely steps of one scale, but for a few in hardly any row."""
    columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, spec in specs.items():
        if spec.role != "cluster" or spec.kind != CATEGORY or facts[name].kind != "text":
            continue
        order = likely_order(facts[name].levels) or likely_order(_usual(facts[name]))
        if order is not None:
            columns[order].append(name)
    found = []
    for order, names in columns.items():
        chain = " < ".join(order)
        changes = {}
        lost = 0
        for name in names:
            others = [str(level) for level in facts[name].levels if level not in order]
            lost += int(facts[name].counts[~np.isin(facts[name].levels, order)].sum())
            changes[name] = {
                "family": "binomial",
                "levels": order,
                "missing_codes": (*specs[name].missing_codes, *others),
                "reason": f"{chain}, as you said: rating.",
            }
        said = f"; {counted(lost, 'cell')} with other words become missing" if lost else ""
        answers = [Answer(f"In this order{said}", changes), Answer("No order", {})]
        if lost > _MOST_LOST * sum(facts[name].n_present for name in names):
            answers.reverse()
        text = f"Have the values of {listed(names)} an order: {chain}?"
        found.append(Question("order", tuple(names), text, tuple(answers)))
    return found


def _usual(facts: Facts) -> list[str]:
    """The words of a column but those that stand in hardly any row, if these are few."""
    rare = facts.counts <= max(1, 0.005 * facts.n_present)
    return [] if facts.counts[rare].sum() > 0.05 * facts.n_present else list(facts.levels[~rare])


def _numbered_by_file(
    specs: Mapping[str, ColumnSpec], told: Mapping[str, Mapping[str, Any]]
) -> list[Question]:
    """Words that the file has numbers for, and does not say whether those are an order.

    Stata and SAS number the values of kinds and of scales alike. One question for all columns of
    the same words.
    """
    columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, about in told.items():
        spec = specs.get(name)
        if spec is None or spec.role != "cluster" or spec.kind != CATEGORY:
            continue
        words = tuple(word for word in about.get("levels", ()) if word in (spec.levels or ()))
        if "measure" not in about and 2 < len(words) <= RATING_CEILING:
            columns[words].append(name)
    found = []
    for words, names in columns.items():
        chain = " < ".join(words)
        reason = f"{chain}, in the order of the file's numbers, as you said: rating."
        rising = {"family": "binomial", "levels": words, "reason": reason}
        answers = (
            Answer("No order", {}),
            Answer(
                f"{words[0]} is the lowest, {words[-1]} the highest", dict.fromkeys(names, rising)
            ),
        )
        text = f"Have the values of {listed(names)} an order, as the file numbers them?"
        found.append(Question("order", tuple(names), text, answers))
    return found


def _letters(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Letters from A on, which are grades in one table and mere names in another.

    One question for all columns of the same letters.
    """
    columns: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, spec in specs.items():
        letters = spec.levels or ()
        if spec.role != "cluster" or spec.kind != CATEGORY or not are_letters(letters):
            continue
        if not names_grades(name):
            columns[tuple(sorted(letters))].append(name)
    found = []
    for rising, names in columns.items():
        ordered = {"family": "binomial", "levels": rising, "reason": f"{rising[0]} is the lowest."}
        falling = ordered | {"levels": rising[::-1], "reason": f"{rising[0]} is the highest."}
        answers = (
            Answer("No order", {}),
            Answer(f"{rising[0]} is the lowest", dict.fromkeys(names, ordered)),
            Answer(f"{rising[0]} is the highest", dict.fromkeys(names, falling)),
        )
        text = f"Have the values of {listed(names)} ({values(facts[names[0]])}) an order?"
        found.append(Question("order", tuple(names), text, answers))
    return found
