"""Which columns may name the site that a patient comes from."""

from __future__ import annotations

import pandas as pd

from ..schema.schema import Schema
from ..schema.words import names_centre, words

#: Sites at most that are left out in turn, and fewest patients of one.
MOST_SITES, FEWEST = 30, 5


def site_columns(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns that took no part in making the groups and may name a site, the likeliest first.

    A few names that recur; those whose own name says so come first.
    """
    found = []
    for name, spec in schema.items():
        if spec.role in ("cluster", "id") or name not in frame.columns:
            continue
        n = frame[name].nunique()
        if 2 <= n <= MOST_SITES and frame[name].value_counts().iloc[1] >= FEWEST:
            says_so = is_site(frame, name)
            if says_so or spec.role == "control":
                found.append((not says_so, name))
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]


def is_site(frame: pd.DataFrame, name: str) -> bool:
    """Whether a column's own name says that it names a site, of which there are few."""
    named = names_centre(name) or "region" in words(name)
    return named and frame[name].nunique() <= MOST_SITES
