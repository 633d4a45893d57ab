"""The data dictionary of a REDCap project, and what it says of an export's columns.

The dictionary is a table with a line a field, as a project's page writes it ("Variable / Field
Name", "Field Type", ...) or its programming interface ("field_name", "field_type", ...). An export
has the fields' names above its columns and codes in its cells; a checkbox field has a column a
choice, ``field___code``. With the dictionary, codes become words as those of an SPSS file do, and
``frame.attrs["columns"]`` says of each column what ``core.schema.file_facts`` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..wording import counted
from .read_options import TableError
from .redcap_branching import fields_in, where_shown

#: By what they say: the two names of a column of the dictionary.
_HEADERS = {
    "name": ("variable / field name", "field_name"),
    "form": ("form name", "form_name"),
    "kind": ("field type", "field_type"),
    "label": ("field label", "field_label"),
    "choices": ("choices, calculations, or slider labels", "select_choices_or_calculations"),
    "identifier": ("identifier?", "identifier"),
    "branching": ("branching logic (show field only if...)", "branching_logic"),
}
_NEEDED = ("name", "form", "kind", "choices")
_OF_CHOICE = ("radio", "dropdown", "select", "yesno", "truefalse")
_TWO = {"yesno": {"0": "no", "1": "yes"}, "truefalse": {"0": "false", "1": "true"}}
_WITHOUT_CELLS = ("descriptive", "file", "signature", "notes")
#: Columns that every export may have, what each is, and its role.
_OWN = {
    "redcap_event_name": ("The event, such as a visit, of a row", "ignore"),
    "redcap_repeat_instrument": ("The form that a row repeats", "ignore"),
    "redcap_repeat_instance": ("Which repetition of its form a row is", "ignore"),
    "redcap_data_access_group": ("The group of users, mostly a centre, of a record", "control"),
    "redcap_survey_identifier": ("Who answered a survey", "id"),
}
NOT_ASKED = "not asked"
_TICKED = {"0": "no", "1": "yes", "Unchecked": "no", "Checked": "yes"}
_LEAST_FOUND = 0.5  # share of the table's columns that the dictionary should name


@dataclass(frozen=True)
class Field:
    """One line of a dictionary."""

    name: str
    form: str
    kind: str
    label: str
    #: Words by codes, in their order.
    choices: Mapping[str, str]
    #: Names of fields that it is calculated of.
    made_of: tuple[str, ...] = ()
    is_identifier: bool = False
    #: When it is shown; "" for always.
    branching: str = ""

    def columns(self) -> dict[str, str]:
        """Its columns in an export, each with the choice that it stands for, "" for the field."""
        if self.kind != "checkbox":
            return {self.name: ""}
        return {f"{self.name}___{_as_name(code)}": word for code, word in self.choices.items()}


def is_dictionary(frame: pd.DataFrame) -> bool:
    """Whether a table is the data dictionary of a REDCap project, by its header."""
    return all(_header(frame, what) is not None for what in _NEEDED)


def is_export(frame: pd.DataFrame) -> bool:
    """Whether a table looks like an export of REDCap, by the names that only it gives."""
    names = [str(name) for name in frame.columns]
    own = any(name in _OWN for name in names)
    return own or sum(bool(re.search(r"[a-z0-9]___\w+$", name)) for name in names) > 1


def read_dictionary(frame: pd.DataFrame) -> tuple[Field, ...]:
    """The fields of a dictionary, in its order.

    Raises
    ------
    TableError
        The table is none.
    """
    if not is_dictionary(frame):
        raise TableError(
            "This is no data dictionary of REDCap: it needs the columns “Variable / Field Name”, "
            "“Form Name”, “Field Type” and “Choices, Calculations, OR Slider Labels”."
        )
    columns = {what: _header(frame, what) for what in _HEADERS}
    lines = frame.astype(object).where(frame.notna(), "")
    texts = {
        what: lines[name].map(str).str.strip() if name is not None else pd.Series("", frame.index)
        for what, name in columns.items()
    }
    rows = zip(*(texts[what] for what in _HEADERS), strict=True)
    return tuple(_field(dict(zip(_HEADERS, row, strict=True))) for row in rows if row[0])


def with_dictionary(frame: pd.DataFrame, fields: tuple[Field, ...]) -> pd.DataFrame:
    """An export with the words of its dictionary for the codes, and what this says of columns.

    A blank of a choice that its branching logic had hidden becomes "not asked", in rows whose form
    somebody filled in, and counts as missing: the field that was asked first says it already.
    Boxes of a row whose form nobody filled in are blank.

    Raises
    ------
    TableError
        Fewer than half of the columns are in the dictionary.
    """
    known = {column for field in fields for column in field.columns()}
    own = {n for n in frame.columns if n in _OWN or n.endswith(("_complete", "_timestamp"))}
    others = [name for name in frame.columns if name not in own]
    found = [name for name in others if name in known]
    if not found or len(found) < _LEAST_FOUND * len(others):
        raise TableError(
            f"The dictionary names {len(found):,} of the table's {len(others):,} columns: it is "
            "of another project, or the export has labels for headers. Export the raw data."
        )
    cells = {name: _texts(frame[name]) for name in frame.columns}
    filled = {form: _filled(form, fields, cells, len(frame)) for form in {f.form for f in fields}}
    made: dict[str, pd.Series] = {}
    told: dict[str, dict[str, Any]] = {}
    for field in fields:
        for column, choice in field.columns().items():
            if column in cells:
                hidden = _hidden(field, cells) & filled[field.form]
                empty = hidden | ~filled[field.form]
                said = _said(field, column, choice, frame[column], hidden)
                made[column], told[column] = _read(field, frame[column], cells[column], empty, said)
                if field.kind in _OF_CHOICE and "levels" in told[column] and hidden.any():
                    blank = hidden & frame[column].isna().to_numpy()
                    made[column] = made[column].mask(blank, NOT_ASKED)
                    told[column]["missing_codes"] = [NOT_ASKED]
    if fields[0].name in told:
        told[fields[0].name]["role"] = "id"
    told |= {name: _own(name) for name in own}
    result = frame.assign(**made)
    result.attrs = {**frame.attrs, "columns": {n: told[n] for n in frame.columns if n in told}}
    result.attrs["notes"] = [*frame.attrs.get("notes", []), _note(fields, told, made, frame)]
    return result


def _header(frame: pd.DataFrame, what: str) -> str | None:
    names = {str(name).strip().strip('"').lower(): name for name in frame.columns}
    return next((names[name] for name in _HEADERS[what] if name in names), None)


def _field(line: Mapping[str, str]) -> Field:
    kind = line["kind"].lower()
    choices = dict(_TWO.get(kind, {}))
    if kind in ("radio", "dropdown", "select", "checkbox"):
        choices = dict(_choices(line["choices"]))
    return Field(
        line["name"],
        line["form"],
        kind,
        _plain(line["label"]),
        choices,
        fields_in(line["choices"]) if kind == "calc" else (),
        line["identifier"].lower() in ("y", "yes", "1", "true"),
        line["branching"],
    )


def _choices(text: str) -> Iterator[tuple[str, str]]:
    """Codes and words of "1, Yes | 2, No"."""
    for part in text.split("|"):
        code, comma, word = part.partition(",")
        if comma and code.strip():
            yield code.strip(), _plain(word) or code.strip()


def _plain(text: str) -> str:
    """A label without its marks of HTML."""
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def _as_name(code: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", code.lower())


def _texts(column: pd.Series) -> np.ndarray:
    """A column's cells as REDCap writes them, (n,) of text, "" where blank."""

    def text(cell: Any) -> str:
        if isinstance(cell, bool | np.bool_):
            return str(int(cell))
        is_whole = isinstance(cell, float | np.floating) and float(cell).is_integer()
        return str(int(cell)) if is_whole else str(cell).strip()

    there = column.notna().to_numpy()
    cells = column.astype(object).to_numpy()
    return np.array([text(c) if t else "" for c, t in zip(cells, there, strict=True)], dtype=object)


