"""Points that somebody drew, as a table and as a text for an address."""

import string

import numpy as np
import pandas as pd

from ..schema.schema import Schema
from ..schema.spec import ColumnSpec

#: Places of the board in either direction; a table has them from 0 to ``SIDE``.
PLACES, SIDE = 4096, 10.0
#: The farthest places, eight boards across with the board in the middle; bits of a place.
FAR = (-14336, 18431)
BITS, FAR_BITS = 12, 15
MARK = "~"
#: More would make an address longer than browsers take.
MOST_POINTS = 600
_LETTERS = f"{string.ascii_uppercase}{string.ascii_lowercase}{string.digits}-_"


def write_points(places: np.ndarray) -> str:
    """Four letters a point, int of shape (n, 2), five after a "~" where one is far outside."""
    is_far = places.size > 0 and (places.min() < 0 or places.max() >= PLACES)
    bits, start = (FAR_BITS, FAR[0]) if is_far else (BITS, 0)
    both = (places[:, 0] - start << bits) | (places[:, 1] - start)
    letters = both[:, None] >> _shifts(bits) & 63
    return (MARK if is_far else "") + "".join(_LETTERS[value] for value in letters.flat)


def read_points(text: str) -> np.ndarray:
    """Take up what ``write_points`` wrote, shape (n, 2); ValueError where it did not."""
    is_far = text.startswith(MARK)
    bits, start = (FAR_BITS, FAR[0]) if is_far else (BITS, 0)
    shifts = _shifts(bits)
    values = np.array([_LETTERS.find(letter) for letter in text[is_far:]], dtype=np.int64)
    n_points, rest = divmod(values.size, shifts.size)
    if rest or n_points > MOST_POINTS or (values < 0).any():
        raise ValueError(f"These are no points, or more than {MOST_POINTS}.")
    both = (values.reshape(-1, shifts.size) << shifts).sum(axis=1)
    return np.stack([both >> bits, both & (1 << bits) - 1], axis=1) + start


def _shifts(bits: int) -> np.ndarray:
    """Where the letters of a point begin: six bits each, of two numbers of so many."""
    return np.arange(2 * bits - 6, -1, -6)


def to_places(units: np.ndarray) -> np.ndarray:
    """Places of the board that stand for units from 0 to 10, and beyond its edge."""
    return (units * (PLACES - 1) / SIDE).round().clip(*FAR).astype(np.int64)


def drawn_table(places: np.ndarray) -> tuple[pd.DataFrame, Schema]:
    """Columns "x" and "y", from 0 to 10, in one Gaussian block."""
    frame = pd.DataFrame(SIDE * places / (PLACES - 1), columns=["x", "y"])
    columns = [ColumnSpec(name, "normal", reason="Drawn by hand.") for name in frame]
    return frame, Schema(columns).with_block("x and y", columns=["x", "y"], family="gaussian")
