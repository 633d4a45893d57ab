"""Chance or severity? The groups against tables that have all but groups.

Patients who differ in degree only look like draws of a copula: the same values in every column,
the same rank correlations, the same missing cells. Where the procedure gains as much on such tables
as on the real one, its groups may be slices of a continuum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ..engine.partition import Partition
from ..inference.merge_path import merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.side_by_side import Refits
from ..schema.encoded import Encoded
from .correct import LEVEL
from .course import Course
from .gaussian_copula import GaussianCopula
from .one_factor import OneFactor
from .refits import procedure, refit
from .standardised import standardised
from .t_copula import TCopula

#: Tables drawn for a first look, and those that colour the light.
QUICK, FULL = 19, 99
#: Kinds of tables without groups.
KINDS = 4
#: Share of the groups' differences on one line from which they are steps of a gradient.
ONE_LINE = 0.90
#: Perturbations in a row without gain that end a search, of the real table and of those drawn:
#: the test is exact whatever the effort, and more of it moves the gain by less than a hundredth.
PATIENCE = 5
#: What the references cannot see, to be said wherever their answer is.
LIMITS = (
    "The references know four kinds of continuum: a Gaussian one, one with heavy tails in which "
    "some patients are far out in everything, one skewed factor along which every column rises or "
    "falls, and one course that may bend, such as a symptom that comes and goes as the illness "
    "proceeds. A course that forks, closes to a ring or moves between two factors at will can pass "
    "for groups. And real classes can be missed: of 240 simulated patients with 14 columns, three "
    "crossing classes were seen 8 times in 8 where they lay 1 SD from the mean; of 400 with 8 "
    "columns, three groups 1.5 SD apart were green 19 times in 20."
)


@dataclass(frozen=True)
class CopulaReference:
    """What the groups gain, and what is gained on tables without groups."""

    #: E of one cluster minus E of the groups that the procedure finds, in nats.
    observed: float
    #: float64, shape (B,). The same of every table drawn from the Gaussian copula.
    draws: np.ndarray
    #: float64, shape (B',). The gain on every table along one skewed factor.
    skewed: np.ndarray = field(default_factory=lambda: np.empty(0))
    #: float64, shape (B'',). The gain on every table along one course that may bend, less what that
    #: course tells more than the one of the real table does: so that the groups are weighed against
    #: the course, each at its best (Cox, "Further results on tests of separate families of
    #: hypotheses", JRSS B 24, 1962).
    bending: np.ndarray = field(default_factory=lambda: np.empty(0))
    #: float64, shape (B''',). The gain on every table drawn from the t copula.
    heavy_tailed: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def kinds(self) -> dict[str, np.ndarray]:
        """Gains on the tables of every kind."""
        return {
            "of a Gaussian continuum": self.draws,
            "along one skewed factor": self.skewed,
            "along one course that may bend": self.bending,
            "of a heavy-tailed continuum": self.heavy_tailed,
        }

    @property
    def n_draws(self) -> int:
        """Tables of each kind that there are."""
        return min(draws.size for draws in self.kinds.values())

    @property
    def p(self) -> float:
        """The worst of the p-values: of the tables of a kind, the share that gain as much."""
        return max(self._p(draws) for draws in self.kinds.values())

    def _p(self, draws: np.ndarray) -> float:
        """Share of the tables, the real one included, that gain at least as much."""
        return float((1 + self._as_much(draws)) / (1 + draws.size))

    def _as_much(self, draws: np.ndarray) -> int:
        return int((draws >= self.observed - 1e-9).sum())

    @property
    def sentence(self) -> str:
        """In words."""
        as_much = {kind: self._as_much(draws) for kind, draws in self.kinds.items()}
        if self.p <= LEVEL:
            verdict = "more than a Gaussian, a heavy-tailed, a skewed or one bending continuum"
        elif not any(as_much.values()):
            verdict = "too few tables yet to tell"
        else:
            verdict = "not shown to be more than a continuum"
        counts = [f"{n} of {self.kinds[kind].size} tables {kind}" for kind, n in as_much.items()]
        return (
            f"{', '.join(counts[:-1])} and {counts[-1]} gain as much as yours "
            f"({self.observed:,.0f} log units): {verdict} (p = {self.p:.2g})."
        )


def copula_reference(
    model: MAPDP,
    n_draws: int = QUICK,
    *,
    random_state: int = 0,
    callback: Callback | None = None,
    share: Callable[[CopulaReference], None] | None = None,
    executor: Any = None,
) -> CopulaReference:
    """Run a model's whole procedure on tables without groups, of every kind.

    It is run once more on the model's own table too, with the same effort: the best of many
    searches there against one search each here would not be a fair comparison. Priors that came
    from the groups of the real table are left out there and here, for the same reason. The smallest
    p-value of B draws is 1 / (B + 1). The fitted model is not changed.

    What the callback raises ends the work; ``share`` is given what there is after every table. The
    fits run on the workers of an executor, as ``Refits`` says.
    """
    encoded = model.columns_.encoded.without_priors()
    course = Course.of(encoded)
    kinds = (
        (GaussianCopula.of(encoded), _no_excess),
        (OneFactor.of(encoded), _no_excess),
        (course, partial(_excess_of_course, course.log_likelihood)),
        (TCopula.of(encoded), _no_excess),
    )
    work = partial(_gain_of_table, model, kinds, random_state)
    total = n_fits_of_reference(n_draws)
    refits = Refits(total, callback, executor)
    gains: list[float] = []
    reference = CopulaReference(0.0, np.empty(0))
    for result in refits.map(work, range(total), "tables without groups"):
        gains.append(result)
        of_kind = (np.array(gains[1 + k :: len(kinds)]) for k in range(len(kinds)))
        reference = CopulaReference(gains[0], *of_kind)
        if share is not None:
            share(reference)
    return reference


def _gain_of_table(
    model: MAPDP,
    kinds: Sequence[tuple[Any, Callable[[Encoded], float]]],
    random_state: int,
    b: int,
    callback: Callback,
) -> float:
    """What groups gain on table b: the model's own first, then one of each kind in turn."""
    table, excess = model.columns_.encoded.without_priors(), 0.0
    if b:
        kind, excess_of = kinds[(b - 1) % len(kinds)]
        table = kind.draw(np.random.default_rng([random_state, b]))
        excess = excess_of(table)
    changes = {"prior": procedure(model), "patience": min(PATIENCE, model.patience)}
    return gain(refit(model, table, random_state + b, callback, **changes)) - excess


