"""Points that somebody drew, as a table and as a short text for an address."""

from __future__ import annotations

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
_ALPHABET = np.array([*string.ascii_uppercase, *string.ascii_lowercase, *string.digits, "-", "_"])
_VALUES = {letter: value for value, letter in enumerate(_ALPHABET.tolist())}


def write_points(places: np.ndarray) -> str:
    """Four letters a point that are safe in an address, five after a "~" where one is far outside.

    ``places`` are int, (n, 2): 0 to ``PLACES`` - 1 on the board, ``FAR[0]`` to ``FAR[1]`` outside.
    """
    is_far = places.size > 0 and (places.min() < 0 or places.max() >= PLACES)
    bits, start = (FAR_BITS, FAR[0]) if is_far else (BITS, 0)
    both = (places[:, 0] - start << bits) | (places[:, 1] - start)
    letters = _ALPHABET[both[:, None] >> _shifts(bits) & 63]
    return (MARK if is_far else "") + "".join(letters.ravel())


def read_points(text: str) -> np.ndarray:
    """Take up what ``write_points`` wrote, shape (n, 2); ValueError where it did not."""
    is_far = text.startswith(MARK)
    bits, start = (FAR_BITS, FAR[0]) if is_far else (BITS, 0)
    values = np.array([_VALUES.get(letter, -1) for letter in text[is_far:]], dtype=np.int64)
    shifts = _shifts(bits)
    if values.size % shifts.size or (values < 0).any():
        raise ValueError("These are no points.")
    if values.size > shifts.size * MOST_POINTS:
        raise ValueError(f"These are no points, or more than {MOST_POINTS}.")
    both = (values.reshape(-1, shifts.size) << shifts).sum(axis=1)
    return np.stack([both >> bits, both & (1 << bits) - 1], axis=1) + start


def _shifts(bits: int) -> np.ndarray:
    """Where the letters of a point begin: six bits each, of two numbers of so many."""
    return np.arange(2 * bits - 6, -1, -6)


def drawn_table(places: np.ndarray) -> tuple[pd.DataFrame, Schema]:
    """Columns "x" and "y", from 0 to 10, in one Gaussian block."""
    frame = pd.DataFrame(SIDE * places / (PLACES - 1), columns=["x", "y"])
    columns = [ColumnSpec(name, "normal", reason="Drawn by hand.") for name in frame]
    return frame, Schema(columns).with_block("x and y", columns=["x", "y"], family="gaussian")
