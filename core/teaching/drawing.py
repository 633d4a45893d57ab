"""Points that somebody drew, as a table and as a short text for an address."""

from __future__ import annotations

import base64
import binascii

import numpy as np
import pandas as pd

from ..schema.schema import Schema
from ..schema.spec import ColumnSpec

#: Places of the board in either direction; a table has them from 0 to ``SIDE``.
PLACES, SIDE = 4096, 10.0
#: More would make an address longer than browsers take.
MOST_POINTS = 600


def write_points(places: np.ndarray) -> str:
    """Four letters a point that are safe in an address.

    Parameters
    ----------
    places : ndarray of int, shape (n, 2)
        From 0 to ``PLACES`` - 1.
    """
    both = (places[:, 0].astype(np.uint32) << 12) | places[:, 1].astype(np.uint32)
    parts = np.stack([both >> 16, both >> 8 & 255, both & 255], axis=1).astype(np.uint8)
    return base64.urlsafe_b64encode(parts.tobytes()).decode()


def read_points(text: str) -> np.ndarray:
    """Take up what ``write_points`` wrote, shape (n, 2); ValueError where it did not."""
    try:
        content = base64.b64decode(text, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("These are no points.") from error
    if len(content) % 3 or len(content) > 3 * MOST_POINTS:
        raise ValueError(f"These are no points, or more than {MOST_POINTS}.")
    parts = np.frombuffer(content, dtype=np.uint8).reshape(-1, 3).astype(np.int64)
    both = (parts[:, 0] << 16) | (parts[:, 1] << 8) | parts[:, 2]
    return np.stack([both >> 12, both & 4095], axis=1)


def first_points() -> np.ndarray:
    """A wide cloud and two narrow ones, to begin with, shape (150, 2)."""
    random = np.random.default_rng(0)
    clouds = [((1400, 1500), 480), ((3000, 2700), 130), ((2500, 3300), 110)]
    drawn = [random.normal(middle, sd, (50, 2)) for middle, sd in clouds]
    return np.concatenate(drawn).round().clip(0, PLACES - 1).astype(np.int64)


def drawn_table(places: np.ndarray) -> tuple[pd.DataFrame, Schema]:
    """Columns "x" and "y", from 0 to 10, in one Gaussian block."""
    frame = pd.DataFrame(SIDE * places / (PLACES - 1), columns=["x", "y"])
    columns = [ColumnSpec(name, "normal", reason="Drawn by hand.") for name in frame]
    return frame, Schema(columns).with_block("x and y", columns=["x", "y"], family="gaussian")
