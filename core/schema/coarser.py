"""Categories that follow from a finer one: the region from the town, the branch from the job."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, RATING, YES_NO
from .repeats import LEAST_RARE, ROWS, codes_of
from .spec import ColumnSpec
from .ties import crossed

#: Levels of the finer category, at least, and how many more it has.
_FEWEST_LEVELS, _TIMES_FINER = 6, 1.5
#: Share of the rows that other rows of the finer level foretell, and of those that are not of the
#: most frequent coarser level.
_FORETOLD, _FORETOLD_OF_RARE = 0.95, 0.9
#: Share of the rows whose finer level stands in another row, too.
_RECURRING = 0.8
#: Categories that are looked at, at most.
_MOST_COLUMNS = 80


def find_coarser(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Finer categories, each with those that follow from it and the share of rows where they do.

    Both are clustered on. Each row is foretold from the others of its finer level, so that many
    levels of one row each foretell nothing.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    kinds = {n: s for n, s in specs.items() if s.kind in (CATEGORY, YES_NO, RATING)}
    codes = codes_of(some, dict([*kinds.items()][:_MOST_COLUMNS]))
    sizes = {name: np.unique(code[code >= 0]).size for name, code in codes.items()}
    found: dict[str, list[tuple[str, float]]] = {}
    may_follow = _may_follow(codes)
    for coarse in codes:
        finer = [
            (-round(share, 2), sizes[fine], fine, share)
            for fine in codes
            if (fine, coarse) in may_follow
            and specs[fine].kind == CATEGORY
            and sizes[fine] >= max(_FEWEST_LEVELS, _TIMES_FINER * sizes[coarse])
            and (share := _foretold(codes[fine], codes[coarse]))
        ]
        if finer:  # of several the one that tells it best, of those the nearest
            *_, fine, share = min(finer)
            found.setdefault(fine, []).append((coarse, share))
    return {fine: tuple(of) for fine, of in found.items()}


def _may_follow(codes: Mapping[str, np.ndarray]) -> set[tuple[str, str]]:
    """Pairs of which the second may follow from the first: a quick look at neighbours.

    In the order of the first, rows that are alike in it are alike in the second, but for those
    that say otherwise, each beside two others.
    """
    if not codes:
        return set()
    names = list(codes)
    table = np.column_stack([codes[name] for name in names])
    found = set()
    for a, code in enumerate(table.T):
        order = table[np.argsort(code, kind="stable")]
        alike = (order[1:, a] == order[:-1, a]) & (order[1:, a] >= 0)
        here, before = order[1:][alike], order[:-1][alike]
        known = (here >= 0) & (before >= 0)
        differ = ((here != before) & known).sum(axis=0)
        few = differ <= 2.5 * (1 - _FORETOLD) * known.sum(axis=0)
        found |= {(names[a], names[b]) for b in np.flatnonzero(few) if b != a}
    return found


def _foretold(fine: np.ndarray, coarse: np.ndarray) -> float:
    """Share of the rows whose coarser level is that of most others of their finer one; 0 if few."""
    both = (fine >= 0) & (coarse >= 0)
    table = crossed(*(np.where(both, code, np.nan) for code in (fine, coarse)))
    n = int(table.sum())
    if 2 * n < len(fine) or min(table.shape) < 2:
        return 0.0
    rows = table.sum(axis=1)
    recurring = rows > 1
    if rows[recurring].sum() < _RECURRING * n:
        return 0.0
    table = table[recurring]
    n = int(table.sum())
    most = table.max(axis=1, keepdims=True)
    # A row of the most frequent level is foretold unless another level is as frequent without it.
    ties = (table >= most - 1).sum(axis=1) > 1
    right = int(np.where(ties, 0, most[:, 0]).sum())
    rare = n - int(table.sum(axis=0).max())
    if rare < LEAST_RARE or n - right > (1 - _FORETOLD_OF_RARE) * rare:
        return 0.0
    return right / n if right >= _FORETOLD * n else 0.0
