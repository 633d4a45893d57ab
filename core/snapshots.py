"""Results that were set aside, to be laid side by side: "with and without income"."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from .comparison import Settings, clustered_part
from .naming import Groups
from .schema import Schema
from .scores import ami, ari, contingency, nmi

_CALLED = {
    "concentration": "N\u2080",
    "penalty": "\u03bb",
    "n_clusters": "K",
    "bic": "BIC chooses K",
    "effort": "restarts",
    "seed": "seed",
}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One result with what it came from.

    Parameters
    ----------
    method : str
        Title of the algorithm.
    groups : Groups
        As they were arranged.
    objective : float
        Exact E in nats, under MAP-DP's model of these columns.
    schema : Schema
    settings : Settings
    prior_scale : float or None
        Of the model: E of two results is comparable where this is the same, too.
    """

    method: str
    groups: Groups
    objective: float
    schema: Schema
    settings: Settings
    prior_scale: float | None


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two results of one table.

    Parameters
    ----------
    counts : ndarray of int64, shape (K of the first, K of the second)
        Rows in each pair of groups.
    ari, ami, nmi : float
    moved : float
        Share of rows outside their group's best partner in the other result, 0 to 1.
    difference : float or None
        E of the second minus E of the first in nats; None where the models differ.
    changes : tuple of str
        What was decided otherwise, a few words each.
    """

    counts: np.ndarray
    ari: float
    ami: float
    nmi: float
    moved: float
    difference: float | None
    changes: tuple[str, ...]


def side_by_side(first: Snapshot, second: Snapshot) -> SideBySide:
    """Compare two results of the same rows."""
    a, b = first.groups.labels, second.groups.labels
    counts = contingency(a, b)
    same_model = (
        clustered_part(first.schema) == clustered_part(second.schema)
        and first.settings.concentration == second.settings.concentration
        and first.prior_scale == second.prior_scale
    )
    return SideBySide(
        counts,
        ari(a, b),
        ami(a, b),
        nmi(a, b),
        1.0 - counts.max(axis=1).sum() / a.size,
        second.objective - first.objective if same_model else None,
        tuple(_changes(first, second)),
    )


def _changes(first: Snapshot, second: Snapshot) -> list[str]:
    """What the second was decided otherwise than the first."""
    said = []
    if first.method != second.method:
        said.append(f"{second.method} instead of {first.method}")
    before, after = ({*snapshot.schema.names("cluster")} for snapshot in (first, second))
    said += [f"without {_listed(before - after)}"] if before - after else []
    said += [f"with {_listed(after - before)}"] if after - before else []
    retyped = {name for name in before & after if first.schema[name] != second.schema[name]}
    said += [f"{_listed(retyped)} typed otherwise"] if retyped else []
    if first.schema.blocks != second.schema.blocks:
        said.append("other joint blocks")
    old, new = asdict(first.settings), asdict(second.settings)
    for name, called in _CALLED.items():
        if old[name] != new[name]:
            said.append(f"{called} {_value(new[name])} instead of {_value(old[name])}")
    return said


def _listed(names: set[str], most: int = 5) -> str:
    shown = sorted(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "as suggested" if value is None else f"{value:g}"