def _no_excess(table: Encoded) -> float:
    return 0.0


def _excess_of_course(told: float, table: Encoded) -> float:
    """What groups gain on a table since its course is clearer than that of the real one."""
    return Course.of(table).log_likelihood - told


def n_fits_of_reference(n_draws: int) -> int:
    """Fits of a reference with so many tables of each kind, the real table's included."""
    return KINDS * n_draws + 1


def gain(model: MAPDP) -> float:
    """E of one cluster minus E of a model's groups under its own prior, in nats."""
    if model.n_clusters_ == 1:
        return 0.0
    return Partition(model.columns_, model.concentration).settle() - model.objective_


def gains_by_number(model: MAPDP) -> np.ndarray:
    """The same of 1, 2, .. K groups, those of the model merged one by one, shape (K,)."""
    path = merge_path(model.partition_).objectives
    return gain(model) - (path - path[0])[::-1]


def rank_one_share(encoded: Encoded, labels: np.ndarray) -> float | None:
    """How nearly the groups lie on one line: 1 on a continuum, lower the more they cross.

    Share of the first squared singular value of the standardised group means, each weighted by the
    root of its group's size; missing cells count as the column's mean. None for fewer than three
    groups, whose means always lie on a line.
    """
    sizes = np.bincount(labels).astype(np.float64)
    if sizes.size < 3:
        return None
    points = standardised(encoded)
    means = np.eye(sizes.size)[labels].T @ points / sizes[:, None]
    squared = np.linalg.svd(means * np.sqrt(sizes)[:, None], compute_uv=False) ** 2
    return float(squared[0] / squared.sum()) if squared.sum() > 0 else None
