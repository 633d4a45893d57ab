"""Columns that name the centre, the site or the scanner that a row comes from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from .facts import Facts
from .guess import as_codes
from .no_answers import phrases
from .spec import ColumnSpec
from .vocabulary import affirms, denies, is_sentence, words

_CENTRES = phrases(
    "site|sites|centre|centres|center|centers|hospital|hospitals|clinic|clinics|ward|wards|inst",
    "institution|institutions|institute|zentrum|zentren|klinik|kliniken|krankenhaus|standort",
    "hôpital|hopital|établissement|etablissement|centro|centros|ospedale|ospedali|hospitales",
    "clínica|clinica|ziekenhuis|ziekenhuizen|szpital|ośrodek|practice|praxis|scanner|batch|plate",
)
# Beside such a word they leave it a centre; "tumour site" and "hospital days" are none.
_BESIDE = phrases(
    "study|trial|clinical|recruiting|recruitment|enrolling|enrolment|enrollment|treating|id|ids",
    "treatment|medical|health|care|transplant|cancer|research|no|nr|num|number|code|name|label",
    "of|the|participating|investigator|city|university|teaching|mri",
)
_NAMES = re.compile(
    r"hospital|institut|universi|clinic|klinik|medical cent|health cent|krankenhaus|hôpital"
    r"|ospedal|ziekenhuis|szpital|infirmary|sanator",
    re.IGNORECASE,
)
_MOST_NAMED = 0.5  # share of the rows whose cell has such a word, from which on it is a centre
MOST_CENTRES = 100
_FEWEST_ROWS = 2  # of a centre, on average


def names_centre(name: str) -> bool:
    """Whether a name says "centre", "site", "hospital", and nothing that makes it another thing."""
    parts = [] if is_sentence(name) else [part.rstrip("0123456789") for part in words(name)]
    said = [part for part in parts if part in _CENTRES]
    return bool(said) and all(part in _CENTRES or part in _BESIDE or not part for part in parts)


def centres_aside(
    specs: Mapping[str, ColumnSpec], facts: Mapping[str, Facts]
) -> dict[str, ColumnSpec]:
    """Guesses in which what names a centre is kept out, as a negative control.

    No illness explains where somebody was seen: groups made of it are ways of measuring.
    """
    return {
        name: _aside(spec, facts[name]) if is_centre(spec, facts[name]) else spec
        for name, spec in specs.items()
    }


def is_centre(spec: ColumnSpec, facts: Facts) -> bool:
    """Whether a column to cluster on names centres: by its name, or by its cells."""
    if spec.role != "cluster" or not 2 <= facts.n_distinct <= MOST_CENTRES:
        return False
    if facts.n_present < _FEWEST_ROWS * facts.n_distinct or facts.is_bool:
        return False
    if facts.kind == "number" and (not facts.is_whole or facts.n_distinct < 3):
        return False
    if facts.kind == "text" and names_centre(facts.name):
        return facts.n_distinct > 2 or not _says_yes_or_no(facts)
    if facts.kind == "text":
        return facts.n_distinct > 2 and _are_centres(facts.levels, facts.counts)
    return names_centre(facts.name)


def holds_centres(column: pd.Series) -> bool:
    """Whether the cells of a column are names of centres: "St Mary's Hospital"."""
    if pd.api.types.is_numeric_dtype(column):
        return False
    counts = column.value_counts()
    return 2 <= len(counts) <= MOST_CENTRES and _are_centres(counts.index, counts.to_numpy())


def _are_centres(levels: Iterable[Any], counts: np.ndarray) -> bool:
    named = np.array([bool(_NAMES.search(str(level))) for level in levels])
    return bool(counts[named].sum() >= _MOST_NAMED * counts.sum())


def _says_yes_or_no(facts: Facts) -> bool:
    """Whether two words answer whether somebody was in one, rather than name two."""
    return any(denies(level) or affirms(level) for level in facts.levels)


def _aside(spec: ColumnSpec, facts: Facts) -> ColumnSpec:
    if facts.kind == "number":
        spec = as_codes(facts, "they name centres")
    return spec.changed(
        role="control",
        reason=f"Names a centre: kept out of the groups, which it should not explain. "
        f"{spec.reason}",
    )
