"""One record a method: everything that the pages, scores, figures and exports know about it."""

from __future__ import annotations

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


def _nothing(model: Any) -> Summaries:
    return []


@dataclass(frozen=True)
class Method:
    """One way to cluster a table.

    Parameters
    ----------
    title : str
        What the pages call it.
    glossary : tuple of (str, str)
        Its full name, and what it does in a sentence.
    estimator : type
        Its class; the class's name is the method's key wherever methods are told apart.
    arguments : callable
        ``(settings, n_cells)`` to the estimator's arguments for a table of so many cells: those of
        the fit, of its key and of the script that makes it again.
    reads : tuple of str
        The settings that its arguments depend on: the sliders that touch it.
    quick : mapping
        Arguments of its shortest fit, which makes its kernels ready.
    remark : callable
        ``(model)`` to a few words for its panel: how K came about.
    explanation : callable
        ``(model)`` to a sentence or two: what it ran on and how it came to its answer.
    restarts : str
        What one restart of the settings buys; empty if it has one answer.
    table : str
        What of a table it reads where that is not every cell under its column's likelihood, as
        the end of its remark: "on plain numbers".
    most_rows : int, optional
        Tables with more are refused.
    prior_of : str, optional
        Key of the method whose fitted prior it runs under.
    is_saved : bool
        Whether its own fit can be a model file; the judge's stands in for others.
    summaries : callable
        ``(model)`` to what a fitted model says of each cluster, for its outlines; empty where it
        has no likelihood of every column.
    row_costs : callable, optional
        ``(model, one, row, numbers)`` to what it weighs for one row.
    procedures : mapping of str to Procedure
        Its runs step by step, by their name in addresses.
    """

    title: str
    glossary: tuple[str, str]
    estimator: type[ClusterEstimator]
    arguments: Callable[[Settings, int], dict[str, Any]]
    reads: tuple[str, ...]
    quick: Mapping[str, Any]
    remark: Callable[[Any], str]
    explanation: Callable[[Any], str]
    restarts: str = ""
    table: str = ""
    most_rows: int | None = None
    prior_of: str | None = None
    is_saved: bool = False
    summaries: Callable[[Any], Summaries] = _nothing
    row_costs: Callable[[Any, Encoded, int, Any], RowCosts] | None = None
    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The estimator's public name."""
        return self.estimator.__name__
