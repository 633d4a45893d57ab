"""Kinds, kernels and support of likelihoods; the rest is in ``Prior``."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

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
        Set marked cells to where their score in cluster k is highest; of measurements only.
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
    def of(cls, names: Mapping[str, Any]) -> Self:
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

    def described(self) -> str:
        """Possible values in words, such as "whole numbers from 0 on"."""
        words = "whole numbers" if self.is_whole else "numbers"
        if not self.starts_at_zero:
            return words
        return f"{words} above 0" if self.is_open else f"{words} from 0 on"
