"""Corrections for having made many tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..wording import counted

#: A p-value up to this speaks for a difference.
LEVEL = 0.05

#: Up to so many columns the chance of any false finding is held; beyond, the share of them.
HOLM_UP_TO = 20


@dataclass(frozen=True)
class Adjusted:
    """P-values corrected for their number."""

    #: In the order given; None where no test was made.
    p: tuple[float | None, ...]
    #: "Holm" or "Benjamini-Hochberg".
    method: str
    #: Tests that were made, and over which the correction went.
    family_size: int

    @property
    def sentence(self) -> str:
        """What was done, to be printed beside the p-values: "Holm over 36 tests"."""
        if not self.family_size:
            return "No test was made"
        return f"{self.method} over {counted(self.family_size, 'test')}"


def adjust(p_values: Sequence[float | None], n_columns: int) -> Adjusted:
    """Correct the p-values of one family of tests about so many validators.

    Up to ``HOLM_UP_TO`` of them Holm, beyond Benjamini-Hochberg. A p-value of None, where there was
    nothing to test, does not count.
    """
    method = "Holm" if n_columns <= HOLM_UP_TO else "Benjamini-Hochberg"
    made = [place for place, p in enumerate(p_values) if p is not None]
    adjusted: list[float | None] = [None] * len(p_values)
    corrected = correct([p_values[place] for place in made], method)
    for place, p in zip(made, corrected, strict=True):
        adjusted[place] = float(p)
    return Adjusted(tuple(adjusted), method, len(made))


def correct(p_values: Sequence[float], method: str | None) -> np.ndarray:
    """P-values of one family corrected for their number, in the order given.

    Parameters
    ----------
    p_values : sequence of float
        NaN where no test was made: it stays NaN and does not count.
    method : str or None
        Key of ``CORRECTIONS``; None leaves them as they are.
    """
    corrected = np.array(p_values, dtype=np.float64)
    made = ~np.isnan(corrected)
    if method is not None and made.any():
        corrected[made] = CORRECTIONS[method](corrected[made])
    return corrected


# As statsmodels has them, which collects the whole process's garbage at every call.


def _holm(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p)
    rising = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return _clipped(rising, order)


def _benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    order = np.argsort(p)
    falling = p[order] / (np.arange(1, p.size + 1) / p.size)
    return _clipped(np.minimum.accumulate(falling[::-1])[::-1], order)


def _clipped(p: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Sorted p-values, 1 at most, back in the order given."""
    out = np.empty_like(p)
    out[order] = np.minimum(p, 1.0)
    return out


#: Corrections by what they are called.
CORRECTIONS = {"Holm": _holm, "Benjamini-Hochberg": _benjamini_hochberg}
