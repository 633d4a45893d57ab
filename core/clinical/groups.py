"""The groups of a locked study, the same as on every other page, and what each is like."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..engine.partition import Partition
from ..families.family import YES_NO
from ..inference.contributions import column_contributions
from ..inference.fit import Fit
from ..inference.merge_path import MergePath, merge_path
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..partitions.naming import Groups, Naming
from ..profiling.cards import Card, profile_cards
from ..profiling.how_many import how_many
from ..profiling.profiles import describe_by_group, mean_scores, standardised_differences
from ..profiling.trees import groups_at
from ..schema.encoded import Encoded
from ..wording import counted, percent
from .concerns import mostly_sites
from .lock import Lock

#: Groups of fewer patients are atypical patients: named as such, never profiled or tested.
SMALLEST = 5


@dataclass(eq=False, repr=False)
class PutTogether(MAPDP):
    """MAP-DP whose clusters are merged until at most ``n_groups`` are left."""

    n_groups: int = field(default=1, kw_only=True)

    @classmethod
    def of(cls, fitted: MAPDP, n_groups: int, path: MergePath) -> PutTogether:
        """A fitted model, which is not changed, with its clusters put together on their path."""
        given = fitted.get_params()
        twin = cls(**given, n_groups=n_groups)
        vars(twin).update({name: of for name, of in vars(fitted).items() if name not in given})
        return twin.adopt(twin._merged(path), fitted.prior_scale_, fitted.schema_)

    def _fit(self, encoded: Encoded, callback: Callback) -> Fit:
        fit = super()._fit(encoded, callback)
        partition = self._merged(merge_path(self.partition_))
        return (
            fit
            if partition is self.partition_
            else self._found_partition(partition, self.prior_scale_, [partition.objective()])
        )

    def _merged(self, path: MergePath) -> Partition:
        if path.objectives.size <= self.n_groups:
            return self.partition_
        labels = path.labels_at(self.n_groups)
        return Partition.at_rest(self.columns_, self.concentration, labels)


@dataclass(frozen=True)
class Subgroups:
    """What a study found."""

    fitted: MAPDP
    #: The groups: the same model, or its clusters put together.
    model: MAPDP
    named: Groups
    #: A sentence where the groups are mostly those of a site, and "" elsewhere.
    sites: str = ""

    @classmethod
    def of(cls, fitted: MAPDP, n_groups: int | None = None) -> Subgroups:
        """The clusters as fitted, or put together until so many groups are left."""
        if n_groups is None or n_groups >= fitted.n_clusters_:
            return cls(fitted, fitted, Naming().apply(fitted.labels_))
        path = merge_path(fitted.partition_)
        named = Naming(groups_at(path, n_groups)).apply(fitted.labels_)
        return cls(fitted, PutTogether.of(fitted, n_groups, path), named)

    @property
    def as_one(self) -> Subgroups:
        """All patients together, where chance makes as many groups."""
        return Subgroups.of(self.fitted, 1)

    @property
    def labels(self) -> np.ndarray:
        """Group of every patient, 0 the largest, shape (N,)."""
        return self.named.labels

    @property
    def sizes(self) -> np.ndarray:
        """Patients in each group, shape (K,)."""
        return self.named.sizes

    @property
    def found_any(self) -> bool:
        """Whether there are two groups of more than a few patients."""
        return len(self.profiled) > 1

    @property
    def titles(self) -> tuple[str, ...]:
        """Names of the groups, the largest first."""
        return self.named.titles

    @property
    def said(self) -> str:
        """How many groups there are, and of how many clusters they were put together."""
        n, n_fitted = self.named.n_groups, self.fitted.n_clusters_
        of = f" ({counted(n_fitted, 'cluster')} as fitted)" if n != n_fitted else ""
        return f"{counted(n, 'group')}{of}"

    @property
    def profiled(self) -> tuple[int, ...]:
        """Groups large enough to be described and tested."""
        return tuple(k for k, size in enumerate(self.sizes) if size >= SMALLEST)

    @property
    def atypical(self) -> tuple[int, ...]:
        """Groups of so few patients that they are named atypical and left out of every test."""
        return tuple(k for k, size in enumerate(self.sizes) if size < SMALLEST)

    @property
    def atypical_rows(self) -> np.ndarray:
        """Rows of the patients in clusters of so few as fitted, whatever group these are in now."""
        labels = self.fitted.labels_
        return np.flatnonzero(np.bincount(labels)[labels] < SMALLEST)

    def as_frame(self) -> pd.DataFrame:
        """Group, patients, share in percent, and how the group is treated."""
        kinds = ["a group" if size >= SMALLEST else "atypical patients" for size in self.sizes]
        shares = [percent(size, self.labels.size) for size in self.sizes]
        columns = {"Patients": self.sizes, "Share": shares, "Treated as": kinds}
        return pd.DataFrame({"Group": self.titles} | columns)


def find_subgroups(frame: pd.DataFrame, lock: Lock, callback: Callback | None = None) -> Subgroups:
    """Groups by a study's plan, a row a patient, as Compare shows them first."""
    plan = lock.plan
    fitted = MAPDP(
        plan.concentration,
        n_init=plan.restarts,
        likelihood_power=plan.likelihood_power,
        random_state=plan.seed,
    ).fit(frame, lock.schema, callback=callback)
    n_groups = None
    if plan.merges and fitted.n_clusters_ > 1:
        n_groups = how_many(fitted, callback=callback).n_groups
    found = Subgroups.of(fitted, n_groups)
    return replace(found, sites=mostly_sites(frame, lock.schema, found.labels))


