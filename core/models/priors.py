"""How the prior of every unit is chosen: given, empirical, or by E on a grid of prior scales."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..engine.packed import PackedTable, default_priors
from ..engine.partition import Partition
from ..engine.sweeps import TIE
from ..families import Prior
from ..schema.encoded import Encoded

SCALES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
EMPIRICAL_SCALE = 0.1
#: The grid is tried on a sample of this many rows of any larger table than the second number.
GRID_SAMPLE = 5_000
GRID_ABOVE = 20_000

#: Labels and E reached under one prior, from the labels, if any, reached under the one before.
Trial = Callable[[PackedTable, np.ndarray | None], tuple[np.ndarray, float]]


@dataclass(frozen=True)
class PriorChoice:
    """A table under the prior that was chosen for it."""

    packed: PackedTable
    #: None where the priors were given.
    scale: float | None = None
    #: E by scale tried; empty without a grid.
    objectives: Mapping[float, float] = field(default_factory=dict)
    #: int64, shape (N,). The chosen scale's partition on the grid, -1 for rows it did not see.
    labels: np.ndarray | None = None
    #: With a grid, the default priors at a scale of 1.
    unscaled: tuple[Prior, ...] = ()

    def at(self, scale: float, packed: PackedTable | None = None) -> PackedTable:
        """The table, or some of its rows, under default priors at a scale."""
        packed = self.packed if packed is None else packed
        pairs = zip(self.unscaled, packed.encoded.units, strict=True)
        return packed.with_priors(
            tuple(one.at_scale(scale) if unit.prior is None else one for one, unit in pairs)
        )


def choose_prior(
    prior: Any, encoded: Encoded, trial: Trial, random: np.random.Generator
) -> PriorChoice:
    """Choose the prior of every unit; units that have one of their own keep it.

    The grid (R16 Appendix G, second way) is walked from the empirical scale both ways, each scale
    from the last partition, as long as E falls; above ``GRID_ABOVE`` rows on a random sample.
    """
    if not isinstance(prior, str):
        return PriorChoice(PackedTable.pack(encoded, given_priors(prior, encoded)))
    if prior not in ("scale-grid", "empirical"):
        raise ValueError(
            f"prior={prior!r} is not allowed: give 'scale-grid', 'empirical', or priors."
        )
    # At a scale of 1, for their moments take a pass over all rows.
    unscaled = default_priors(encoded, 1.0)
    choice = PriorChoice(PackedTable.pack(encoded, unscaled), unscaled=unscaled)
    choice = replace(choice, packed=choice.at(EMPIRICAL_SCALE), scale=EMPIRICAL_SCALE)
    if all(unit.prior is not None for unit in encoded.units):
        return replace(choice, scale=None)
    if prior == "empirical" or not any(unit.has_scale for unit in encoded.units):
        return choice
    seen, rows = choice.packed, np.arange(len(encoded.values))
    if rows.size > GRID_ABOVE:
        rows = np.sort(random.choice(rows.size, GRID_SAMPLE, replace=False))
        seen = seen.subset(rows)
    best, at = EMPIRICAL_SCALE, SCALES.index(EMPIRICAL_SCALE)
    labels, lowest = trial(seen, None)
    objectives = {best: lowest}
    for side in (SCALES[at + 1 :], SCALES[:at][::-1]):
        start = labels
        for scale in side:
            start, objectives[scale] = trial(choice.at(scale, seen), start)
            if objectives[scale] >= lowest:
                break
            best, labels, lowest = scale, start, objectives[scale]
    found = np.full(len(encoded.values), -1)
    found[rows] = labels
    objectives = dict(sorted(objectives.items()))
    return replace(choice, packed=choice.at(best), scale=best, objectives=objectives, labels=found)


def better_scale(choice: PriorChoice, partition: Partition) -> PriorChoice | None:
    """The scale next to one that a sample chose under which E of all rows is lower; else None."""
    of_sample = choice.labels is not None and choice.labels.min() < 0
    if not of_sample or not choice.packed.is_unweighted or partition.fills_cells:
        return None
    at, best, twin = SCALES.index(choice.scale), None, partition.copy()
    lowest = partition.objective() - TIE
    for scale in (*SCALES[max(at - 1, 0) : at], *SCALES[at + 1 : at + 2]):
        twin.packed = choice.at(scale)
        twin.table = twin.packed.table
        if (objective := twin.objective()) < lowest:
            lowest, best = objective, replace(choice, packed=twin.packed, scale=scale)
    return best


def given_priors(prior: Any, encoded: Encoded) -> tuple[Prior, ...]:
    """One prior for each unit from what the user gave."""
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
