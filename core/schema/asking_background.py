"""Whether sex, origin and civil status make the groups of people, or only describe them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..families.family import CATEGORY, YES_NO
from .asking_words import listed
from .background_words import names_origin, names_schooling
from .questions import Answer, Question
from .spec import ColumnSpec
from .vocabulary import names_age

#: Columns of origin or civil status from which on a table is about people, and columns that the
#: groups are left with at least, and as many as are asked about.
LEAST, LEAST_OTHERS = 2, 4


def ask_background(specs: Mapping[str, ColumnSpec], asked: Collection[str]) -> list[Question]:
    """Whether sex, origin and civil status, with age and schooling, are to make the groups.

    Groups of people are otherwise often men and women, married and single, whatever else was
    measured. Not of columns that are asked about already, nor where hardly another one is left.
    """
    described = [n for n, spec in specs.items() if spec.role == "cluster" and n not in asked]
    origin = {n for n in described if specs[n].kind in (YES_NO, CATEGORY) and names_origin(n)}
    if len(origin) < LEAST:
        return []
    found = [n for n in described if n in origin or names_age(n) or names_schooling(n)]
    if len(described) - len(found) < max(LEAST_OTHERS, len(found)):
        return []
    kept = {n: {"role": "validator", "reason": f"Background. {specs[n].reason}"} for n in found}
    text = f"{listed(found)} say who people are: are they to make the groups?"
    answers = (
        Answer("Yes: cluster on them", {}),
        Answer("No: describe the groups by them", kept),
    )
    return [Question("background", tuple(found), text, answers)]
