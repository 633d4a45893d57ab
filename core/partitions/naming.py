"""Clusters put together by hand, and names for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Self

import numpy as np

from ..plain import saved_as
from .labels import by_size

SHADES = 10


@dataclass(frozen=True)
class Groups:
    """A partition as its user arranged it."""

    #: int64, shape (N,). Group of each row, 0 the largest.
    labels: np.ndarray = field(metadata=saved_as(None))
    #: Length G. Names, or plain titles.
    titles: tuple[str, ...]
    #: Length G. That of the group's largest part, unless a larger group has it and another is free.
    colours: tuple[int, ...]
    #: Length G. The fitted clusters in each group.
    parts: tuple[tuple[int, ...], ...]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.parts)

    @property
    def leaders(self) -> tuple[int, ...]:
        """The largest part of each group, by which it is named."""
        return tuple(members[0] for members in self.parts)

    @property
    def plain_titles(self) -> tuple[str, ...]:
        """Title of each group without a name; merged, its place, which no fitted number is."""
        if any(len(members) > 1 for members in self.parts):
            return tuple(f"Group {place}" for place in range(1, self.n_groups + 1))
        return tuple(f"Cluster {leader + 1}" for leader in self.leaders)

    @property
    def sizes(self) -> np.ndarray:
        """Rows in each group, shape (G,), largest first."""
        return np.bincount(self.labels, minlength=self.n_groups)


@dataclass(frozen=True)
class Naming:
    """Merges by hand and names, applied to a fitted partition; immutable, so easily undone."""

    #: Fitted clusters put together, each set once, in rising order.
    merged: tuple[tuple[int, ...], ...] = ()
    #: By the lowest fitted cluster of a group, its largest part.
    names: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rising = tuple(tuple(sorted(members)) for members in self.merged)
        object.__setattr__(self, "merged", rising)
        members = [*chain.from_iterable(rising)]
        if not all(self.merged) or len({*members}) < len(members):
            raise ValueError("a cluster is put together with two others, or with none")
        if min((*members, *self.names), default=0) < 0:
            raise ValueError("there is no cluster below 0")

    def apply(self, labels: np.ndarray) -> Groups:
        """Arrange fitted labels 0..K-1, (N,); merges of clusters that they lack are left out."""
        group_of = np.arange(int(labels.max()) + 1)
        for members in self.merged:
            group_of[[k for k in members if k < group_of.size]] = members[0]
        arranged, leaders = by_size(group_of[labels])
        parts = tuple(tuple(np.flatnonzero(group_of == k).tolist()) for k in leaders)
        groups = Groups(arranged, (), _colours(leaders.tolist()), parts)
        named = zip(groups.leaders, groups.plain_titles, strict=True)
        titles = [self.names.get(k) or own for k, own in named]
        # One name given twice would hide that these are two groups.
        distinct = tuple(
            title if titles.count(title) == 1 else f"{title} ({k + 1})"
            for title, k in zip(titles, groups.leaders, strict=True)
        )
        return replace(groups, titles=distinct)

    def renamed(self, leader: int, name: str) -> Self:
        """Naming with another name for a group; "" restores its number."""
        names = {k: title for k, title in self.names.items() if k != leader}
        name = " ".join(name.split())
        return replace(self, names=names | ({leader: name} if name else {}))

    def merging(self, first: tuple[int, ...], second: tuple[int, ...]) -> Self:
        """Naming with two groups, given by their parts, put together."""
        together = tuple(sorted({*first, *second}))
        others = tuple(members for members in self.merged if not {*members} & {*together})
        return replace(self, merged=(*others, together))


def _colours(leaders: Sequence[int]) -> tuple[int, ...]:
    """The number of each leader, or the first free one where a larger group has its colour."""
    first_of = {leader % SHADES: leader for leader in reversed(leaders)}
    free = [shade for shade in range(SHADES) if shade not in first_of]
    return tuple(
        free.pop(0) if free and first_of[leader % SHADES] != leader else leader
        for leader in leaders
    )
