"""One table to groups from the command line: what is written, and what is said where that fails."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import choose_model, infer_schema, load_model, read_table
from mapdp_studio.core.command.main import REFUSED, run
from mapdp_studio.core.profiling.how_many import how_many


def no_app(*told) -> None:
    raise AssertionError("The app is not asked for.")


@pytest.fixture
def table(tmp_path) -> Path:
    random, kind = np.random.default_rng(0), np.repeat([1, 2], [90, 60])
    tailed = {name: (8 * kind + random.standard_t(2, 150)).round(2) for name in "abc"}
    pd.DataFrame(tailed).assign(V5=kind).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.fixture
def command(capsys):
    """Run the command: exit status, what was said, and what went wrong."""

    def command(*words: object) -> tuple[int, str, str]:
        try:
            status = run([*map(str, words)], no_app)
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr()

    return command


def test_the_groups_are_those_that_the_app_shows_first(command, table, tmp_path):
    frame = read_table(table)
    model = choose_model(frame, infer_schema(frame)).model
    shown = model.labels_at(how_many(model).first())
    assert shown.max() + 1 < model.n_clusters_
    out, report, schema = (tmp_path / name for name in ("g.csv", "r.html", "s.json"))
    status, said, wrong = command(
        *("cluster", table, "--out", out, "--report", report, "--save-schema", schema)
    )
    assert (status, wrong) == (0, "")
    written = pd.read_csv(out)
    np.testing.assert_array_equal(written["cluster number"], shown)
    assert f"{shown.max() + 1} groups" in said
    assert "the answer, known beforehand?" in said
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(schema.read_text(encoding="utf-8"))["table"] == "t.csv"
    again = tmp_path / "again.parquet"
    assert command("cluster", table, "--schema", schema, "--out", again)[0] == 0
    np.testing.assert_array_equal(pd.read_parquet(again)["cluster number"], shown)


def test_it_can_be_told_otherwise(command, table):
    status, said, _ = command(
        *("cluster", table, "--as-suggested", "--best-guesses", "--groups", 2, "--seed", 1)
    )
    assert status == 0
    assert "grouped by 3 of 4 columns.\n2 groups.\n" in said  # V5 is the answer
    assert "cannot say" not in said


def test_what_is_no_table_is_one_sentence(command, table, tmp_path):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    (tmp_path / "ids.csv").write_text("id,name\n1,x\n2,y\n3,z\n")
    (tmp_path / "torn.sav").write_bytes(b"$FL2@(#) SPSS DATA FILE and no more")
    (tmp_path / "no.json").write_text("{}")
    for words, expected in (
        (["absent.csv"], "no such file"),
        ([tmp_path], "no such file"),
        ([tmp_path / "empty.csv"], "is empty"),
        ([tmp_path / "one.csv"], "one row"),
        ([tmp_path / "ids.csv"], "No column is left"),
        ([tmp_path / "torn.sav"], "torn.sav"),
        ([table, "--schema", tmp_path / "no.json"], "no settings file"),
        ([table, "--out", table], "would be written over"),
        ([table, "--out", tmp_path / "no" / "g.csv"], "no folder"),
        ([table, "--out", tmp_path / "g.doc"], "should end in"),
        ([table, "--as-suggested", "--groups", 99], "fewer than the 99"),
    ):
        status, said, wrong = command("cluster", *words)
        assert (status, said, wrong.count("\n")) == (REFUSED, "", 1), words
        assert expected in wrong
    for words in ([table, "--groups", "0"], [table, "--graups", "3"], []):
        status, _, wrong = command("cluster", *words)
        assert (status, wrong.count("\n")) == (2, 1)
    assert not [*tmp_path.glob("g.*")]


def test_a_fault_of_ours_tells_no_value_of_the_table(command, table, monkeypatch):
    def fails(*told, **more) -> None:
        raise KeyError("a patient's name")

    monkeypatch.setattr("mapdp_studio.core.session.first_answer.first_answer", fails)
    status, _, wrong = command("cluster", table)
    assert (status, "KeyError in test_cluster.py" in wrong, "patient" in wrong) == (1, True, False)


def test_a_folder_is_fitted_by_a_sample(command, table, tmp_path):
    (tmp_path / "parts").mkdir()
    pd.read_csv(table).to_parquet(tmp_path / "parts" / "a.parquet")
    status, said, _ = command("fit", tmp_path / "parts", "--labels", tmp_path / "labels")
    assert (status, "150 rows in " in said) == (0, True)
    assert [*(tmp_path / "labels").glob("*")]
    settings = tmp_path / "s.json"
    command("cluster", table, "--as-suggested", "--best-guesses", "--save-schema", settings)
    asked = ("fit", f"file://{tmp_path}/parts", "--labels", tmp_path / "again", "--sample", 100)
    assert command(*asked, "--schema", settings)[0] == 0
    sample = pd.read_parquet(tmp_path / "again" / "sample.parquet")
    assert 100 <= len(sample) < 150
    saved = load_model((tmp_path / "again" / "model.json").read_text())
    assert saved.schema_["V5"].role == "label"
    shutil.rmtree(tmp_path / "parts")
    status, _, wrong = command("fit", tmp_path / "parts", "--labels", tmp_path / "more")
    assert (status, "cannot be read" in wrong) == (REFUSED, True)
    for words in (("fit", "s3://KEY:HIDDEN@b/t", "--labels", tmp_path), ("s3://KEY:HIDDEN@b/t",)):
        status, said, wrong = command(*words)
        assert (status, "HIDDEN" in said + wrong) == (REFUSED, False)
