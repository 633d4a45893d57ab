"""Chance or severity? The groups against tables that have all but groups.

Patients who differ in degree only look like draws of a Gaussian copula: the same values in every
column, the same rank correlations, the same missing cells. Where the procedure gains as much on
such tables as on the real one, its groups may be slices of a continuum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..engine.partition import Partition
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.numeric import plain_numbers
from ..schema.encoded import Encoded
from .gaussian_copula import GaussianCopula
from .multiplicity import LEVEL
from .refits import Refits, procedure, refit

#: Tables drawn for a first look, and those that colour the light.
QUICK, FULL = 19, 99
#: Kicks in a row without gain that end a search, here alike for the real table and for those drawn:
#: the test is exact whatever the effort, and more of it moves the gain by less than a hundredth.
PATIENCE = 5
#: What the reference cannot see, to be said wherever its answer is.
LIMITS = (
    "The reference knows one kind of continuum, a Gaussian copula. In simulations a severity along"
    " which columns saturate was taken for groups every time, and two real classes on 20 yes/no"
    " columns were missed half of the time or more."
)


@dataclass(frozen=True)
class CopulaReference:
    """What the groups gain, and what is gained on tables without groups."""

    #: E of one cluster minus E of the groups that the procedure finds, in nats.
    observed: float
    #: float64, shape (B,). The same of every table drawn.
    draws: np.ndarray
    #: int64, shape (B,). K on each.
    n_clusters: np.ndarray

    @property
    def p(self) -> float:
        """Share of the tables, the real one included, that gain at least as much."""
        return float((1 + (self.draws >= self.observed - 1e-9).sum()) / (1 + self.draws.size))

    @property
    def sentence(self) -> str:
        """In words."""
        as_much = int((self.draws >= self.observed - 1e-9).sum())
        if self.p <= LEVEL:
            verdict = "more than one Gaussian continuum explains"
        elif as_much == 0:
            verdict = "too few tables yet to tell"
        else:
            verdict = "no more than chance and severity would give"
        return (
            f"{as_much} of {self.draws.size} tables without groups gain as much as yours"
            f" ({self.observed:,.0f} log units): {verdict} (p = {self.p:.2g})."
        )


def copula_reference(
    model: MAPDP,
    n_draws: int = QUICK,
    *,
    random_state: int = 0,
    callback: Callback | None = None,
    share: Callable[[CopulaReference], None] | None = None,
) -> CopulaReference:
    """Run a model's whole procedure on tables drawn from a one-cluster Gaussian copula.

    It is run once more on the model's own table too, with the same effort: the best of many
    searches there against one search each here would not be a fair comparison. The smallest p-value
    of B draws is 1 / (B + 1). The fitted model is not changed.

    What the callback raises ends the work; ``share`` is given what there is after every table.
    """
    encoded = model.columns_.encoded
    copula = GaussianCopula.of(encoded)

    def work(b: int, callback: Callback) -> tuple[float, int]:
        table = copula.draw(np.random.default_rng([random_state, b])) if b else encoded
        changes = {"prior": procedure(model), "patience": min(PATIENCE, model.patience)}
        fitted = refit(model, table, random_state + b, callback, **changes)
        return gain(fitted), fitted.n_clusters_

    refits = Refits(n_draws + 1, callback)
    found: list[tuple[float, int]] = []
    reference = CopulaReference(0.0, np.empty(0), np.empty(0, dtype=np.int64))
    for result in refits.map(work, range(n_draws + 1), "tables without groups"):
        found.append(result)
        gains, n_clusters = np.array(found).T
        reference = CopulaReference(gains[0], gains[1:], n_clusters[1:].astype(np.int64))
        if share is not None:
            share(reference)
    return reference


def gain(model: MAPDP) -> float:
    """E of one cluster minus E of a model's groups under its own prior, in nats."""
    if model.n_clusters_ == 1:
        return 0.0
    return Partition(model.columns_, model.concentration).settle() - model.objective_


def rank_one_share(encoded: Encoded, labels: np.ndarray) -> float | None:
    """How nearly the groups lie on one line: 1 on a continuum, lower the more they cross.

    Share of the first squared singular value of the standardised group means, each weighted by the
    root of its group's size; missing cells count as the column's mean. None for fewer than three
    groups, whose means always lie on a line.
    """
    sizes = np.bincount(labels).astype(np.float64)
    if sizes.size < 3:
        return None
    points = plain_numbers(encoded)
    spread = points.std(axis=0)
    points = (points - points.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    means = np.eye(sizes.size)[labels].T @ points / sizes[:, None]
    squared = np.linalg.svd(means * np.sqrt(sizes)[:, None], compute_uv=False) ** 2
    return float(squared[0] / squared.sum()) if squared.sum() > 0 else None
