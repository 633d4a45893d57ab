"""How often rows count where a column says it: only how they stand to each other, on no scale."""

from __future__ import annotations

import numpy as np

from ..wording import counted, in_digits


def of_mean_one(weights: np.ndarray) -> np.ndarray:
    """The same weights, shape (N,), scaled so that a row that has a say counts once on average.

    Weights that sum to 1 would leave less than one row to find groups in, and those of a survey,
    which stand for a whole country, more than there are; rows of weight 0 are no rows. At least one
    weight is above 0.
    """
    relative = weights / weights.max()  # so that no sum is too large; alike, they are exactly 1
    return relative / relative[relative > 0.0].mean()


def said_of_weights(name: str, weights: np.ndarray) -> str:
    """What becomes of the weights, shape (N,), of the column of that name, as one sentence."""
    seen = weights[weights > 0.0]
    return (
        f"“{name}” says how much a row counts beside the others: its weights, "
        f"{in_digits(seen.mean())} on average, are scaled to mean 1, so that the table counts as "
        f"{counted(seen.size, 'row')}; on Clinical alone a row is so many patients."
    )
