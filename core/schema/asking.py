"""What has to be asked about a table, from the facts and the guess of every column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from ..wording import counted
from .asking_missing import ask_limits, ask_special_values, ask_words
from .asking_order import ask_orders
from .asking_roles import ask_computed, ask_identifiers, ask_labels, ask_outcomes, ask_weights
from .asking_words import quoted
from .facts import Facts
from .file_facts import told_of
from .questions import Answer, Question
from .repeats import Repeat
from .spec import ColumnSpec
from .vocabulary import is_given

_REPEATS_SHOWN = 8  # columns named in a question, each with the one that it repeats


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
        *_repeated(repeats),
        *ask_computed(specs, told),
        *ask_special_values(facts, specs),
        *ask_words(facts, specs),
        *ask_limits(facts, specs),
        *ask_identifiers(facts, specs, asked),
        *_headers(specs),
        *ask_orders(facts, specs, told),
    )


def _repeated(repeats: Sequence[Repeat]) -> list[Question]:
    """Columns that were left aside because others say the same."""
    if not repeats:
        return []
    told = [f"{quoted(repeat.name)} as {repeat.words}" for repeat in repeats[:_REPEATS_SHOWN]]
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
