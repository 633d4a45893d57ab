"""Guess what every column of a table is, and say what has to be asked."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, RATING
from . import asking_cells, dependence, roles
from .facts import RATING_CEILING, Facts, look_at
from .frames import as_frame
from .guess import as_the_file_says, made_of, metadata_of, with_labels, without_no_answers
from .labels import ask_labels
from .questions import ABOUT, Look, Question
from .rules import as_codes, as_rating, beats_order_by
from .schema import Schema
from .spec import ColumnSpec, SchemaError, check_names
from .survival import ask_survival, late_columns
from .words import says

_FEWEST_ON_SCALE = 3


@np.errstate(all="ignore")  # of numbers near the end of floating point some sums are none
def infer_schema(frame: pd.DataFrame, label: str | None = None) -> Schema:
    """Guess family, role and options of every column.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, or Arrow table, shape (N, M)
        Column names that are whole numbers are read as text: 0 is "0".
    label : str, optional
        Column with the known classes, never used to find clusters; suggested by name when absent.

    Returns
    -------
    Schema
        With the reason for each guess, all levels, and ``questions`` that the cells cannot answer.

    Raises
    ------
    SchemaError
        A name that is not text or stands twice, or an unknown label.

    Examples
    --------
    >>> import pandas as pd
    >>> from mapdp_studio import infer_schema
    >>> schema = infer_schema(pd.DataFrame({"pain": ["none", "mild", "severe"] * 9}))
    >>> schema["pain"].family, schema["pain"].levels
    ('binomial', ('none', 'mild', 'severe'))
    """
    frame = as_frame(frame)
    check_names(frame.columns)
    if label is not None and label not in frame.columns:
        choices = ", ".join(frame.columns)
        raise SchemaError(
            f"There is no column '{label}' to take as the label; choose among {choices}."
        )
    metadata, made, cells = metadata_of(frame), made_of(frame), pd.DataFrame(frame)
    facts = {}
    for name in cells.columns:
        is_text = bool(metadata[name].get("is_text"))
        column = replace(look_at(cells[name], name, is_text), is_made=name in made)
        facts[name] = without_no_answers(column, metadata[name])
    specs = {name: as_the_file_says(one, metadata[name]) for name, one in facts.items()}
    specs = with_labels(_with_scales(facts, specs, metadata), metadata)
    look = Look(cells, facts, specs, metadata, made, label)
    roles.keep_out_exported(look)
    roles.keep_out_named(look)
    roles.keep_out_places(look)
    questions = sorted(_findings(look), key=lambda question: ABOUT.index(question.about))
    return Schema(look.specs.values(), questions=questions)


def _with_scales(
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    metadata: Mapping[str, Mapping[str, Any]],
) -> dict[str, ColumnSpec]:
    """The columns, those on one scale with the likelihood that all their cells decide together."""
    scales: dict[tuple[int, int, str, bool], list[str]] = defaultdict(list)
    plain = {}
    for name, spec in specs.items():
        plain[name] = column = facts[name].without(spec.missing_codes)
        is_open = spec.role == "cluster" and spec.kind in (RATING, CATEGORY) and not spec.special
        if is_open and column.is_whole and not says("code", name):
            low, high = int(column.levels[0]), int(column.levels[-1])
            stem = name.rstrip("0123456789") if high - low == 2 else ""
            is_nominal = metadata[name].get("measure") == "nominal"
            scales[low, high, stem, is_nominal].append(name)
    result = dict(specs)
    for (low, high, *_), names in scales.items():
        if len(names) < _FEWEST_ON_SCALE or high - low > RATING_CEILING:
            continue
        are_codes = np.median([beats_order_by(plain[name]) for name in names]) > 0
        kind = "codes without an order" if are_codes else "a rating"
        for name in names:
            fields = as_codes(plain[name]) if are_codes else as_rating(plain[name], (low, high))
            reason = f"Whole numbers {plain[name].span}, on one scale from {low} to {high} with "
            reason += f"{len(names) - 1} other columns, which together are {kind}."
            changed = specs[name].changed(**fields, reason=reason)
            if changed != specs[name]:
                result[name] = changed
    return result


def _findings(look: Look) -> Iterator[Question]:
    """Everything that the cells cannot answer; what is kept out unasked is so in the look."""
    copies = [
        copy
        for copy in dependence.find_copies(look.frame, look.specs)
        # What a step of the recipe computed, somebody wants.
        if not {*copy.of} <= {*look.made.get(copy.name, ())}
    ]
    measured = [copy for copy in copies if dependence.are_measured(copy, look)]
    yield from dependence.ask_copies(look, [copy for copy in copies if copy not in measured])
    back = {copy.name: look.specs[copy.name] for copy in measured}
    look.keep_out(back, "")  # while roles are sought, which it would foretell
    yield from _asked(look, dependence.ask_dummies(look))
    roles.keep_out_centres(look)
    yield from _asked(look, dependence.ask_computed(look))
    survival = list(_asked(look, ask_survival(look)))
    yield from survival
    late = late_columns(look, [question.columns for question in survival])
    labels = list(ask_labels(look, late))
    named = {name for question in labels for name in question.columns}
    outcomes = list(roles.ask_outcomes(look, named, copies, late))
    for ask in (labels, outcomes):
        yield from _asked(look, ask)
    if survival or outcomes or any(s.role == "validator" for s in look.specs.values()):
        yield from _asked(look, roles.ask_treatments(look))
    yield from _asked(look, roles.ask_weights(look))
    identifiers = list(_asked(look, roles.ask_identifiers(look)))
    yield from identifiers
    look.specs.update(back)
    yield from dependence.ask_coarser(look, measured)
    # Of an outcome, too, cells are asked about; of what tells rows apart none.
    look.asked = {name for question in identifiers for name in question.columns}
    for rule in (
        asking_cells.ask_several_facts,
        asking_cells.ask_special_values,
        asking_cells.ask_mistakes,
        asking_cells.ask_unknown_words,
        asking_cells.ask_limits,
        asking_cells.ask_orders,
    ):
        yield from rule(look)


def _asked(look: Look, questions: Iterable[Question]) -> Iterator[Question]:
    """The questions, their columns noted as asked about."""
    for question in list(questions):
        look.asked.update(question.columns)
        yield question
