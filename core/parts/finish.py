"""The last look: labels are written for their reader, and clusters described by their rows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from ..families import Prior
from ..families.sufficient import Statistic, merged
from ..inference.clusters import Cluster, clusters_of, statistics_of
from .labels import Reading, label_file, shares
from .search import PartsSearch
from .source import Part
from .visit import RowReader
from .workers import Counted, run_all

#: Rows of every cluster, about, that the sample for the reader holds at least.
FEWEST = 20
#: Name of the labels of a part among those of the table.
LABELS = "labels-{:06d}.parquet"


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
    folder: Path,
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
    folder.mkdir(parents=True, exist_ok=True)
    tasks = [
        (
            part,
            job.read,
            search.whole.columns.priors,
            reading.of_part(part.first_row, part.n_rows),
            label_file(search.folder, search.number, part.first_row),
            rank,
            folder / LABELS.format(place),
            columns,
            share,
        )
        for place, part in enumerate(job.source.parts)
    ]
    found = list(run_all(job.executor, _finish_part, tasks, progress))
    sample = pd.concat([frame for _, frame in found], ignore_index=True)
    return Finished(order, merged([statistics for statistics, _ in found]), sample)


def _finish_part(
    part: Part,
    read: RowReader,
    priors: tuple[Prior, ...],
    reading: Reading,
    written: Path,
    rank: np.ndarray,
    path: Path,
    columns: tuple[str, ...],
    share: np.ndarray,
) -> tuple[tuple[Statistic, ...], pd.DataFrame]:
    kept = np.load(written)
    labels = rank[reading.read(kept, part.first_row, read.seed)]
    table = pa.table(
        {
            "row": np.arange(part.first_row, part.first_row + part.n_rows),
            "label": labels.astype(np.int32),
        }
    )
    partial = path.with_suffix(".part")
    pq.write_table(table, partial)
    partial.replace(path)
    statistics, frames = [], []
    for first, frame in part.batches(columns):
        inside = labels[first - part.first_row :][: len(frame)]
        cells = read.schema.encode_part(frame).unit_values
        statistics.append(statistics_of(priors, cells, inside, rank.size))
        rows = np.arange(first, first + len(frame))
        drawn = shares(rows, read.seed) < share[inside]
        frames.append(frame[drawn].assign(row=rows[drawn], label=inside[drawn]))
    return merged(statistics), pd.concat(frames, ignore_index=True)


def read_labels(folder: str | Path) -> np.ndarray:
    """All labels, shape (N,), of a table small enough for them."""
    files = sorted(Path(folder).glob(LABELS.replace("{:06d}", "*")))
    return np.concatenate([pq.read_table(file)["label"].to_numpy() for file in files])
