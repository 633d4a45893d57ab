"""Sites left out in turn: whether the groups stand without the patients of any one site."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..partitions.scores import ari, overlaps
from ..schema.centres import names_centre
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..schema.vocabulary import words
from ..statistics.refits import procedure, refit, take_rows
from .subgroups import Subgroups

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


def sites_left_out(
    groups: Subgroups,
    sites: pd.Series,
    seed: int = 0,
    callback: Callback | None = None,
    share: Callable[[pd.DataFrame], None] | None = None,
    executor: Any = None,
) -> pd.DataFrame:
    """Find the groups again without the patients of every site in turn.

    The fits run on the workers of an executor, as ``Refits`` says.

    Returns
    -------
    DataFrame, one row a site, ready to print
        Patients left out, groups found without them, agreement of both partitions on the patients
        who stayed (adjusted Rand index), and each group's overlap with its best match (Jaccard).
    """
    model = groups.model
    encoded = model.columns_.encoded
    counts = sites.value_counts()
    names = [name for name in counts.index if counts[name] >= FEWEST][:MOST_SITES]

    rows = [np.flatnonzero((sites != name).to_numpy()) for name in names]
    work = partial(_groups_of, model, encoded, seed)
    found = Refits(len(names), callback, executor).map(work, rows, "groups without a site")
    lines = []
    for name, labels in zip(names, found, strict=True):
        stayed = groups.labels[(sites != name).to_numpy()]
        best = pd.Series(overlaps(stayed, labels).max(axis=1), np.unique(stayed))
        lines.append(
            {
                "Left out": f"{name:g}" if isinstance(name, float) else str(name),
                "Patients": int(counts[name]),
                "Groups": int(labels.max()) + 1,
                "Agreement (ARI)": round(ari(stayed, labels), 2),
            }
            | {groups.titles[k]: round(float(best.get(k, 0.0)), 2) for k in groups.profiled}
        )
        if share is not None:
            share(pd.DataFrame(lines))
    return pd.DataFrame(lines)


def _groups_of(
    model: MAPDP, encoded: Encoded, seed: int, rows: np.ndarray, callback: Callback
) -> np.ndarray:
    """Labels of some rows, found without the others."""
    some = take_rows(encoded, rows)
    return refit(model, some, seed, callback, prior=procedure(model)).labels_
