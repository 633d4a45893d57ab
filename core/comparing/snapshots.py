"""Results that were set aside, to be laid side by side: "with and without income"."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Groups
from ..partitions.scores import Contingency
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

    method: str
    groups: Groups
    #: Exact E in nats, under MAP-DP's model of these columns.
    objective: float
    schema: Schema
    settings: Settings
    #: Of the model.
    prior_scale: float | None

    @property
    def _model(self) -> Hashable:
        """E of two results is comparable where this is the same."""
        told = self.settings.concentration, self.settings.likelihood_power
        return clustered_part(self.schema), told, self.prior_scale

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
        """Rebuild with the rows' labels, int64 of shape (N,); a ValueError if parts do not fit."""
        titles, colours = tuple(map(str, data["titles"])), tuple(map(_whole, data["colours"]))
        parts = tuple(tuple(map(_whole, parts)) for parts in data["parts"])
        n = len(parts)
        if not len(titles) == len(colours) == n or {*labels.tolist()} != {*range(n)}:
            raise ValueError("a snapshot's groups are not those of its rows")
        scale = data["prior scale"]
        return cls(
            str(data["method"]),
            Groups(labels, titles, colours, parts),
            _finite(data["objective"]),
            Schema.from_dict(data["schema"]),
            Settings.from_dict(data["settings"]),
            None if scale is None else _finite(scale),
        )


def _whole(number: Any) -> int:
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is no number of a group")
    return number


def _finite(number: Any) -> float:
    if isinstance(number, bool) or not isinstance(number, Real) or not math.isfinite(number):
        raise ValueError(f"{number!r} is no number")
    return float(number)


class SideBySide(NamedTuple):
    """Two results of one table."""

    contingency: Contingency
    #: E of the second minus E of the first in nats; None where the models do not compare.
    difference: float | None
    #: What was decided otherwise, a few words each.
    changes: list[str]


def side_by_side(first: Snapshot, second: Snapshot) -> SideBySide:
    """Compare two results of the same rows."""
    table = Contingency.of(first.groups.labels, second.groups.labels)
    is_one_model = first._model == second._model
    difference = second.objective - first.objective if is_one_model else None
    return SideBySide(table, difference, [*_changes(first, second)])


def _changes(first: Snapshot, second: Snapshot) -> Iterator[str]:
    one, other = first.schema, second.schema
    before, after = {*one.names("cluster")}, {*other.names("cluster")}
    of_columns = {
        "without {}": before - after,
        "with {}": after - before,
        "{} typed otherwise": {name for name in before & after if one[name] != other[name]},
    }
    if first.method != second.method:
        yield f"{second.method} instead of {first.method}"
    for words, names in of_columns.items():
        if names:
            yield words.format(listed(sorted(names), MOST_NAMES))
    if one.blocks != other.blocks:
        yield "other joint blocks"
    if one.priors != other.priors:
        yield "other priors"
    old, new = (_told(one, with_own=first.method == second.method) for one in (first, second))
    for called in {**old, **new}:
        was, now = old.get(called), new.get(called)
        if was != now:
            yield f"{called} {_value(now)} instead of {_value(was)}"


def _told(result: Snapshot, with_own: bool) -> dict[str, Any]:
    """Settings by what they are called, of two results of one method its own among them."""
    told = {called: getattr(result.settings, name) for name, called in _CALLED.items()}
    for name, option, value in result.settings.own if with_own else ():
        if METHODS[name].title == result.method:
            told[METHODS[name].option(option).label] = value
    return told


def _value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "as suggested", True: "on", False: "off"}[value]
    return value if isinstance(value, str) else f"{value:g}"
