"""Data dictionary of a REDCap project; checkboxes are exported as ``field___code``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..wording import counted
from .options import TableError

_HEADERS = {
    "name": ("variable / field name", "field_name"),
    "form": ("form name", "form_name"),
    "kind": ("field type", "field_type"),
    "label": ("field label", "field_label"),
    "choices": ("choices, calculations, or slider labels", "select_choices_or_calculations"),
    "identifier": ("identifier?", "identifier"),
}
_NEEDED = ("name", "form", "kind", "choices")
_TWO = {"yesno": {"0": "no", "1": "yes"}, "truefalse": {"0": "false", "1": "true"}}
_TICKED = {"0": "no", "1": "yes", "Unchecked": "no", "Checked": "yes"}
_WITHOUT_CELLS = ("descriptive", "file", "signature", "notes")
_OWN = {
    "redcap_event_name": ("The event, such as a visit, of a row", "ignore"),
    "redcap_repeat_instrument": ("The form that a row repeats", "ignore"),
    "redcap_repeat_instance": ("Which repetition of its form a row is", "ignore"),
    "redcap_data_access_group": ("The group of users, mostly a centre, of a record", "control"),
    "redcap_survey_identifier": ("Who answered a survey", "id"),
    "_timestamp": ("When a survey was sent", "ignore"),
    "_complete": ("Whether a form is complete", "ignore"),
}
_LEAST_FOUND = 0.5  # share of the table's columns that the dictionary should name


@dataclass(frozen=True)
class Field:
    """One line of a dictionary."""

    name: str
    form: str
    kind: str
    label: str
    choices: Mapping[str, str]
    is_identifier: bool

    def columns(self) -> dict[str, str]:
        """Its columns in an export, each with the choice that it stands for, "" for the field."""
        if self.kind != "checkbox":
            return {self.name: ""}
        names = (re.sub(r"[^a-z0-9]", "_", code.lower()) for code in self.choices)
        return {f"{self.name}___{n}": w for n, w in zip(names, self.choices.values(), strict=True)}


def is_dictionary(frame: pd.DataFrame) -> bool:
    """Whether a table is the data dictionary of a REDCap project, by its header."""
    return set(_NEEDED) <= set(_columns(frame))


def is_export(frame: pd.DataFrame) -> bool:
    """Whether a table looks like an export of REDCap, by the names that only it gives."""
    boxes = [name for name in map(str, frame.columns) if re.search(r"[a-z0-9]___\w+$", name)]
    return not _OWN.keys().isdisjoint(map(str, frame.columns)) or len(boxes) > 1


def read_dictionary(frame: pd.DataFrame) -> tuple[Field, ...]:
    """The fields of a dictionary, in its order; a ``TableError`` where the table is none."""
    if not is_dictionary(frame):
        raise TableError(
            "This is no data dictionary of REDCap: it needs the columns “Variable / Field Name”, "
            "“Form Name”, “Field Type” and “Choices, Calculations, OR Slider Labels”."
        )
    given = {what: frame[name].astype(object).map(_text) for what, name in _columns(frame).items()}
    lines = pd.DataFrame(given).reindex(columns=_HEADERS, fill_value="").to_dict("records")
    return tuple(_field(line) for line in lines if line["name"])


def with_dictionary(frame: pd.DataFrame, fields: tuple[Field, ...]) -> pd.DataFrame:
    """An export with the words of its dictionary, a TableError if that is not its own."""
    attrs: dict[str, dict[str, Any]] = {}
    for name in frame.columns:
        if own := _OWN.get(name) or _OWN.get("_" + name.rpartition("_")[2]):
            attrs[name] = dict(zip(("label", "role"), own, strict=True))
    others = [name for name in frame.columns if name not in attrs]
    found = {column for field in fields for column in field.columns()}.intersection(others)
    if not found or len(found) < _LEAST_FOUND * len(others):
        raise TableError(
            f"The dictionary names {len(found):,} of the table's {len(others):,} columns: it is "
            "of another project, or the export has labels for headers. Export the raw data."
        )
    cells = {name: frame[name].astype(object).map(_text) for name in found}
    filled = {form: _filled(form, fields, cells) for form in {field.form for field in fields}}
    made: dict[str, pd.Series] = {}
    for field in fields:
        for column, choice in field.columns().items():
            if column in found:
                words, attrs[column] = _words(field, cells[column], choice)
                made[column] = cells[column].map(words).astype(object) if words else frame[column]
                if field.kind == "checkbox" and words:
                    made[column] = made[column].where(filled[field.form] | (made[column] != "no"))
    if fields[0].name in attrs:
        attrs[fields[0].name]["role"] = "id"
    result = frame.assign(**made)
    result.attrs = {**frame.attrs, "columns": {n: attrs[n] for n in frame.columns if n in attrs}}
    worded = counted(sum("levels" in facts for facts in attrs.values()), "column")
    note = f"The REDCap dictionary's words stand for the codes of {worded}."
    result.attrs["notes"] = [*frame.attrs.get("notes", []), note]
    return result


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    names = {str(name).strip().strip('"').lower(): name for name in frame.columns}
    found = {what: [names[n] for n in headers if n in names] for what, headers in _HEADERS.items()}
    return {what: columns[0] for what, columns in found.items() if columns}


def _field(line: Mapping[str, str]) -> Field:
    kind, choices = line["kind"].lower(), {}
    if kind in ("radio", "dropdown", "select", "checkbox"):  # "1, Yes | 2, No"
        for part in line["choices"].split("|"):
            code, comma, word = (text.strip() for text in part.partition(","))
            if comma and code:
                choices[code] = _plain(word) or code
    return Field(
        *(line["name"], line["form"], kind, _plain(line["label"])),
        choices or _TWO.get(kind, {}),
        line["identifier"].lower() in ("y", "yes", "1", "true"),
    )


def _plain(text: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def _text(cell: Any) -> str:
    if pd.isna(cell):
        return ""
    is_number = isinstance(cell, bool | np.bool_ | float | np.floating)
    return str(int(cell)) if is_number and float(cell).is_integer() else str(cell).strip()


def _filled(form: str, fields: tuple[Field, ...], cells: Mapping[str, pd.Series]) -> Any:
    """Rows, (n,) of bool, in which somebody filled in a form: more than boxes without a tick."""
    asked = [field for field in fields[1:] if field.form == form and field.kind != "calc"]
    empty = {f.name: ("", "0", "Unchecked") if f.kind == "checkbox" else ("",) for f in asked}
    touched = [~cells[n].isin(empty[f.name]) for f in asked for n in f.columns() if n in cells]
    return np.any(touched, axis=0)


def _words(field: Field, cells: pd.Series, choice: str) -> tuple[Mapping[str, str], dict[str, Any]]:
    """Words for the codes of one column, where all have one, and what the dictionary says of it."""
    label = f"{field.label}: {choice}" if choice else field.label
    facts: dict[str, Any] = {"label": label} if label else {}
    if field.is_identifier or field.kind in _WITHOUT_CELLS:
        facts["role"] = "id" if field.is_identifier else "ignore"
    words = _TICKED if field.kind == "checkbox" else field.choices
    present = set(cells) - {""}
    if not words or not present:
        return {}, facts
    for mapping in (words, {word: word for word in words.values()}):  # an export of codes, of words
        if present <= set(mapping):
            levels = (word for code, word in mapping.items() if code in present)
            facts["levels"] = list(dict.fromkeys(levels))
            return mapping if mapping is words else {}, facts
    named = {int(c) if re.fullmatch(r"-?\d+", c) else c: word for c, word in words.items()}
    return {}, facts | {"named": named}
