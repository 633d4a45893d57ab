"""A patient who is not in the cohort: from the answers of a form, or from a whole row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import COUNT, RATING
from ..inference.contributions import assignments, row_contributions
from ..inference.prediction import known_codes
from ..models.mapdp import MAPDP
from ..profiling.profiles import NaturalColumn, natural_column
from ..schema.encoded import Encoded
from ..schema.facts import spelled_range
from ..schema.spec import ColumnSpec, SchemaError
from ..wording import percent
from .bedside import Form
from .patient import said_values
from .questions import Question
from .subgroups import Subgroups
from .trial import ENOUGH

NONE = "none of these"
#: A comma among digits that could part thousands as well as decimals.
_EITHER = re.compile(r"[+-]?\d{1,3}(,\d{3})+")


@dataclass(frozen=True)
class Answered:
    """What a form says of one patient."""

    #: float64, shape (K + 1,). Of every group that the form knows, and of none.
    probabilities: np.ndarray
    titles: tuple[str, ...]
    #: How many questions were answered, and how many there are.
    n_answered: int
    n_asked: int
    #: Like patients of the cohort, held out, and how many of them were in the group named.
    n_like: int
    n_right: int
    #: Sentences about answers that the cohort has not seen.
    warnings: tuple[str, ...]

    @property
    def named(self) -> int:
        """The most probable group, by its place among the titles."""
        return int(self.probabilities.argmax())

    @property
    def title(self) -> str:
        """Its name."""
        return self.titles[self.named]

    @property
    def sentence(self) -> str:
        """How often that is right, in words."""
        if self.named == len(self.titles) - 1:
            return (
                "This patient is unlike the patients of every group: read the record, and do not "
                "take any group's averages for them."
            )
        likely = self.probabilities[self.named]
        likely = "over 99.9 %" if likely > 0.999 else percent(likely)
        said = f"{self.title}, with a probability of {likely}."
        if self.n_like < ENOUGH:
            return f"{said} Too few patients of the cohort were so to say how often that is right."
        tenths = round(10 * self.n_right / self.n_like)
        return (
            f"{said} Of 10 patients who were told this about as surely, {tenths} were in that group"
            f" ({self.n_right:,} of {self.n_like:,}, each held out when the form was made)."
        )


def answer(form: Form, answers: Mapping[str, Any]) -> Answered:
    """What the form says.

    Parameters
    ----------
    form : Form
    answers : mapping of str to value
        By column, in the table's own words and units; what is absent, or None, is not known.

    Raises
    ------
    SchemaError
        A value that a column cannot have, in a sentence.
    """
    encoded = _encoded(form, {name: answers.get(name) for name in form.columns})
    given = [name for name in form.columns if answers.get(name) is not None]
    probabilities = form.probabilities(encoded)[0]
    named = int(probabilities.argmax())
    n_like = n_right = 0
    if named < len(form.kept):
        n_like, n_right = form.trial.like(named, float(probabilities[named]))
    cohort = form.groups.model.columns_.encoded
    warnings = [
        _unseen(natural_column(cohort, name), natural_column(encoded, name)) for name in given
    ]
    return Answered(
        probabilities,
        (*form.titles, NONE),
        len(given),
        len(form.columns),
        n_like,
        n_right,
        tuple(filter(None, warnings)),
    )


def read_answer(form: Form, question: Question, text: str) -> float | str | None:
    """A number somebody typed, with a point or a comma; None for a blank.

    Raises
    ------
    SchemaError
        What was typed is no number, could be two, or is none that the column can have.
    """
    text = text.strip().replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")
    if not text:
        return None
    spec = form.groups.model.schema_[question.name]
    special = {word.casefold(): word for word in question.words[question.first_special :]}
    if text.casefold() in special:
        return _special_value(spec, special[text.casefold()])
    if _EITHER.fullmatch(text):
        raise SchemaError(
            f"“{text}” for {question.name} could be {text.replace(',', '')} or "
            f"{text.replace(',', '.', 1)}: write it without the comma, or with a point."
        )
    try:
        value = float(text.replace(" ", "").replace(",", "."))
    except ValueError:
        raise SchemaError(
            f"“{text}” for {question.name} is no number: write one such as 12.5 or 12,5, or leave "
            "it blank where it is not known."
        ) from None
    try:
        _encoded(form, {question.name: value})
    except SchemaError:
        raise SchemaError(
            f"{text} cannot be a value of {question.name}, which {_possible(form, question)}: "
            "check it, or leave it blank where it is not known."
        ) from None
    return value


def _possible(form: Form, question: Question) -> str:
    """What the numbers of a column can be, after "which"."""
    column = natural_column(form.groups.model.columns_.encoded, question.name)
    if column.kind == COUNT:
        return "is a count: a whole number of 0 or more"
    if column.kind == RATING:
        spec = form.groups.model.schema_[question.name]
        highest = spec.offset + (spec.trials or 0)
        return f"is a whole number from {spelled_range(spec.offset, highest)}"
    return "is a number above 0" if column.is_log else "is a number"


def choices(form: Form, question: Question) -> dict[str, Any]:
    """The answers to a question of levels, by their words; empty where a number is typed."""
    if question.of_level is None:
        return {}
    spec = form.groups.model.schema_[question.name]
    return {str(level): level for level in spec.levels}


def _special_value(spec: ColumnSpec, word: str) -> Any:
    return dict(zip(spec.special, spec.special_codes, strict=False)).get(word, word)


def _encoded(form: Form, answers: Mapping[str, Any]) -> Encoded:
    """One row in which all else is missing."""
    model = form.groups.model
    cells = dict.fromkeys(model.schema_.names("cluster")) | dict(answers)
    frame = pd.DataFrame({name: pd.Series([cell], dtype=object) for name, cell in cells.items()})
    try:
        return _read(model, frame)
    except ValueError as error:
        # There is one row, and the reader has typed it: that it is row 1 says nothing.
        raise SchemaError(str(error).replace(" in row 1", "")) from None


def _read(model: MAPDP, frame: pd.DataFrame) -> Encoded:
    encoded = model.schema_.encode(frame, allow_new_levels=True)
    return known_codes(encoded, model.columns_.encoded.units)


def _unseen(cohort: NaturalColumn, own: NaturalColumn) -> str:
    """A sentence where a number lies outside the cohort's."""
    if own.levels is not None or np.isnan(own.codes[0]):
        return ""
    low, high = np.nanmin(cohort.values), np.nanmax(cohort.values)
    if low - 1e-9 * abs(low) <= own.values[0] <= high + 1e-9 * abs(high):
        return ""
    return (
        f"No patient of the cohort has such a value of {own.name} (they range from "
        f"{spelled_range(low, high)}): is it right, and in the same units?"
    )


