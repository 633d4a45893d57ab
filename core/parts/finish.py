"""The last look: labels are written for their reader, and clusters described by their rows."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..families import Prior
from ..families.sufficient import Statistic, merged
from ..inference.clusters import Cluster, clusters_of, statistics_of
from .labels import Reading, folder_of_visit, label_name, read_array, shares
from .place import Place, place_of
from .search import PartsSearch
from .source import Part
from .visit import RowReader
from .workers import Counted, run_all

#: Rows of every cluster, about, that the sample for the reader holds at least.
FEWEST = 20
#: Name of the labels of a part among those of the table.
LABELS = "labels-{:06d}.parquet"
_LABELS = re.compile(r"labels-\d{6,}\.parquet")


@dataclass(frozen=True)
class Finished:
    """What the last look found."""

    #: Clusters of the search in the order they are told in, 0 the largest.
    order: np.ndarray
    #: Of every unit, of the clusters in that order.
    statistics: tuple[Statistic, ...]
    #: Rows drawn by chance as they are stored, with the columns "row" and "label" added.
    sample: pd.DataFrame

    def clusters(self, search: PartsSearch) -> tuple[Cluster, ...]:
        """The clusters in the user's units, from all their rows."""
        sizes = search.sums.members[self.order].tolist()
        return clusters_of(search.whole.columns, self.statistics, sizes)


def finish(
    search: PartsSearch,
    folder: Place,
    columns: tuple[str, ...],
    n_sample: int,
    progress: Counted = lambda done, total: None,
) -> Finished:
    """Write the labels of every part and look at all rows once more, by cluster."""
    job, reading = search.job, search.reading
    assert reading is not None
    assert search.report is not None
    first = search.report.first_row
    first = first if first.size == search.sums.members.size else np.arange(search.sums.members.size)
    order = np.lexsort((first, -search.sums.members))
    rank = np.empty(order.size, dtype=np.int64)
    rank[order] = np.arange(order.size)
    members = search.sums.members[order]
    share = np.maximum(n_sample / job.source.n_rows, FEWEST / members)
    told = _Told(
        job.read,
        search.whole.columns.priors,
        folder_of_visit(search.folder, search.number),
        rank,
        folder,
        columns,
        share,
    )
    tasks, place = [], 0
    for run in job.source.runs:
        tasks.append((told, run, place, search.reading_of(run)))
        place += len(run)
    statistics: tuple[Statistic, ...] = ()
    frames = []
    for found, frame in run_all(job.executor, _finish_run, tasks, progress):
        statistics = merged([statistics, found]) if statistics else found
        frames.append(frame)
    return Finished(order, statistics, pd.concat(frames, ignore_index=True))


@dataclass(frozen=True)
class _Told:
    """What every worker is told."""

    read: RowReader
    priors: tuple[Prior, ...]
    #: Where the labels last written are, and where those for the reader go.
    written: Place
    rank: np.ndarray
    folder: Place
    columns: tuple[str, ...]
    share: np.ndarray


def _finish_run(
    told: _Told, parts: Sequence[Part], place: int, reading: Reading
) -> tuple[tuple[Statistic, ...], pd.DataFrame]:
    """Of neighbouring parts, the first of which has that place among all."""
    found = [_finish_part(told, part, place + i, reading) for i, part in enumerate(parts)]
    sample = pd.concat([frame for _, frame in found], ignore_index=True)
    return merged([statistics for statistics, _ in found]), sample


def _finish_part(
    told: _Told, part: Part, place: int, reading: Reading
) -> tuple[tuple[Statistic, ...], pd.DataFrame]:
    read = told.read
    kept = read_array(told.written / label_name(part.first_row))
    labels = told.rank[reading.read(kept, part.first_row, read.seed)]
    rows = np.arange(part.first_row, part.first_row + part.n_rows)
    file = io.BytesIO()
    pq.write_table(pa.table({"row": rows, "label": labels.astype(np.int32)}), file)
    (told.folder / LABELS.format(place)).write(file.getbuffer())
    statistics, frames = [], []
    for first, frame, encoded in read.with_cells(part, told.columns):
        inside = labels[first - part.first_row :][: len(frame)]
        statistics.append(statistics_of(told.priors, encoded.unit_values, inside, told.rank.size))
        numbers = rows[first - part.first_row :][: len(frame)]
        drawn = shares(numbers, read.seed) < told.share[inside]
        frames.append(frame[drawn].assign(row=numbers[drawn], label=inside[drawn]))
    return merged(statistics), pd.concat(frames, ignore_index=True)


def read_labels(folder: str | Path) -> np.ndarray:
    """All labels, shape (N,), of a table small enough for them."""
    files = [file for file in place_of(folder).below() if _LABELS.fullmatch(file.name)]
    tables = [pq.read_table(pa.BufferReader(file.read())) for file in files]
    return np.concatenate([table["label"].to_numpy() for table in tables])
