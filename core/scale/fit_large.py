"""Cluster a Parquet dataset larger than memory: fit a random sample, then label rows by batches."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from ..models.arguments import check_whole
from ..models.choice.choose import choose_model
from ..models.mapdp import MAPDP
from ..models.progress import Progress
from ..models.saved import save_model
from ..reading.arrow_files import is_flat
from ..reading.options import TableError
from ..schema.infer import infer_schema
from ..schema.schema import Schema, SchemaError
from ..wording import counted

#: Rows that are read, encoded and labelled at a time.
BATCH = 2**16
#: In the folder of a fit, beside the labels, which have these columns.
MODEL, ABOUT = "model.json", "about.json"
SAMPLE, SAMPLE_LABELS = "sample.parquet", "sample-labels.parquet"
LABELS = pa.schema({"row": pa.int64(), "label": pa.int32()})


@dataclass(frozen=True, eq=False)
class LargeFit:
    """A model fitted to a sample of a table's rows, and what it says of all of them."""

    #: Its labels, E and clusters are those of the sample.
    model: MAPDP
    #: Rows of the table.
    n_rows: int
    #: int64, shape (K + 1,). Rows in each cluster; the last number counts those in none.
    sizes: np.ndarray


def fit_large(
    source: str | Path,
    folder: str | Path,
    schema: Schema | None = None,
    *,
    n_sample: int = 200_000,
    concentration: float = 3.0,
    random_state: int = 0,
    callback: Callable[[Progress], None] = lambda progress: None,
) -> LargeFit:
    """Fit MAP-DP to a random sample of a Parquet dataset and predict the cluster of every row.

    Parameters
    ----------
    source : str or Path
        A Parquet file or a folder of them, whose keys as in ``year=2024`` are columns; also an
        address that ``pyarrow.dataset`` opens, such as ``s3://bucket/visits``.
    folder : str or Path
        A new or an empty folder for the model, the sample, and the labels: for every file of the
        dataset one, with the columns ``row``, counted from 0, and ``label``: 0 is the largest
        cluster of the sample, K none of them. It is there whole, or not at all if the fit stops.
    schema : Schema, optional
        Inferred from the sample without one. Its model is chosen as by ``choose_model``.
    n_sample : int
        Of a table with no more rows, the labels are those of the fit.
    concentration, random_state
        As for ``choose_model``.
    callback : callable
        Called with a ``Progress`` between steps; what it raises ends the fit.

    Raises
    ------
    TableError, SchemaError
        The dataset cannot be read, or not be clustered.
    """
    check_whole("n_sample", n_sample, 1)
    folder = Path(folder)
    if folder.exists() and any(folder.iterdir()):
        raise TableError(f"'{folder}' is there already and not empty: name a new folder.")
    dataset = _open(source)
    n_rows = dataset.count_rows()
    if n_rows < 2:
        raise TableError(f"The table has {counted(n_rows, 'row')}: groups need at least two rows.")
    random = np.random.default_rng(random_state)
    rows = np.sort(random.choice(n_rows, min(n_sample, n_rows), replace=False))
    frame = _taken(dataset, rows, lambda done: callback(_step("read a sample", done, n_rows)))
    schema = infer_schema(frame) if schema is None else schema
    model = choose_model(
        frame, schema, concentration=concentration, random_state=random_state, callback=callback
    ).model
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".fit-", dir=folder.parent) as work:
        part = Path(work) / "fit"
        part.mkdir()
        sizes = _write_labels(
            model, dataset, rows, part, lambda done: callback(_step("label all rows", done, n_rows))
        )
        frame.to_parquet(part / SAMPLE, index=False)
        pq.write_table(pa.table([rows, model.labels_], LABELS), part / SAMPLE_LABELS)
        (part / MODEL).write_text(save_model(model), encoding="utf-8")
        (part / ABOUT).write_text(json.dumps({"rows": n_rows, "sizes": sizes.tolist()}))
        folder.rmdir()
        part.rename(folder)
    return LargeFit(model, n_rows, sizes)


