"""What chance makes: the gain of groups on tables that have all of this one but groups.

The same table with every column shuffled by itself has margins and holes, and no groups. Tables of
a Gaussian copula keep the correlations too, those of a t copula the rows that are far out in
everything. Whatever made the groups of the real table is run anew on each of them, from the choice
of the model on. They are drawn one after another until one gains as much (Besag and Clifford,
"Sequential Monte Carlo p-values", Biometrika 78, 1991): where there is nothing, that is soon known.
Where none does, but some come near, more are drawn: p is .05 at most, and less where it is close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, islice
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ..models.choice.choose import gains_of_choice
from ..models.choice.model import Ground
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..wording import counted, percent
from .copula import gains_by_number
from .gaussian_copula import GaussianCopula
from .refits import procedure, refit
from .t_copula import TCopula

#: Tables of a kind: with none of them above the real one, p is .05; and so many, p of .017, where
#: the real one is no further above the highest of them than that above the lowest.
FAR_DRAWS, CLOSE_DRAWS = 19, 59
#: Rows of a longer table on which both it and its references are searched.
MOST_ROWS = 500
#: Perturbations in vain that end a search, of the real table and of those drawn.
PATIENCE = 5
#: Of a gain, a share that is most of it.
MOSTLY = 0.5
#: The kinds in the order in which they are asked, and what sort of table each is.
SHUFFLED, CORRELATED, HEAVY = "shuffled", "correlated", "heavy-tailed"
KINDS: Mapping[str, Callable[[Encoded], GaussianCopula | TCopula]] = {
    SHUFFLED: GaussianCopula.independent,
    CORRELATED: GaussianCopula.of,
    HEAVY: TCopula.of,
}
TABLES = {
    SHUFFLED: "with every column shuffled by itself",
    CORRELATED: "with the same correlations and no groups",
    HEAVY: "that also have rows far out in everything",
}


class Search(Protocol):
    """What found the groups of a table, to be run on others of the same columns."""

    @property
    def encoded(self) -> Encoded:
        """The table."""

    def gains(self, order: np.ndarray | None, seed: int, callback: Callback) -> np.ndarray:
        """By how much 1, 2, .. K groups lower E, of the table arranged so, or as it is (nats)."""


@dataclass(frozen=True)
class ModelAndGroups:
    """The model is chosen by E together with the groups."""

    ground: Ground
    concentration: float = 3.0

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        schema: Schema,
        concentration: float = 3.0,
        weights: np.ndarray | None = None,
    ) -> ModelAndGroups:
        """Of a table, or of ``MOST_ROWS`` of its rows, under the schema before any choice.

        Rows count by the weights, (N,), or else by what the schema says.
        """
        # Some of the rows may lack what all of them have.
        ground = Ground.of(frame, schema, weights)
        return cls(ground.rows(_some(ground.n_rows)), concentration)

    @property
    def encoded(self) -> Encoded:
        """The table under the schema from which the choice begins."""
        return self.ground.encoded

    def gains(self, order: np.ndarray | None, seed: int, callback: Callback) -> np.ndarray:
        """Of groups and model, each time chosen anew."""
        ground = self.ground if order is None else self.ground.arranged(order)
        return gains_of_choice(ground, self.concentration, seed, callback, PATIENCE)


@dataclass(frozen=True)
class GroupsAlone:
    """The model is given, as that of a paper or one set by hand."""

    model: MAPDP
    #: Of the table, or of ``MOST_ROWS`` of its rows; without priors, which came from its groups.
    encoded: Encoded

    @classmethod
    def of(cls, model: MAPDP) -> GroupsAlone:
        """Of a fitted model."""
        encoded = model.columns_.encoded.without_priors()
        return cls(model, encoded.rows(_some(len(encoded.values))))

    def gains(self, order: np.ndarray | None, seed: int, callback: Callback) -> np.ndarray:
        """Of the groups under that model."""
        table = self.encoded if order is None else self.encoded.arranged(order)
        changes = {"prior": procedure(self.model), "patience": PATIENCE}
        return gains_by_number(refit(self.model, table, seed, callback, **changes))


def search_of(model: MAPDP, frame: Any, schema: Schema | None) -> Search:
    """The search that found a model's groups in a table: with its own model, where that was chosen.

    The schema is that of the fit; None for a fit to numbers alone.
    """
    if schema is not None and schema.priors:
        weights = model.columns_.encoded.weights
        return ModelAndGroups.of(frame, schema.as_suggested(), model.concentration, weights)
    return GroupsAlone.of(model)


def _some(n_rows: int) -> np.ndarray:
    """Rows on which a table is searched: all of them, or some drawn at random."""
    n_taken = min(n_rows, MOST_ROWS)
    return np.sort(np.random.default_rng(0).choice(n_rows, n_taken, replace=False))


@dataclass(frozen=True)
class Chance:
    """What the groups gain, and what is gained on tables without groups.

    Parameters
    ----------
    gains : ndarray of float64, shape (K,)
        By how much 1, 2, .. K groups of the real table lower E below one group (nats): below one
        of independent columns, where the model is chosen anew.
    draws : mapping of str to tuple of ndarray
        The same of the tables of every kind of ``KINDS`` drawn so far.
    """

    gains: np.ndarray
    draws: Mapping[str, tuple[np.ndarray, ...]] = field(default_factory=dict)

    @property
    def observed(self) -> float:
        """What the groups of the real table gain."""
        return float(self.gains[-1])

    def n_as_much(self, kind: str) -> int:
        """Tables of a kind that gain as much."""
        return sum(gains[-1] >= self.observed - 1e-9 for gains in self.draws.get(kind, ()))

    def is_above(self, kind: str) -> bool | None:
        """Whether the real table gains more than all tables of a kind; None if not known yet."""
        if self.n_as_much(kind):
            return False
        return True if len(self.draws.get(kind, ())) >= self.n_to_draw(kind) else None

    def n_to_draw(self, kind: str) -> int:
        """Tables of a kind that are asked for where none of them gains as much."""
        gains = [float(gains[-1]) for gains in self.draws.get(kind, ())]
        is_close = bool(gains) and self.observed - max(gains) <= max(gains) - min(gains)
        return CLOSE_DRAWS if is_close else FAR_DRAWS

    def p(self, kind: str) -> float:
        """Share of the tables of a kind, the real one included, that gain as much."""
        return (1 + self.n_as_much(kind)) / (1 + len(self.draws.get(kind, ())))

    @property
    def is_chance(self) -> bool:
        """Whether shuffled columns are seen to gain as much, or the table gains nothing itself."""
        return self.gains.size == 1 or self.is_above(SHUFFLED) is False

    @property
    def is_cloud(self) -> bool:
        """Whether tables of one cloud, correlated as this one is, are seen to gain as much."""
        return any(self.n_as_much(kind) for kind in self.draws if kind != SHUFFLED)

    @property
    def is_settled(self) -> bool:
        """Whether no further table is to be drawn."""
        return self.is_chance or all(self.is_above(kind) is not None for kind in KINDS)

    def share(self, n_groups: int, kind: str = SHUFFLED) -> float | None:
        """Median gain of so many groups on tables of a kind, as a share of the real table's.

        Groups beyond those that a table has gain nothing more. None where nothing is known, or the
        real table's gain nothing.
        """
        found = [gains[min(n_groups, gains.size) - 1] for gains in self.draws.get(kind, ())]
        own = self.gains[min(n_groups, self.gains.size) - 1]
        return max(float(np.median(found)), 0.0) / float(own) if found and own > 0.0 else None

    @property
    def answers(self) -> dict[str, bool]:
        """Of the kinds that are settled: whether the real table gains more than they do."""
        found = {kind: self.is_above(kind) for kind in KINDS}
        return {kind: above for kind, above in found.items() if above is not None}

    @property
    def sentence(self) -> str:
        """What is known so far, in words."""
        if self.gains.size == 1:
            return (
                "No more groups than chance makes: sought once more, as briefly as on tables "
                "without groups, one group describes these rows best."
            )
        if self.is_chance:
            which = self._which(SHUFFLED)
            return (
                "No more groups than chance makes: "
                f"{which[0].lower()}{which[1:]} {TABLES[SHUFFLED]} gains as much."
            )
        below = [self._at_most(kind) for kind in self.draws if not self.n_as_much(kind)]
        said = ""
        if below:
            above = "more than chance makes: " if self.is_settled and not self.is_cloud else ""
            said = f"{above}of what the groups of the fit gain, {', '.join(below)}."
        clouds = [f"{self._which(k)} {TABLES[k]}" for k in self.draws if self.n_as_much(k)]
        if clouds:
            verb = "gains" if len(clouds) == 1 else "gain"
            told = " and ".join([clouds[0], *(c[0].lower() + c[1:] for c in clouds[1:])])
            said += f" {told} {verb} as much: the groups may be parts of one cloud."
        return said[:1].upper() + said[1:] or "No table without groups has been searched yet."

    @property
    def caution(self) -> str:
        """Beside groups of the fit that come back or stay: empty where they may be no chance."""
        return "Groups that chance makes can come back, and stay, too." if self.is_chance else ""

    @property
    def headline(self) -> str:
        """The same in one short line."""
        if self.is_chance:
            return self.sentence
        if self.is_cloud:
            return "A table of one cloud gains as much as the fit: the groups may be parts of one."
        n = sum(map(len, self.draws.values()))
        said = "More than chance makes: " if self.is_settled else "So far "
        few = "the first table without groups does not gain as much as the fit"
        said += few if n == 1 else f"none of {n:,} tables without groups gains as much as the fit"
        most = self._most(SHUFFLED)
        if most >= MOSTLY:
            said += f", but shuffled columns gain up to {percent(most)} of it: that needs no groups"
        return f"{said}."

    def _most(self, kind: str) -> float:
        """The highest gain on tables of a kind, as a share of the real table's."""
        most = max((float(gains[-1]) for gains in self.draws.get(kind, ())), default=0.0)
        return max(most, 0.0) / self.observed

    def _at_most(self, kind: str) -> str:
        """Of tables of one kind, none of which gains as much."""
        n = len(self.draws[kind])
        tables = counted(n, "table") if kind == SHUFFLED else f"{n:,}"
        gain = "gains" if n == 1 else "gain at most"
        return f"{tables} {TABLES[kind]} {gain} {percent(self._most(kind))}"

    def _which(self, kind: str) -> str:
        n = len(self.draws[kind])
        return "The first table" if n == 1 else f"One of {n:,} tables"


