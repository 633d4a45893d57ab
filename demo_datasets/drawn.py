"""Everything that is drawn for a lesson: the six scenarios of R16, and what they leave out."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType

import numpy as np
import pandas as pd

from .generators import OF_LESSONS, SHAPES
from .scenarios import SCENARIOS
from .taught import Drawn

MIN_ROWS, MAX_ROWS = 30, 1_000_000
#: Drawn unless something else is said, as in R16.
START_ROWS = 4000
#: Those that are examples on Data, too, by key.
EXAMPLES: Mapping[str, Drawn] = MappingProxyType({**SCENARIOS, SHAPES.key: SHAPES})
#: By key.
GENERATED: Mapping[str, Drawn] = MappingProxyType(
    {**EXAMPLES, **{drawn.key: drawn for drawn in OF_LESSONS}}
)


def load_scenario(
    key: str, n: int = START_ROWS, seed: int = 0, **knobs: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw one of the six scenarios of R16 section 5, or another of ``GENERATED``.

    Parameters
    ----------
    key : str
        "5.1" to "5.6", "shapes", or what else ``GENERATED`` holds.
    n : int
        Rows, from 30 to 1,000,000; every cluster has its exact share of them.
    seed : int
        The same n, seed and knob give the same table.
    **knobs : float
        The scenario's own knob by name, such as ``radius_ratio=3.0``.

    Returns
    -------
    frame : DataFrame, shape (n, P)
        Columns "x" and "y", or those that the lesson is about; rows in random order.
    truth : ndarray of int64, shape (n,)
        Cluster of every row, in the order of ``GENERATED[key].names``.

    Raises
    ------
    ValueError
        An unknown scenario or knob, or a value out of range.

    Examples
    --------
    >>> frame, truth = load_scenario("5.3", n=304)
    >>> frame.shape, [int((truth == k).sum()) for k in range(5)]
    ((304, 2), [100, 100, 100, 2, 2])
    """
    if key not in GENERATED:
        raise ValueError(f"There is no scenario {key!r}; choose one of {', '.join(GENERATED)}.")
    value = GENERATED[key].turned(**knobs)
    whole = isinstance(n, Integral) and not isinstance(n, bool)
    if not whole or not MIN_ROWS <= n <= MAX_ROWS:
        raise ValueError(f"n must be a whole number from {MIN_ROWS} to {MAX_ROWS:,}, not {n!r}.")
    random = np.random.default_rng(seed)
    points, truth = GENERATED[key].draw(int(n), random, value)
    order = random.permutation(int(n))
    return GENERATED[key].frame(points[order], value), truth[order].astype(np.int64)
