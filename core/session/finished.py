"""A finished fit of a large table, to look at: its sample, with the model that was fitted to it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from ..engine.columns import Columns
from ..engine.partition import Partition
from ..methods import JUDGE
from ..methods.settings import Settings
from ..models.mapdp import MAPDP
from ..models.saved import ModelFileError, load_model
from ..partitions.naming import Naming
from ..scale.fit_large import MODEL, SAMPLE, SAMPLE_LABELS, UNFINISHED
from .table import Table
from .work import Work


def work_on_finished(folder: str | Path) -> Work:
    """Begin on the sample of ``fit_large``, with its model as a fit; ModelFileError without one."""
    folder = Path(folder).resolve()
    try:
        if (folder / UNFINISHED).exists():
            raise ModelFileError(
                f"The fit in '{folder}' was stopped: 'mapdp-studio fit' goes on from there."
            )
        saved = load_model((folder / MODEL).read_text(encoding="utf-8"))
        frame = pd.read_parquet(folder / SAMPLE)[[*saved.schema_]]
        labels = pq.read_table(folder / SAMPLE_LABELS)["label"].to_numpy().astype(np.int64)
        columns = Columns.pack(saved.schema_.encode(frame), saved.columns_.priors)
        partition = Partition.at_rest(columns, saved.concentration, labels)
        n_rows = sum(cluster.size for cluster in saved.clusters_)
        name = f"{folder.name}: {len(frame):,} of {n_rows:,} rows"
    except ModelFileError:
        raise
    except (OSError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise ModelFileError(
            f"There is no finished fit in '{folder}' ({error}): name the folder that"
            " 'mapdp-studio fit' wrote."
        ) from None
    model = MAPDP(saved.concentration, prior=saved.columns_.priors)
    model.adopt(partition, None, saved.schema_)
    digest = hashlib.sha256(repr((name, model.objective_, saved.objective_)).encode()).hexdigest()
    table, settings = Table(frame, name, f"finished {digest}"), Settings(saved.concentration)
    work = Work(table, saved.schema_, settings=settings)
    task = work.tasks((JUDGE,))[JUDGE]
    work.results.keep(task, model)
    work.naming[task] = Naming()  # as many groups as the labels of all rows tell apart
    return work
