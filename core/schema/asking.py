"""What has to be asked about a table, from the facts and the guess of every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from .asking_background import ask_background
from .asking_missing import ask_limits, ask_special_values, ask_words
from .asking_order import ask_orders
from .asking_repeats import ask_coarser, ask_computed, ask_made, ask_repeats
from .asking_roles import ask_identifiers, ask_labels, ask_outcomes, ask_weights
from .facts import Facts
from .file_facts import told_of
from .made import made_of
from .questions import Answer, Question
from .repeats import Repeat
from .spec import ColumnSpec
from .vocabulary import is_given


def find_questions(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    repeats: Sequence[Repeat] = (),
) -> tuple[Question, ...]:
    """Everything that the cells cannot answer, the most consequential first."""
    told = told_of(frame)
    labels = ask_labels(frame, facts, specs)
    answers = {name for question in labels for name in question.columns}
    outcomes = ask_outcomes(frame, facts, specs, answers, repeats)
    weights = ask_weights(facts, specs)
    asked = answers.union(*(question.columns for question in (*outcomes, *weights)))
    return (
        *labels,
        *outcomes,
        *weights,
        *ask_repeats(repeats, specs),
        *ask_made(made_of(frame), specs),
        *ask_computed(specs, told),
        *ask_coarser(frame, specs, asked),
        *ask_background(specs, asked),
        *ask_special_values(facts, specs),
        *ask_words(facts, specs),
        *ask_limits(facts, specs),
        *ask_identifiers(facts, specs, asked),
        *_headers(specs),
        *ask_orders(facts, specs, told),
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
