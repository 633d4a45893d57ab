"""Sites left out in turn: whether the groups stand without the patients of any one site."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..partitions.scores import ari, overlaps
from ..schema.schema import Schema
from ..statistics.refits import Refits, procedure, refit, take_rows
from .subgroups import Subgroups

#: Words of a column's name that make it a site; sites at most; and fewest patients of one.
WORDS = ("site", "centre", "center", "hospital", "clinic", "ward", "region")
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
            words = str(name).lower()
            says_so = any(word in words for word in WORDS)
            if says_so or spec.role == "control":
                found.append((not says_so, name))
    return [name for _, name in sorted(found, key=lambda pair: pair[0])]


def sites_left_out(
    groups: Subgroups,
    sites: pd.Series,
    seed: int = 0,
    callback: Callback | None = None,
    share: Callable[[pd.DataFrame], None] | None = None,
) -> pd.DataFrame:
    """Find the groups again without the patients of every site in turn.

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

    def work(place: int, callback: Callback) -> np.ndarray:
        rows = np.flatnonzero((sites != names[place]).to_numpy())
        again = refit(model, take_rows(encoded, rows), seed, callback, prior=procedure(model))
        return again.labels_

    refits = Refits(len(names), callback)
    lines = []
    for name, labels in zip(
        names, refits.map(work, range(len(names)), "groups without a site"), strict=True
    ):
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
