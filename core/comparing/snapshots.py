"""Results that were set aside, to be laid side by side: "with and without income"."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np

from ..families.family import CATEGORY, COUNT, RATING, YES_NO
from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Groups
from ..partitions.scores import Contingency
from ..schema.schema import ColumnSpec, Schema
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

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON; the labels of the rows left out."""
        return {
            "method": self.method,
            "titles": list(self.groups.titles),
            "colours": list(self.groups.colours),
            "parts": [list(parts) for parts in self.groups.parts],
            "objective": self.objective,
            "schema": self.schema.to_dict(),
            "settings": asdict(self.settings),
            "prior scale": self.prior_scale,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], labels: np.ndarray) -> Snapshot:
        """Rebuild from ``to_dict``.

        Parameters
        ----------
        labels : ndarray of int64, shape (N,)

        Raises
        ------
        ValueError
            Its parts do not fit each other.
        """
        groups = Groups(
            labels,
            tuple(map(str, data["titles"])),
            tuple(map(_whole, data["colours"])),
            tuple(tuple(map(_whole, parts)) for parts in data["parts"]),
        )
        n = groups.n_groups
        if not len(groups.titles) == len(groups.colours) == n or set(labels) != {*range(n)}:
            raise ValueError("a snapshot's groups are not those of its rows")
        scale = data["prior scale"]
        return cls(
            str(data["method"]),
            groups,
            _finite(data["objective"]),
            Schema.from_dict(data["schema"]),
            Settings.from_dict(data["settings"]),
            None if scale is None else _finite(scale),
        )


def _whole(number: Any) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or number < 0:
        raise ValueError(f"{number!r} is no number of a group")
    return number


def _finite(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
        raise ValueError(f"{number!r} is no number")
    return float(number)


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Two results of one table."""

    #: The first down, the second across.
    contingency: Contingency
    #: E of the second minus E of the first in nats; None where the models do not compare.
    difference: float | None
    #: What was decided otherwise, a few words each.
    changes: tuple[str, ...]


def side_by_side(first: Snapshot, second: Snapshot) -> SideBySide:
    """Compare two results of the same rows."""
    same_model = (
        _are_of_same_cells(first.schema, second.schema)
        and first.settings.concentration == second.settings.concentration
        and first.settings.likelihood_power == second.settings.likelihood_power
        and first.prior_scale == second.prior_scale
    )
    return SideBySide(
        Contingency.of(first.groups.labels, second.groups.labels),
        second.objective - first.objective if same_model else None,
        tuple(_changes(first, second)),
    )


def _are_of_same_cells(first: Schema, second: Schema) -> bool:
    """Whether two models give the same cells their probabilities, so that their E compare.

    One model does so with itself; so do two likelihoods of discrete cells: a count, a rating and a
    category differ in how they spread their probability over the same values. A density does not
    compare with a probability, nor one in logarithms with one that is not.
    """
    if clustered_part(first) == clustered_part(second):
        return True
    names = first.names("cluster")
    same_rows = [first[n] for n in first.names("weight")] == [
        second[n] for n in second.names("weight")
    ]
    return (
        names == second.names("cluster")
        and same_rows
        and first.blocks == second.blocks
        and all(first[n] == second[n] or _are_discrete(first[n], second[n]) for n in names)
    )


def _are_discrete(first: ColumnSpec, second: ColumnSpec) -> bool:
    read = ("missing_codes", "reading", "special_codes", "taken_as")
    same_cells = all(getattr(first, field) == getattr(second, field) for field in read)
    return same_cells and {first.kind, second.kind} <= {YES_NO, CATEGORY, RATING, COUNT}


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
    if first.schema.priors != second.schema.priors:
        said.append("other priors")
    old, new = asdict(first.settings), asdict(second.settings)
    for name, called in _CALLED.items():
        if old[name] != new[name]:
            said.append(f"{called} {_value(new[name])} instead of {_value(old[name])}")
    before, after = ({told[:2]: told[2] for told in one.settings.own} for one in (first, second))
    for method, option in sorted({*before, *after}):
        was, now = before.get((method, option)), after.get((method, option))
        if was != now and METHODS[method].title == first.method == second.method:
            label = METHODS[method].option(option).label
            said.append(f"{label} {_value(now)} instead of {_value(was)}")
    return said


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value
    return "as suggested" if value is None else f"{value:g}"