BY_CONSTRUCTION = (
    "These columns formed the groups, so the groups differ on them by construction: sizes of "
    "differences stand here, and tests under “t-tests”."
)


@dataclass(frozen=True)
class Distinctions:
    """Sizes of the differences between the groups large enough to be described."""

    groups: Subgroups

    @property
    def encoded(self) -> Encoded:
        """The columns that formed the groups."""
        return self.groups.model.columns_.encoded

    @cached_property
    def contributions(self) -> pd.DataFrame:
        """How much each column drove the grouping, the most first."""
        of_unit = column_contributions(self.groups.model.partition_)
        units = [unit for unit in self.encoded.units if not unit.is_outcome]
        unit_of = {name: unit.name for unit in units for name in unit.columns}
        found = of_unit.loc[list(unit_of.values())].set_axis(list(unit_of), axis=0)
        return found.sort_values("nats_per_row", ascending=False, kind="stable")

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Standardised means: index (column, level), one column a group, in SD of all patients."""
        found = standardised_differences(self.encoded, self.groups.labels)
        found = found[list(self.groups.profiled)].dropna(how="all")
        rank = {name: place for place, name in enumerate(self.contributions.index)}
        order = sorted(range(len(found)), key=lambda i: rank[found.index[i][0]])
        return found.iloc[order]

    def leading(self, count: int) -> pd.DataFrame:
        """Differences on the columns that drove the grouping most; of a category, its widest."""
        found = self.differences
        spread = found.max(axis=1) - found.min(axis=1)
        widest = spread.groupby(level="column", sort=False).idxmax()
        return found.loc[widest.iloc[:count]]

    @cached_property
    def yes(self) -> pd.DataFrame:
        """Probability of "yes" (R16 Table 3): one row a yes/no column, one column a group."""
        _, found = describe_by_group(self.encoded, self.groups.labels)
        names = [unit.name for unit in self.encoded.units if unit.kind == YES_NO]
        found = found[found.index.get_level_values("column").isin(names)]
        return self._widest_first(found["share"].droplevel("level").unstack("cluster"))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Mean score (R16 Table 4): one row a rating, one column a group."""
        return self._widest_first(mean_scores(self.encoded, self.groups.labels))

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A profile card for each group; those of atypical patients are not to be shown."""
        return profile_cards(self.encoded, self.groups.labels)

    def _widest_first(self, means: pd.DataFrame) -> pd.DataFrame:
        means = means.reindex(columns=list(self.groups.profiled))
        distances = self.differences.droplevel("level")
        distances = distances[~distances.index.duplicated()].reindex(means.index)
        spread = distances.max(axis=1) - distances.min(axis=1)
        return means.loc[spread.sort_values(ascending=False, kind="stable").index]
