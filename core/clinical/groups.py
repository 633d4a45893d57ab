"""The groups of a locked study: the best of several searches, and what each is like."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import clone

from ..families.family import COUNT, MEASUREMENT, RATING, YES_NO
from ..inference.contributions import column_contributions
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..models.side_by_side import Refits
from ..models.tolerance import TolerancePath, tolerance_path
from ..profiling.cards import Card, profile_cards
from ..profiling.profiles import describe_by_group, mean_scores, standardised_differences
from ..profiling.survivors import Survivors
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..statistics.group_summaries import summarise
from ..statistics.variables import Variable
from ..wording import in_digits, percent
from .concerns import mostly_sites

if TYPE_CHECKING:
    from .study import Lock

#: Groups of fewer patients are atypical patients: named as such, never profiled or tested.
SMALLEST = 5


class Work(Protocol):
    """What long work reports to: a ``Job``."""

    def __call__(self, progress: Progress) -> None:
        """Take note of a step."""

    def share(self, partial: Any) -> None:
        """Show what there is so far."""


@dataclass(frozen=True)
class Subgroups:
    """What a study found."""

    #: The search of lowest E.
    model: MAPDP
    #: Chosen by E in the first search, and kept in the others.
    prior_scale: float | None
    #: float64, shape (R,). E of every search in nats, in the order they were made.
    objectives: np.ndarray
    #: For all of them.
    seconds: float
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
        return pd.DataFrame(
            {
                "Group": self.titles,
                "Patients": self.sizes,
                "Share": [percent(size, self.labels.size) for size in self.sizes],
                "Treated as": [
                    "a group" if size >= SMALLEST else "atypical patients" for size in self.sizes
                ],
            }
        )


def find_subgroups(frame: pd.DataFrame, lock: Lock, job: Work, executor: Any = None) -> Subgroups:
    """Look for groups as the plan of a study says, in a table with one row a patient.

    The first search chooses the prior's scale by E; the others start elsewhere under that prior, so
    that all their E can be compared. Where the groups that stay as the evidence counts less are
    judged, the path of powers from the first search gives the power under which all searches are
    made. The job is told of every step and given what there is after every search; what it raises
    ends the work. The searches after the first run on the workers of an executor, as ``Refits``
    says.
    """
    began, plan = time.perf_counter(), lock.plan
    refits = Refits(plan.restarts, job, executor)

    def tell_first(progress: Progress) -> None:
        job(replace(progress, done=0, total=plan.restarts, phase="first search"))

    first = MAPDP(plan.concentration, random_state=plan.seed)
    first.fit(frame, lock.schema, callback=tell_first)
    prior, power, survivors = list(first.prior_), 1.0, None
    if plan.judged == "surviving":
        path = tolerance_path(first, callback=tell_first)
        survivors = Survivors.of(path, first.labels_)
        power = survivors.power or _power_of_one_group(path)

    twin = MAPDP(plan.concentration, prior=prior, likelihood_power=power)
    search = partial(_search, twin, frame, lock.schema)
    best = first if power == 1.0 else search(plan.seed, tell_first)
    objectives = [best.objective_]

    def found() -> Subgroups:
        best.prior_scale_ = first.prior_scale_
        seconds = time.perf_counter() - began
        sites = mostly_sites(frame, lock.schema, best.labels_)
        scores = np.array(objectives)
        return Subgroups(best, first.prior_scale_, scores, seconds, survivors, sites)

    job.share(found())
    refits.done = 1
    for model in refits.map(search, range(plan.seed + 1, plan.seed + plan.restarts), "searches"):
        objectives.append(model.objective_)
        best = min(best, model, key=lambda model: round(model.objective_, 6))
        job.share(found())
    return found()


def _search(
    twin: MAPDP, frame: pd.DataFrame, schema: Schema, seed: int, callback: Callback
) -> MAPDP:
    model = clone(twin).set_params(random_state=seed)
    return model.fit(frame, schema, callback=callback)


def _power_of_one_group(path: TolerancePath) -> float:
    """The highest power at which all rows are one group, the lowest tried where there is none."""
    alone = [labels.max() == 0 for labels in path.labels]
    return float(path.powers[alone.index(True) if any(alone) else -1])


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
        kinds = {unit.name for unit in self.encoded.units if unit.kind == YES_NO}
        _, found = describe_by_group(self.encoded, self.groups.labels)
        found = found[found.index.get_level_values("column").isin(kinds)]
        shares = found["share"].droplevel("level").unstack("cluster")
        return self._widest_first(shares.reindex(columns=list(self.groups.profiled)))

    @cached_property
    def scores(self) -> pd.DataFrame:
        """Mean score (R16 Table 4): one row a rating, one column a group."""
        found = mean_scores(self.encoded, self.groups.labels)
        return self._widest_first(found.reindex(columns=list(self.groups.profiled)))

    @cached_property
    def scales(self) -> dict[str, str]:
        """Lowest and highest score of every rating, such as "0 to 4"."""
        found = {}
        for unit in self.encoded.units:
            if unit.kind != RATING:
                continue
            levels = unit.options.get("levels")
            low = unit.options.get("offset", 0.0)
            ends = (levels[0], levels[-1]) if levels else (low, low + unit.options["trials"])
            found[unit.name] = " to ".join(
                f"{end:g}" if isinstance(end, int | float) else str(end) for end in ends
            )
        return found

    @cached_property
    def yes_levels(self) -> dict[str, str]:
        """Which level counts as yes in every yes/no column, such as "m" or "1"."""
        return {
            unit.name: str(unit.options["levels"][1])
            for unit in self.encoded.units
            if unit.kind == YES_NO
        }

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """A profile card for each group; those of atypical patients are not to be shown."""
        return profile_cards(self.encoded, self.groups.labels)

    def printed(self, means: pd.DataFrame) -> pd.DataFrame:
        """Some rows of ``yes`` or ``scores`` ready to print, with the scales of ratings."""
        table = means.map(lambda mean: "too few" if pd.isna(mean) else f"{mean:.2f}")
        table = table.set_axis([self.groups.titles[k] for k in means.columns], axis=1)
        return self.labelled(table)

    def labelled(self, table: pd.DataFrame) -> pd.DataFrame:
        """Name the columns that the rows of a table stand for, and how to read their numbers."""
        names = table.index
        table = table.reset_index(drop=True)
        for title, readings in (("Scale", self.scales), ("Yes is", self.yes_levels)):
            if names.isin(list(readings)).any():
                table.insert(0, title, [readings.get(name, "") for name in names])
        table.insert(0, "Column", list(names))
        return table

    def _widest_first(self, table: pd.DataFrame) -> pd.DataFrame:
        distances = self.differences.droplevel("level")
        distances = distances[~distances.index.duplicated()].reindex(table.index)
        spread = distances.max(axis=1) - distances.min(axis=1)
        return table.loc[spread.sort_values(ascending=False, kind="stable").index]


#: Skewness of all patients from which on a measurement is told by median and quartiles.
SKEWED = 1.0


def print_by_group(
    columns: Iterable[Variable],
    labels: np.ndarray,
    titles: Mapping[int, str],
    is_counted: bool = True,
    least: int = 1,
) -> pd.DataFrame:
    """What each group is like on some columns, one line a column, ready to print.

    Parameters
    ----------
    columns : iterable of Variable
    labels : ndarray of int, shape (N,)
    titles : mapping of int to str
        Groups described, and what they are called.
    is_counted : bool
        Whether each cell says of how many patients it is, and how many are missing.
    least : int
        A cell of fewer patients observed says that alone.

    Returns
    -------
    DataFrame
        ``Column``, with the measure: mean (SD) of measurements and counts, or median [quartiles]
        where the skewness of all patients is beyond ``SKEWED`` or the column is read in
        logarithms; mean score (SD) of ratings; the level counted of yes/no. Then a column a group.
    """
    lines = []
    for column in columns:
        by_rank = is_skewed(column)
        cells = {
            title: _cell(column, labels, k, by_rank, is_counted, least)
            for k, title in titles.items()
        }
        lines.append({"Column": _described_title(column, by_rank)} | cells)
    return pd.DataFrame(lines, columns=["Column", *titles.values()])


def is_skewed(column: Variable) -> bool:
    """Whether a measurement is told by median and quartiles: by the skewness of all patients."""
    if column.kind != MEASUREMENT:
        return False
    values = column.values[column.observed]
    return column.log or bool(values.size > 2 and abs(stats.skew(values)) > SKEWED)


def _described_title(column: Variable, by_rank: bool) -> str:
    if column.kind in (MEASUREMENT, COUNT):
        return f"{column.title}, {'median [quartiles]' if by_rank else 'mean (SD)'}"
    return f"{column.title}, mean score (SD)" if column.kind == RATING else column.title


def _cell(
    column: Variable, labels: np.ndarray, group: int, by_rank: bool, is_counted: bool, least: int
) -> str:
    """What a group is like, how many are observed, and how many are missing."""
    summary = summarise(column, labels, group, least)
    if summary.hidden:
        return summary.text
    numbers, text = summary.numbers, summary.text
    if column.kind == MEASUREMENT:
        names = ("median", "q25", "q75") if by_rank else ("mean", "sd")
        middle, *spread = (in_digits(numbers[name]) for name in names)
        text = f"{middle} [{' to '.join(spread)}]" if by_rank else f"{middle} ({spread[0]})"
    elif column.kind == RATING:
        scores = np.repeat(column.scores, summary.counts)
        text = _mean(scores)
    elif column.kind == COUNT:
        text = _mean(column.of_group(labels, group))
        text += f", {numbers['events']:,.0f} in all" if is_counted else ""
    elif not is_counted and "share" in numbers:
        text = f"{column.levels[1]}: {numbers['share']:.0%}"
    elif not is_counted and column.events is not None:
        text = f"median {in_digits(numbers['median'])}" if "median" in numbers else ""
    if not is_counted:
        return text
    # A yes/no column says of how many.
    seen = [] if column.kind == YES_NO else [f"n = {summary.n:,}"]
    missing = summary.size - summary.n
    return "; ".join([text, *seen, *([f"{missing:,} missing"] if missing else [])])


def _mean(values: np.ndarray) -> str:
    return f"{in_digits(values.mean())} ({in_digits(values.std(ddof=values.size > 1))})"


def largest_difference(column: Variable, labels: np.ndarray, groups: Sequence[int]) -> str:
    """Between two of some groups."""
    values = column.values if column.log else column.amounts
    if values is None:
        return ""
    parts = [values[(labels == k) & column.observed] for k in groups]
    found = [
        abs(a.mean() - b.mean()) / pooled
        for a, b in combinations([part for part in parts if part.size > 1], 2)
        # What rounding leaves of groups without spread is none.
        if (pooled := np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)) > 1e-9 * np.abs(a).max()
    ]
    return f"{max(found):.1f}" if found else ""
