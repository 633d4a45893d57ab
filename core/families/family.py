"""What a likelihood is to the library; each file of this folder ends with its ``Family``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .prior import Prior, Weight

MEASUREMENT, YES_NO, RATING, CATEGORY, COUNT = KINDS = (
    "measurement",
    "yes/no",
    "rating",
    "category",
    "count",
)

MIXTURES = ("normal", "linear", "gaussian")


class Kernels(NamedTuple):
    """The compiled functions of a family, called with the same arguments for all families.

    ``state[row : row + rows(size), k]`` is what a unit of ``size`` levels, trials or columns keeps
    of cluster k: sufficient statistics, then cached coefficients. ``prior[p:]`` are the numbers of
    ``Prior.packed``, ``x[first:]`` a row's cells, ``work`` scratch space. ``weight`` is the power
    of the row's likelihood, by which statistics are multiplied (Miller and Dunson 2019); scores
    need that of the last ``refresh``. Missing cells (NaN) of a column reach ``score_many`` alone.

    rows(size), n_statistics(size)
        State rows, and how many of them, the first ones, are sufficient statistics.
    add(state, row, size, k, x, first, weight, prior, p, work)
        Add ``weight`` times a row's cells to the statistics; a negative weight takes them out.
    merge(state, row, size, k, other)
        Add the statistics of cluster ``other`` to those of cluster k.
    refresh(state, row, size, k, empty, weight, prior, p, work)
        Recompute the cached coefficients; ``empty`` is a cluster without rows.
    score(state, row, size, n_states, x, first, weight, prior, p, out, work)
        Add to ``out`` the rise of ln p of every cluster as the cells join it; at weight 1 their log
        predictive.
    score_without(state, row, size, k, x, first, weight, prior, p, work)
        Return the score of cells of cluster k given its others.
    log_marginal(state, row, size, k, n_states, prior, p, out, work)
        Add ln p of the cells of clusters k and l together to ``out``, for every l.
    score_many(state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare,
    codes)
        Add the scores of n rows in ``units[u:end]`` (one block, or up to ``TOGETHER`` columns of
        the family) to ``lines[k, b]`` under every cluster, and to ``within[b]`` under the row's own
        cluster ``own[b]``, given its others. Cells are ``cells[j, b]``. Scratch space: ``spare``,
        as many lines of at least n + 1 and n_states as a block has columns and ``N_SPARE`` more;
        ``codes``, n int64.
    fill(state, row, size, k, x, missing, first, weight, prior, p, work)
        Set missing cells to where their score in cluster k is highest, at weight 1 the mode of the
        predictive; called only for families that are ``is_imputed``.
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
        return cls(**{name: names[name] for name in cls.__annotations__})


#: Most columns that ``score_many`` is handed at once.
TOGETHER = 8
#: Lines of its scratch space beside those for the columns of a block.
N_SPARE = 8


def always(n: int) -> Callable[[int], int]:
    """A number of rows that does not depend on the size."""
    return lambda size: n


@dataclass(frozen=True)
class Support:
    """The values that a likelihood can take."""

    #: What one value is, as the subject of an error message.
    noun: str = "a measurement"
    #: Whether values below 0, or between whole numbers, are impossible.
    starts_at_zero: bool = False
    is_whole: bool = False
    #: Whether 0 is impossible, too.
    is_open: bool = False

    def faults(
        self, values: np.ndarray, top: float | None = None
    ) -> Iterator[tuple[np.ndarray, str, str]]:
        """Yield (where, what such a value is, why) for each kind of impossible value.

        ``top`` is the largest possible value, None without one. Missing values are possible.
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
        """Possible values in words, such as "whole numbers from 0 on"."""
        words = "whole numbers" if self.is_whole else "numbers"
        if not self.starts_at_zero:
            return words
        start, end = ("above 0", "") if self.is_open else ("from 0", " on")
        return f"{words} {start}{end if top is None else f' to {top:g}'}"


@dataclass(frozen=True)
class Family:
    """One likelihood; a TypeError for a kind or mixture part that there is not."""

    name: str
    #: What the interface calls it, and one line on when to choose it.
    label: str
    help: str
    kind: str
    Prior: type[Prior]
    kernels: Kernels
    support: Support
    mixture: str
    #: Options of a column that it reads, such as ``"levels"``.
    options: tuple[str, ...] = ()
    #: Those of them that ``Prior.default`` takes.
    prior_options: tuple[str, ...] = ()
    is_block: bool = False
    #: Real-valued, so that the engine centres and scales the data.
    is_real: bool = False
    #: Whether missing cells can be filled with modes (``missing="impute"``), not only left out.
    is_imputed: bool = False
    #: Whether the engine sets missing cells to modes, as no closed form leaves them out.
    fills_missing: bool = False

    def __post_init__(self) -> None:
        for fact, known in (("kind", KINDS), ("mixture", MIXTURES)):
            if (given := getattr(self, fact)) not in known:
                raise TypeError(f"Family {self.name!r}: {fact} {given!r} is none of {known}.")

    @property
    def is_nominal(self) -> bool:
        return self.kind in (YES_NO, CATEGORY)

    def misfits(self, values: np.ndarray) -> np.ndarray:
        """Whether each value is observed but impossible, of the same shape."""
        top = 1.0 if self.kind == YES_NO else None
        return np.logical_or.reduce([wrong for wrong, _, _ in self.support.faults(values, top)])

    def default_prior(
        self, values: np.ndarray, scale: float, weight: Weight = 1.0, **options: Any
    ) -> Prior:
        """Weak empirical-Bayes prior of a column (n,) or block (n, D).

        ``scale`` is the width of a cluster relative to the column (real-valued families only).
        """
        wanted = {name: options[name] for name in self.prior_options if name in options}
        return self.Prior.default(values, scale, weight=weight, **wanted)

    def options_of(self, values: np.ndarray) -> Mapping[str, Any]:
        highest = int(np.nanmax(values, initial=0.0, where=~np.isnan(values)))
        if "trials" in self.prior_options:
            return {"trials": max(highest, 1)}
        if "levels" in self.prior_options:
            smallest = 2 if self.kind == YES_NO else 1
            return {"levels": tuple(range(max(highest + 1, smallest)))}
        return {}
