"""A model from a sample, then all rows in turns: E is MAP-DP's own, wherever the rows are read.

dask and what stands in for a store take 1.5 s to import, which every process pays that collects.
"""

import os
import signal
import sys
from contextlib import contextmanager
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mapdp_studio.core import (
    MAPDP,
    SchemaError,
    TableError,
    choose_model,
    infer_schema,
    load_model,
    save_model,
)
from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.scale import source
from mapdp_studio.core.scale.fit_large import MODEL, UNFINISHED, fit_large
from mapdp_studio.core.scale.turns import (
    MOST_WORST,
    NO_ROW,
    AllRows,
    Report,
    choices,
    joined,
    visit,
)
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.schema.spec import ColumnSpec
from tests.fresh_process import context

N, FAR = 3_000, 8
MOTO = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_DEFAULT_REGION": "us-east-1"}


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
    frame["visits"] = random.poisson(2 + 3 * truth)
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
        pq.write_table(pa.Table.from_pandas(part, preserve_index=False), place, row_group_size=200)
    return folder


SCHEMA = Schema(
    [
        *(ColumnSpec(f"m{j}", "normal") for j in range(3)),
        ColumnSpec("colour", "categorical"),
        ColumnSpec("smokes", "bernoulli"),
        ColumnSpec("visits", "poisson"),
        ColumnSpec("year", None, "ignore"),
        ColumnSpec("truth", None, "ignore"),
    ]
)


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    """Eight rows, all in the last file, are a cluster far away."""
    frame = make_frame()
    frame.loc[np.arange(N - 800, N, 100), ["m0", "m1"]] = 60.0, -60.0
    frame.loc[np.arange(N - 800, N, 100), "truth"] = 3
    frame.loc[:699, "m2"] = np.nan  # as ``write_files`` leaves them
    return frame


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory) -> Path:
    return write_files(frame, tmp_path_factory.mktemp("data") / "table")


@pytest.fixture(scope="module", autouse=True)
def _small_parts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "ROWS_OF_PART", 500)
        patch.setattr(source, "BATCH", 300)
        yield


def fit(table, out, client=None, schema=SCHEMA, **settings):
    settings = {"n_sample": 300, "random_state": 3} | settings
    return fit_large(table, schema, client, labels=out, **settings)


