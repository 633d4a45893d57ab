"""Snapshots of results, to be compared side by side: "with and without income"."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Self

import numpy as np

from ..methods.settings import Settings
from ..partitions.naming import Groups
from ..partitions.scores import Contingency
from ..plain import from_fields, from_plain, hints, saved_as, saved_fields
from ..schema.schema import Schema
from ..wording import listed
from .comparison import clustered_part

MOST_NAMES = 5


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
    prior_scale: float | None = field(metadata=saved_as("prior scale"))

    @property
    def _model(self) -> Hashable:
        """E of two results is comparable where this is the same."""
        parameters = self.settings.concentration, self.settings.likelihood_power
        return clustered_part(self.schema), parameters, self.prior_scale

    def to_dict(self) -> dict[str, Any]:
        """Plain lists, numbers and text, for JSON; the labels of the rows left out."""
        plain = saved_fields(self)
        return plain.pop("groups") | plain

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], labels: np.ndarray) -> Self:
        """Rebuild with the rows' labels, int64 of shape (N,); a ValueError if parts do not fit."""
        plain = dict(data)
        of_groups = {n: from_plain(kind, plain.pop(n), n) for n, (_, kind) in hints(Groups).items()}
        groups = Groups(labels, **of_groups)
        numbers, n = (*groups.colours, *chain.from_iterable(groups.parts)), groups.n_groups
        is_whole = len(groups.titles) == len(groups.colours) == n and min(numbers, default=0) >= 0
        if not is_whole or {*labels.tolist()} != {*range(n)}:
            raise ValueError("a snapshot's groups are not those of its rows")
        return from_fields(cls, plain | {"groups": groups}, "snapshots")


def side_by_side(first: Snapshot, second: Snapshot) -> tuple[Contingency, float | None, list[str]]:
    """Groups of two results, E of the second minus the first's if it compares, what was changed."""
    one, other = first.schema, second.schema
    before, after = {*one.names("cluster")}, {*other.names("cluster")}
    of_columns = {
        "without {}": before - after,
        "with {}": after - before,
        "{} typed otherwise": {name for name in before & after if one[name] != other[name]},
    }
    named = [(words, sorted(names)) for words, names in of_columns.items() if names]
    of_all = {
        f"{second.method} instead of {first.method}": first.method != second.method,
        "other joint blocks": one.blocks != other.blocks,
        "other priors": one.priors != other.priors,
        "other settings": first.settings != second.settings,
    }
    changes = [words.format(listed(names, MOST_NAMES)) for words, names in named]
    changes += [words for words, is_so in of_all.items() if is_so]
    table = Contingency.of(first.groups.labels, second.groups.labels)
    difference = second.objective - first.objective if first._model == second._model else None
    return table, difference, changes
