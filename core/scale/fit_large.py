"""Cluster a table larger than memory or than one machine: a sample, then all rows in turns."""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from ..models.choice.choose import choose_model
from ..models.estimator import whole
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..models.saved import FittedModel, load_model, save_model
from ..reading.options import TableError
from ..schema.infer import infer_schema
from ..schema.schema import Schema, SchemaError
from ..wording import counted
from .source import Part, frame_of, open_source, store_of, take
from .turns import NO_ROW, AllRows, choices, clusters_of, joined, read, saved_with, visit
from .workers import run_all

#: Files in the folder of a fit, next to the labels.
MODEL, UNFINISHED = "model.json", "unfinished.json"
SAMPLE, SAMPLE_LABELS = "sample.parquet", "sample-labels.parquet"
LABEL_FILE = "labels-"
LABELS = pa.schema({"row": pa.int64(), "label": pa.int32()})
#: Key of an unfinished model's settings: a hash of all that it depends on.
DIGEST = "asked"
#: The rows have converged when a turn lowers E by less than this share of it.
LEAST_FALL = 1e-7


def fit_large(
    source: Any,
    schema: Schema | None = None,
    client: Any = None,
    *,
    labels: str | Path,
    n_sample: int = 200_000,
    concentration: float = 3.0,
    random_state: int = 0,
    callback: Callable[[Progress], None] = lambda progress: None,
) -> FittedModel:
    """Cluster the rows of a table that need not fit in memory, nor on one machine, by MAP-DP.

    A random sample is clustered by ``MAPDP`` under the model chosen for it. Then, in turns, all
    rows take their best cluster, clusters merge and rows open new ones, while E of all rows falls.

    Parameters
    ----------
    source : str, Path or dask DataFrame
        Parquet file or folder, keys as in ``year=2024`` being columns, or its address for fsspec,
        such as ``s3://bucket/visits``.
    schema : Schema, optional
        None: inferred from the sample, and its model chosen as by ``choose_model``. Levels that are
        neither named nor in the sample are missing cells.
    client : distributed.Client, optional
        A dask cluster that reaches the table and ``labels``; None reads part after part in constant
        memory, with the same result.
    labels : str or Path
        New or empty folder, or address of one, for the model, the sample, and a file for every part
        of the table with columns ``row``, from 0 on, and ``label``, 0 the largest cluster. The same
        call continues a fit that was stopped.
    n_sample : int
        Rows of the sample; a table with no more has the labels of its fit.
    concentration, random_state
        As for ``choose_model``.
    callback : callable
        Called with a ``Progress``; what it raises stops the fit.

    Returns
    -------
    FittedModel
        Its sizes, E and predictions are of all rows.

    Raises
    ------
    TableError, SchemaError
        The table cannot be read, or not be clustered.
    """
    whole(1)("n_sample", n_sample)
    folder, (parts, columns) = _Folder(*store_of(labels)), open_source(source)
    n_rows = sum(part.n_rows for part in parts)
    if n_rows < 2:
        raise TableError(f"The table has {counted(n_rows, 'row')}: groups need at least two rows.")
    given = None if schema is None else schema.to_dict()
    settings = [n_rows, columns, given, n_sample, concentration, random_state]
    digest = hashlib.sha256(json.dumps(settings).encode()).hexdigest()
    model = folder.unfinished(digest)
    fit = _Fit(parts, columns, client, folder, callback)
    random = np.random.default_rng(random_state)
    rows = np.sort(random.choice(n_rows, min(n_sample, n_rows), replace=False))
    if model is None:
        frame = frame_of(*fit.run("read a sample", take, columns, rows=rows))
        schema = infer_schema(frame) if schema is None else schema
        for name in schema.names("weight"):
            raise SchemaError(
                f"Column '{name}' says how often rows count, which all do once in a table that is"
                " read in parts: give it another role."
            )
        chosen = choose_model(
            frame, schema, concentration=concentration, random_state=random_state, callback=callback
        ).model
        if n_rows <= n_sample:
            return fit.finish(load_model(save_model(chosen)), rows, (chosen.labels_, None))
        # A more patient search than the choice's, which overlapping clusters need.
        found = MAPDP(concentration, random_state=random_state)
        found.fit(frame, schema=chosen.schema_, callback=callback)
        model = load_model(save_model(min(chosen, found, key=lambda model: model.objective_)))
        model = replace(model, settings={**model.settings, DIGEST: digest})
    return fit.in_turns(model, rows, random_state)


