"""What a study can find, said before its lock: how often groups so far apart are found at all.

Interpolated between measured figures, by patients and columns. The figures are of measurements;
columns of other kinds count as such, and how many there are is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import RegularGridInterpolator

from ..families import FAMILIES
from ..families.family import MEASUREMENT
from ..schema.schema import Schema
from ..wording import counted
from .power_figures import COLUMNS, DISTANCES, FOUND, PATIENTS, TABLES

#: Distances that are named first, in SD, and from which share on groups count as found.
NAMED, MOSTLY = (1.0, 1.5), 0.8


@dataclass(frozen=True)
class Power:
    """How often three groups of one size are found among so many patients."""

    n_patients: int
    #: Columns that make the groups: measurements, and all others.
    n_measured: int
    n_others: int
    #: By ``DISTANCES``, the share of simulated tables in which all three are found.
    shares: tuple[float, ...]

    @property
    def n_columns(self) -> int:
        """All that make the groups."""
        return self.n_measured + self.n_others

    @property
    def least(self) -> float | None:
        """The distance in SD from which groups are found in 8 of 10; None where none does."""
        rising = np.maximum.accumulate(self.shares)
        if rising[-1] < MOSTLY:
            return None
        return float(np.interp(MOSTLY, rising, DISTANCES))

    @property
    def sentence(self) -> str:
        """In words, for the page and for a pre-registration."""
        of = dict(zip(DISTANCES, self.shares, strict=True))
        first, *others = (f"{_at(of, d)} where they lie {d:g} SD apart" for d in NAMED)
        said = (
            f"With {self.n_patients:,} patients and {counted(self.n_columns, 'column')} that make "
            f"the groups, three groups of one size are found in {first}, and in {others[0]}. "
        )
        if self.least is None:
            said += f"Even at {DISTANCES[-1]:g} SD they are found in {_at(of, DISTANCES[-1])} only."
        elif self.least <= DISTANCES[0]:
            said += f"Already at {DISTANCES[0]:g} SD they are mostly found."
        else:
            said += f"Closer than about {self.least:.1f} SD they mostly stay unseen."
        said += (
            f" (Simulated, {TABLES} tables of each sort: every two groups differ so much in two "
            "thirds of the columns, and to be found each must come back with half of its patients."
        )
        if self.n_others:
            said += (
                f" Counted as if all columns were measurements: {self.n_others:,} of them "
                f"{'is' if self.n_others == 1 else 'are'} not, for which this was not measured."
            )
        return f"{said}{self._beyond} Fewer columns that differ, and uneven groups, take more.)"

    @property
    def _beyond(self) -> str:
        """What is said where nothing was measured that is like this study."""
        if self.n_patients > PATIENTS[-1] or self.n_columns > COLUMNS[-1]:
            return (
                f" Measured up to {PATIENTS[-1]:,} patients and {COLUMNS[-1]} columns: with more "
                "of either, no less is found."
            )
        if self.n_patients < PATIENTS[0] or self.n_columns < COLUMNS[0]:
            return (
                f" Measured from {PATIENTS[0]} patients and {COLUMNS[0]} columns on: with fewer of "
                "either, no more is found."
            )
        return ""


def power_of(schema: Schema, n_patients: int) -> Power:
    """What a study with these roles can find among so many patients."""
    kinds = [FAMILIES[schema[name].family].kind for name in schema.names("cluster")]
    measured = kinds.count(MEASUREMENT)
    grid = np.log(PATIENTS), np.log(COLUMNS)
    at = np.clip(n_patients, *_ends(PATIENTS)), np.clip(len(kinds), *_ends(COLUMNS))
    shares = RegularGridInterpolator(grid, np.array(FOUND))(np.log(at))[0]
    return Power(n_patients, measured, len(kinds) - measured, tuple(map(float, shares)))


def _ends(grid: Sequence[int]) -> tuple[int, int]:
    return grid[0], grid[-1]


def _at(of: dict[float, float], distance: float) -> str:
    return f"{round(10 * of[distance])} of 10 studies"
