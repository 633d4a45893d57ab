"""From the rows of a file to the patients of every analysis: a participants' flow."""

from __future__ import annotations

import re

import pandas as pd

from .small_counts import HIDDEN
from .study import Lock
from .subgroups import SMALLEST, Subgroups

#: A step of Prepare that changed the number of rows, as its sentence says it.
_ROWS = re.compile(r"\((\d[\d,]*) \u2192 (\d[\d,]*) rows?\b")
#: Stages of which the second is all but the first.
DESCRIBED = f"In groups of at least {SMALLEST}, described and tested"
ATYPICAL = "Atypical, in no such group"
_FEW = re.compile(r"\((fewer than \d+ rows less)\)")


def participants_table(
    lock: Lock, groups: Subgroups, adjusted: pd.DataFrame | None
) -> pd.DataFrame:
    """Who was there at every stage, ready to print.

    Parameters
    ----------
    lock : Lock
    groups : Subgroups
    adjusted : DataFrame or None
        ``adjusted_table``: its complete cases are told again, but those that are hidden.
    """
    lines = [*_prepared(lock), ("Roles locked", f"{lock.n_rows:,}")]
    lines.append(("In the search for groups", f"{groups.labels.size:,}"))
    atypical = sum(int(groups.sizes[k]) for k in groups.atypical)
    inside = groups.labels.size - atypical
    lines.append((DESCRIBED, f"{inside:,}"))
    lines.append((ATYPICAL, f"{atypical:,}"))
    if adjusted is not None:
        lines += _complete_cases(adjusted)
    return pd.DataFrame(lines, columns=["Stage", "Patients"])


def _prepared(lock: Lock) -> list[tuple[str, str]]:
    """Rows of the file, and after every step that changed their number.

    Before a step that left out a few, rows stay untold: the few would follow from those after it.
    """
    changed = [(sentence, _ROWS.search(sentence)) for sentence in lock.prepared]
    few = [place for place, (sentence, _) in enumerate(changed) if _FEW.search(sentence)]
    lines, before = [], HIDDEN if few else f"{lock.n_rows:,}"
    for place, (sentence, found) in enumerate(changed):
        step = f"After: {re.sub(r' ?[(][^()]*[)][.]$', '', sentence)}"
        if _FEW.search(sentence):
            lines.append((step, _FEW.search(sentence)[1]))
        elif found:
            is_told = not few or place > few[-1]
            before = found[1] if is_told and not lines else before
            lines.append((step, found[2] if is_told else HIDDEN))
    weighted = "each counts by its weight" if lock.columns("weight") and not lines else before
    return [("Rows of the file", weighted), *lines]


def _complete_cases(adjusted: pd.DataFrame) -> list[tuple[str, str]]:
    """Of each outcome, the patients of each group in its regressions."""
    of: dict[str, dict[str, str]] = {}
    for line in adjusted[adjusted["Complete cases"] != HIDDEN].to_dict("records"):
        titles, counts = (line[name].split(" and ") for name in ("Groups", "Complete cases"))
        of.setdefault(line["Column"], {}).update(zip(titles, counts, strict=True))
    return [
        (f"Complete cases: {name}", ", ".join(f"{title}: {n}" for title, n in counts.items()))
        for name, counts in of.items()
    ]
