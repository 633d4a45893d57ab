"""How the prior of every unit is chosen: given, empirical, or by E on a grid of prior scales."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .columns import Columns, Encoded, default_priors
from .families import FAMILIES, Prior

#: Prior scales tried by ``prior="scale-grid"``.
SCALES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
#: Prior scale of ``prior="empirical"``.
EMPIRICAL_SCALE = 0.1


@dataclass(frozen=True)
class PriorChoice:
    """A table under the prior that was chosen for it.

    Parameters
    ----------
    columns : Columns
    scale : float or None
        The prior scale; None where the priors were given.
    objectives : mapping of float to float
        E that each scale of the grid reached; empty without a grid.
    """

    columns: Columns
    scale: float | None = None
    objectives: Mapping[float, float] = field(default_factory=dict)


def choose_prior(prior: Any, encoded: Encoded, trial: Callable[[Columns], float]) -> PriorChoice:
    """Choose the prior of every unit.

    Parameters
    ----------
    prior : "scale-grid", "empirical", Prior, or sequence or mapping of Prior
    encoded : Encoded
    trial : callable
        E that a short effort reaches on the table under some prior (R16 Appendix G, second way).
    """
    if not isinstance(prior, str):
        return PriorChoice(Columns.pack(encoded, given_priors(prior, encoded)))
    if prior not in ("scale-grid", "empirical"):
        raise ValueError(
            f"prior={prior!r} is not allowed: give 'scale-grid', 'empirical', or priors."
        )
    columns = Columns.pack(encoded, default_priors(encoded, EMPIRICAL_SCALE))
    scaled = any(FAMILIES[unit.family].is_real for unit in encoded.units)
    if prior == "empirical" or not scaled:
        return PriorChoice(columns, EMPIRICAL_SCALE)
    trials = {s: columns.with_priors(default_priors(encoded, s)) for s in SCALES}
    objectives = {s: trial(packed) for s, packed in trials.items()}
    best = min(objectives, key=objectives.__getitem__)
    return PriorChoice(trials[best], best, objectives)


def given_priors(prior: Any, encoded: Encoded) -> tuple[Prior, ...]:
    """One prior for each unit from what the user gave.

    Parameters
    ----------
    prior : Prior, or sequence of Prior, or mapping from unit name to Prior
    """
    units = encoded.units
    if isinstance(prior, Prior):
        return (prior,) * len(units)
    if isinstance(prior, Mapping):
        lacking = [unit.name for unit in units if unit.name not in prior]
        if lacking:
            raise ValueError(f"prior has no entry for {lacking[0]!r}: give one prior a column.")
        return tuple(prior[unit.name] for unit in units)
    if isinstance(prior, Sequence) and len(prior) == len(units):
        return tuple(prior)
    raise ValueError(
        f"prior must be one Prior, a list of {len(units)} (one a column or block), or a mapping"
        " from names to priors."
    )