@dataclass
class _Fit:
    """The rows of a fit, its workers, and the folder of its results."""

    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    client: Any
    folder: "_Folder"
    callback: Callable[[Progress], None]
    objective: float = math.inf
    n_clusters: int = 0

    def run(
        self, phase: str, function: Any, data: Any, join: Any = None, rows: np.ndarray | None = None
    ) -> Any:
        """``run_all`` over every part, each with those of ``rows`` that it has."""
        tasks: list[tuple[Any, ...]] = [(part,) for part in self.parts]
        if rows is not None:
            first = np.searchsorted(rows, [part.first for part in self.parts[1:]])
            tasks = list(zip(self.parts, np.split(rows, first), strict=True))

        def callback(done: int) -> None:
            self.callback(Progress(done, len(tasks), self.objective, self.n_clusters, phase))

        return run_all(self.client, function, tasks, data, callback, join)

    def in_turns(self, model: FittedModel, rows: np.ndarray, seed: int) -> FittedModel:
        """Lower E of all rows until it converges, from the clusters of the sample's rows."""
        saved, trace = save_model(model), []
        while True:
            report = self.run(f"turn {len(trace) + 1}", visit, saved, joined)
            partition = AllRows(model, report)
            objective = partition.objective()
            if trace and objective > trace[-1] - LEAST_FALL * abs(objective):
                break
            trace.append(objective)
            best, best_saved = report, saved
            self.objective, self.n_clusters = objective, partition.n_clusters
            self.folder.write(UNFINISHED, saved.encode())
            partition.improve(np.random.default_rng(seed))
            saved = saved_with(model, partition.clusters, objective)
        # The largest first, of equals the one that comes first; empty ones are left out.
        order = np.lexsort((best.first[:, 0], -best.members))[: np.count_nonzero(best.members)]
        rank = np.zeros(best.members.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        found = read(saved_with(model, clusters_of(model, best, order), trace[-1]))
        rows = np.union1d(rows, best.first[best.first < NO_ROW])
        return self.finish(found, rows, (rank, best_saved))

    def finish(
        self, model: FittedModel, rows: np.ndarray, labels: tuple[np.ndarray, str | None]
    ) -> FittedModel:
        """Write the labels (see ``_label``), ``rows`` with their labels, and the model."""
        shared = self.folder, self.columns, labels
        frames, of_rows = zip(*self.run("write labels", _label, shared, rows=rows), strict=True)
        self.folder.write(SAMPLE, pa.Table.from_pandas(frame_of(*frames)))
        self.folder.write(SAMPLE_LABELS, pa.table([rows, np.concatenate(of_rows)], LABELS))
        self.folder.write(MODEL, save_model(model).encode())
        if labels[1] is not None:
            self.folder.filesystem.delete_file(f"{self.folder.path}/{UNFINISHED}")
        return model


def _label(part: Part, rows: np.ndarray, shared: "tuple[_Folder, Any, Any]") -> tuple[Any, Any]:
    """Write labels, given by row or by cluster; return some rows of the part and their labels."""
    folder, columns, (labels, saved) = shared
    if saved is None:
        labels = labels[part.first : part.first + part.n_rows]
    else:
        labels = labels[np.concatenate([best[0] for _, _, best in choices(part, saved)])]
    numbers = np.arange(part.first, part.first + part.n_rows)
    folder.write(f"{LABEL_FILE}{part.number:06d}.parquet", pa.table([numbers, labels], LABELS))
    return take(part, rows, columns), labels[rows - part.first]


@dataclass(frozen=True)
class _Folder:
    """The folder of a fit, local or in a store."""

    filesystem: fs.FileSystem
    path: str

    def write(self, name: str, content: bytes | pa.Table) -> None:
        self.filesystem.create_dir(self.path)
        with self.filesystem.open_output_stream(f"{self.path}/{name}") as file:
            if isinstance(content, bytes):
                file.write(content)
            else:
                pq.write_table(content, file)

    def unfinished(self, digest: str) -> FittedModel | None:
        """The state of a stopped fit if the same was asked for; None without one."""
        selected = fs.FileSelector(self.path, allow_not_found=True)
        there = {file.base_name: file.path for file in self.filesystem.get_file_info(selected)}
        if all(name.startswith(LABEL_FILE) for name in there):
            return None
        if UNFINISHED in there:
            with self.filesystem.open_input_file(there[UNFINISHED]) as file:
                model = load_model(file.read())
            if model.settings.get(DIGEST) == digest:
                return model
        raise TableError(
            f"'{self.path}' is there already and not empty, nor has it a fit of this table that was"
            " stopped: name a new folder."
        )
