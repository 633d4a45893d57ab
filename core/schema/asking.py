"""What has to be asked about a table, from the facts and the guess of every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from .asking_background import ask_background
from .asking_missing import ask_limits, ask_special_values, ask_words
from .asking_order import ask_orders
from .asking_repeats import ask_coarser, ask_computed, ask_made, ask_repeats
from .asking_roles import ask_identifiers, ask_labels, ask_outcomes, ask_weights
from .asking_survival import ask_survival
from .facts import Facts
from .file_facts import told_of
from .made import made_of
from .questions import Answer, Question
from .repeats import Repeat
from .spec import ColumnSpec
from .vocabulary import is_given
from .watched import find_watched, times_and_statuses
from .watched_with import find_late, kept_out


def find_questions(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    repeats: Sequence[Repeat] = (),
    label: str | None = None,
) -> tuple[Question, ...]:
    """Everything that the cells cannot answer, the most consequential first.

    What somebody named as the label is no outcome.
    """
    told, made, frame = told_of(frame), made_of(frame), pd.DataFrame(frame)
    computed = ask_computed(specs, told)
    # What an analysis saved of the rows is no outcome of theirs, and is asked about once.
    specs = kept_out(specs, {n for question in computed for n in question.columns})
    copies = [repeat.name for repeat in repeats]
    watched = find_watched(frame, facts, specs, () if label is None else (label,), copies)
    survival = ask_survival(watched, specs)
    open_ones = kept_out(specs, times_and_statuses(watched))
    late = find_late(frame, facts, open_ones, watched)
    labels = ask_labels(frame, facts, kept_out(open_ones, late))
    answers = {name for question in labels for name in question.columns}
    outcomes = [*survival, *ask_outcomes(frame, facts, open_ones, answers, repeats, late)]
    weights = ask_weights(facts, specs)
    asked = answers.union(*(question.columns for question in (*outcomes, *weights)))
    identifiers = ask_identifiers(facts, specs, asked)
    numbered = kept_out(specs, {n for question in identifiers for n in question.columns})
    return (
        *labels,
        *outcomes,
        *weights,
        *ask_repeats(repeats, specs),
        *ask_made(made, specs),
        *computed,
        *ask_coarser(frame, numbered, asked),
        *ask_background(numbered, asked),
        *ask_special_values(frame, facts, numbered),
        *ask_words(frame, facts, numbered),
        *ask_limits(facts, numbered),
        *identifiers,
        *_headers(specs),
        *ask_orders(facts, numbered, told),
    )


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
