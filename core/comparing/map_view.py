"""Rows where they are on earth: north up, a kilometre as long across as up."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..schema.encoded import Unit
from ..schema.places import find_place
from ..ticks import round_ticks
from ..wording import counted
from .projection import MOST_ROWS, SEED, Axis, View


def map_view(frame: pd.DataFrame, units: tuple[Unit, ...]) -> View | None:
    """A view of latitude and longitude; None where the table has no such pair of columns.

    Longitudes are drawn times the cosine of the middle latitude (an equirectangular map).

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    units : tuple of Unit
        Of the clustered columns.
    """
    place = find_place(frame)
    if place is None:
        return None
    latitude, longitude = (frame[name].to_numpy(dtype=float) for name in place)
    known = np.flatnonzero(np.isfinite(latitude) & np.isfinite(longitude))
    rows = known
    if known.size > MOST_ROWS:
        drawn = np.random.default_rng(SEED).choice(known, MOST_ROWS, replace=False)
        rows = np.sort(drawn)
    narrowing = float(np.cos(np.deg2rad(np.median(latitude[known]))))
    x, y = longitude[rows], latitude[rows]
    points = np.column_stack([x * narrowing, y]).astype(np.float32)
    told = [] if rows.size == known.size else [f"A random sample of {rows.size:,} rows is drawn."]
    absent = len(frame) - known.size
    told += [f"{counted(absent, 'row')} without a place."] if absent else []
    axes = _axis(x, place[1], narrowing), _axis(y, place[0], 1.0)
    return View(points, rows, *axes, " ".join(told), units, None, has_one_unit=True)


def _axis(degrees: np.ndarray, title: str, scale: float) -> Axis:
    low, high = float(degrees.min()), float(degrees.max())
    margin = 0.04 * (high - low) or 0.01
    low, high = low - margin, high + margin
    ticks = tuple((tick * scale, f"{tick:g}\u00b0") for tick in round_ticks(low, high))
    return Axis(title, low * scale, high * scale, ticks)
