"""Groups that are mostly sites: where, with what or by whom patients were seen makes them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..partitions.scores import ari
from ..schema.roles import holds_centres
from ..schema.schema import Schema
from ..schema.words import may_name_identifier, names_centre, says, words
from ..wording import counted

#: Adjusted Rand index with the groups above which these are mostly sites.
MOSTLY = 0.3
#: Patients of a site, on average, at least.
_FEWEST = 5


def mostly_sites(frame: pd.DataFrame, schema: Schema, labels: np.ndarray) -> str:
    """Say that the groups are mostly those of a column that tells where or by whom, or "".

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
        The cohort; any column of it that recurs and is a site by its name, its cells, its role or
        as an id counts, whether somebody declared it or not.
    labels : ndarray of int, shape (N,)
    """
    told = []
    for name in _site_like(frame, schema):
        known = frame[name].notna().to_numpy()
        codes = pd.factorize(frame[name][known])[0]
        agreement = ari(codes, labels[known]) if known.any() else 0.0
        if agreement > MOSTLY:
            told.append((agreement, name))
    if not told:
        return ""
    (most, name), more = max(told), len(told) - 1
    also = f" ({counted(more, 'other column')} nearly as much)" if more else ""
    return (
        f"The groups are mostly those of “{name}”{also}: the adjusted Rand index between the two "
        f"is {most:.2f}, and from {MOSTLY} on groups are more a place, a device or a person who "
        "measured than a kind of patient. Find them again within the largest site, or without the "
        "columns that are measured differently."
    )


def _site_like(frame: pd.DataFrame, schema: Schema) -> list[str]:
    """Columns that recur and may say where, with what or by whom patients were seen."""
    events = {spec.event for spec in schema.values()}
    found = []
    for name, spec in schema.items():
        if name not in frame.columns or name in events or spec.role in ("validator", "weight"):
            continue
        try:
            n = frame[name].nunique()
        except TypeError:  # lists, say
            continue
        if not 2 <= n <= len(frame) / _FEWEST:
            continue
        says_so = names_centre(name) or may_name_identifier(name) or "region" in words(name)
        declared = spec.role in ("id", "group", "control") and not says("arm", name, "whole")
        if says_so or declared or holds_centres(frame[name]):
            found.append(name)
    return found
