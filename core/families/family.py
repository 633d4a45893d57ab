"""What the library knows of one likelihood; each file of this room ends with its ``Family``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .prior import Prior, Weight

#: Kinds of columns, in the order of the menus: how they are shown, tested, summarised and turned
#: into plain numbers.
MEASUREMENT, YES_NO, RATING, CATEGORY, COUNT = KINDS = (
    "measurement",
    "yes/no",
    "rating",
    "category",
    "count",
)

#: Parts of a finite mixture, each of which treats some families.
MIXTURES = ("normal", "linear", "gaussian")


class Kernels(NamedTuple):
    """The compiled functions of a family, which the engine calls with the same arguments for all.

    ``state[row : row + rows(size), k]`` is what a unit of that ``size`` (levels, trials or block
    width) keeps of cluster k: its sufficient statistics first, then cached coefficients of the
    predictive. ``prior[p:]`` are the numbers of ``Prior.packed``; ``x[first:]`` the cells of a row,
    one of them for a column; ``work`` is scratch space. Missing cells of a column (NaN) never
    reach a kernel. A row may count as any weight: its likelihood to that power, which multiplies
    every statistic (Miller and Dunson 2019).

    Parameters
    ----------
    rows : rows(size) -> int
        How many rows, ``always(n)`` where every size takes as many.
    n_statistics : n_statistics(size) -> int
        How many of the rows are sufficient statistics.
    add : add(state, row, size, k, x, first, weight, prior, p, work)
        Put a row's cells into the statistics so many times; take them out where below 0.
    merge : merge(state, row, size, k, other)
        Add the statistics of cluster ``other`` to those of cluster k.
    refresh : refresh(state, row, size, k, empty, weight, prior, p, work)
        Recompute the cached coefficients; ``empty`` is a cluster without rows.
    score : score(state, row, size, n_states, x, first, weight, prior, p, out, work)
        Add the score of the cells under every cluster to ``out``: by how much ln p of the
        cluster's cells rises when these join it; their log predictive, for a weight of 1. The
        weight must be that of the last ``refresh``.
    score_without : score_without(state, row, size, k, x, first, weight, prior, p, work)
        The score of cells of cluster k given its others, a float.
    log_marginal : log_marginal(state, row, size, k, n_states, prior, p, out, work)
        Add ln p of the cells of clusters k and l together to ``out``, for every l.
    score_many : score_many(state, units, prior, weight, u, end, n_states, n, own, cells, lines, \
within, spare, codes)
        The scores of n rows at once: add to ``lines[k, b]`` that of row b in the neighbouring
        units ``units[u:end]`` of ``Table`` (one block, or at most ``TOGETHER`` columns, all of the
        family) under every cluster k, and to ``within[b]`` that under its own cluster ``own[b]``,
        given the others there. Their cells are ``cells[j, b]``, column by column. Here missing
        cells do arrive, and add nothing. Scratch space are ``spare``, lines of n + 1 and n_states
        numbers at least, as many as a block has columns and ``N_SPARE`` more, and the whole numbers
        ``codes``, n of them.
    fill : fill(state, row, size, k, x, missing, first, weight, prior, p, work)
        Set the missing cells to where their score in cluster k is highest: the mode of the
        predictive, for a weight of 1. The weight must be that of the last ``refresh``. Only
        those of families that are ``is_imputed`` are.
    """

    rows: Callable[[int], int]
    n_statistics: Callable[[int], int]
    add: Callable[..., None]
    merge: Callable[..., None]
    refresh: Callable[..., None]
    score: Callable[..., None]
    score_without: Callable[..., float]
    log_marginal: Callable[..., None]
    score_many: Callable[..., None]
    fill: Callable[..., None]

    @classmethod
    def of(cls, names: Mapping[str, Any]) -> Kernels:
        """Those of a file, by its names."""
        return cls(**{name: names[name] for name in cls.__annotations__})


#: Most columns that ``score_many`` is handed at once.
TOGETHER = 8
#: Lines of its scratch space beside those for the columns of a block.
N_SPARE = 8


def always(n: int) -> Callable[[int], int]:
    """As many rows whatever the size."""
    return lambda size: n


@dataclass(frozen=True)
class Support:
    """The values that a likelihood can take."""

    #: What one value is, to begin a sentence that refuses another.
    noun: str = "a measurement"
    #: Whether values below 0, or between whole numbers, are impossible.
    starts_at_zero: bool = False
    is_whole: bool = False
    #: Whether 0 itself is impossible, too, of one that starts there.
    is_open: bool = False

    def faults(
        self, values: np.ndarray, top: float | None = None
    ) -> Iterator[tuple[np.ndarray, str, str]]:
        """Yield for each way to be impossible: where it is so, what such a value is, and why.

        ``top`` is the largest possible value, if there is one. Missing values are possible.
        """
        yield np.isinf(values), "an infinite value", f"{self.noun} is finite"
        if self.starts_at_zero:
            yield values < 0, "a negative value", f"{self.noun} cannot be negative"
        if self.is_open:
            yield values == 0, "a zero", f"{self.noun} is above 0"
        if self.is_whole:
            fractional = (np.floor(values) != values) & ~np.isnan(values)
            yield fractional, "a fractional value", f"{self.noun} is a whole number"
        if top is not None:
            yield values > top, f"a value above {top:g}", f"{self.noun} ends there"

    def described(self, top: float | None = None) -> str:
        """The possible values in words, such as "whole numbers from 0 on"."""
        words = "whole numbers" if self.is_whole else "numbers"
        if not self.starts_at_zero:
            return words
        start, end = ("above 0", "") if self.is_open else ("from 0", " on")
        return f"{words} {start}{end if top is None else f' to {top:g}'}"


@dataclass(frozen=True)
class Family:
    """One likelihood.

    Raises
    ------
    TypeError
        A kind or a part of the mixture that there is not.
    """

    #: Key in ``FAMILIES``.
    name: str
    #: What the interface calls it, and one line on when to choose it.
    label: str
    help: str
    #: One of ``KINDS``.
    kind: str
    #: Its prior, a frozen dataclass.
    Prior: type[Prior]
    #: What the engine runs; a family may run on another's.
    kernels: Kernels
    support: Support
    #: Which part of a finite mixture treats it, one of ``MIXTURES``.
    mixture: str
    #: Options of a column that it reads, such as ``"levels"``.
    options: tuple[str, ...] = ()
    #: Those of them that ``Prior.default`` wants.
    prior_options: tuple[str, ...] = ()
    #: Whether it models several columns jointly.
    is_block: bool = False
    #: Real-valued data, which the engine centres and scales for its own arithmetic.
    is_real: bool = False
    #: Whether missing cells can be filled with modes (``missing="impute"``), not only left out.
    is_imputed: bool = False
    #: Whether missing cells have no closed form, so that the engine sets them to modes.
    fills_missing: bool = False

    def __post_init__(self) -> None:
        for fact, known in (("kind", KINDS), ("mixture", MIXTURES)):
            if (given := getattr(self, fact)) not in known:
                raise TypeError(f"Family {self.name!r}: {fact} {given!r} is none of {known}.")

    @property
    def is_nominal(self) -> bool:
        """Whether its values are names, of which no mean can be taken."""
        return self.kind in (YES_NO, CATEGORY)

    def misfits(self, values: np.ndarray) -> np.ndarray:
        """Which values are there but impossible under this likelihood, of the same shape."""
        top = 1.0 if self.kind == YES_NO else None
        return np.logical_or.reduce([wrong for wrong, _, _ in self.support.faults(values, top)])

    def default_prior(
        self, values: np.ndarray, scale: float, weight: Weight = 1.0, **options: Any
    ) -> Prior:
        """Weak empirical-Bayes prior of a column (n,) or block (n, D) from its values.

        ``scale`` is the prior scale s, the width of a cluster relative to the whole column; only
        the real-valued families use it. ``weight`` is how often each row counts.
        """
        wanted = {name: options[name] for name in self.prior_options if name in options}
        return self.Prior.default(values, scale, weight=weight, **wanted)

    def options_of(self, values: np.ndarray) -> Mapping[str, Any]:
        """Options of a column that comes as bare numbers, without a schema."""
        highest = int(np.nanmax(values, initial=0.0, where=~np.isnan(values)))
        if "trials" in self.prior_options:
            return {"trials": max(highest, 1)}
        if "levels" in self.prior_options:
            smallest = 2 if self.kind == YES_NO else 1
            return {"levels": tuple(range(max(highest + 1, smallest)))}
        return {}
