"""MAP-DP of a table that need not fit in memory, nor on one machine."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ..inference.merge_path import MergePath, merge_path
from ..inference.model_file import save_model
from ..inference.prediction import Predictions
from ..models.arguments import check_number, check_whole
from ..models.priors import EMPIRICAL_SCALE, SCALES
from ..models.progress import Progress
from ..partitions.labels import by_size
from ..schema.encoded import Encoded
from ..schema.frames import as_frame
from ..schema.schema import Schema, SchemaError
from .finish import Finished, finish, read_labels
from .journal import Journal
from .look import Look, complete_schema, infer_schema_of, look_at_rows
from .opened import ABOUT, MODEL, SAMPLE
from .place import Place, folder_to_write
from .search import Job, PartsSearch
from .source import Source, open_source
from .start import Start, start
from .sums import WholePartition
from .visit import RowReader
from .workers import Counted, run_all

#: Of a folder of labels: what a search needs while it goes on.
WORK = ".work"
#: Of what is kept there: a search that another version began is begun anew.
FORMAT = 3
#: Numbers are kept where the disk has so many times their room.
SPARE = 3


@dataclass(eq=False, repr=False)
class MAPDPParts(Predictions, BaseEstimator):
    """Cluster the rows of a table in parts by MAP-DP, as ``MAPDP`` would those of a whole one.

    The state of the clusters is sums of sufficient statistics, so rows are read, scored and added
    up part by part, by whoever is free; labels and E depend on neither workers nor their order.
    A sample is searched first; all rows then choose among its clusters, and move, merge and split
    until no row, merge or tried split lowers E. No labels are held in memory.

    Parameters
    ----------
    concentration : float
        N_0, the prior count: how readily a row opens a cluster of its own.
    prior : "scale-grid", "empirical", Prior, or sequence or mapping of Prior
        As for ``MAPDP``; the scale of lowest E on the sample, then on all rows.
    random_state : int or None
    sample : int
        Rows of a sample.
    n_init : int
        Samples to begin with; the lowest E on all rows wins.
    tol : float
        The search ends when a visit lowers E by less (nats); 0 goes on to rest.
    executor : Executor, dask client or None
        What has ``submit``: a pool of ``concurrent.futures``, joblib's loky, a client of
        ``dask.distributed``, whose workers must reach the files and the folder of labels. None
        reads one part after the other.

    Attributes
    ----------
    labels_path_ : Path, or str of an address
        Folder with one Parquet file a part, columns "row" and "label", 0 the largest cluster.
    objective_ : float
        Exact negative log joint E of all rows in nats, lower is better.
    objective_trace_ : ndarray of float64, shape (T,)
        E after every step that lowered it.
    n_clusters_, clusters_, prior_, prior_scale_, columns_, schema_
        As of ``MAPDP``; ``columns_`` holds no rows.
    sample_ : DataFrame
        Rows drawn by chance, with the columns "row" and "label"; of a small cluster some more.
    n_visits_ : int
        How often every row was scored.
    """

    concentration: float = 3.0
    _: KW_ONLY
    prior: Any = "scale-grid"
    random_state: int | None = None
    sample: int = 20_000
    n_init: int = 1
    tol: float = 1e-3
    executor: Any = None

    def fit(
        self,
        table: Any,
        schema: Schema | None = None,
        labels: str | Path | None = None,
        callback: Callable[[Progress], None] | None = None,
    ) -> MAPDPParts:
        """Cluster the rows of a table in parts.

        Parameters
        ----------
        table : str or Path, sequence of them, DataFrame, or iterable of DataFrames
            A folder of Parquet files, in the order of their names, or such files; frames are
            written to the folder of labels first, one at a time. Keys of its folders, as in
            year=2024, are columns. Addresses of s3:// and gs:// are folders, too, and those of
            https:// files; keys to them are taken from the environment of every worker alone.
        schema : Schema, optional
            Family and role of every column; guessed from the facts of all parts without one.
        labels : str or Path, optional
            Folder for the labels, and for what lets a search that was stopped go on: the same call
            takes it up where it was. One of s3:// or gs:// as well; one for temporary files
            without it.
        callback : callable, optional
            Called with a ``Progress`` after every part; what it raises stops the search.

        Raises
        ------
        TableError, SchemaError
            What of the table cannot be read, or not be clustered in parts.
        """
        check_number("concentration", self.concentration, 0.0, allow_equal=False)
        check_number("tol", self.tol, 0.0)
        for name in ("sample", "n_init"):
            check_whole(name, getattr(self, name), 1)
        folder = folder_to_write(tempfile.mkdtemp(prefix="labels-") if labels is None else labels)
        source = open_source(table, folder / ".frames")
        seed = int(np.random.default_rng(self.random_state).integers(2**31))
        if self.random_state is not None:
            seed = int(self.random_state)
        journal = Journal(folder / WORK, self._about(source, schema, seed))
        tell = callback or (lambda progress: None)
        read = journal.recall("schema", lambda: self._read(source, schema, seed, tell))
        read = replace(read, numbers=_room_for_numbers(source, read, journal.folder))
        job = Job(source, read, self.executor, journal, tell, self.tol)
        search = self._searched(job, journal.recall("look", lambda: self._look(job)))
        progress = _counted(tell, "write labels")
        finished = finish(search, folder, source.columns, self.sample, progress)
        self._publish(search, finished, folder)
        journal.folder.remove()
        return self

    def draw_rows(self, n_samples: int = 1, random_state: Any = None) -> tuple[Any, np.ndarray]:
        """Draw new rows from the fitted clusters: ``sample`` of the other estimators.

        Here ``sample`` is a setting, which hides the method of that name.
        """
        return super().sample(n_samples, random_state)

    def _about(self, source: Source, schema: Schema | None, seed: int) -> str:
        """Everything that the outcome depends on."""
        settings = self.get_params() | {"executor": None, "random_state": seed}
        given = schema.to_dict() if schema is not None else None
        text = repr((FORMAT, settings, given, source.digest, [str(part) for part in source.parts]))
        return hashlib.sha256(text.encode()).hexdigest()

    def _read(
        self, source: Source, schema: Schema | None, seed: int, tell: Callable[[Progress], None]
    ) -> RowReader:
        """How cells become numbers, after one look at all of them."""
        progress = _counted(tell, "look at all cells")
        if schema is None:
            schema = infer_schema_of(source, seed, self.executor, progress)
        else:
            schema = complete_schema(schema, source, self.executor, progress)
        if schema.names("weight"):
            raise SchemaError(
                f"Column '{schema.names('weight')[0]}' says how often rows count, which a table in"
                " parts cannot yet: give it another role."
            )
        names = tuple(name for name in source.columns if name in schema.names("cluster"))
        return RowReader(names, schema, seed)

    def _look(self, job: Job) -> Look:
        """The moments of all columns, and the samples."""
        progress = _counted(job.callback, "look at all rows")
        return look_at_rows(job.source, job.read, self.sample, self.n_init, self.executor, progress)

    def _searched(self, job: Job, look: Look) -> PartsSearch:
        """The search of the sample that leads to the lowest E on all rows."""
        units = job.read.schema.units
        whole = look.whole(units, EMPIRICAL_SCALE, self.concentration)

        def starts() -> list[Start]:
            progress = _counted(job.callback, "search a sample")
            tasks = [
                (look, sample, whole.columns, self.prior, self.concentration, job.read.seed + s)
                for s, sample in enumerate(look.samples)
            ]
            return list(run_all(self.executor, start, tasks, progress))

        starts_of = job.journal.recall("starts", starts)
        is_scaled = any(unit.has_scale for unit in units)
        scales = SCALES if isinstance(self.prior, str) and self.prior == "scale-grid" else ()
        grid = {scale: look.default_priors(units, scale) for scale in scales if is_scaled}
        searches = [
            PartsSearch(job, whole.under(found.priors), found, sample, f"sample-{s}", grid)
            for s, (found, sample) in enumerate(zip(starts_of, look.samples, strict=True))
        ]
        for search in searches:
            search.begin()
        best = min(searches, key=lambda search: search.trace[-1][0])
        best.run()
        return best

    def _publish(self, search: PartsSearch, finished: Finished, folder: Place) -> None:
        whole = search.whole
        self.partition_ = WholePartition(whole, search.sums.groups(finished.order))
        self.schema_ = search.job.read.schema
        self.columns_ = whole.columns
        self.prior_, self.prior_scale_ = whole.columns.priors, search.scale
        self.clusters_ = finished.clusters(search)
        self.n_clusters_ = len(self.clusters_)
        self.objective_ = self.partition_.objective()
        self.objective_trace_ = np.array([objective for objective, _ in search.trace])
        self.n_visits_, self.n_rows_ = search.number, whole.n_rows
        self.labels_path_ = Path(folder.address) if folder.is_local else folder.with_options
        self.sample_ = finished.sample
        (folder / MODEL).write(save_model(self).encode())
        (folder / SAMPLE).write(self.sample_.to_parquet(index=False))
        about = {"rows": self.n_rows_, "prior_scale": self.prior_scale_}
        (folder / ABOUT).write(json.dumps(about).encode())

    def read_labels(self) -> np.ndarray:
        """Labels of all rows, shape (N,), for a table small enough to hold them."""
        check_is_fitted(self)
        return read_labels(self.labels_path_)

    @property
    def merge_path_(self) -> MergePath:
        """The greedy merges of these clusters down to one, with the E of each, from the sums.

        Its labels are the clusters': ``clusters_at`` says which of them are one at a level.
        """
        check_is_fitted(self)
        return merge_path(self.partition_)

    def clusters_at(self, k: int) -> np.ndarray:
        """Which of k clusters each of the K is in on the merge path, 0 the largest, shape (K,)."""
        path = self.merge_path_
        sizes = np.array([cluster.size for cluster in self.clusters_], dtype=np.float64)
        return by_size(path.labels_at(k), sizes)[0]

    def labels_at(self, k: int) -> np.ndarray:
        """Not held: take ``clusters_at(k)[labels]`` of the labels of some part."""
        raise AttributeError(
            f"The labels of all rows are in {self.labels_path_}, not in memory: take"
            " clusters_at(k)[labels] of those of some part."
        )

    def _new_rows(self, X: Any) -> Encoded:
        check_is_fitted(self)
        return self.schema_.encode(as_frame(X), allow_new_levels=True)


def _room_for_numbers(source: Source, read: RowReader, folder: Place) -> str:
    """Where the numbers of all rows are kept while the search goes on; "" without room to spare.

    Nowhere in a store: they are eight bytes a cell, where the table there is packed.
    """
    if not folder.is_local:
        return ""
    width = sum(len(unit.columns) for unit in read.schema.units)
    needed = 8 * source.n_rows * width
    is_room = shutil.disk_usage(folder.address).free > SPARE * needed
    return (folder / "numbers").address if is_room else ""


def _counted(callback: Callable[[Progress], None], phase: str) -> Counted:
    """What tells the callback how many parts are done."""
    return lambda done, total: callback(Progress(done, total, np.inf, 0, phase))
