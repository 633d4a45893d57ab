"""Which parts a table has: keys of its folders, and runs of parts that one worker looks at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import MAPDPParts, Schema
from core.engine.columns import Columns
from core.engine.partition import Partition
from core.parts import source as source_module
from core.parts.place import Place
from core.parts.source import open_source
from core.schema.schema import ColumnSpec
from tests.parts.conftest import SCHEMA, SETTINGS, make_frame, write_parts


def _whole(table, folder) -> pd.DataFrame:
    source = open_source(str(table), Place(str(folder)))
    frames = [f for part in source.parts for _, f in part.batches(source.columns)]
    return pd.concat(frames, ignore_index=True)


def test_keys_of_folders_are_columns(tmp_path):
    keys = ("2023", "Bad%20Ems"), ("2024", "Trier"), ("2024", "__HIVE_DEFAULT_PARTITION__")
    for year, place in keys:
        folder = tmp_path / "table" / f"year={year}" / f"place={place}"
        folder.mkdir(parents=True)
        pd.DataFrame({"year": [1, 1], "x": [0.5, 1.5]}).to_parquet(folder / "part.parquet")
    found = _whole(tmp_path / "table", tmp_path)
    assert found["year"].tolist() == [2023, 2023, 2024, 2024, 2024, 2024]
    places = ["Bad Ems", "Bad Ems", "Trier", "Trier", "", ""]
    assert sorted(found["place"].astype(object).fillna("")) == sorted(places)
    assert found["x"].tolist() == [0.5, 1.5] * 3
    source = open_source(str(tmp_path / "table"), Place(str(tmp_path)))
    first, frame = next(source.parts[1].batches(["year"]))
    assert (first, frame["year"].tolist()) == (2, [2024, 2024])


def test_a_table_in_folders_of_keys_is_clustered_on_them(frame, tmp_path):
    named = frame.assign(group=frame["truth"].astype(str) + "th")
    for name, rows in named.groupby("group"):
        folder = tmp_path / "table" / f"group={name}"
        folder.mkdir(parents=True)
        rows.drop(columns="group").to_parquet(folder / "part.parquet", index=False)
    schema = Schema([*SCHEMA.values(), ColumnSpec("group", "categorical")])
    model = MAPDPParts(**SETTINGS).fit(tmp_path / "table", schema, tmp_path / "labels")
    whole = named.sort_values("group", kind="stable", ignore_index=True)
    columns = Columns.pack(model.schema_.encode(whole), model.prior_)
    partition = Partition(columns, model.concentration, model.read_labels())
    assert model.objective_ == pytest.approx(partition.objective(), abs=1e-7)


def test_runs_of_parts_do_not_matter(tmp_path, monkeypatch):
    """Hardly any runs, of clusters that overlap, so that rows of every part move one by one."""
    other = write_parts(make_frame(600, spread=4.0), tmp_path / "parts", 9)
    plain = MAPDPParts(**SETTINGS).fit(other, SCHEMA, tmp_path / "plain")
    monkeypatch.setattr(source_module, "MOST_RUNS", 2)
    told = []
    model = MAPDPParts(**SETTINGS).fit(other, SCHEMA, tmp_path / "labels", told.append)
    assert {p.phase: p for p in told}["look at all rows"].total == 2
    assert np.array_equal(model.read_labels(), plain.read_labels())
    assert model.objective_ == pytest.approx(plain.objective_, rel=1e-13)
