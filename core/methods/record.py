"""The record of a method: all that pages, scores, figures and exports need to know of it."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..models.estimator import ClusterEstimator
from ..models.similarity.graph import MOST_ROWS
from ..schema.encoded import Encoded
from .settings import Settings
from .steps import Procedure, RunInputs, Step

NATS, DISTANCE, CHANCE = "nats", "squared distance", "probability"
PREDICTIVE, COUNT = "predictive term", "count term"
NEW, OTHER = -1, -2
#: What a model says of every unit in every cluster: one mapping a cluster, by unit name.
Summaries = list[dict[str, Mapping[str, Any]]]
_FACTS = tomllib.loads(Path(__file__).with_name("methods.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class RowCosts:
    """What every cluster costs when a fitted method places one row, and what decides."""

    #: "nats", "squared distance" or "probability".
    measure: str
    #: Length C. Numbers in the panels, from 0; -1 a new cluster, -2 one that matches none shown.
    clusters: tuple[int, ...]
    #: Shape (C,). Summands of each candidate's number.
    terms: Mapping[str, np.ndarray]
    #: Index of the chosen candidate: the lowest cost, or the highest probability.
    winner: int
    words: str
    title: str = ""
    #: Length C. Labels by which candidates are coloured; ``clusters`` if empty.
    labels: tuple[int, ...] = ()

    @property
    def totals(self) -> np.ndarray:
        """Sum of the terms, shape (C,)."""
        return np.sum(list(self.terms.values()), axis=0)


def called(cluster: int) -> str:
    """A candidate in a sentence."""
    return {NEW: "a new cluster", OTHER: "another cluster"}.get(cluster, f"cluster {cluster + 1}")


def tag(cluster: int) -> str:
    """A candidate's label beside its bar."""
    return {NEW: "new", OTHER: "other"}.get(cluster, str(cluster + 1))


def capital(text: str) -> str:
    """Text with a capital first letter."""
    return text[0].upper() + text[1:]


@dataclass(frozen=True)
class Method:
    """One way to cluster a table."""

    title: str
    #: Its full name, and what it does in a sentence.
    glossary: tuple[str, str]
    #: Its class, whose name is the method's key.
    estimator: type[ClusterEstimator]
    #: ``(model)`` to a few words for its panel: how K was found.
    remark: Callable[[Any], str]
    #: ``(model)`` to one or two sentences: what it ran on and how it found its answer.
    explanation: Callable[[Any], str]
    #: ``(settings, n_cells)`` to the estimator's arguments for a table of so many cells.
    arguments: Callable[[Settings, int], dict[str, Any]]
    reads: tuple[str, ...] = ()
    #: Whether Compare shows it at first.
    is_first: bool = False
    #: What one restart buys, in words; empty if it has one answer.
    restarts: str = ""
    #: What it reads of a table, if not every cell under its column's likelihood.
    table: str = ""
    #: Larger tables are refused; None for no limit.
    most_rows: int | None = None
    #: Whether it clusters several data sets, named by the column of role "group", together.
    shares_clusters: bool = False
    #: Of a tree ``linkage_``: what its heights are, and whether to draw them on a log scale.
    heights: tuple[str, bool] | None = None
    #: Key of the method whose fitted prior it uses, and its arguments, by that fit's attributes.
    prior_of: str | None = None
    given: Mapping[str, str] = field(default_factory=dict)
    #: Whether its own fit can be a model file; else the judge's is saved.
    is_saved: bool = False
    #: ``(model)`` to what it says of each cluster, for its outlines.
    summaries: Callable[[Any], Summaries] = lambda model: []
    #: ``(model, one, row, numbers)`` to the costs of one row.
    row_costs: Callable[[Any, Encoded, int, Any], RowCosts] | None = None
    #: Runs step by step, by their name in addresses.
    procedures: Mapping[str, Procedure] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The estimator's public name."""
        return self.estimator.__name__


def record_of(
    estimator: type[ClusterEstimator],
    remark: Callable[[Any], str],
    steps: Mapping[str, Callable[[RunInputs], Iterator[Step]]] | None = None,
    **functions: Any,
) -> Method:
    """The record of an estimator: what ``methods.toml`` says of it, and its functions."""
    facts = dict(_FACTS[estimator.__name__])
    title, does = facts["title"], facts.pop("does")
    reads, always = facts.pop("reads", {}), facts.pop("always", {})

    def arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
        return always | {name: getattr(settings, slider) for name, slider in reads.items()}

    record = {
        "glossary": (facts.pop("name", title), does),
        "explanation": lambda model: does,
        "arguments": arguments,
        "reads": tuple(reads.values() if isinstance(reads, dict) else reads),
        "procedures": {
            name: Procedure(title, measure, text, steps[name], **(more[0] if more else {}))
            for name, (title, measure, text, *more) in facts.pop("steps", {}).items()
        },
    }
    if getattr(estimator, "compares_pairs", False):
        record |= {"most_rows": MOST_ROWS, "table": "by how alike any two rows are"}
    return Method(estimator=estimator, remark=remark, **record | facts | functions)
