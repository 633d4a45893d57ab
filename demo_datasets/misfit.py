"""Groups that are there and are not normal: skewed, or with heavy tails."""

from __future__ import annotations

from numbers import Integral

import numpy as np
import pandas as pd

from .drawn import MAX_ROWS, MIN_ROWS

#: What a group's rows are about its centre.
NOISES = ("skewed", "heavy tails")
#: Standard deviations of a group between two centres.
DISTANCE = 12.0
_CENTERS = DISTANCE * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
# Of the logarithm of a skewed row; degrees of freedom of one with heavy tails.
_SIGMA, _FREEDOM = 0.4, 4


def load_misfit(
    noise: str = "skewed", n: int = 600, seed: int = 0
) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw three groups of two columns that a normal model does not describe.

    Parameters
    ----------
    noise : {"skewed", "heavy tails"}
        Log-normal with a sigma of .4, or Student's t with 4 degrees of freedom, both with mean 0
        and standard deviation 1 in either column; the centres are 12 apart.
    n : int
        Rows, from 30 to 1,000,000.
    seed : int
        The same arguments give the same table.

    Returns
    -------
    frame : DataFrame, shape (n, 2)
        Columns "x" and "y".
    truth : ndarray of int64, shape (n,)
        Group of every row.

    Raises
    ------
    ValueError
        Another noise, or a number of rows out of range.

    Examples
    --------
    >>> frame, truth = load_misfit("heavy tails", n=90)
    >>> frame.shape, int(truth.max()) + 1
    ((90, 2), 3)
    """
    if noise not in NOISES:
        raise ValueError(f"There is no noise {noise!r}; choose one of {', '.join(NOISES)}.")
    whole = isinstance(n, Integral) and not isinstance(n, bool)
    if not whole or not MIN_ROWS <= n <= MAX_ROWS:
        raise ValueError(f"n must be a whole number from {MIN_ROWS} to {MAX_ROWS:,}, not {n!r}.")
    random = np.random.default_rng(seed)
    truth = random.integers(len(_CENTERS), size=int(n))
    if noise == "skewed":
        spread = np.exp(_SIGMA * random.standard_normal((int(n), 2)))
        square = _SIGMA**2
        around = (spread - np.exp(square / 2)) / np.sqrt((np.exp(square) - 1.0) * np.exp(square))
    else:
        around = random.standard_t(_FREEDOM, (int(n), 2)) / np.sqrt(_FREEDOM / (_FREEDOM - 2.0))
    return pd.DataFrame(_CENTERS[truth] + around, columns=["x", "y"]), truth
