"""Columns that were found to say what others say, in fewer rows of the same table."""

from __future__ import annotations

from collections.abc import Collection

from .asking_words import listed
from .questions import Answer, Question
from .schema import Schema


def with_known_copies(guessed: Schema, before: Schema, written: Collection[str] = ()) -> Schema:
    """Leave aside by default what was a copy in more rows, however few of them are left.

    A code that stands wrong in one of a thousand rows makes no fact of its own of a column, but
    where thirty are left it looks like one.

    Parameters
    ----------
    guessed : Schema
        Of the rows that are left, as guessed.
    before : Schema
        Of the rows that they are of, as guessed; columns are called as they are now.
    written : collection of str
        Columns with other cells than before: of these the new guess holds.

    Returns
    -------
    Schema
        As guessed, with a question whether the copies are to be clustered on after all.
    """
    gone = {*before} - {*guessed}
    aside = {
        name: change
        for question in before.questions
        if question.about == "repeat" and question.is_taken
        for name, change in question.answers[0].changes.items()
        if before[name].role == change.get("role") == "ignore"
        and name not in {*gone, *written}
        and guessed[name].role == "cluster"
        # What it copies, which its reason names: without that, it alone says so.
        and not any(f"\u201c{other}\u201d" in change.get("reason", "") for other in gone)
    }
    asked = {name for q in guessed.questions if q.about == "repeat" for name in q.columns}
    names = tuple(name for name in aside if name not in asked)
    if not names:
        return guessed
    alone = len(names) == 1
    said = "said what another column says" if alone else "said what others say"
    is_aside = f"{'is' if alone else 'are'} left aside by default still"
    text = f"{listed(names)} {said} before rows were dropped, and {is_aside}."
    answers = (
        Answer("Leave aside", {name: aside[name] for name in names}),
        Answer(
            "Cluster on it" if alone else "Cluster on all",
            {name: {"role": "cluster"} for name in names},
        ),
    )
    question = Question("repeat", names, text, answers, is_taken=True)
    about_others = (q for q in guessed.questions if not {*names}.issuperset(q.columns))
    return guessed.asking((*about_others, question))