def chance(
    search: Search,
    *,
    kinds: Sequence[str] = tuple(KINDS),
    random_state: int = 0,
    callback: Callback | None = None,
    share: Callable[[Chance], None] | None = None,
    executor: Any = None,
) -> Chance:
    """Run a search on tables without groups, of every kind until one gains as much.

    Shuffled columns come first; where one of those gains as much, the other kinds are not asked.
    ``n_to_draw`` says how many tables of a kind are drawn of which none does.
    It is run once more on the real table too, with the same effort. What the callback raises ends
    the work; ``share`` is given what there is after every table. The fits run on the workers of an
    executor, as ``Refits`` says.
    """
    tell = share or (lambda partial: None)
    refits = Refits(1 + FAR_DRAWS * len(kinds), callback, executor)
    (own,) = refits.map(partial(_gains, search, None), [random_state], "your table")
    found = Chance(own)
    for place, kind in enumerate(kinds):
        if found.is_chance:
            break
        copula = KINDS[kind](search.encoded)
        seeds = islice(count(random_state + 1 + place * CLOSE_DRAWS), CLOSE_DRAWS)
        with closing(refits.map(partial(_gains, search, copula), seeds, f"{kind} tables")) as all_:
            for gains in all_:
                drawn = (*found.draws.get(kind, ()), gains)
                found = replace(found, draws={**found.draws, kind: drawn})
                tell(found)
                if found.is_above(kind) is not None:
                    break
                refits.total = 1 + sum(map(found.n_to_draw, kinds))
    return found


def _gains(
    search: Search, copula: GaussianCopula | TCopula | None, seed: int, callback: Callback
) -> np.ndarray:
    """Of one table drawn under a seed; of the real one without a copula."""
    order = None if copula is None else copula.order(np.random.default_rng(seed))
    return search.gains(order, seed, callback)
