"""The packed numeric form of a table: what the compiled engine reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Unit:
    """One factor of the likelihood: a column, or a block of columns modelled jointly.

    Parameters
    ----------
    name : str
        Column name, or the block's name.
    family : str
        Key of ``FAMILIES``.
    columns : tuple of str, length D
        The columns of the table, side by side in ``Encoded.values``.
    options : mapping
        What the family needs to read its codes: ``levels``, ``trials``, ``offset``, ``transform``.
    """

    name: str
    family: str
    columns: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Encoded:
    """A table as numbers, before any prior is chosen.

    Parameters
    ----------
    values : ndarray of float64, shape (N, M)
        C-contiguous; NaN is a missing cell. Categories are codes 0..V-1, yes/no is 0/1.
    units : tuple of Unit
        In the order of the columns of ``values``; together they cover all M columns.
    """

    values: np.ndarray
    units: tuple[Unit, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Name of every column of ``values``."""
        return tuple(name for unit in self.units for name in unit.columns)

    @classmethod
    def from_array(cls, array: np.ndarray, likelihood: str) -> Encoded:
        """Give every column of a numeric array one family, or make it one block.

        Parameters
        ----------
        array : ndarray, shape (N, M)
        likelihood : str
            Key of ``FAMILIES``; a block family takes all the columns together.
        """
        from .families import FAMILIES

        values = np.ascontiguousarray(array, dtype=np.float64)
        names = tuple(f"x{j}" for j in range(values.shape[1]))
        if likelihood not in FAMILIES:
            known = ", ".join(FAMILIES)
            raise ValueError(f"likelihood {likelihood!r} is not known; choose one of {known}.")
        family = FAMILIES[likelihood]
        if family.is_block:
            return cls(values, (Unit("all columns", likelihood, names),))
        units = tuple(
            Unit(name, likelihood, (name,), family.options_of(values[:, j]))
            for j, name in enumerate(names)
        )
        return cls(values, units)
