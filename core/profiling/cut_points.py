"""Where short rules cut the numbers of a column: where a small tree would, at round numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .conditions import Cells

#: Shares of a column's known cells at which it is cut in any case.
SHARES = (0.25, 0.5, 0.75)
#: Leaves of the tree for every group.
LEAVES = 2
#: Steps into which the middle half of a column's numbers is divided for round cut points.
ROUND_STEPS = 20.0


def cut_points(
    cells: Mapping[tuple[str, bool], Cells], labels: np.ndarray, weights: np.ndarray
) -> dict[str, tuple[float, ...]]:
    """Cut points of every column of numbers or ordered words, by its name.

    Those of one tree that tells all groups apart (CART; scikit-learn's, groups weighing the same),
    and the quartiles; each the roundest number that parts the same cells, or nearly.

    Parameters
    ----------
    cells : mapping of Cells
        Of N rows.
    labels, weights : shape (N,)
        Group of each row, and for how many rows it stands.
    """
    cut = [p for p in cells.values() if p.is_cut and not np.isnan(p.values).all()]
    if not cut:
        return {}
    distinct = {part.name: np.unique(part.values[~np.isnan(part.values)]) for part in cut}
    found = {}
    for part, splits in zip(cut, _splits(cells, cut, distinct, labels, weights), strict=True):
        known = np.sort(part.values[~np.isnan(part.values)])
        wanted = [known[int(share * known.size)] for share in SHARES]
        found[part.name] = _rounded(known, [*wanted, *distinct[part.name][splits]])
    return found


def _splits(
    cells: Mapping[tuple[str, bool], Cells],
    cut: list[Cells],
    distinct: Mapping[str, np.ndarray],
    labels: np.ndarray,
    weights: np.ndarray,
) -> list[list[int]]:
    """Of every column that is cut, the places of distinct values at which the tree does so.

    The tree reads those places: its single precision would take close numbers for one. Of levels it
    reads whether a cell has them.
    """
    from sklearn.tree import DecisionTreeClassifier

    ranks = [np.searchsorted(distinct[part.name], part.values).astype(float) for part in cut]
    for part, rank in zip(cut, ranks, strict=True):
        rank[np.isnan(part.values)] = np.nan
    levels = [
        part.values == place
        for part in cells.values()
        if not part.is_cut
        for place in range(1, len(part.levels))
    ]
    tree = DecisionTreeClassifier(
        max_leaf_nodes=max(2, LEAVES * np.unique(labels).size),
        class_weight="balanced",
        random_state=0,
    ).fit(np.column_stack([*ranks, *levels]), labels, sample_weight=weights)
    splits: list[list[int]] = [[] for _ in cut]
    for j, threshold in zip(tree.tree_.feature, tree.tree_.threshold, strict=True):
        # A split that parts missing cells from all others has no end.
        if 0 <= j < len(cut) and 0.0 <= threshold < distinct[cut[j].name].size - 1:
            splits[j].append(int(threshold) + 1)
    return splits


def _rounded(known: np.ndarray, wanted: list[float]) -> tuple[float, ...]:
    """Round numbers that part sorted cells where the wanted values begin."""
    spread = known[3 * known.size // 4] - known[known.size // 4]
    step = 10.0 ** np.floor(np.log10(spread / ROUND_STEPS)) if spread > 0.0 else 0.0
    found = set()
    for above in wanted:
        place = np.searchsorted(known, above)
        if place:
            found.add(_round_between(float(known[place - 1]), float(above), float(step)))
    return tuple(sorted(cut for cut in found if known[0] < cut <= known[-1]))


def _round_between(below: float, above: float, step: float) -> float:
    """The roundest number above the one and not above the other; a multiple of a wider step."""
    if above - below < step:
        return _multiple(above, step)
    power = int(np.ceil(np.log10(max(abs(above), above - below)))) + 1
    for digits in range(-power, 16):
        value = _multiple(above, 10.0**-digits)
        if below < value <= above:
            return value
    return above


def _multiple(value: float, step: float) -> float:
    """The largest multiple of a power of ten that is no more than a number."""
    decimals = max(0, -round(float(np.log10(step))))
    return round(float(np.floor(value / step + 1e-9) * step), decimals) + 0.0