@dataclass(frozen=True)
class NewRow:
    """A patient with a whole row, placed by the whole model."""

    #: float64, shape (K + 1,). Of every group, and of a new one.
    probabilities: np.ndarray
    titles: tuple[str, ...]
    #: Place of the most probable, and of the second choice.
    named: int
    second: int
    placed_using: str
    #: Share of the cohort's patients, each left out in turn, whose density is as low or lower.
    stranger: float
    #: ``column``, ``value``, ``nats`` for the group named rather than the second, in order of size.
    reasons: pd.DataFrame


def place_row(groups: Subgroups, row: pd.DataFrame) -> NewRow:
    """Place one patient, a table of one row with the columns that made the groups.

    Raises
    ------
    SchemaError
        A column that made the groups is absent, or holds what its likelihood cannot take.
    """
    model = groups.model
    placed, own = assignments(model, row), assignments(model)
    why = row_contributions(model, X=row)
    margins = why.margin.iloc[0].dropna()
    order = margins.abs().sort_values(ascending=False, kind="stable").index
    values = said_values(_read(model, row), 0)
    each = own.log_density / np.maximum(own.n_observed, 1)
    density = placed.log_density[0] / max(int(placed.n_observed[0]), 1)
    return NewRow(
        placed.probabilities[0],
        (*groups.titles, NONE),
        int(placed.labels[0]),
        int(why.second[0]),
        placed.placed_using(0),
        float((each <= density).mean()),
        pd.DataFrame(
            {
                "column": list(order),
                "value": [values.get(name, "") for name in order],
                "nats": margins.loc[order].to_numpy(),
            }
        ),
    )