def _filled(
    form: str, fields: tuple[Field, ...], cells: Mapping[str, np.ndarray], n: int
) -> np.ndarray:
    """Rows, (n,) of bool, in which somebody filled in a form: more than boxes without a tick."""
    own = [f for f in fields if f.form == form and f is not fields[0] and f.kind != "calc"]
    found = np.zeros(n, dtype=bool)
    for field in own:
        for column in field.columns():
            if column in cells:
                untouched = ("", "0", "Unchecked") if field.kind == "checkbox" else ("",)
                found |= ~np.isin(cells[column].astype(str), untouched)
    return found


def _hidden(field: Field, cells: Mapping[str, np.ndarray]) -> np.ndarray:
    """Rows in which the branching logic hid a field; none where it cannot be worked out."""
    n = len(next(iter(cells.values())))
    if not field.branching:
        return np.zeros(n, dtype=bool)
    shown = where_shown(field.branching, cells)
    return np.zeros(n, dtype=bool) if shown is None else ~shown


def _said(
    field: Field, column: str, choice: str, cells: pd.Series, hidden: np.ndarray
) -> dict[str, Any]:
    """What the dictionary says of one column, but its words."""
    label = f"{field.label}: {choice}" if choice else field.label
    if field.branching:
        blank = int((hidden & cells.isna().to_numpy()).sum())
        label += f" (asked only if {field.branching}"
        label += f"; blank for that in {counted(blank, 'row')})" if blank else ")"
    told: dict[str, Any] = {"label": label} if label else {}
    if field.is_identifier:
        told["role"] = "id"
    elif field.kind in _WITHOUT_CELLS:
        told["role"] = "ignore"
    if field.kind == "calc":
        told["made_of"] = field.made_of
    return told


