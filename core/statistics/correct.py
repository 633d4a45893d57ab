"""Corrections for having made many tests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from ..wording import counted

LEVEL = 0.05
#: Up to so many columns the chance of any false finding is held; beyond, the share of them.
HOLM_UP_TO = 20


@dataclass(frozen=True)
class Adjusted:
    """P-values corrected for their number."""

    #: In the order given; None where no test was made.
    p: tuple[float | None, ...]
    #: What was done, to be printed beside the p-values: "Holm over 36 tests".
    sentence: str


def adjust(p_values: Sequence[float | None], n_columns: int) -> Adjusted:
    """Correct the p-values of one family of tests about so many columns."""
    method = "Holm" if n_columns <= HOLM_UP_TO else "Benjamini-Hochberg"
    corrected = correct(np.array(p_values, dtype=np.float64), method)
    adjusted = tuple(None if np.isnan(p) else float(p) for p in corrected)
    n_made = len(adjusted) - adjusted.count(None)
    sentence = f"{method} over {counted(n_made, 'test')}" if n_made else "No test was made"
    return Adjusted(adjusted, sentence)


def correct(p_values: Sequence[float], method: str | None) -> np.ndarray:
    """P-values of one family corrected for their number, in the order given."""
    corrected = np.array(p_values, dtype=np.float64)
    made = ~np.isnan(corrected)
    if method is not None and made.any():
        corrected[made] = CORRECTIONS[method](corrected[made])
    return corrected


def _holm(p: np.ndarray) -> np.ndarray:
    """As statsmodels' multipletests, which collects the whole process's garbage at every call."""
    order = np.argsort(p)
    rising = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(rising, 1.0)[np.argsort(order)]


CORRECTIONS = {"Holm": _holm, "Benjamini-Hochberg": stats.false_discovery_control}
