"""A model from a sample, and labels of all rows: MAP-DP's own where all rows are the sample."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mapdp_studio.core import SchemaError, TableError, choose_model, infer_schema, load_model
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.scale.fit_large import BATCH, fit_large
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.schema.spec import ColumnSpec

N = 3_000


def make_frame(n: int = N) -> pd.DataFrame:
    """Mixed columns with missing cells; "truth" is the cluster."""
    random = np.random.default_rng(0)
    truth = random.choice(3, n, p=[0.5, 0.3, 0.2])
    middle = np.array([[0, 0, 0], [9, 0, 4], [0, 9, -5]])
    frame = pd.DataFrame(middle[truth] + random.normal(size=(n, 3)), columns=["m0", "m1", "m2"])
    frame = frame.mask(random.random(frame.shape) < 0.05)
    words = np.array(["red", "green", "blue"], dtype=object)
    frame["colour"] = words[np.where(random.random(n) < 0.7, truth, random.integers(3, size=n))]
    frame["smokes"] = random.random(n) < 0.2 + 0.3 * truth
    frame["truth"] = truth
    return frame


def write_files(frame: pd.DataFrame, folder: Path) -> Path:
    """The rows in folders by year; one file has no rows, another no cell of a column."""
    cuts = [0, 700, 700, 1_600, len(frame)]
    for k, (a, b) in enumerate(pairwise(cuts)):
        place = folder / f"year={2020 + k // 2}" / f"{k}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        part = frame.iloc[a:b].reset_index(drop=True)
        if k == 0:
            part["m2"] = pd.Series([None] * len(part), dtype=object)
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), place, row_group_size=400)
    return folder


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return make_frame()


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory) -> Path:
    return write_files(frame, tmp_path_factory.mktemp("data") / "table")


SCHEMA = Schema(
    [
        *(ColumnSpec(f"m{j}", "normal") for j in range(3)),
        ColumnSpec("colour", "categorical"),
        ColumnSpec("smokes", "bernoulli"),
        ColumnSpec("year", None, "ignore"),
        ColumnSpec("truth", None, "ignore"),
    ]
)


def read_labels(folder: Path) -> pd.DataFrame:
    return pd.concat(map(pd.read_parquet, sorted(folder.glob("labels-*.parquet"))))


def test_of_a_table_no_larger_than_the_sample_labels_are_those_of_the_fit(frame, tmp_path):
    frame.drop(columns="truth").to_parquet(tmp_path / "t.parquet")
    found = fit_large(tmp_path / "t.parquet", tmp_path / "out")
    read = pd.read_parquet(tmp_path / "t.parquet")
    wanted = choose_model(read, infer_schema(read)).model
    labels = read_labels(tmp_path / "out")
    np.testing.assert_array_equal(labels["row"], np.arange(N))
    np.testing.assert_array_equal(labels["label"], wanted.labels_)
    assert found.model.objective_ == wanted.objective_
    assert [*found.sizes] == [*np.bincount(wanted.labels_), 0]


def test_other_rows_are_placed_under_the_model_of_the_sample(frame, table, tmp_path):
    seen = []
    found = fit_large(table, tmp_path / "out", SCHEMA, n_sample=500, callback=seen.append)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    files = [f"labels-{k:06d}.parquet" for k in (0, 2, 3)]  # the second file has no rows
    assert names == ["about.json", *files, "model.json", "sample-labels.parquet", "sample.parquet"]
    labels = read_labels(tmp_path / "out")
    np.testing.assert_array_equal(labels["row"], np.arange(N))
    sample = pd.read_parquet(tmp_path / "out" / "sample-labels.parquet").set_index("row")["label"]
    kept = pd.read_parquet(tmp_path / "out" / "sample.parquet")
    np.testing.assert_array_equal(kept["truth"], frame["truth"][sample.index])
    np.testing.assert_array_equal(kept["year"], np.where(sample.index < 700, 2020, 2021))
    assert len(sample) == sample.index.nunique() == 500
    np.testing.assert_array_equal(sample, found.model.labels_)
    model = load_model((tmp_path / "out" / "model.json").read_text())
    whole = frame.assign(m2=frame["m2"].where(frame.index >= 700))
    wanted = model.predict(whole)
    wanted[sample.index] = sample
    np.testing.assert_array_equal(labels["label"], wanted)
    assert [*found.sizes] == [*np.bincount(wanted, minlength=model.n_clusters_ + 1)]
    assert found.n_rows == N == seen[-1].done
    assert nmi(frame["truth"].to_numpy(), wanted) > 0.9


def test_a_row_far_from_all_is_in_none(tmp_path):
    values = np.random.default_rng(0).normal(size=BATCH + 9)
    values[-1] = 1e4
    pd.DataFrame({"x": values}).to_parquet(tmp_path / "t.parquet")
    schema = Schema([ColumnSpec("x", "normal")])
    found = fit_large(tmp_path / "t.parquet", tmp_path / "out", schema, n_sample=50)
    last = read_labels(tmp_path / "out").iloc[-1]
    assert (last["row"], last["label"]) == (BATCH + 8, found.model.n_clusters_)
    assert found.sizes[-1] >= 1


def test_a_fit_that_stops_leaves_nothing(table, tmp_path):
    def stop(progress) -> None:
        if progress.phase == "label all rows" and progress.done > 1_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit_large(table, tmp_path / "out", SCHEMA, n_sample=100, callback=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not [*(tmp_path / "out").iterdir()]
    fit_large(table, tmp_path / "out", SCHEMA, n_sample=100)
    with pytest.raises(TableError, match="not empty: name a new folder"):
        fit_large(table, tmp_path / "out", SCHEMA)


def test_what_cannot_be_read_is_one_sentence(frame, table, tmp_path):
    def refused(source, match: str, error: type = TableError, schema: Schema = SCHEMA) -> str:
        with pytest.raises(error, match=match) as said:
            fit_large(source, tmp_path / "out", schema, n_sample=50)
        assert "\n" not in str(said.value)
        return str(said.value)

    refused(tmp_path / "absent", "cannot be read .*absent")
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "has 0 rows")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and no more")
    refused(tmp_path / "t.parquet", "cannot be read")
    assert "HIDDEN" not in refused("s3://KEY:HIDDEN@bucket/t", "holds no keys")
    (tmp_path / "two").mkdir()
    frame.to_parquet(tmp_path / "two" / "a.parquet")
    frame.drop(columns="m1").to_parquet(tmp_path / "two" / "b.parquet")
    refused(tmp_path / "two", "has 'm1': give all the same columns")
    counts = pd.DataFrame({"n": np.arange(300) % 7.0})
    counts.loc[299] = -2.0
    counts.to_parquet(tmp_path / "counts.parquet")
    schema = Schema([ColumnSpec("n", "poisson")])
    refused(tmp_path / "counts.parquet", "from row 1 of the table: .*'n'", SchemaError, schema)
