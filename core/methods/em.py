"""E-M's record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..models.em import MixtureEM
from ..models.priors import EMPIRICAL_SCALE
from ..schema.encoded import Encoded
from ..wording import counted
from .record import Method, Summaries
from .row_costs import CHANCE, RowCosts, called, capital
from .settings import Settings, fewer
from .steps import Ground, Procedure, Step


def _arguments(settings: Settings, n_cells: int) -> dict[str, Any]:
    k = settings.n_clusters
    return {
        "n_components": k,
        "n_init": fewer(10, 1, n_cells * k // Settings().n_clusters) * settings.effort,
        **settings.tempering,
        "random_state": settings.seed,
    }


def _explanation(model: MixtureEM) -> str:
    schema = getattr(model, "schema_", None)
    same = f"likelihood for each column as MAP-DP, prior scale {100 * EMPIRICAL_SCALE:g} %"
    if schema is not None and schema.priors:
        same = "likelihood and prior for each column as MAP-DP"
    return f"Told K = {model.n_components:,}. Same {same}. Missing cells are left out."


def _summaries(parameters: dict[str, dict[str, np.ndarray]], n_clusters: int) -> Summaries:
    """Parameters by unit, arrays over the components, as one mapping a component."""
    return [
        {
            name: {key: numbers[k] for key, numbers in summary.items()}
            for name, summary in parameters.items()
        }
        for k in range(n_clusters)
    ]


def _row_costs(model: MixtureEM, one: Encoded, row: int, numbers: np.ndarray) -> RowCosts:
    chances, clusters = model.responsibilities_[row, : len(numbers)], tuple(map(int, numbers))
    winner = int(np.argmax(chances))
    words = (
        f"{capital(called(clusters[winner]))} answers for {100 * chances[winner]:.0f} % of the "
        "row: its density here times its weight, over the sum of all. The row counts in every "
        "cluster by its share."
    )
    return RowCosts(CHANCE, clusters, {CHANCE: chances}, winner, words)


def _iterations(ground: Ground) -> Iterator[Step]:
    """Parameters and responsibilities in turn, from K-means on."""
    settings = ground.settings
    k, power = settings.n_clusters, settings.likelihood_power
    model = MixtureEM(k, likelihood_power=power, random_state=settings.seed)
    for iteration, state in enumerate(model.states_encoded(ground.sample)):
        kind = f"iteration {iteration}" if iteration else "start: from K-means"
        yield Step(kind, state.labels, state.objective, _summaries(state.parameters, k))


E_M = Method(
    title="E-M",
    glossary=(
        "E-M",
        "Expectation maximisation of a mixture with K given: rows belong to groups by shares, and "
        "the best parameters are sought.",
    ),
    estimator=MixtureEM,
    arguments=_arguments,
    reads=("n_clusters", "effort", "seed", "likelihood_power"),
    is_first=True,
    quick={"n_components": 2, "random_state": 0},
    remark=lambda model: f"K given, best of {counted(model.n_init, 'start')}",
    explanation=_explanation,
    restarts="ten starts of E-M",
    summaries=lambda model: _summaries(model.parameters_, model.n_clusters_),
    row_costs=_row_costs,
    procedures={
        "MixtureEM": Procedure(
            "E-M",
            "negative log posterior, log units",
            "Every row belongs to all components by a share; where the ellipses settle can depend "
            "on the start.",
            _iterations,
        )
    },
)
