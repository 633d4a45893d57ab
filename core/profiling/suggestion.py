"""A step that a table seems to need, and what was counted that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from ..prepare.step import Step
from ..schema.cells import factorize, is_textual
from ..schema.schema import Schema
from ..wording import cut, listed

#: Letters of a name, and names, that a sentence shows.
_LETTERS, _NAMED = 41, 3


def short(name: str) -> str:
    """A name as a sentence shows it: of a whole question its begin."""
    return cut(name, _LETTERS)


def listed_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    return listed(map(short, names), _NAMED)


@dataclass(frozen=True)
class Suggestion:
    """What could be done, and why."""

    step: Step
    #: One sentence with what was counted.
    why: str


class Look:
    """A table as the rules see it: its cells as codes, made once.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    schema : Schema
        As guessed, or as decided.
    """

    def __init__(self, frame: pd.DataFrame, schema: Schema) -> None:
        self.frame, self.schema = pd.DataFrame(frame), schema
        self.names = [str(name) for name in frame.columns]

    @cached_property
    def _factors(self) -> Mapping[str, tuple[np.ndarray, np.ndarray]]:
        return {name: factorize(self.frame[name]) for name in self.names}

    def codes(self, name: str) -> np.ndarray:
        """Place of every cell among the distinct ones, shape (N,), -1 where empty."""
        return self._factors[name][0]

    def levels(self, name: str) -> np.ndarray:
        """The distinct cells, as they first came."""
        return self._factors[name][1]

    def counts(self, name: str) -> np.ndarray:
        """Rows of each of them."""
        codes = self.codes(name)
        return np.bincount(codes[codes >= 0], minlength=len(self.levels(name)))

    def is_text(self, name: str) -> bool:
        """Whether the cells are text."""
        return is_textual(self.frame[name].dtype)

    def is_number(self, name: str) -> bool:
        """Whether the cells are numbers, not yes and no."""
        dtype = self.frame[name].dtype
        return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)

    def values(self, name: str) -> np.ndarray:
        """The cells of a column of numbers as float64, shape (N,)."""
        return self.frame[name].to_numpy(dtype=np.float64, na_value=np.nan)

    def role(self, name: str) -> str:
        """What the schema has the column for."""
        return self.schema[name].role if name in self.schema else "ignore"
