"""The lessons of the Teach page, by the key of their data.

To add a lesson: write its file, which ends with a ``KEY`` and its ``STOPS``, and name it here.
Every number, every "more", "fewer" and "never" in them and every right answer is computed by a
test.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from .stop import BEGINNING, Stop

#: Files of this room that hold one lesson each, in the order of the page.
_FILES = (
    "unequal_radii",
    "unequal_populations",
    "far_outliers",
    "rotated_ellipses",
    "separated_ellipses",
    "overlapping_ellipses",
    "shapes",
    "bad_starts",
    "units",
    "many_columns",
    "no_groups",
    "dependence",
    "mixed_cells",
    "wines",
)

_MODULES = [import_module(f"{__name__}.{name}") for name in _FILES]
LESSONS: Mapping[str, tuple[Stop, ...]] = MappingProxyType(
    {module.KEY: module.STOPS for module in _MODULES}
)

__all__ = ["BEGINNING", "LESSONS", "Stop"]
