"""What has been checked so far of the groups of a study, and the checks themselves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..statistics.chance import FULL, QUICK, Chance, chance, rank_one_share
from ..statistics.nulls import KINDS, Search
from ..statistics.resampling import GroupStability, Protocol, assess, n_fits
from .groups import Subgroups
from .lock import Lock
from .t_tests import TTests
from .verdict import Light, means_of, traffic_light


@dataclass(frozen=True)
class Checks:
    """What is known so far; a check not yet made is None."""

    groups: Subgroups
    stability: GroupStability | None = None
    reference: Chance | None = None
    #: With as many columns left out as there has been time for; the light asks them for means.
    tests: TTests | None = None

    @property
    def on_compare(self) -> Chance | None:
        """The reference by as many tables as are drawn on Compare."""
        if self.reference is None:
            return None
        drawn = {kind: tables[:QUICK] for kind, tables in self.reference.draws.items()}
        return replace(self.reference, draws=drawn, n_tables=QUICK)

    @property
    def light(self) -> Light:
        """The verdict with its clauses."""
        means = None if self.tests is None else means_of(self.tests)
        reference = self.reference if self.groups.found_any else self.on_compare
        known = self.stability, reference, self.rank_one
        return traffic_light(self.groups.labels, *known, means)

    @property
    def rank_one(self) -> float | None:
        """Share of the groups' differences that lie on one line; None below three groups."""
        groups = self.groups
        inside = np.isin(groups.labels, groups.profiled)
        encoded = groups.model.columns_.encoded
        kept = type(encoded)(np.ascontiguousarray(encoded.values[inside]), encoded.units)
        return rank_one_share(kept, groups.labels[inside])

    def group_table(self) -> pd.DataFrame:
        """Every group with its size, share and stability, ready to print."""
        table = self.groups.as_frame()
        bootstraps = None if self.stability is None else self.stability.bootstraps
        if bootstraps is not None:
            table["Comes back (Jaccard)"] = [
                "not assessable" if mean is None else f"{mean:.2f}, {band}"
                for mean, band in zip(bootstraps.mean_jaccard, bootstraps.bands, strict=True)
            ]
        return table


def run_checks(
    frame: pd.DataFrame,
    lock: Lock,
    groups: Subgroups,
    is_full: bool,
    callback: Callback | None = None,
    share: Callable[[Checks], None] | None = None,
) -> Checks:
    """Make both checks, one after the other, since each keeps every core busy."""
    seed, model = lock.plan.seed, groups.model
    protocol = Protocol.full(seed) if is_full else Protocol.preview(seed)
    n_tables = FULL if is_full else QUICK
    of_reference = 1 + len(KINDS) * n_tables
    total = of_reference + n_fits(protocol, model.columns_.encoded)
    found, done = Checks(groups), 0

    def tell(progress: Progress) -> None:
        if callback is not None:
            callback(replace(progress, done=done + progress.done, total=total))

    def take(**part: Any) -> None:
        nonlocal found
        found = replace(found, **part)
        quick = found.on_compare
        if lock.plan.merges and quick is not None and quick.is_chance:
            found = replace(found, groups=groups.as_one)
        if share is not None:
            share(found)

    reference = chance(
        Search.of(groups.fitted),
        n_tables=n_tables,
        callback=tell,
        share=lambda reference: take(reference=reference),
    )
    take(reference=reference)
    if not found.groups.found_any:
        return found
    done, patients = of_reference, patient_ids(frame, lock)
    assess(model, protocol, patients=patients, callback=tell, share=lambda s: take(stability=s))
    return found


def patient_ids(frame: pd.DataFrame, lock: Lock) -> np.ndarray | None:
    """Whose row it is, where an id says so, so that a patient's rows are drawn together."""
    if lock.repeats is not None:
        return frame[lock.repeats.name].to_numpy()
    names = lock.columns("id")
    return frame[names[0]].to_numpy() if names else None
