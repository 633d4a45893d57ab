"""The groups of a locked study: the best of several searches, and what each is like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import pandas as pd
from sklearn.base import clone

from ..families.family import RATING, YES_NO
from ..inference.contributions import column_contributions
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..models.side_by_side import Refits
from ..models.tolerance import tolerance_path
from ..profiling.cards import Card, profile_cards
from ..profiling.how_many import Survivors
from ..profiling.profiles import describe_by_group, mean_scores, standardised_differences
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..wording import percent
from .concerns import mostly_sites
from .lock import Lock

#: Groups of fewer patients are atypical patients: named as such, never profiled or tested.
SMALLEST = 5


@dataclass(frozen=True)
class Subgroups:
    """What a study found."""

    #: The search of lowest E.
    model: MAPDP
    #: Chosen by E in the first search, and kept in the others.
    prior_scale: float | None
    #: float64, shape (R,). E of every search in nats, in the order they were made.
    objectives: np.ndarray
    #: What stays as the evidence counts less, where the study judges that.
    survivors: Survivors | None = None
    #: A sentence where the groups are mostly those of a site, and "" elsewhere.
    sites: str = ""

    @property
    def labels(self) -> np.ndarray:
        """Group of every patient, 0 the largest, shape (N,)."""
        return self.model.labels_

    @property
    def sizes(self) -> np.ndarray:
        """Patients in each group, shape (K,)."""
        return self.model.result_.sizes

    @property
    def found_any(self) -> bool:
        """Whether there are two groups of more than a few patients."""
        return len(self.profiled) > 1

    @property
    def titles(self) -> tuple[str, ...]:
        """Names of the groups, "Group 1" the largest."""
        return tuple(f"Group {k + 1}" for k in range(self.model.n_clusters_))

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
        """Rows of the atypical patients."""
        return np.flatnonzero(np.isin(self.labels, self.atypical))

    def as_frame(self) -> pd.DataFrame:
        """Group, patients, share in percent, and how the group is treated."""
        kinds = ["a group" if size >= SMALLEST else "atypical patients" for size in self.sizes]
        shares = [percent(size, self.labels.size) for size in self.sizes]
        told = {"Patients": self.sizes, "Share": shares, "Treated as": kinds}
        return pd.DataFrame({"Group": self.titles} | told)


def find_subgroups(
    frame: pd.DataFrame,
    lock: Lock,
    callback: Callback | None = None,
    share: Callable[[Subgroups], None] | None = None,
) -> Subgroups:
    """Look for groups as the plan of a study says, in a table with one row a patient.

    The first search chooses the prior's scale by E; the others start elsewhere under that prior, so
    that all their E can be compared. Where the groups that stay as the evidence counts less are
    judged, the path of powers from the first search gives the power under which all searches are
    made. What the callback, told of every step, raises ends the work; ``share`` is given what there
    is after every search.
    """
    plan = lock.plan

    def tell_first(progress: Progress) -> None:
        if callback is not None:
            callback(replace(progress, done=0, total=plan.restarts, phase="first search"))

    first = MAPDP(plan.concentration, random_state=plan.seed)
    first.fit(frame, lock.schema, callback=tell_first)
    power, survivors = 1.0, None
    if plan.judged == "surviving":
        path = tolerance_path(first, callback=tell_first)
        survivors = Survivors.of(path, first.labels_)
        # Where none stay, the highest at which all rows are one group, or the lowest tried.
        alone = [labels.max() == 0 for labels in path.labels]
        of_one = path.powers[alone.index(True) if any(alone) else -1]
        power = survivors.power or float(of_one)
    twin = MAPDP(plan.concentration, prior=list(first.prior_), likelihood_power=power)
    search = partial(_search, twin, frame, lock.schema)
    best = first if power == 1.0 else search(plan.seed, tell_first)
    objectives: list[float] = []

    def found(model: MAPDP) -> Subgroups:
        nonlocal best
        objectives.append(model.objective_)
        best = min(best, model, key=lambda one: round(one.objective_, 6))
        best.prior_scale_ = first.prior_scale_
        sites = mostly_sites(frame, lock.schema, best.labels_)
        so_far = Subgroups(best, first.prior_scale_, np.array(objectives), survivors, sites)
        if share is not None:
            share(so_far)
        return so_far

    so_far, refits = found(best), Refits(plan.restarts, callback)
    refits.done = 1
    for model in refits.map(search, range(plan.seed + 1, plan.seed + plan.restarts), "searches"):
        so_far = found(model)
    return so_far


def _search(
    twin: MAPDP, frame: pd.DataFrame, schema: Schema, seed: int, callback: Callback
) -> MAPDP:
    model = clone(twin).set_params(random_state=seed)
    return model.fit(frame, schema, callback=callback)


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
        """How much each column drove the grouping, the most first.

        Index: column; ``nats``, ``n_observed``, ``nats_per_row``. The columns of a block share
        the block's.
        """
        of_unit = column_contributions(self.groups.model.partition_)
        units = [unit for unit in self.encoded.units if not unit.is_outcome]
        unit_of = {name: unit.name for unit in units for name in unit.columns}
        found = of_unit.loc[list(unit_of.values())].set_axis(list(unit_of), axis=0)
        return found.sort_values("nats_per_row", ascending=False, kind="stable")

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Standardised means: index (column, level), one column a group, in SD of all patients.

        Columns that drove the grouping most come first.
        """
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

    def between(self, a: int, b: int, count: int) -> pd.DataFrame:
        """Differences of two groups, group a less group b, the largest first.

        By (column, level): ``difference`` in SD of all patients, and ``nats_per_row``.
        """
        difference = (self.differences[a] - self.differences[b]).dropna()
        size = difference.abs()
        one = size.groupby(level="column", sort=False).idxmax()
        order = size.loc[one].sort_values(ascending=False, kind="stable").index[:count]
        nats = self.contributions["nats_per_row"].loc[order.get_level_values("column")]
        return pd.DataFrame({"difference": difference.loc[order], "nats_per_row": nats.to_numpy()})

    @cached_property
    def yes(self) -> pd.DataFrame:
        """Probability of "yes" (R16 Table 3): one row a yes/no column, one column a group.

        The widest differences first; NaN where fewer than the smallest group are observed.
        """
        _, found = describe_by_group(self.encoded, self.groups.labels)
        found = found[found.index.get_level_values("column").isin(list(self.yes_levels))]
        return self._widest_first(found["share"].droplevel("level").unstack("cluster"))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Mean score (R16 Table 4): one row a rating, one column a group."""
        return self._widest_first(mean_scores(self.encoded, self.groups.labels))

    @cached_property
    def scales(self) -> dict[str, str]:
        """Lowest and highest score of every rating, such as "0 to 4"."""
        found = {}
        for unit in (unit for unit in self.encoded.units if unit.kind == RATING):
            low = unit.options.get("offset", 0.0)
            levels = unit.options.get("levels") or (low, low + unit.options["trials"])
            ends = levels[0], levels[-1]
            found[unit.name] = " to ".join(f"{e}" if isinstance(e, str) else f"{e:g}" for e in ends)
        return found

    @cached_property
    def yes_levels(self) -> dict[str, str]:
        """Which level counts as yes in every yes/no column, such as "m" or "1"."""
        units = (unit for unit in self.encoded.units if unit.kind == YES_NO)
        return {unit.name: str(unit.options["levels"][1]) for unit in units}

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A profile card for each group; those of atypical patients are not to be shown."""
        return profile_cards(self.encoded, self.groups.labels)

    def printed(self, means: pd.DataFrame) -> pd.DataFrame:
        """Some rows of ``yes`` or ``scores`` ready to print, and how to read their numbers."""
        table = means.map(lambda mean: "too few" if pd.isna(mean) else f"{mean:.2f}")
        table = table.set_axis([self.groups.titles[k] for k in means.columns], axis=1)
        for title, readings in (("Scale", self.scales), ("Yes is", self.yes_levels)):
            if means.index.isin(list(readings)).any():
                table.insert(0, title, [readings.get(name, "") for name in means.index])
        table.insert(0, "Column", list(means.index))
        return table.reset_index(drop=True)

    def _widest_first(self, means: pd.DataFrame) -> pd.DataFrame:
        means = means.reindex(columns=list(self.groups.profiled))
        distances = self.differences.droplevel("level")
        distances = distances[~distances.index.duplicated()].reindex(means.index)
        spread = distances.max(axis=1) - distances.min(axis=1)
        return means.loc[spread.sort_values(ascending=False, kind="stable").index]