@pytest.fixture(scope="module")
def fitted(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return out, fit(table, out)


def read_labels(folder: Path) -> np.ndarray:
    read = pd.concat(map(pd.read_parquet, sorted(folder.glob("labels-*.parquet"))))
    np.testing.assert_array_equal(read["row"], np.arange(N))
    return read["label"].to_numpy()


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_of_a_table_no_larger_than_the_sample_labels_are_those_of_the_fit(frame, tmp_path):
    frame.drop(columns="truth").to_parquet(tmp_path / "t.parquet")
    found = fit_large(tmp_path / "t.parquet", labels=tmp_path / "out")
    read = pd.read_parquet(tmp_path / "t.parquet")
    expected = choose_model(read, infer_schema(read)).model
    np.testing.assert_array_equal(read_labels(tmp_path / "out"), expected.labels_)
    assert found.objective_ == expected.objective_


def test_e_is_that_of_the_labels_and_the_model_that_of_all_rows(frame, fitted):
    out, model = fitted
    labels = read_labels(out)
    packed = PackedTable.pack(model.schema_.encode(frame.assign(year=0)), model.columns_.priors)
    partition = Partition(packed, model.concentration, labels)
    assert model.objective_ == pytest.approx(partition.objective(), abs=1e-6)
    assert [cluster.size for cluster in model.clusters_] == [*np.bincount(labels)]
    assert [*np.bincount(labels)] == sorted(np.bincount(labels), reverse=True)
    assert nmi(frame["truth"].to_numpy(), labels) > 0.95
    # No row of the table would be better off elsewhere.
    assert partition.sweep(np.arange(N)) <= 3
    stored = load_model(out / MODEL)
    assert save_model(stored) == save_model(model)
    in_memory = MAPDP(model.concentration, prior=model.columns_.priors, random_state=0)
    in_memory.fit(frame.assign(year=0), schema=model.schema_)
    assert model.objective_ <= in_memory.objective_ + 1e-3 * abs(in_memory.objective_)


def test_a_small_cluster_far_away_is_found_though_the_sample_has_hardly_a_row_of_it(frame, fitted):
    out, model = fitted
    labels = read_labels(out)
    assert {*labels[frame["truth"] == 3]} == {model.n_clusters_ - 1}
    assert model.clusters_[-1].size == FAR
    rows = pd.read_parquet(out / "sample-labels.parquet")
    assert np.count_nonzero(frame["truth"][rows["row"]] == 3) == FAR > 1
    np.testing.assert_array_equal(labels[rows["row"]], rows["label"])
    stored = pd.read_parquet(out / "sample.parquet")
    np.testing.assert_array_equal(stored["truth"], frame["truth"][rows["row"]])
    np.testing.assert_array_equal(stored["year"], np.where(rows["row"] < 700, 2020, 2021))


def test_a_fit_that_stops_goes_on_to_the_same_answer(table, fitted, tmp_path):
    seen = []

    def stop_in(phase: str):
        def tell(progress) -> None:
            seen.append(progress.phase)
            if progress.phase == phase and progress.done == 2:
                raise KeyboardInterrupt

        return tell

    for phase in ("turn 2", "write labels"):
        with pytest.raises(KeyboardInterrupt):
            fit(table, tmp_path, callback=stop_in(phase))
        assert "read a sample" in seen or phase == "write labels"
        seen.clear()
        with pytest.raises(TableError, match="name a new folder"):
            fit(table, tmp_path, concentration=2.0)
    fit(table, tmp_path, callback=stop_in("none"))
    assert seen[0] == "turn 1"  # of the clusters that were broadcast last
    assert files(tmp_path) == files(fitted[0])
    assert UNFINISHED not in files(tmp_path)
    with pytest.raises(TableError, match="name a new folder"):
        fit(table, tmp_path)


@contextmanager
def two_workers(**how):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, dashboard_address=":0", **how) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    """Two workers that are threads of this process."""
    with two_workers(threads_per_worker=2, processes=False) as client:
        yield client


def test_a_cluster_comes_to_the_same_and_can_be_stopped(table, fitted, client, tmp_path):
    def stop(progress) -> None:
        if progress.phase == "turn 2":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(table, tmp_path / "out", client, callback=stop)
    fit(table, tmp_path / "out", client)
    assert files(tmp_path / "out") == files(fitted[0])


def test_a_frame_of_dask_is_a_table_in_parts(frame, fitted, client, tmp_path):
    from dask.dataframe import from_pandas

    dask_frame = from_pandas(frame, npartitions=7)
    for given, name in ((client, "dask"), (None, "here")):
        found = fit(dask_frame, tmp_path / name, given)
        assert found.objective_ == pytest.approx(fitted[1].objective_, abs=1e-6)
    assert files(tmp_path / "dask") == files(tmp_path / "here")
    np.testing.assert_array_equal(read_labels(tmp_path / "dask"), read_labels(fitted[0]))


def test_a_worker_that_is_killed_changes_nothing(table, fitted, tmp_path, monkeypatch):
    import dask

    # A worker's process begins with this module, which a page that was tested before may be.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    killed = []

    def kill(progress) -> None:
        if progress.phase == "turn 1" and not killed:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
            killed.append("one of two")

    context()  # whose processes find the library imported
    forked = dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    with forked, two_workers(threads_per_worker=1) as client:
        fit(table, tmp_path, client, callback=kill)
    assert killed
    assert files(tmp_path) == files(fitted[0])


