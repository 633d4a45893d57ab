"""A first answer as the report takes it."""

from __future__ import annotations

from datetime import date

from ..exports.analysis_report import Analysis
from ..exports.script import from_file, prepared
from ..exports.take_away import script_of
from ..methods import JUDGE, METHODS
from .first_answer import FirstAnswer
from .work import Work


def analysis_of(work: Work, answer: FirstAnswer) -> Analysis:
    """What the report of an answer is written from; the table is one that was read from a file."""
    table, method = work.table, METHODS[JUDGE].title
    script = script_of(
        prepared(from_file(table.name, table.options), table.recipe),
        answer.task,
        work.schema,
        f"{method} on {table.name}, as MAP-DP Studio shows it",
        work.naming_of(answer.task).merged,
    )
    return Analysis(
        table.name,
        table.frame,
        work.schema,
        work.settings,
        JUDGE,
        method,
        answer.model,
        answer.groups,
        answer.partition,
        script,
        date.today().isoformat(),
        answer.many,
    )
