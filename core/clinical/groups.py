"""The groups of a locked study, those of every other page, and their descriptions."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
import pandas as pd

from ..inference.contributions import column_contributions
from ..inference.merge_path import merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..partitions.naming import Groups, Naming
from ..profiling.cards import Card, profile_cards
from ..profiling.how_many import MergedMAPDP, how_many
from ..profiling.profiles import standardised_differences
from ..profiling.trees import groups_at
from ..schema.encoded import Encoded
from ..wording import counted
from .concerns import mostly_sites
from .lock import Lock

#: Groups of fewer patients are atypical patients: named as such, never profiled or tested.
SMALLEST = 5


@dataclass(frozen=True, kw_only=True)
class Subgroups(Groups):
    """The groups of a study, with the models that found them."""

    fitted: MAPDP
    #: The groups: the same model, or its clusters merged.
    model: MAPDP
    #: A sentence where the groups are mostly those of a site, and "" elsewhere.
    sites: str = ""

    @classmethod
    def of(cls, fitted: MAPDP, n_groups: int | None = None) -> Self:
        """The clusters as fitted, or merged until so many groups are left."""
        model, merged = fitted, ()
        if n_groups is not None and n_groups < fitted.n_clusters_:
            path = merge_path(fitted.partition_)
            model, merged = MergedMAPDP.of(fitted, n_groups, path), groups_at(path, n_groups)
        named = Naming(merged).apply(fitted.labels_)
        return cls(**vars(named), fitted=fitted, model=model)

    @property
    def encoded(self) -> Encoded:
        """The columns that formed the groups."""
        return self.model.columns_.encoded

    @property
    def text(self) -> str:
        """How many groups there are, and of how many clusters they were merged."""
        n, n_fitted = self.n_groups, self.fitted.n_clusters_
        facts = [f"{counted(n_fitted, 'cluster')} as fitted"] * (n != n_fitted)
        few = len(self.atypical)
        facts += [f"{few:,} of fewer than {SMALLEST} patients"] * bool(few)
        return f"{counted(n, 'group')}" + f" ({'; '.join(facts)})" * bool(facts)

    @property
    def profiled(self) -> tuple[int, ...]:
        """Groups large enough to be described and tested."""
        return tuple(np.flatnonzero(self.sizes >= SMALLEST).tolist())

    @property
    def atypical(self) -> tuple[int, ...]:
        """Groups of so few patients that they are named atypical and left out of every test."""
        return tuple(np.flatnonzero(self.sizes < SMALLEST).tolist())

    @property
    def found_any(self) -> bool:
        """Whether there are two groups of more than a few patients."""
        return len(self.profiled) > 1

    @property
    def atypical_rows(self) -> np.ndarray:
        """Rows of the patients in clusters of so few as fitted, whatever group these are in now."""
        labels = self.fitted.labels_
        return np.flatnonzero(np.bincount(labels)[labels] < SMALLEST)

    @cached_property
    def contributions(self) -> pd.DataFrame:
        """How much each column drove the grouping, the most first."""
        units = [unit for unit in self.encoded.units if not unit.is_outcome]
        unit_of = {name: unit.name for unit in units for name in unit.columns}
        found = column_contributions(self.model.partition_).loc[list(unit_of.values())]
        found = found.set_axis(list(unit_of), axis=0)
        return found.sort_values("nats_per_row", ascending=False, kind="stable")

    def leading(self, count: int) -> pd.DataFrame:
        """Standardised means by group on the columns that drove most, of a category its widest."""
        found = standardised_differences(self.encoded, self.labels)
        found = found[list(self.profiled)].dropna(how="all")
        spread = found.max(axis=1) - found.min(axis=1)
        widest = spread.groupby(level="column").idxmax()
        names = [name for name in self.contributions.index if name in widest]
        return found.loc[widest[names[:count]]]

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A profile card for each group; those of atypical patients are not to be shown."""
        return profile_cards(self.encoded, self.labels)


def find_subgroups(frame: pd.DataFrame, lock: Lock, callback: Callback | None = None) -> Subgroups:
    """Groups by a study's plan, a row a patient, as Compare shows them first."""
    plan, n_groups = lock.plan, None
    fitted = MAPDP(
        plan.concentration,
        n_init=plan.restarts,
        likelihood_power=plan.likelihood_power,
        random_state=plan.seed,
    ).fit(frame, lock.schema, callback=callback)
    if plan.merges and fitted.n_clusters_ > 1:
        n_groups = how_many(fitted, callback=callback).n_groups
    found = Subgroups.of(fitted, n_groups)
    return replace(found, sites=mostly_sites(frame, lock.schema, found.labels))