def test_a_store_comes_to_the_same(table, fitted, client, tmp_path, monkeypatch):
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in (MOTO | {"AWS_ENDPOINT_URL": f"http://{host}:{port}"}).items():
        monkeypatch.setenv(name, value)
    store = s3fs.S3FileSystem(skip_instance_cache=True)
    store.mkdir("clinic")
    store.put(str(table), "clinic/table", recursive=True)
    fit("s3://clinic/table", "s3://clinic/here")
    fit("s3://clinic/table", "s3://clinic/dask", client)
    for name in ("here", "dask"):
        store.get(f"clinic/{name}", str(tmp_path / name), recursive=True)
        assert files(tmp_path / name) == files(fitted[0])
    server.stop()


def test_reports_of_parts_make_that_of_all(frame, fitted, tmp_path):
    from dask.dataframe import from_pandas

    text = (fitted[0] / MODEL).read_text()
    frame.assign(year=0).to_parquet(tmp_path / "t.parquet", row_group_size=700)
    parts, columns = source.open_source(tmp_path / "t.parquet")
    sizes = [(part.first, part.n_rows) for part in parts]
    assert sizes == [*((700 * i, 700) for i in range(4)), (2_800, 200)]
    assert set(columns) == {*frame, "year"}
    reports = [visit(part, text) for part in parts]
    whole = reports[0]
    for report in reports[1:]:
        whole = joined(whole, report, text)
    whole_part = replace(parts[0], n_rows=N, rows=from_pandas(frame, 1), schema=None)
    expected = visit(whole_part, text)
    for name in (field.name for field in fields(expected)):
        np.testing.assert_allclose(
            getattr(whole, name), getattr(expected, name), rtol=1e-9, atol=1e-9, err_msg=name
        )
    assert whole.n_rows == N
    found = list(choices(whole_part, text))
    labels = np.concatenate([best[0] for _, _, best in found])
    lead = np.concatenate([alone - score for _, _, (_, score, alone) in found])
    most = MOST_WORST // whole.members.size
    assert most < whole.members[0]
    for k, first in enumerate(whole.first):
        rows = np.flatnonzero(labels == k)
        np.testing.assert_array_equal(first[first < NO_ROW], rows[:20])
        worst = np.sort(lead[rows])[::-1][:most]
        np.testing.assert_allclose(whole.lead[whole.labels == k], worst, atol=1e-9)


def test_clusters_that_are_better_together_merge(frame, fitted):
    model, labels = fitted[1], read_labels(fitted[0]).astype(np.int64)
    rows = model.columns_.with_rows(model.schema_.encode(frame.assign(year=0)))
    labels[(labels == 0) & (np.arange(N) % 2 == 0)] = n = model.n_clusters_
    apart = Partition(rows, model.concentration, labels)
    statistics = apart.clusters.state[rows.statistic_rows, : n + 1]
    none = np.empty(0, dtype=np.int64)
    sums = N, rows.log_constant, statistics, np.bincount(labels)
    report = Report(*sums, none, rows.table.values[:0], none, none)
    found = AllRows(model, report)
    assert found.objective() == pytest.approx(apart.objective(), abs=1e-6)
    found.improve(np.random.default_rng(0))
    assert found.objective() == pytest.approx(model.objective_, abs=1e-6)
    assert found.n_clusters == n


def test_what_cannot_be_read_is_one_sentence(frame, table, tmp_path):
    def refused(of, match: str, error: type = TableError, schema: Schema = SCHEMA) -> str:
        with pytest.raises(error, match=match) as raised:
            fit(of, tmp_path / "out", schema=schema, n_sample=50)
        assert "\n" not in str(raised.value)
        return str(raised.value)

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
    weighed = SCHEMA.with_column("truth", role="weight")
    refused(table, "'truth' says how often rows count", SchemaError, weighed)
    block = SCHEMA.with_block("b", ["m0", "m1"], "gaussian")
    refused(table, r"Row [\d,]+ of the table has some cells of the block 'b'", SchemaError, block)
