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


class Kernels(NamedTuple):
    """The compiled functions of a family.

    ``state[row:, k]`` is what a unit of ``size`` levels, values or columns keeps of cluster k:
    cached coefficients, then, in the rows ``statistics(size)``, sufficient statistics. All but
    ``score_many`` are called with the same arguments, (state, row, size, k, other, weight, prior,
    p, x, first, marks, out, work): ``prior[p:]`` are the numbers of ``Prior.packed``, ``x[first:]``
    a row's cells, ``work`` scratch space. ``weight`` is the power of the row's likelihood, by which
    statistics are multiplied (Miller and Dunson 2019); scores need that of the last ``refresh``.
    Missing cells (NaN) of a column reach ``score_many`` alone.

    add
        Add ``weight`` times a row's cells to the statistics; a negative weight takes them out.
    merge
        Add the statistics of cluster ``other`` to those of cluster k.
    refresh
        Recompute the cached coefficients; ``other`` is a cluster without rows.
    score, score_without
        Add to ``out`` the rise of ln p of the first ``other`` clusters as the cells join each, at
        weight 1 their log predictive; return that of cluster k, theirs, given its other rows.
    log_marginal
        Add ln p of the cells of clusters k and l together to ``out``, for every l below ``other``.
    fill
        Set marked cells to where their score in cluster k is highest; only if ``is_imputed``.
    score_many(state, units, prior, weight, u, end, n_states, n, own, cells, lines, within, spare,
    codes)
        Add the scores of n rows, ``cells[j, b]``, in ``units[u:end]``, one block or up to
        ``TOGETHER`` columns, to ``lines[k, b]`` under every cluster, and to ``within[b]`` under
        their own ``own[b]``, given its others. ``spare``, scratch space, has as many lines of at
        least n + 1 and n_states as a block has columns and ``N_SPARE`` more; ``codes`` has n.
    """

    statistics: Callable[[int], range]
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
    """One likelihood; a TypeError for a kind that there is not."""

    name: str
    #: What the interface calls it, and one line on when to choose it.
    label: str
    help: str
    kind: str
    Prior: type[Prior]
    kernels: Kernels
    support: Support = Support()
    #: Options of a column that it reads, such as ``"levels"``.
    options: tuple[str, ...] = ()
    #: Those of them that ``Prior.default`` takes.
    prior_options: tuple[str, ...] = ()
    is_block: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TypeError(f"Family {self.name!r}: kind {self.kind!r} is none of {KINDS}.")

    @property
    def mixture(self) -> str:
        """Which part of an E-M mixture has it: "normal", "linear" or "gaussian"."""
        return self.Prior.mixture

    @property
    def is_real(self) -> bool:
        """Real-valued, so that the engine centres and scales the data."""
        return self.mixture != "linear"

    @property
    def is_imputed(self) -> bool:
        """Whether ``missing="impute"`` fills missing cells with modes."""
        return self.kind == MEASUREMENT

    @property
    def fills_missing(self) -> bool:
        """Whether the engine sets missing cells to modes, as no closed form leaves them out."""
        return self.mixture == "gaussian"

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
