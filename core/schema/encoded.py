"""A table as numbers, before any prior is chosen, and the columns and blocks that it is made of."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from ..families import FAMILIES, Prior
from ..families.family import RATING
from ..plain import saved_as
from ..wording import counted
from .spec import NUMBER, ONLY_ONE, Block, ColumnSpec, SchemaError


@dataclass(frozen=True)
class Unit:
    """One factor of the likelihood: a column, or a block of columns modelled jointly."""

    name: str
    family: str
    columns: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    prior: Prior | None = field(default=None, compare=False, metadata=saved_as(None))

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise ValueError(
                f"The column {self.name!r} has the likelihood {self.family!r}, which is not known;"
                f" choose one of {', '.join(FAMILIES)}."
            )

    @property
    def kind(self) -> str:
        """What kind of column its family makes it, such as "count"."""
        return FAMILIES[self.family].kind

    @property
    def is_nominal(self) -> bool:
        """Whether its values are names, of which no mean can be taken."""
        return FAMILIES[self.family].is_nominal

    @property
    def has_scale(self) -> bool:
        """Whether the scale of default priors matters: of measurements without a prior."""
        return self.prior is None and FAMILIES[self.family].is_real

    def transform_of(self, d: int) -> str | None:
        """What is done to the numbers of its d-th column."""
        transforms = self.options.get("transforms")
        return self.options.get("transform") if transforms is None else transforms[d]

    @property
    def of(self) -> str:
        """Column of the table, or block, that the unit describes or is a part of."""
        return self.options.get("of", self.name)

    @property
    def is_outcome(self) -> bool:
        """Whether it tells the special outcomes of a two-part column, beside its numbers."""
        return "of" in self.options


#: Cells of a sample of rows at most, where these are not fewer than so many.
SAMPLE_CELLS, LEAST_SAMPLE = 60_000, 500


@dataclass(frozen=True)
class Encoded:
    """A table as numbers, before any prior is chosen."""

    #: float64, (N, M), C-contiguous; NaN is missing; categories are 0..V-1, yes/no is 0/1.
    values: np.ndarray
    #: In the order of the columns of ``values``; together they cover all M columns.
    units: tuple[Unit, ...]
    #: float64, shape (N,). How often each row counts; once, without them.
    weights: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.weights is not None and len(self.weights) != len(self.values):
            raise ValueError(
                f"There are {len(self.weights):,} weights for {len(self.values):,} rows: give each"
                " row one."
            )

    def of_units(self, which: Iterable[int]) -> Self:
        """Some of the units, all rows; ``which`` counts them, in the order wanted."""
        which = list(which)
        at = [self.starts[u] + d for u in which for d in range(len(self.units[u].columns))]
        values = np.ascontiguousarray(self.values[:, at])
        return replace(self, values=values, units=tuple(self.units[u] for u in which))

    def without_priors(self) -> Self:
        """The table for weak default priors: those that its units have came from other rows."""
        return replace(self, units=tuple(replace(unit, prior=None) for unit in self.units))

    def rows(self, which: Any) -> Self:
        """Some of the rows, with their weights; ``which`` indexes them."""
        weights = None if self.weights is None else self.weights[which]
        return replace(self, values=self.values[which], weights=weights)

    def sample_size(self, most: int) -> int:
        """Rows of a sample, so many at most; fewer of a wide table, each of which tells more."""
        return min(most, max(SAMPLE_CELLS // self.values.shape[1], LEAST_SAMPLE))

    def arranged(self, order: np.ndarray) -> Self:
        """Every cell from another row of its column; the weights stay with the rows."""
        return replace(self, values=cells_from(self.values, order))

    @property
    def names(self) -> tuple[str, ...]:
        """Name of every column of ``values``."""
        return tuple(name for unit in self.units for name in unit.columns)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """First column of every unit."""
        ends = itertools.accumulate(len(unit.columns) for unit in self.units)
        return (0, *ends)[:-1]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table, each once: a two-part column has its numbers' place."""
        return tuple(name for unit in self.units if not unit.is_outcome for name in unit.columns)

    @cached_property
    def outcome_of(self) -> Mapping[str, int]:
        """Of each two-part column: the unit that tells its special outcomes."""
        return {unit.of: u for u, unit in enumerate(self.units) if unit.is_outcome}

    @cached_property
    def outcome_column(self) -> Mapping[int, int]:
        """Of a two-part column's place in ``values``: that of its outcome, 0 where a number is."""
        return {self.names.index(name): self.starts[u] for name, u in self.outcome_of.items()}

    @cached_property
    def is_missing(self) -> np.ndarray:
        """Which cells of the table are missing, shape (N, C): neither number nor outcome."""
        return np.column_stack([np.isnan(self.codes_of(name)) for name in self.columns])

    def codes_of(self, name: str) -> np.ndarray:
        """Codes of a column of the table, (N,); the number 0 stands for a special outcome."""
        codes = self.values[:, self.names.index(name)]
        if name not in self.outcome_of:
            return codes
        outcome = self.values[:, self.starts[self.outcome_of[name]]]
        return np.where(outcome > 0, 0.0, codes)

    @cached_property
    def is_absent(self) -> np.ndarray:
        """Numbers that are not to be filled, shape (M,): those of the two-part columns."""
        return np.isin(self.names, list(self.outcome_of))

    def unit_values(self, u: int) -> np.ndarray:
        """Values of unit u: a column (N,), or a block (N, D)."""
        start, width = self.starts[u], len(self.units[u].columns)
        if FAMILIES[self.units[u].family].is_block:
            return self.values[:, start : start + width]
        return self.values[:, start]

    @property
    def has_silent_rows(self) -> bool:
        """Whether rows have the weight 0, and so no say."""
        return self.weights is not None and not self.weights.all()

    def is_filled(self, u: int) -> np.ndarray:
        """Rows whose missing cells in unit u the engine fills, (N,)."""
        family = FAMILIES[self.units[u].family]
        if not (family.is_block and family.fills_missing):
            return np.zeros(len(self.values), dtype=bool)
        missing = np.isnan(self.unit_values(u))
        return missing.any(axis=1) & ~missing.all(axis=1)

    @classmethod
    def from_array(cls, array: np.ndarray, likelihood: str) -> Self:
        """Give every column of a numeric array one family, or make it one block."""
        values = np.ascontiguousarray(array, dtype=np.float64)
        names = tuple(f"x{j}" for j in range(values.shape[1]))
        if likelihood not in FAMILIES:
            choices = ", ".join(FAMILIES)
            raise ValueError(f"likelihood {likelihood!r} is not known; choose one of {choices}.")
        family = FAMILIES[likelihood]
        wrong = family.are_impossible(values)
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            raise ValueError(
                f"Column {names[j]!r} has {values[i, j]:g} in row {i + 1:,}, which the likelihood"
                f" {likelihood!r} cannot take ({family.support.described()}): correct it, or make"
                " it NaN."
            )
        if family.is_block:
            return cls(values, (Unit("all columns", likelihood, names),))
        units = tuple(
            Unit(name, likelihood, (name,), family.options_of(values[:, j]))
            for j, name in enumerate(names)
        )
        return cls(values, units)


