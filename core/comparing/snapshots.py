"""Results that were set aside, to be laid side by side: "with and without income"."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ..methods.settings import Settings
from ..partitions.contingency import Contingency
from ..partitions.naming import Groups
from ..schema.schema import Schema
from ..wording import listed
from .comparison import clustered_part

MOST_NAMES = 5

_CALLED = {
    "concentration": "N\u2080",
    "penalty": "\u03bb",
    "n_clusters": "K",
    "bic": "BIC chooses K",
    "effort": "restarts",
    "seed": "seed",
    "likelihood_power": "tolerance for misfit",
}


@dataclass(frozen=True, eq=False)
class Snapshot:
    """One result with what it came from."""

    #: Title of the algorithm.
    method: str
    #: As they were arranged.
    groups: Groups
    #: Exact E in nats, under MAP-DP's model of these columns.
    objective: float
    schema: Schema
    settings: Settings
    #: Of the model: E of two results is comparable where this is the same, too.
    prior_scale: float | None


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two results of one table."""

    #: The first down, the second across.
    contingency: Contingency
    #: E of the second minus E of the first in nats; None where the models differ.
    difference: float | None
    #: What was decided otherwise, a few words each.
    changes: tuple[str, ...]


def side_by_side(first: Snapshot, second: Snapshot) -> SideBySide:
    """Compare two results of the same rows."""
    same_model = (
        clustered_part(first.schema) == clustered_part(second.schema)
        and first.settings.concentration == second.settings.concentration
        and first.settings.likelihood_power == second.settings.likelihood_power
        and first.prior_scale == second.prior_scale
    )
    return SideBySide(
        Contingency.of(first.groups.labels, second.groups.labels),
        second.objective - first.objective if same_model else None,
        tuple(_changes(first, second)),
    )


def _changes(first: Snapshot, second: Snapshot) -> list[str]:
    """What the second was decided otherwise than the first."""
    said = []
    if first.method != second.method:
        said.append(f"{second.method} instead of {first.method}")
    before, after = ({*snapshot.schema.names("cluster")} for snapshot in (first, second))
    said += [f"without {listed(sorted(before - after), MOST_NAMES)}"] if before - after else []
    said += [f"with {listed(sorted(after - before), MOST_NAMES)}"] if after - before else []
    retyped = {name for name in before & after if first.schema[name] != second.schema[name]}
    said += [f"{listed(sorted(retyped), MOST_NAMES)} typed otherwise"] if retyped else []
    if first.schema.blocks != second.schema.blocks:
        said.append("other joint blocks")
    old, new = asdict(first.settings), asdict(second.settings)
    for name, called in _CALLED.items():
        if old[name] != new[name]:
            said.append(f"{called} {_value(new[name])} instead of {_value(old[name])}")
    return said


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "as suggested" if value is None else f"{value:g}"
