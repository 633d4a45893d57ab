"""One look at one part: its rows scored under the clusters of all rows, their labels, their sums.

A visit is a function of what it is told alone, so that it may run twice, anywhere, in any order:
what it writes it writes anew and renames, and what it returns was added up from nothing.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from ..engine.assign import Scorer
from ..engine.columns import Columns
from ..engine.sweeps import TIE, Clusters
from ..schema.encoded import Encoded
from ..schema.schema import Schema, SchemaError
from .labels import LABEL, Reading, classes, label_file, read_array, shares, write_array
from .place import Place
from .report import EDGES, NO_ROWS, Gathered, Report, RowSample
from .source import Part
from .sums import Sums
from .whole_file import written_whole

_FRACTION_OF_CLASS = np.array([3, 2, 1, 1, 0, 0, 0, 0])


@dataclass(frozen=True)
class RowReader:
    """How cells become numbers: all that a worker is told of a table."""

    names: tuple[str, ...]
    schema: Schema
    #: Changes the draws, which depend on a row's number alone beside it.
    seed: int
    #: Folder for the numbers, which take as long to make as to score; "" where it has no room.
    numbers: str = ""

    def batches(self, part: Part) -> Iterator[tuple[int, Encoded]]:
        """Yield the rows of a part as numbers, some at a time, with the number of the first."""
        if not self.numbers:
            yield from self._made(part)
        elif self._kept(part).is_file():
            yield from self._read_again(part)
        else:
            with written_whole(self._kept(part)) as file:
                for first, encoded in self._made(part):
                    np.save(file, encoded.values)
                    yield first, encoded

    def with_cells(
        self, part: Part, columns: Sequence[str]
    ) -> Iterator[tuple[int, pd.DataFrame, Encoded]]:
        """Yield the same beside the cells of some columns, which are read for it."""
        is_kept = self.numbers and self._kept(part).is_file()
        again = self._read_again(part) if is_kept else None
        for first, frame in part.batches(columns):
            yield first, frame, next(again)[1] if again else self.schema.encode_part(frame)

    def _kept(self, part: Part) -> Path:
        return Path(self.numbers) / f"{part.first_row:014d}.npy"

    def _made(self, part: Part) -> Iterator[tuple[int, Encoded]]:
        for first, frame in part.batches(self.names):
            try:
                yield first, self.schema.encode_part(frame)
            except SchemaError as error:
                raise SchemaError(f"{part}, counted from row {first + 1:,}: {error}") from None

    def _read_again(self, part: Part) -> Iterator[tuple[int, Encoded]]:
        """The same rows at a time, so that sums come out the same to the last digit."""
        first, units = part.first_row, self.schema.units
        with self._kept(part).open("rb") as file:
            while first < part.first_row + part.n_rows:
                values = np.load(file)
                yield first, Encoded(values, units)
                first += len(values)


@dataclass(frozen=True)
class SplitProposals:
    """The two sides of every split that is proposed for one cluster."""

    clusters: Clusters
    #: Number of the first of its proposals among all, and how many there are.
    first: int
    n: int


@dataclass(frozen=True)
class Plan:
    """What every part is told at one visit."""

    number: int
    #: Where labels are kept while the search goes on.
    folder: Place
    read: RowReader
    #: Of no rows.
    columns: Columns
    clusters: Clusters
    log_concentration: float
    #: None where rows have no labels yet.
    reading: Reading | None = None
    #: Rows whose best alternative is worse by less come back to be moved one by one (nats).
    threshold: float = -np.inf
    #: Of those rows, the share that comes.
    near_share: float = 1.0
    #: Of every cluster: rows that come back to seed splits, those of a lower share or fit.
    share: np.ndarray | None = None
    fit: np.ndarray | None = None
    most_misfits: int = 0
    halves: Mapping[int, SplitProposals] = field(default_factory=dict)

    @property
    def n_clusters(self) -> int:
        """K."""
        return int(self.clusters.count[0])

    @property
    def n_proposals(self) -> int:
        """Splits proposed for all clusters."""
        return sum(halves.n for halves in self.halves.values())


def visit_run(told: Place, parts: Sequence[Part], reading: Reading | None) -> Report:
    """Visit neighbouring parts, one after the other, and tell what was found in all of them.

    Parameters
    ----------
    told : Place
        Where the plan is, a pickle: a worker reads it once, however many parts it visits.
    parts : sequence of Part
    reading : Reading or None
        What of ``plan.reading`` concerns them.
    """
    plan = _plan_at(told)
    gathered = Gathered(plan.columns, plan.most_misfits)
    for part in parts:
        of_part = reading and reading.of_part(part.first_row, part.n_rows)
        gathered.add(visit(plan, part, of_part))
    return gathered.report


@lru_cache(maxsize=2)
def _plan_at(told: Place) -> Plan:
    return pickle.loads(told.read())


def visit(plan: Plan, part: Part, reading: Reading | None) -> Report:
    """Label the rows of a part, write the labels and tell what was found.

    Parameters
    ----------
    plan : Plan
    part : Part
    reading : Reading or None
        What of ``plan.reading`` concerns the part.
    """
    scorer = Scorer(plan.columns.table, plan.clusters)
    sides = {k: Scorer(plan.columns.table, halves.clusters) for k, halves in plan.halves.items()}
    written = np.empty(part.n_rows, dtype=LABEL)
    before = None
    if reading is not None:
        before = read_array(label_file(plan.folder, plan.number - 1, part.first_row))
    gathered = Gathered(plan.columns, plan.most_misfits)
    for first, encoded in plan.read.batches(part):
        inside = slice(first - part.first_row, first - part.first_row + len(encoded.values))
        rows = plan.columns.of_rows(encoded)
        if before is None:
            labels = scorer.cheapest(rows.table.values)
            found = _still(plan, rows, labels, first)
            written[inside] = 0
            written["label"][inside] = written["proposal"][inside] = labels
        else:
            labels = reading.read(before[inside], first, plan.read.seed)
            written["label"][inside] = written["proposal"][inside] = labels
            written["sides"][inside] = 0
            if plan.halves:
                found = _still(plan, rows, labels, first)
                taken = _sides(plan, sides, rows, labels, written[inside])
                found = replace(found, sides=taken)
            else:
                found = _report(plan, scorer, rows, labels, first, written[inside])
        gathered.add(found)
    write_array(label_file(plan.folder, plan.number, part.first_row), written)
    return gathered.report


def _still(plan: Plan, rows: Columns, labels: np.ndarray, first: int) -> Report:
    """Of rows of which none is to move."""
    k = plan.n_clusters
    sums = Sums.nothing(plan.columns, 9 * k)
    stay = Sums.of(rows, labels, k)
    sums.state[:, :k], sums.members[:k] = stay.state, stay.members
    return _nothing_found(plan, rows, sums, _firsts(labels, first, k))


def _nothing_found(plan: Plan, rows: Columns, sums: Sums, first_row: np.ndarray) -> Report:
    none = RowSample(
        NO_ROWS,
        NO_ROWS,
        np.empty((0, rows.scale.size)),
        np.empty(0),
    )
    sides = Sums.nothing(plan.columns, 2 * plan.n_proposals)
    histogram = np.zeros(EDGES.size + 1, dtype=np.int64)
    return Report(sums, first_row, histogram, 0, 0, 0, none, none, none, sides)


def _firsts(labels: np.ndarray, first: int, k: int) -> np.ndarray:
    rows = np.full(k, np.iinfo(np.int64).max)
    rows[labels[::-1]] = np.arange(first + labels.size - 1, first - 1, -1)
    return rows


def _report(
    plan: Plan,
    scorer: Scorer,
    rows: Columns,
    labels: np.ndarray,
    first: int,
    written: np.ndarray,
) -> Report:
    """Price some rows, fill in where each would move, and tell what was found."""
    k, seed = plan.n_clusters, plan.read.seed
    scored = scorer.choices(rows.table.values, labels, plan.log_concentration)
    moves = scored.slack < -TIE
    proposes = moves & (scored.best < k)
    written["proposal"][proposes] = scored.best[proposes]
    sums = _if_moved(plan, rows, labels, np.where(proposes, scored.best, labels), first)
    report = _nothing_found(plan, rows, sums, _firsts(labels, first, k))

    def some(which: np.ndarray) -> RowSample:
        values = rows.encoded.values[which]
        return RowSample(first + which, labels[which], values, scored.fits[which])

    near = np.flatnonzero(scored.slack < plan.threshold)
    near = near[shares(first + near, seed + 2 + plan.number) < plan.near_share]
    drawn = misfits = report.drawn
    if plan.share is not None and plan.fit is not None:
        numbers = first + np.arange(labels.size)
        drawn = some(np.flatnonzero(shares(numbers, seed + 1) < plan.share[labels]))
        misfits = some(np.flatnonzero(scored.fits < plan.fit[labels]))
    return replace(
        report,
        histogram=np.bincount(np.searchsorted(EDGES, scored.slack), minlength=EDGES.size + 1),
        n_movers=int(moves.sum()),
        n_births=int((moves & ~proposes).sum()),
        n_near=near.size,
        near=some(near),
        drawn=drawn,
        misfits=misfits,
    )


def _if_moved(
    plan: Plan, rows: Columns, labels: np.ndarray, proposed: np.ndarray, first: int
) -> Sums:
    """The sums that ``Report.after`` makes those of any fraction of the moves of."""
    k, movers = plan.n_clusters, np.flatnonzero(proposed != labels)
    if not movers.size:
        return Sums.of(rows, labels, 9 * k)
    place = _FRACTION_OF_CLASS[classes(first + movers, plan.read.seed)]
    groups = labels.copy()
    groups[movers] += (1 + 2 * place) * k
    come = (2 + 2 * place) * k + proposed[movers]
    sums = Sums.of(rows, groups, 9 * k)
    return sums.joined(Sums.of(rows.subset(movers), come, 9 * k), plan.columns)


def _sides(
    plan: Plan,
    scorers: Mapping[int, Scorer],
    rows: Columns,
    labels: np.ndarray,
    written: np.ndarray,
) -> Sums:
    """Let the rows of clusters that may be split choose a side of every proposal."""
    total = Sums.nothing(plan.columns, 2 * plan.n_proposals)
    for k, halves in plan.halves.items():
        members = np.flatnonzero(labels == k)
        if not members.size:
            continue
        few = rows.subset(members)
        scores = scorers[k].of(few.table.values)
        scores += scorers[k].log_weights()[:-1]
        for p in range(halves.n):
            side = (scores[:, 2 * p + 1] > scores[:, 2 * p]).astype(np.int64)
            written["sides"][members] |= (side << p).astype(np.uint8)
            groups = 2 * (halves.first + p) + side
            total = total.joined(Sums.of(few, groups, total.members.size), plan.columns)
    return total
