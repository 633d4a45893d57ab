"""One turn of MAP-DP over a table in parts: rows choose a cluster, then clusters change.

Every part gets a model as ``save_model`` writes it and returns a ``Report``; reports add
up. No label is kept between turns, so that a part may be read twice, anywhere and in any order.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ..engine import sweeps
from ..engine.packed import PackedTable
from ..engine.partition import Partition, clusters_from
from ..engine.rows import Clusters, merge_clusters
from ..engine.sweeps import TIE
from ..engine.tiles import best_of
from ..inference.clusters import clusters_of_state
from ..models.saved import FittedModel, load_model, save_model
from ..schema.encoded import Encoded
from .source import Part

#: Rows worst explained in a report, of all clusters, and at least of each.
MOST_WORST, FEWEST_WORST = 2_000, 20
#: First rows of every cluster in a report, and the mark of a row that there is not.
FIRST_ROWS, NO_ROW = 20, np.iinfo(np.int64).max


@dataclass(frozen=True, eq=False)
class Report:
    """Sums over the rows of some parts under the K clusters of a saved model."""

    n_rows: int
    #: Part of ln p of the rows that depends on no cluster (nats).
    constant: float
    #: float64, shape (S, K). Sufficient statistics, as of ``clusters_from``.
    statistics: np.ndarray
    members: np.ndarray
    #: int64, shape (K, FIRST_ROWS). Numbers of the first rows in each.
    first: np.ndarray
    #: float64, (n, M); int64, (n,); float64, (n,). The rows worst explained, their clusters, and
    #: the nats by which a cluster of its own would explain each better.
    worst: np.ndarray
    labels: np.ndarray
    lead: np.ndarray


@lru_cache(maxsize=2)
def read(saved: str) -> FittedModel:
    """The saved model, read once by a worker, whose tasks share it."""
    return load_model(saved)


def choices(part: Part, saved: str) -> Iterator[tuple[int, PackedTable, tuple[np.ndarray, ...]]]:
    """Yield the number of the first of some neighbouring rows, the rows, and their ``best_of``."""
    model = read(saved)
    clusters = Clusters(*(array.copy() for array in model.state))  # own scratch space
    for first, encoded in part.encoded(model.schema_):
        rows = model.columns_.with_rows(encoded)
        yield first, rows, best_of(rows.table, clusters, rows.table.values)


def visit(part: Part, saved: str) -> Report:
    """Report of the rows of a part under the saved model's clusters."""
    model = read(saved)
    n, state, work = model.n_clusters_, np.zeros_like(model.state.state), model.state.work.copy()
    report = Report(
        *(0, 0.0, state[:0, :n], np.zeros(n, dtype=np.int64), np.full((n, FIRST_ROWS), NO_ROW)),
        *(np.empty((0, model.columns_.scale.size)), np.empty(0, dtype=np.int64), np.empty(0)),
    )
    for first, rows, (labels, score, alone) in choices(part, saved):
        sweeps.add_rows(rows.table, state, labels, np.arange(labels.size), 0, work)
        report = replace(
            report,
            n_rows=report.n_rows + labels.size,
            constant=report.constant + rows.log_constant,
            members=report.members + np.bincount(labels, minlength=n),
            first=_with_first(report.first, labels, first),
            **_worst(report, rows.encoded.values, labels, alone - score),
        )
    return replace(report, statistics=state[model.columns_.statistic_rows, :n])


def joined(a: Report, b: Report, saved: str) -> Report:
    """The report of two parts together."""
    packed, n = read(saved).columns_, a.members.size
    state = np.zeros((packed.n_state_rows, 2 * n))
    state[packed.statistic_rows] = np.hstack([a.statistics, b.statistics])
    for k in range(n):
        merge_clusters(packed.table, state, k, n + k)
    return Report(
        a.n_rows + b.n_rows,
        a.constant + b.constant,
        state[packed.statistic_rows, :n],
        a.members + b.members,
        np.sort(np.hstack([a.first, b.first]), axis=1)[:, :FIRST_ROWS],
        **_worst(a, b.worst, b.labels, b.lead),
    )


def _with_first(rows: np.ndarray, labels: np.ndarray, first: int) -> np.ndarray:
    """First rows of every cluster, from ``rows`` and those of later rows."""
    rows = rows.copy()
    for k in np.flatnonzero(rows[:, -1] == NO_ROW):
        n_rows = np.count_nonzero(rows[k] < NO_ROW)
        more = first + np.flatnonzero(labels == k)[: FIRST_ROWS - n_rows]
        rows[k, n_rows : n_rows + more.size] = more
    return rows


def _worst(
    report: Report, values: np.ndarray, labels: np.ndarray, lead: np.ndarray
) -> dict[str, np.ndarray]:
    """The worst explained rows of every cluster, of a report and of further rows."""
    n = report.members.size
    most = max(MOST_WORST // n, FEWEST_WORST)
    floor = np.full(n, np.inf)
    np.minimum.at(floor, report.labels, report.lead)
    floor[np.bincount(report.labels, minlength=n) < most] = -np.inf
    some = np.flatnonzero(lead > floor[labels])  # few rows are among the worst
    labels = np.concatenate([report.labels, labels[some]])
    lead = np.concatenate([report.lead, lead[some]])
    order = np.lexsort((-lead, labels))
    begins = np.searchsorted(labels[order], np.arange(n))
    selected = order[np.arange(order.size) - begins[labels[order]] < most]
    values = np.concatenate([report.worst, values[some]])[selected]
    return {"worst": values, "labels": labels[selected], "lead": lead[selected]}


class AllRows(Partition):
    """Clusters of all rows and their E, with labels of the worst explained rows, to be moved."""

    def __init__(self, model: FittedModel, report: Report) -> None:
        some = np.flatnonzero(report.members)
        rows = model.columns_.with_rows(Encoded(report.worst, model.columns_.encoded.units))
        super().__init__(rows, model.concentration, np.searchsorted(some, report.labels))
        self.total_weight, self.log_constant = report.n_rows, report.constant
        self.clusters = clusters_of(model, report, some)

    def improve(self, random: np.random.Generator) -> None:
        """Lower E, beyond rounding, to convergence: rows move or open clusters, clusters merge."""
        order = random.permutation(self.labels.size)
        before = objective = self.objective()
        least_gain = max(TIE, 1e-13 * abs(before))
        while self.sweep(order):
            before, objective = objective, self.objective()
            if before - objective < least_gain:
                break
        self.merge(least_gain)


def clusters_of(model: FittedModel, report: Report, which: np.ndarray) -> Clusters:
    """Some of the clusters of a report, in that order."""
    return clusters_from(model.columns_, report.statistics[:, which], report.members[which])


def saved_with(model: FittedModel, clusters: Clusters, objective: float) -> str:
    """The saved model with other clusters and another E."""
    described = clusters_of_state(model.columns_, clusters)
    return save_model(replace(model, objective_=objective, clusters_=described, state=clusters))
