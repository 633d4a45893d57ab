"""Where the search over all rows begins: clusters found on a sample, under the whole's priors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine.columns import Columns
from ..families import Prior
from ..models.priors import EMPIRICAL_SCALE, GRID_ABOVE, best_scale, given_priors
from ..models.progress import Progress
from ..models.search import scale_trial, search
from ..schema.encoded import Encoded
from .look import Look, Sample
from .sums import Sums

#: Perturbations in a row without gain that end the search on a small sample, as in ``MAPDP``.
PATIENCE = 45


@dataclass(frozen=True)
class Start:
    """What one sample came to."""

    priors: tuple[Prior, ...]
    #: The prior scale; None where the priors were given.
    scale: float | None
    sums: Sums


def start(
    look: Look,
    sample: Sample,
    columns: Columns,
    prior: Any,
    concentration: float,
    seed: int,
    callback: Callable[[Progress], None] = lambda progress: None,
) -> Start:
    """Search a sample; the columns, of no rows, are those of all rows at the empirical scale."""
    random = np.random.default_rng(seed)
    units = columns.encoded.units
    rows = columns.of_rows(Encoded(sample.values, units))
    known, scale = None, None
    if not isinstance(prior, str):
        rows = rows.with_priors(given_priors(prior, rows.encoded))
    else:
        scale = None if all(unit.prior is not None for unit in units) else EMPIRICAL_SCALE
        if prior == "scale-grid" and any(unit.has_scale for unit in units):
            choice = best_scale(
                rows.subset(np.arange(min(rows.n_rows, GRID_ABOVE))),
                lambda scale: look.default_priors(units, scale),
                scale_trial(concentration, random, callback, rows.n_rows < look.n_rows),
            )
            rows, scale = rows.with_priors(choice.columns.priors), choice.scale
            known = np.full(rows.n_rows, -1)
            known[: choice.labels.size] = choice.labels
    partition, _ = search(rows, concentration, random, PATIENCE, callback, known)
    return Start(rows.priors, scale, Sums.of(rows, partition.labels, partition.n_clusters))
