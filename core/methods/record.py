"""One record a method: everything that the pages, scores, figures and exports know about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..models.estimator import ClusterEstimator
from ..schema.encoded import Encoded
from .row_costs import RowCosts
from .settings import Settings
from .steps import Procedure

#: What a model says of every unit in every cluster: one mapping a cluster, by the unit's name.
Summaries = list[dict[str, Mapping[str, Any]]]


@dataclass(frozen=True)
class Option:
    """An argument of one estimator, ``name``, that its reader may choose."""

    name: str
    label: str
    #: Numbers in rising order, or words; any number from 0 on where there are none.
    choices: tuple[float, ...] | tuple[str, ...]
    #: What it is where nothing is chosen; None: what the estimator does by itself.
    default: float | str | None
    #: What it does, and what None stands for.
    help: str

    def read(self, value: object) -> float | str | None:
        """Return the choice that a saved value or the text of an address stands for.

        Raises
        ------
        ValueError
            It stands for none.
        """
        if value is None or value == "":
            return None
        refused = ValueError(f"{value!r} is no {self.label.lower()}")
        if self.choices and isinstance(self.choices[0], str):
            if value not in self.choices:
                raise refused
            return str(value)
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError):
            raise refused from None
        if not math.isfinite(number) or (not self.choices and number < 0.0):
            raise refused
        return min(self.choices, key=lambda choice: abs(choice - number), default=number)


@dataclass(frozen=True)
class Method:
    """One way to cluster a table."""

    #: What the pages call it.
    title: str
    #: Its full name, and what it does in a sentence.
    glossary: tuple[str, str]
    #: Its class; the class's name is the method's key wherever methods are told apart.
    estimator: type[ClusterEstimator]
    #: ``(model)`` to a few words for its panel: how K came about.
    remark: Callable[[Any], str]
    #: ``(model)`` to a sentence or two: what it ran on and how it came to its answer.
    explanation: Callable[[Any], str]
    #: ``(settings, n_cells)`` to the estimator's arguments for a table of so many cells.
    arguments: Callable[[Settings, int], dict[str, Any]] = lambda settings, n_cells: {}
    #: The settings that its arguments depend on: the sliders that touch it.
    reads: tuple[str, ...] = ()
    #: What it alone is told, beyond the sliders that all share.
    options: tuple[Option, ...] = ()
    #: Whether Compare shows it until others are chosen; then, the arguments of its shortest fit.
    is_first: bool = False
    quick: Mapping[str, Any] = field(default_factory=dict)
    #: What one restart of the settings buys; empty if it has one answer.
    restarts: str = ""
    #: What it reads of a table where that is not every cell under its column's likelihood.
    table: str = ""
    #: Tables with more are refused.
    most_rows: int | None = None
    #: Whether it clusters several data sets, named by the column of role "group", together.
    shares_clusters: bool = False
    #: Of a tree ``linkage_``: what its heights are, and whether they differ by powers of ten.
    heights: tuple[str, bool] | None = None
    #: Key of the method whose fitted prior it runs under, and what it is given from that fit:
    #: arguments, each with the attribute that it is.
    prior_of: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    #: Whether its own fit can be a model file; the judge's stands in for others.
    is_saved: bool = False
    #: ``(model)`` to what it says of each cluster, for its outlines.
    summaries: Callable[[Any], Summaries] = lambda model: []
    #: ``(model, one, row, numbers)`` to what it weighs for one row.
    row_costs: Callable[[Any, Encoded, int, Any], RowCosts] | None = None
    #: Its runs step by step, by their name in addresses.
    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The estimator's public name."""
        return self.estimator.__name__

    def told(self, settings: Settings, n_cells: int) -> dict[str, Any]:
        """Arguments of the fit: those the sliders give, and what it alone is told."""
        return self.arguments(settings, n_cells) | settings.own_of(self.name)

    def option(self, name: str) -> Option:
        """What it alone is told, by name; ValueError if there is no such thing."""
        for option in self.options:
            if option.name == name:
                return option
        raise ValueError(f"{self.title} has no setting '{name}'")

    def is_beyond(self, n_rows: int) -> bool:
        """Whether so many rows are refused."""
        return self.most_rows is not None and n_rows > self.most_rows
