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
from ..schema.encoded import Encoded
from ..statistics.resampling import procedure, refit
from .site_columns import FEWEST, MOST_SITES
from .subgroups import Subgroups


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
    some = encoded.rows(rows)
    return refit(model, some, seed, callback, prior=procedure(model)).labels_
