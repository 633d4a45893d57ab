"""Guess what every column of a table is, and say what has to be asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from .asking import find_questions
from .centres import centres_aside
from .checkboxes import with_checkboxes
from .facts import look_at
from .file_facts import as_the_file_says, told_facts, told_of, with_labels
from .frames import as_frame
from .made import made_of
from .places import places_aside
from .repeats import find_repeats, without_repeats
from .roles import with_roles
from .row_names import row_names_aside
from .scales import decide_together, find_scales, with_signed_scales
from .schema import Schema
from .spec import SchemaError


@np.errstate(all="ignore")  # of numbers near the end of floating point some sums are none
def infer_schema(frame: pd.DataFrame, label: str | None = None) -> Schema:
    """Guess family, role and options of every column.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, or Arrow table, shape (N, M)
        Column names that are whole numbers are read as text: 0 is "0".
    label : str, optional
        Column with the known classes; without it, one that is clearly named so is suggested. It
        is compared with the clusters and never used to find them.

    Returns
    -------
    Schema
        Each column with the reason for its guess; the levels found are kept, so that new rows are
        encoded alike. ``schema.questions`` are those that the cells cannot answer; a column that
        repeats another one is in the first fit only if somebody said so (``Schema.by_default``).

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
    for name in frame.columns:
        if not isinstance(name, str):
            raise SchemaError(
                f"The column name {name!r} is not text: rename it, as with "
                "frame.columns = frame.columns.astype(str)."
            )
    if not frame.columns.is_unique:
        repeated = frame.columns[frame.columns.duplicated()][0]
        raise SchemaError(f"The table has two columns '{repeated}': rename one of them.")
    if label is not None and label not in frame.columns:
        raise SchemaError(
            f"There is no column '{label}' to take as the label; the columns are "
            f"{', '.join(frame.columns)}."
        )
    told, made, cells = told_of(frame), made_of(frame), pd.DataFrame(frame)
    texts = [name for name in cells.columns if told.get(name, {}).get("is_text")]
    facts = {name: look_at(cells[name], name, name in texts) for name in cells.columns}
    facts = {name: replace(column, is_made=name in made) for name, column in facts.items()}
    facts = {name: told_facts(column, told.get(name, {})) for name, column in facts.items()}
    facts = with_signed_scales(facts)
    specs = {name: as_the_file_says(column, told.get(name, {})) for name, column in facts.items()}
    specs = with_labels(decide_together(find_scales(facts, specs), facts, specs), told)
    last = next((name for name in reversed(specs) if name not in made), "")
    specs = with_roles(specs, {name: f.n_distinct for name, f in facts.items()}, label, last)
    specs = places_aside(row_names_aside(specs, facts), cells)
    found = find_repeats(cells, specs)
    # What a step of the recipe computed is asked about by the step's own question.
    repeats = [r for r in found if len(r.of) == 1 or not set(r.of) <= set(made.get(r.name, ()))]
    # What says the same as a centre is left aside before the centre itself is.
    once = centres_aside(with_checkboxes(facts, without_repeats(specs, repeats)), facts)
    questions = find_questions(frame, facts, once, repeats, label)
    # Nothing of a file is left out unasked: the copies are once the question about them is taken.
    every = once | {repeat.name: specs[repeat.name] for repeat in repeats}
    return Schema(every.values(), questions=questions)
