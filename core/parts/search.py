"""The search over all rows: visits to every part, and between them the moves that lower E.

Rows near a border come to the driver and are moved one by one by the engine's own sweep, against
the sums of all rows; where too many would move, they move at once, and as many of them as lower E.
Merges, births and splits are decided on sums, and carried out when labels are read next.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..engine.assign import Scorer
from ..engine.sweeps import TIE
from ..families import Prior
from ..models.descent import WORKING_SET
from ..models.progress import Progress
from ..schema.encoded import Encoded
from .journal import Journal
from .labels import Reading, folder_of_visit
from .look import Sample
from .place import Place
from .report import EDGES, FRACTIONS, MOST_AT_HAND, Gathered, Report, RowSample, worst
from .source import Part, Source
from .splits import DRAWN, Proposal, as_halves, halves, most_misfits, part_misfits
from .start import Start
from .sums import Sums, TableSpec, WholePartition
from .visit import Plan, RowReader, visit_run
from .workers import run_all

#: Seeds of splits come with a visit when no more rows than this moved at the one before.
FEW_MOVES = 2_000


def least_gain(objective: float) -> float:
    """By how much E must fall to count: its own rounding grows with it."""
    return max(TIE, 1e-13 * abs(objective))


@dataclass
class Job:
    """What a search works with."""

    source: Source
    read: RowReader
    executor: Any
    journal: Journal
    callback: Callable[[Progress], None]
    #: E falls by less than this in a round of visits: the search ends (nats).
    tol: float


@dataclass(eq=False)
class PartsSearch:
    """Lowers E of a table in parts until no row, merge or tried split gains anything.

    Parameters
    ----------
    job : Job
    whole : TableSpec
        Under the priors of the start.
    start : Start
    sample : Sample
    name : str
        Of the search, for its files: there is one for every sample.
    grid : mapping of float to sequence of Prior
        The priors of all rows by their scale; empty where the scale is not to be chosen.
    """

    job: Job
    whole: TableSpec
    start: Start
    sample: Sample
    name: str
    grid: Mapping[float, Sequence[Prior]]

    def __post_init__(self) -> None:
        #: The prior scale; None where the priors were given.
        self.scale, self.sums = self.start.scale, self.start.sums
        self.reading: Reading | None = None
        self.number = 0
        #: Rows whose slack is below come to the driver, or a share of them.
        self.threshold = -TIE
        self.near_share = min(1.0, 0.5 * MOST_AT_HAND / self.whole.n_rows)
        self.few_moved = False
        #: Clusters, by what they hold, that no split lowers.
        self.failed_splits: set[tuple[int, float]] = set()
        #: E after every step that lowered it.
        self.trace: list[tuple[float, str]] = []
        self.random = np.random.default_rng([self.job.read.seed, 2])
        self.report: Report | None = None

    # --- visits ---

    @property
    def folder(self) -> Place:
        """Where the labels of the visits are."""
        return self.job.journal.folder / self.name

    def look(self, **changes: Any) -> Report:
        """Visit every part; the labels decided on are written, and their sums are taken anew."""
        self.number += 1
        clusters = self.sums.clusters(self.whole.columns)
        plan = Plan(
            self.number,
            self.folder,
            self.job.read,
            self.whole.columns,
            clusters,
            float(np.log(self.whole.concentration)),
            replace(self.reading, rows=self.reading.rows[:0], labels=self.reading.labels[:0])
            if self.reading is not None
            else None,
            self.threshold,
            self.near_share,
        )
        plan = replace(plan, **changes)
        report = self.job.journal.recall(
            f"{self.name}-{self.number:05d}", lambda: self._visit_all(plan)
        )
        self.report = report
        return report

    def _visit_all(self, plan: Plan) -> Report:
        # Every worker reads the plan once; its name tells it from that of another search.
        written = pickle.dumps(plan)
        name = f"plan-{hashlib.sha256(written).hexdigest()[:16]}.pickle"
        told = folder_of_visit(self.folder, plan.number) / name
        told.write(written)
        tasks = [(told, run, self.reading_of(run)) for run in self.job.source.runs]
        gathered = Gathered(plan.columns, plan.most_misfits)
        for report in run_all(self.job.executor, visit_run, tasks, lambda n, of: self.tell(n / of)):
            gathered.add(report)
        if plan.number > 2:
            folder_of_visit(self.folder, plan.number - 2).remove()
        return gathered.report

    def reading_of(self, run: Sequence[Part]) -> Reading | None:
        """What was decided on the rows of neighbouring parts."""
        first, last = run[0], run[-1]
        n_rows = last.first_row + last.n_rows - first.first_row
        return self.reading and self.reading.of_part(first.first_row, n_rows)

    def tell(self, share: float, phase: str = "") -> None:
        """Report how far the visit, or what follows it, has got."""
        objective = self.trace[-1][0] if self.trace else np.inf
        # How many visits there will be nobody knows: each takes the bar a part of what is left.
        done, phase = self.number - 1 + share, phase or f"visit {self.number}"
        self.job.callback(Progress(done, done + 2, objective, self.sums.members.size, phase))

    # --- the descent ---

    def begin(self) -> float:
        """Give every row its cheapest cluster; E of all rows."""
        report = self.look()
        self._take_sums(report.after(0, self.whole.columns), None)
        self._record("start")
        self._rescale()
        return self.trace[-1][0]

    def run(self) -> None:
        """Descend to rest."""
        while True:
            before = self.trace[-1][0]
            if not (self._move() or self._split() or self._rescale()):
                return
            if 0.0 < before - self.trace[-1][0] < self.job.tol:
                return

    def _move(self) -> bool:
        """One visit, and the moves and merges that follow from it; False at rest."""
        report = self.look(**self._seeds())
        sums = report.after(0, self.whole.columns)
        self._check(sums)
        all_near = self.near_share == 1.0 and report.n_near <= MOST_AT_HAND
        self.few_moved = report.n_movers <= FEW_MOVES
        self.threshold, self.near_share = _threshold(report, MOST_AT_HAND // 2)
        self._take_sums(sums, None)
        if report.n_movers == 0:
            return self._merge()
        if all_near or not self._move_at_once(report):
            self._move_one_by_one(sums, report.near)
        self._merge()
        return True

    def _move_one_by_one(self, sums: Sums, near: RowSample) -> None:
        """Let the rows that came sweep to rest against the sums of all."""
        if near.rows.size:
            rows = self._encoded(near.values)
            partition = WholePartition(self.whole, sums, rows, near.labels)
            partition.sweep_at_hand(self.random.permutation(near.rows.size))
            self._take_partition(partition, near.rows, near.labels)
            self._record("sweep")

    def _move_at_once(self, report: Report) -> bool:
        """Let all movers move, or half of them, or fewer, if that lowers E."""
        before = self.trace[-1][0]
        for fraction in FRACTIONS:
            sums = report.after(fraction, self.whole.columns)
            if self._objective(sums) < before - least_gain(before):
                self._take_sums(sums, Reading(np.arange(sums.members.size), fraction))
                self._record("moves at once")
                return True
        return False

    def _merge(self) -> bool:
        """Merge clusters while that lowers E."""
        partition = WholePartition(self.whole, self.sums)
        before = self.trace[-1][0]
        if not len(partition.merge(least_gain(before))):
            return False
        self._carry(partition.old_to_new)
        self.sums = partition.sums
        self._record("merge")
        return True

    def _rescale(self) -> bool:
        """Take another prior scale if that lowers E of all rows: no sum depends on the prior.

        That of the sample's lowest E is often a neighbour of it.
        """
        before, now = self.trace[-1][0], self.whole
        found = {}
        for scale, priors in self.grid.items():
            self.whole = now.under(priors)
            found[scale] = self._objective(self.sums)
        self.whole = now
        best = min(found, key=found.__getitem__, default=None)
        if best is None or not found[best] < before - least_gain(before):
            return False
        self.whole, self.scale = now.under(self.grid[best]), best
        self._record("prior scale")
        return True

    def _seeds(self) -> dict[str, Any]:
        """What asks the parts for rows to seed splits, once hardly any row moves."""
        if not self.few_moved:
            return {}
        k = self.sums.members.size
        most = most_misfits(k)
        with np.errstate(divide="ignore"):
            share = np.minimum(1.0, DRAWN / self.sums.members)
        return {"share": share, "fit": self._fits(most), "most_misfits": most}

    def _fits(self, most: int) -> np.ndarray:
        """Of every cluster, the fit below which about ``most`` of its rows lie, by the sample."""
        columns, n = self.whole.columns, self.sums.members.size
        rows = columns.of_rows(self._encoded(self.sample.values))
        scorer = Scorer(columns.table, self.sums.clusters(columns))
        labels = scorer.cheapest(rows.table.values)
        own = scorer.of(rows.table.values)[np.arange(labels.size), labels]
        fits = np.full(n, np.inf)
        for k in range(n):
            of_cluster = np.sort(own[labels == k])
            share = most / self.sums.members[k]
            if share < 1.0 and of_cluster.size:
                fits[k] = of_cluster[min(int(share * of_cluster.size), of_cluster.size - 1)]
        return fits

    def _split(self) -> bool:
        """Look for clusters that hide in others; whether any was found."""
        report = self.report
        if report is None or not report.drawn.rows.size:
            self.few_moved = True
            report = self.look(**self._seeds())
        sums = report.after(0, self.whole.columns)
        keys = self._keys(sums)
        skip = {k for k, key in enumerate(keys) if key in self.failed_splits}
        misfits = worst(report.misfits, most_misfits(sums.members.size))
        partition = WholePartition(self.whole, sums, self._encoded(misfits.values), misfits.labels)
        tell, executor = partial(self.tell, 1.0), self.job.executor
        if part_misfits(partition, misfits, skip, self.random, executor, tell):
            self._take_partition(partition, misfits.rows, misfits.labels)
            self._record("split")
            self._merge()
            return True
        self._take_sums(sums, None)
        proposals = halves(self.whole, report.drawn, skip, self.random)
        if proposals and self._decide(proposals):
            self._merge()
            return True
        self.failed_splits.update(keys)
        return False

    def _decide(self, proposals: list[Proposal]) -> bool:
        """Decide on all proposals exactly: every row chooses a side twice."""
        sides = [proposal.sides for proposal in proposals]
        for _ in range(2):
            report = self.look(halves=as_halves(self.whole, proposals, sides))
            self._take_sums(report.after(0, self.whole.columns), None)
            sides = [report.sides.groups([2 * q, 2 * q + 1]) for q in range(len(proposals))]
        own = WholePartition(self.whole, self.sums).own_terms()
        log_n_0 = np.log(self.whole.concentration)
        best: dict[int, tuple[float, int]] = {}
        for q, (proposal, sums) in enumerate(zip(proposals, sides, strict=True)):
            if not sums.members.all():
                continue
            apart = WholePartition(self.whole, sums).own_terms().sum()
            gain = float(apart + log_n_0 - own[proposal.cluster])
            if gain > best.get(proposal.cluster, (least_gain(self.trace[-1][0]), 0))[0]:
                best[proposal.cluster] = gain, q
        if not best:
            return False
        total, splits = self.sums, []
        state, members = total.state.copy(), total.members.copy()
        first = {k: min(q for q, p in enumerate(proposals) if p.cluster == k) for k in best}
        for k, (_, q) in best.items():
            splits.append((k, q - first[k], members.size))
            state[:, k], members[k] = sides[q].state[:, 0], sides[q].members[0]
            state = np.concatenate([state, sides[q].state[:, 1:]], axis=1)
            members = np.append(members, sides[q].members[1])
        self.sums = Sums(state, members)
        self.reading = Reading(np.arange(total.members.size), splits=tuple(splits))
        self._record("split")
        return True

    # --- what is known of the partition ---

    def _take_sums(self, sums: Sums, reading: Reading | None) -> None:
        """Go on with these sums of the labels last written, clusters without rows left out."""
        n = sums.members.size
        reading = reading or Reading(np.arange(n))
        kept = np.flatnonzero(sums.members)
        old_to_new = np.zeros(n, dtype=np.int64)
        old_to_new[kept] = np.arange(kept.size)
        self.sums = sums.groups(kept)
        self.reading = replace(reading, old_to_new=old_to_new)

    def _take_partition(
        self, partition: WholePartition, rows: np.ndarray, before: np.ndarray
    ) -> None:
        """Go on with what became of the labels last written, some rows moved one by one."""
        moved = partition.at_hand != partition.old_to_new[before]
        self.reading = Reading(
            partition.old_to_new.copy(), rows=rows[moved], labels=partition.at_hand[moved]
        )
        self.sums = partition.sums

    def _carry(self, old_to_new: np.ndarray) -> None:
        """Let decisions follow those taken before them, at the same reading of labels."""
        reading = self.reading
        assert reading is not None
        self.reading = replace(
            reading,
            old_to_new=old_to_new[reading.old_to_new],
            labels=old_to_new[reading.labels],
            splits=tuple((k, p, int(old_to_new[new])) for k, p, new in reading.splits),
        )

    def _keys(self, sums: Sums) -> list[tuple[int, float]]:
        terms = WholePartition(self.whole, sums).own_terms()
        return [(int(n), round(float(t), 3)) for n, t in zip(sums.members, terms, strict=True)]

    def _encoded(self, values: np.ndarray) -> Encoded:
        return Encoded(values, self.whole.columns.encoded.units)

    def _objective(self, sums: Sums) -> float:
        return WholePartition(self.whole, sums.groups(np.flatnonzero(sums.members))).objective()

    def _record(self, step: str) -> float:
        objective = self._objective(self.sums)
        self.trace.append((objective, step))
        return objective

    def _check(self, sums: Sums) -> None:
        """Refuse to go on where the labels that were read are not those decided on."""
        expected, found = self.trace[-1][0], self._objective(sums)
        if not abs(found - expected) <= 1e-6 + 1e-9 * abs(expected):
            raise RuntimeError(
                f"The parts changed meanwhile: E of the labels read is {found:,.4f} and not"
                f" {expected:,.4f}. Remove the folder of labels, and begin anew."
            )


def _threshold(report: Report, most: int) -> tuple[float, float]:
    """Below which slack, up to ``WORKING_SET``, about ``most`` rows lie, and the share to take.

    All of them, if they take in every row that would move; else a share of those.
    """
    below = np.cumsum(report.histogram)[: EDGES.size]
    movers = int(np.searchsorted(EDGES, -TIE))
    if below[movers] > most:
        return -TIE, most / float(below[movers])
    return float(min(EDGES[np.flatnonzero(below <= most)[-1]], WORKING_SET)), 1.0