def _read(
    field: Field, column: pd.Series, cells: np.ndarray, empty: np.ndarray, told: dict[str, Any]
) -> tuple[pd.Series, dict[str, Any]]:
    """A column with words for its codes, and what is told of it."""
    words = _TICKED if field.kind == "checkbox" else field.choices
    present = {cell for cell in cells if cell}
    if not words or not present:
        return column, told
    if not present <= set(words):
        if present <= set(words.values()):  # an export of words
            told["levels"] = [word for word in words.values() if word in present]
            return column, told
        told["named"] = {_number(code): word for code, word in words.items()}
        return column, told
    read = pd.Series([words.get(cell, np.nan) for cell in cells], column.index, dtype=object)
    told["levels"] = list(dict.fromkeys(word for code, word in words.items() if code in present))
    if field.kind == "checkbox":
        read = read.mask(empty & (read == "no").to_numpy())
    return read, told


def _number(code: str) -> Any:
    try:
        return int(code)
    except ValueError:
        return code


def _own(name: str) -> dict[str, Any]:
    if name in _OWN:
        label, role = _OWN[name]
        return {"label": label, "role": role}
    what = "When a survey was sent" if name.endswith("_timestamp") else "Whether a form is complete"
    return {"label": what, "role": "ignore"}


def _note(
    fields: tuple[Field, ...],
    told: Mapping[str, Mapping[str, Any]],
    made: Mapping[str, pd.Series],
    frame: pd.DataFrame,
) -> str:
    worded = sum("levels" in about for about in told.values())
    hidden = sum(int((column == NOT_ASKED).sum()) for column in made.values())
    calculated = sum("made_of" in about for about in told.values())
    said = f"The REDCap dictionary's words stand for the codes of {counted(worded, 'column')}"
    said += f"; {counted(calculated, 'field')} calculated of others" if calculated else ""
    said += (
        f"; {counted(hidden, 'blank')} that branching made {'says' if hidden == 1 else 'say'} "
        f"“{NOT_ASKED}”"
        if hidden
        else ""
    )
    n_records = frame[fields[0].name].nunique() if fields[0].name in frame else len(frame)
    rows = f"; {counted(len(frame), 'row')} belong to {counted(n_records, 'record')}"
    return said + (rows if n_records < len(frame) else "") + "."