def _write_labels(
    model: MAPDP, dataset: ds.Dataset, rows: np.ndarray, part: Path, tell: Callable[[int], None]
) -> np.ndarray:
    """Write the labels of all rows, a file for each of the dataset; sizes of the clusters."""
    sizes = np.zeros(model.n_clusters_ + 1, dtype=np.int64)
    wanted = list(model.schema_.names("cluster"))
    for number, batches in groupby(_batches(dataset, wanted), key=lambda batch: batch[0]):
        with pq.ParquetWriter(part / f"labels-{number:06d}.parquet", LABELS) as writer:
            for _, first, table in batches:
                labels = _labels(model, first, table, rows)
                numbers = np.arange(first, first + labels.size)
                writer.write_table(pa.table([numbers, labels], LABELS))
                sizes += np.bincount(labels, minlength=sizes.size)
                tell(first + labels.size)
    return sizes


def _step(phase: str, done: int, total: int) -> Progress:
    return Progress(done, total, math.inf, 0, phase)


def _open(source: str | Path) -> ds.Dataset:
    """A dataset whose columns have types that hold the cells of all files."""
    source = str(source)
    if "@" in urlsplit(source).netloc:
        raise TableError("An address holds no keys: give them in the environment.")
    try:
        found = ds.dataset(source, format="parquet", partitioning="hive")
        schemas = [file.physical_schema for file in found.get_fragments()]
        for path, schema in zip(found.files, schemas, strict=True):
            for name in {*schemas[0].names} ^ {*schema.names}:
                where = f"'{found.files[0]}' and '{path}'"
                raise TableError(f"Only one of {where} has '{name}': give all the same columns.")
        whole = pa.unify_schemas([found.schema, *schemas], promote_options="permissive")
        return ds.dataset(source, schema=whole, format="parquet", partitioning="hive")
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(error) from None


def _unreadable(error: Exception) -> TableError:
    what = str(error).splitlines()[0]
    return TableError(f"The table cannot be read ({what}): name a folder of Parquet files.")


def _batches(dataset: ds.Dataset, columns: list[str]) -> Iterator[tuple[int, int, pa.Table]]:
    """Yield neighbouring rows, with the number of their file and that of the first row."""
    first = 0
    try:
        for number, file in enumerate(dataset.get_fragments()):
            for batch in file.to_batches(dataset.schema, columns=columns, batch_size=BATCH):
                if batch.num_rows:
                    yield number, first, pa.table(batch)
                first += batch.num_rows
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(error) from None


def _taken(dataset: ds.Dataset, rows: np.ndarray, tell: Callable[[int], None]) -> pd.DataFrame:
    """Some rows, by their numbers in rising order, with all columns of single values."""
    taken = []
    flat = [field.name for field in dataset.schema if is_flat(field.type)]
    for _, first, table in _batches(dataset, flat):
        end = first + table.num_rows
        taken.append(table.take(rows[slice(*np.searchsorted(rows, [first, end]))] - first))
        tell(end)
    return _frame(pa.concat_tables(taken))


def _labels(model: MAPDP, first: int, table: pa.Table, rows: np.ndarray) -> np.ndarray:
    """Labels of neighbouring rows: those of the fit in the sample, predicted elsewhere."""
    try:
        labels = model.predict(_frame(table))
    except SchemaError as error:
        raise SchemaError(f"Counted from row {first + 1:,} of the table: {error}") from None
    inside = slice(*np.searchsorted(rows, [first, first + labels.size]))
    labels[rows[inside] - first] = model.labels_[inside]
    return labels


def _frame(table: pa.Table) -> pd.DataFrame:
    """Plain columns; text as categories, so that every word is looked at once."""
    kinds = [pa.float64() if pa.types.is_decimal(kind) else kind for kind in table.schema.types]
    table = table.cast(pa.schema(zip(table.column_names, kinds, strict=True)))
    return table.unify_dictionaries().to_pandas(
        types_mapper={pa.bool_(): pd.BooleanDtype()}.get,
        date_as_object=False,
        strings_to_categorical=True,
        ignore_metadata=True,
    )