def cells_from(values: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Values, shape (N,) or (N, M), from other rows of their column; NaN where -1."""
    return np.where(order >= 0, np.take_along_axis(values, np.maximum(order, 0), axis=0), np.nan)


def units_of(
    columns: Mapping[str, ColumnSpec], blocks: Iterable[Block], priors: Mapping[str, Prior]
) -> tuple[Unit, ...]:
    """Columns and blocks that are clustered on, in the table's order, under priors by name."""
    member = {name: block for block in blocks for name in block.columns}
    units: dict[str, Unit] = {}

    def add(name: str, family: str, of: tuple[str, ...], options: Mapping[str, Any]) -> None:
        units[name] = Unit(name, family, of, options, priors.get(name))

    for name, spec in columns.items():
        if spec.role != "cluster":
            continue
        block = member.get(name)
        if block is None:
            add(name, spec.family, (name,), _read_by_family(spec))
            if spec.special:  # which special outcome each cell of a two-part column has
                outcome = f"{name}: special outcome"
                kwargs = {"levels": (NUMBER, *spec.special), "of": name}
                add(outcome, "categorical", (outcome,), kwargs)
        elif block.name not in units:
            transforms = tuple(columns[column].transform for column in block.columns)
            options = {"transforms": transforms} if any(transforms) else {}
            add(block.name, block.family, block.columns, options)
    return tuple(units.values())


def _read_by_family(spec: ColumnSpec) -> dict[str, Any]:
    """Those options of a column that its family or its page needs to read the codes."""
    options = {"levels": spec.levels, "transform": spec.transform}
    if spec.kind == RATING and spec.levels is not None:
        options["trials"] = len(spec.levels) - 1
        if spec.starts_at is not None:  # its codes are numbers, and no words are needed for them
            options |= {"levels": None, "offset": spec.starts_at or None}
    return {name: value for name, value in options.items() if value is not None}


def check_blocks(columns: Mapping[str, ColumnSpec], blocks: Iterable[Block]) -> None:
    """Each column in one block at most, all of a block clustered on as measurements."""
    owner: dict[str, str] = {}
    for block in blocks:
        if block.name in columns:
            raise SchemaError(f"'{block.name}' is a column already: name the block otherwise.")
        for name in block.columns:
            spec = columns[name]
            if name in owner:
                raise SchemaError(
                    f"Column '{name}' belongs to block '{owner[name]}' already: take it out "
                    "with without_block first."
                )
            if spec.special:
                raise SchemaError(
                    f"Column '{name}' has special outcomes ({', '.join(spec.special)}), which "
                    "a block cannot hold: take them off, or leave the column out of the block."
                )
            if spec.role != "cluster" or spec.family != "normal":
                raise SchemaError(
                    f"Column '{name}' belongs to block '{block.name}', so it stays a 'normal' "
                    "column with the role 'cluster': take the block apart with without_block "
                    "first."
                )
            owner[name] = block.name


def check_roles(columns: Mapping[str, ColumnSpec]) -> None:
    """One label, group and weight column at most; events that are there."""
    for role, meaning in ONLY_ONE.items():
        named = [spec.name for spec in columns.values() if spec.role == role]
        if len(named) > 1:
            raise SchemaError(
                f"Columns '{named[0]}' and '{named[1]}' are both {meaning}: keep one of them."
            )
    for spec in columns.values():
        if spec.event is not None:
            _ = columns[spec.event]


def check_priors(priors: Mapping[str, Prior], units: Iterable[Unit]) -> None:
    """Priors of columns and blocks that are clustered on, each of the family's form."""
    by_name = {unit.name: unit for unit in units}
    for name, prior in priors.items():
        if name not in by_name:
            raise SchemaError(
                f"There is a prior of '{name}', which is no column or block that is clustered"
                " on: leave it out."
            )
        unit, form = by_name[name], FAMILIES[by_name[name].family]
        is_of_form = isinstance(prior, form)
        if not is_of_form or (form.is_block and np.size(prior.mean) != len(unit.columns)):
            raise SchemaError(
                f"The prior of '{name}' is a {type(prior).__name__}; its family '{unit.family}'"
                f" needs a {form.__name__} of {counted(len(unit.columns), 'column')}."
            )
