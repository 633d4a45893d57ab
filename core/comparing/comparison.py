"""The methods on one table: what each runs with, what is kept, and one common yardstick."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from ..cache import Cache
from ..engine.partition import Partition
from ..methods import JUDGE, METHODS
from ..methods.settings import Settings
from ..models.dpmeans import dp_states, farthest_first, space_of
from ..models.estimator import Callback, ClusterEstimator
from ..models.kmeans import order_by_content
from ..models.numeric import numeric_encoding
from ..partitions.labels import by_size, free_numbers
from ..partitions.naming import Groups
from ..partitions.scores import ami, ari, match_labels, nmi
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..wording import counted

# Models hold a copy of the table; so many cells are kept for each algorithm.
_CELLS_KEPT, _MODELS_KEPT = 20_000_000, 12
#: Scores for each model kept: with each of the others, and with known classes.
_SCORES = 20
SCORES = ("NMI", "AMI", "ARI")
_SUGGESTED_FROM = 50_000
# Penalties are tried on so many cells in all.
CELLS_TRIED = 1_000_000


@dataclass(frozen=True)
class Task:
    """One fit, by everything its outcome depends on: the key under which it is kept."""

    digest: str
    #: The part of the schema that is clustered on.
    columns: Hashable
    algorithm: str
    arguments: tuple[tuple[str, Any], ...]
    #: The fit whose prior this one runs under, so that both have the same model.
    prior_of: "Task | None" = None


def clustered_part(schema: Schema) -> Hashable:
    """What of a schema the clusterings depend on: columns, blocks, weights, data sets, priors."""
    roles = ("cluster", "weight", "group")
    columns = tuple(schema[name] for role in roles for name in schema.names(role))
    return columns, tuple(schema.blocks.values()), tuple(sorted(schema.priors.items()))


def tasks(
    digest: str,
    schema: Schema,
    settings: Settings,
    n_rows: int,
    names: Iterable[str] | None = None,
) -> dict[str, Task]:
    """Fits of a table, by its digest, under the settings, by method; the judge is always first."""
    columns = clustered_part(schema)
    n_cells = n_rows * len(schema.names("cluster"))
    fits: dict[str, Task] = {}
    for name in dict.fromkeys((JUDGE, *(METHODS.first if names is None else names))):
        method = METHODS[name]
        arguments = tuple(method.arguments(settings, n_cells).items())
        prior_of = None if method.prior_of is None else fits[method.prior_of]
        fits[name] = Task(digest, columns, name, arguments, prior_of)
    return fits


@dataclass(frozen=True)
class FitError:
    """Stands in the place of a model that could not be fitted."""

    reason: str


class Results(Cache):
    """So many fitted ``models`` of each algorithm, fewer of long tables, and what follows."""

    def __init__(self, models: int = _MODELS_KEPT, most: int = 1) -> None:
        super().__init__(most)
        self._models = models
        self.fitted: Counter[str] = Counter()

    def get(self, task: Task | None) -> ClusterEstimator | FitError | None:
        """The model of a task, or None if it is not there."""
        return task and self.peek(f"fit of {task.algorithm}", task)

    def keep(self, task: Task, model: ClusterEstimator | FitError) -> None:
        """Take a model for the one of a task."""
        self.store(f"fit of {task.algorithm}", task, model, self._models)

    def fit(
        self, task: Task, frame: pd.DataFrame, schema: Schema, callback: Callback | None = None
    ) -> ClusterEstimator | FitError:
        """A task's model, fitted if not there; what the callback raises ends that, keeping none."""
        name = f"fit of {METHODS[task.algorithm].name}"  # an unknown one is refused here

        def fitted() -> ClusterEstimator | FitError:
            try:
                model = self._fitted(task, frame, schema, callback)
            except ValueError as error:
                model = FitError(str(error))
            self.fitted[task.algorithm] += 1
            return model

        most = max(2, min(self._models, _CELLS_KEPT // max(frame.size, 1)))
        return self.cached(name, task, fitted, most)

    def _fitted(
        self, task: Task, frame: pd.DataFrame, schema: Schema, callback: Callback | None
    ) -> ClusterEstimator:
        method, arguments, more = METHODS[task.algorithm], dict(task.arguments), {}
        if method.most_rows is not None and len(frame) > method.most_rows:
            raise ValueError(
                f"{method.title} takes up to {method.most_rows:,} rows and the table has "
                f"{len(frame):,}: leave some out."
            )
        if task.prior_of is not None:
            first = self.fit(task.prior_of, frame, schema, callback)
            if isinstance(first, FitError):
                raise ValueError(first.reason)
            arguments |= {name: getattr(first, what) for name, what in method.given.items()}
        estimator, key = method.estimator(**arguments), (task.digest, task.columns)
        encoded = self.cached("encoded", key, lambda: schema.encode(frame))
        completed = self.cached("completed", key, lambda: schema.completed(frame))
        if method.shares_clusters:
            if not schema.names("group"):
                raise ValueError(
                    "This method shares clusters between several data sets, such as sites: give "
                    "the column that names them the role 'group' on the Data page."
                )
            more = {"groups": frame[schema.names("group")[0]]}
        return estimator.fit_encoded(encoded, callback, schema=completed, **more)

    def objective(self, task: Task, yardstick: Task) -> float:
        """Exact E of the table's rows in a fitted partition, by a fitted MAP-DP's model (nats)."""
        model, judge = self.get(task), self.get(yardstick)
        if task == yardstick:
            return judge.objective_
        return self.cached(
            "E",
            (task, yardstick),
            lambda: Partition(judge.columns_, judge.concentration, model.labels_).settle(),
            _SCORES * self._models,
        )

    def agreement(self, task: Task, key: Hashable, classes: np.ndarray) -> dict[str, float]:
        """NMI, AMI and ARI with known classes, for which ``key`` stands; rows of -1 left out."""
        valid, labels = classes >= 0, self.get(task).labels_
        return self.cached(
            "agreement",
            (task, key),
            lambda: {one.__name__: one(classes[valid], labels[valid]) for one in (nmi, ami, ari)},
            _SCORES * self._models,
        )


@dataclass(frozen=True)
class Truth:
    """Classes known beforehand, used for scores and colours, never for clustering."""

    title: str
    #: int64, shape (N,). 0 the largest; -1 where the cell is missing.
    classes: np.ndarray
    names: tuple[str, ...]


def known_truth(frame: pd.DataFrame, schema: Schema) -> Truth | None:
    """The label column as classes; None without one, or where all its cells are missing."""
    name = schema.label_column
    if name is None or name not in frame:
        return None
    column = frame[name]
    column = column.mask(column.isin(schema[name].missing_codes))
    codes, values = pd.factorize(column, sort=True)
    labelled = codes >= 0
    if not labelled.any():
        return None
    classes = np.full(len(frame), -1, dtype=np.int64)
    classes[labelled], order = by_size(codes[labelled])
    return Truth(name, classes, tuple(str(values[k]) for k in order))


def matched(reference: np.ndarray | None, labels: np.ndarray) -> np.ndarray:
    """Labels 0..K-1 renamed after a reference's (-1 for none), to keep colours between panels."""
    if reference is None:
        return labels
    labelled = reference >= 0
    renamed = np.full(labels.max() + 1, -1, dtype=np.int64)
    renamed[labels[labelled]] = match_labels(reference[labelled], labels[labelled])
    fresh = np.flatnonzero(renamed < 0)
    renamed[fresh] = max(renamed.max(), reference.max()) + 1 + np.arange(fresh.size)
    return renamed[labels]


def numbering(labels: np.ndarray, n_known: int) -> dict[int, int]:
    """Number of each cluster by ``matched`` label: of its known group, else those left free."""
    present = np.unique(labels[labels >= 0]).tolist()
    numbers = {label: label + 1 for label in present if label < n_known}
    free = free_numbers({*numbers.values()})
    return {label: numbers.get(label) or next(free) for label in present}


def suggestion(encoded: Encoded, n_clusters: int, penalties: Sequence[float]) -> float:
    """One of some rising penalties: under it DP-means finds K clusters, if it does under any."""
    # Farthest-first (KJ12 section 6.1), of a long table on some of its rows, evenly spaced.
    values = encoded.values[:: -(-len(encoded.values) // _SUGGESTED_FROM)]
    rows = numeric_encoding(replace(encoded, values=values)).apply(values)
    near = farthest_first(space_of(rows), n_clusters) or penalties[0]
    start = int(np.abs(np.log(np.divide(penalties, near))).argmin())
    n_tried = CELLS_TRIED // encoded.values.size
    if not n_tried:
        return penalties[start]
    encoded = encoded.rows(order_by_content(encoded.values))
    rows = numeric_encoding(encoded).apply(encoded.values)

    @cache
    def clusters(place: int) -> int:
        *_, last = dp_states(space_of(rows), penalties[place])
        return len(last.centers)

    # Where K passes the one asked for is sought by halving, then others, the nearest first.
    low, high, place = 0, len(penalties) - 1, start
    while low < high and clusters(place) != n_clusters:
        low, high = (place + 1, high) if clusters(place) > n_clusters else (low, place)
        place = (low + high) // 2
    order = sorted(range(len(penalties)), key=lambda other: abs(other - place))[:n_tried]
    return penalties[next((other for other in order if clusters(other) == n_clusters), start)]


def scoreboard(results: Results, tasks: Mapping[str, Task], truth: Truth | None) -> pd.DataFrame:
    """A line a method, by title; ``E`` under MAP-DP's model, in nats, and ``above`` the lowest."""
    yardstick, lines = tasks[JUDGE], []
    for task in tasks.values():
        line, model = {}, results.get(task)
        if isinstance(model, ClusterEstimator):
            fit = model.result_
            line["K"] = fit.n_clusters
            if isinstance(results.get(yardstick), ClusterEstimator):
                line["E"] = results.objective(task, yardstick)
            if truth is not None:
                scores = results.agreement(task, truth.title, truth.classes)
                line |= {name.upper(): score for name, score in scores.items()}
            line |= {"sweeps": fit.n_iter, "seconds": fit.seconds}
        lines.append(line)
    columns = ["K", "E", "above", *(() if truth is None else SCORES), "sweeps", "seconds"]
    found = pd.DataFrame(lines, [METHODS[name].title for name in tasks], columns, dtype=float)
    return found.assign(above=found["E"] - found["E"].min())


#: Partitions are nearly the same from this adjusted Rand index on.
ALIKE = 0.9
#: A partition is more probable than another where E is lower by more (nats).
LOWER = 0.5
UNKNOWN = "Whether its groups are more than chance is said on **Clusters**."


def which_to_take(
    results: Results,
    tasks: Mapping[str, Task],
    on_chance: str = UNKNOWN,
    groups: Groups | None = None,
) -> str:
    """A sentence on partitions as fitted, or two; empty without MAP-DP's and another."""
    models = {name: results.get(task) for name, task in tasks.items()}
    fitted = [name for name, model in models.items() if isinstance(model, ClusterEstimator)]
    others = [name for name in fitted if name != JUDGE]
    if JUDGE not in fitted or not others:
        return ""
    judge, own = models[JUDGE], METHODS[JUDGE].title
    reference = judge.labels_ if groups is None else groups.labels
    key = tasks[JUDGE], groups and groups.parts
    agreement = {name: results.agreement(tasks[name], key, reference)["ari"] for name in others}
    objective = {name: results.objective(tasks[name], tasks[JUDGE]) for name in fitted}
    lowest = min(others, key=objective.__getitem__)
    furthest = min(agreement.values())
    if furthest >= ALIKE:
        return (
            f"**It matters little which you take**: each gives nearly {own}'s groups (adjusted "
            f"Rand index {furthest:.2f} or more, 1 is the same)."
        )
    if objective[lowest] < objective[JUDGE] - LOWER:
        return (
            f"**Take {METHODS[lowest].title}'s**: its groups are more probable than {own}'s, even "
            f"under {own}'s own model. More effort may find better ones still."
        )
    return (
        f"**Take {own}'s** where the columns are what **Data** takes them for: under that model, "
        f"which is {own}'s own, no other partition here is more probable than its "
        f"{counted(judge.n_clusters_, 'cluster')} as fitted. {on_chance}"
    )
