"""Rows that repeat patients: which id tells, and the mark beside every p-value of such a study.

Tests and resamples take rows for different people. With several rows a patient, p-values are too
small; who goes on all the same gets every one of them marked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pandas as pd

from ..schema.schema import Schema
from ..schema.words import words
from ..wording import counted
from .site_columns import is_site

#: Stands by every p-value.
MARK = "rows repeat patients: p-values are too small"
#: Columns of p-values in the tables of a study, in small letters.
P_VALUES = (
    *("p", "p, corrected", "p, adjusted for covariates", "its p", "p_left_out"),
    *("p, column left out", "p, as the paper"),
)
#: Words of the name of an id that is a person's.
PERSON = re.compile(r"patient|subject|participant|person|proband|mrn", re.IGNORECASE)
#: Words by which it is that of something a person has several of.
OCCASION = re.compile(
    r"visit|sample|specimen|encounter|admission|stay|record|row|order|invoice|transaction|ticket"
    r"|accession|barcode|uuid|guid|hash|link|url|event|scan|image|measurement|observation",
    re.IGNORECASE,
)
#: Words of the name of an id that says where somebody lives, and not who.
PLACES = {
    *("zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cep", "address", "adresse"),
    *("street", "city", "town", "village", "county", "municipality", "district", "commune"),
    *("gemeinde", "ort", "stadt", "município", "municipio", "ville", "ciudad", "comune"),
}


@dataclass(frozen=True)
class Repeats:
    """The patient's id in a table that has several rows of some patients."""

    name: str
    n_rows: int
    n_patients: int
    #: Rows of the patient who has the most.
    most: int = 1

    def rows_of(self, patients: int) -> int:
        """So many rows are of that many patients at least; small counts are hidden below it."""
        return patients * self.most

    @property
    def sentence(self) -> str:
        """What is wrong with the table."""
        return (
            f"A row is not a patient here: “{self.name}” recurs, {counted(self.n_rows, 'row')} "
            f"belong to {counted(self.n_patients, 'patient')}."
        )

    @property
    def reservation(self) -> str:
        """What must be known about every count and every p-value."""
        return (
            f"{self.sentence} Groups, counts and tests are of rows, also where they are said to be "
            f"of patients, and {MARK}."
        )


def marked(table: pd.DataFrame) -> pd.DataFrame:
    """The same with the mark in the remark of every line that has a p-value."""
    names = [name for name in table.columns if str(name).lower() in P_VALUES]
    has_p = (table[names].notna() & ~table[names].isin(["none", ""])).any(axis=1)
    if not has_p.any():
        return table
    remark = next((name for name in table.columns if str(name).lower() == "remark"), "Remark")
    table = table.assign(**{remark: table.get(remark, pd.Series("", table.index)).fillna("")})
    said = table.loc[has_p, remark].str.removeprefix(MARK).str.lstrip("; ")
    table.loc[has_p, remark] = [f"{MARK}; {one}" if one else MARK for one in said]
    return table


def repeats_of(frame: pd.DataFrame, schema: Schema) -> Repeats | None:
    """The patient's id where it recurs; None where a row is a patient, as far as ids tell.

    A row number never recurs, so the first id tells nothing. Of ids that do, one whose name is a
    person's is the patient's, else the one with the most values; the id of a site or a postcode is
    nobody's, and where a person's id does not recur, or any other tells all rows apart, that of a
    household, an address or a manager means no patient twice.
    """
    ids = {name: frame[name].dropna() for name in schema.names("id") if name in frame.columns}
    recurs = {name: bool(column.duplicated().any()) for name, column in ids.items()}
    people = [name for name in ids if PERSON.search(name) and not OCCASION.search(name)]
    if not people and any(_tells_units(frame[name]) for name in ids):
        return None
    asked = [
        name
        for name in people or ids
        if recurs[name] and not is_site(frame, name) and PLACES.isdisjoint(words(name))
    ]
    name = max(asked, key=lambda name: ids[name].nunique(), default=None)
    if name is None:
        return None
    counts = ids[name].value_counts()
    return Repeats(name, ids[name].size, len(counts), int(counts.iloc[0]))


def _tells_units(column: pd.Series) -> bool:
    """Whether an id differs in every row and is more than a number of the row or its occasion.

    Numbers that rise from row to row may be those of the rows.
    """
    if column.isna().any() or not column.is_unique or OCCASION.search(str(column.name)):
        return False
    return not (pd.api.types.is_numeric_dtype(column) and column.is_monotonic_increasing)
