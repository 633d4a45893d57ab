"""Columns that say where on earth a row is."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from .spec import ColumnSpec

_LATITUDE = re.compile(r"(?:^|[_ .])lat(?:itude)?(?:$|[_ .,])", re.IGNORECASE)
_LONGITUDE = re.compile(r"(?:^|[_ .])(?:lon|lng|long|longitude)(?:$|[_ .,])", re.IGNORECASE)


def find_place(frame: pd.DataFrame) -> tuple[str, str] | None:
    """Names of the columns of latitude and longitude in degrees, if there is one pair of them.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    """
    latitudes = [n for n in frame if _LATITUDE.search(str(n)) and _within(frame[n], 90)]
    longitudes = [n for n in frame if _LONGITUDE.search(str(n)) and _within(frame[n], 180)]
    if len(latitudes) != 1 or len(longitudes) != 1:
        return None
    return latitudes[0], longitudes[0]


def places_aside(specs: Mapping[str, ColumnSpec], frame: pd.DataFrame) -> dict[str, ColumnSpec]:
    """Guesses in which latitude and longitude are left aside: degrees are no measurements.

    By their distance from a mean, rows would be grouped into regions, whatever else they are.
    """
    place = find_place(frame) or ()
    aside = {
        name: specs[name].changed(
            role="ignore",
            reason=f"Where the row is, and not what it is like. {specs[name].reason}",
        )
        for name in place
        if specs[name].role == "cluster"
    }
    return {name: aside.get(name, spec) for name, spec in specs.items()}


def _within(column: pd.Series, most: float) -> bool:
    """Whether a column holds numbers of degrees, some of them with decimals."""
    if not pd.api.types.is_float_dtype(column):
        return False
    known = column.dropna()
    return len(known) > 1 and bool((known.abs() <= most).all() and (known % 1 != 0).any())
