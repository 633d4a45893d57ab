"""The command line: what is written and printed, and what is said where that fails."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import app
from mapdp_studio.core import Progress, choose_model, infer_schema, load_model, read_table
from mapdp_studio.core.command.main import REFUSED, run, show_progress
from mapdp_studio.core.exports.settings_file import load_settings
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.version import __version__


@pytest.fixture
def table(tmp_path) -> Path:
    random, kind = np.random.default_rng(0), np.repeat([1, 2], [90, 60])
    tailed = {name: (8 * kind + random.standard_t(2, 150)).round(2) for name in "abc"}
    pd.DataFrame(tailed).assign(V5=kind).to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


@pytest.fixture
def command(capsys):
    """Run words: exit status, what was said, what went wrong, and what the app was asked for."""

    def command(*words: object) -> tuple[int, str, str, list]:
        served: list[tuple] = []
        try:
            status = run([*map(str, words)], lambda *asked: served.append(asked))
        except SystemExit as end:
            status = end.code
        return status, *capsys.readouterr(), served

    return command


def test_the_groups_are_those_that_the_app_shows_first(command, table, tmp_path):
    frame = read_table(table)
    model = choose_model(frame, infer_schema(frame)).model
    shown = model.labels_at(how_many(model).first())
    assert shown.max() + 1 < model.n_clusters_
    out, report, schema = (tmp_path / name for name in ("g.csv", "r.html", "s.json"))
    files = "--out", out, "--report", report, "--save-schema", schema
    status, printed, wrong, _ = command("cluster", table, *files)
    assert (status, wrong) == (0, "")
    np.testing.assert_array_equal(pd.read_csv(out)["cluster label from 0"], shown)
    assert f"{shown.max() + 1} groups" in printed
    assert f", {np.bincount(shown)[0]} rows. Like " in printed
    assert "the answer, known beforehand?" in printed
    assert report.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert json.loads(schema.read_text(encoding="utf-8"))["table"] == "t.csv"
    again = tmp_path / "again.parquet"
    assert command("cluster", table, "--schema", schema, "--out", again)[0] == 0
    np.testing.assert_array_equal(pd.read_parquet(again)["cluster label from 0"], shown)
    options = "--as-suggested", "--best-guesses", "--groups", 2, "--seed", 1, "--concentration", 4
    printed = command("cluster", table, *options, "--save-schema", schema)[1]
    settings = load_settings(schema.read_bytes()).settings
    assert (settings.seed, settings.concentration) == (1, 4.0)
    assert "grouped by 3 of 4 columns.\n2 groups.\n" in printed  # V5 is the answer
    assert "cannot say" not in printed


@pytest.mark.parametrize(
    ("words", "status", "expected"),
    [
        ("cluster absent.csv", REFUSED, "no such file"),
        ("cluster .", REFUSED, "no such file"),
        ("cluster one.csv", REFUSED, "one row"),
        ("cluster ids.csv", REFUSED, "No column is left"),
        ("cluster torn.sav", REFUSED, "torn.sav"),
        ("cluster t.csv --schema no.json", REFUSED, "no settings file"),
        ("cluster t.csv --out t.csv", REFUSED, "would be written over"),
        ("cluster t.csv --out g.csv --report g.csv", REFUSED, "would be written over"),
        ("cluster t.csv --out no/g.csv", REFUSED, "no folder"),
        ("cluster t.csv --out g.doc", REFUSED, "should end in"),
        ("cluster t.csv --as-suggested --groups 99", REFUSED, "fewer than the 99"),
        ("cluster t.csv --groups 0", 2, "not a whole number above 0"),
        ("cluster t.csv --graups 3", 2, "--graups"),
        ("fit s3://KEY:HIDDEN@b/t --labels out", REFUSED, "environment"),
        ("fit absent --labels out", REFUSED, "cannot be read"),
        ("s3://KEY:HIDDEN@b/t", REFUSED, "on this computer"),
        ("clutser", REFUSED, "There is no file or command 'clutser'"),
        ("t.csv one.csv", REFUSED, "one table"),
        ("--port 1", REFUSED, "There is no option '--port'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(command, table, monkeypatch, words, status, expected):
    monkeypatch.chdir(table.parent)
    Path("one.csv").write_text("a,b\n1,2\n")
    Path("ids.csv").write_text("id,name\n1,x\n2,y\n3,z\n")
    Path("torn.sav").write_bytes(b"$FL2@(#) SPSS DATA FILE and no more")
    Path("no.json").write_text("{}")
    found, printed, wrong, served = command(*words.split())
    assert (found, printed, wrong.count("\n"), served) == (status, "", 1, [])
    assert expected in wrong
    assert "HIDDEN" not in wrong
    assert not [*Path().glob("g.*")]


def test_a_fault_of_ours_tells_no_value_of_the_table(command, table, monkeypatch):
    def fails(*args, **kwargs) -> None:
        raise KeyError("a patient's name")

    monkeypatch.setattr("mapdp_studio.core.session.first_answer.first_answer", fails)
    status, _, wrong, _ = command("cluster", table)
    assert (status, "KeyError in test_cluster.py" in wrong, "patient" in wrong) == (1, True, False)


def test_a_folder_is_fitted_by_a_sample(command, table, tmp_path):
    (tmp_path / "parts").mkdir()
    pd.read_csv(table).to_parquet(tmp_path / "parts" / "a.parquet")
    status, printed, *_ = command("fit", tmp_path / "parts", "--labels", tmp_path / "labels")
    assert (status, "150 rows in " in printed) == (0, True)
    assert [*(tmp_path / "labels").glob("*")]
    settings = tmp_path / "s.json"
    command("cluster", table, "--as-suggested", "--best-guesses", "--save-schema", settings)
    asked = ("fit", f"file://{tmp_path}/parts", "--labels", tmp_path / "again", "--sample", 100)
    assert command(*asked, "--schema", settings)[0] == 0
    assert 100 <= len(pd.read_parquet(tmp_path / "again" / "sample.parquet")) < 150
    saved = load_model((tmp_path / "again" / "model.json").read_text())
    assert saved.schema_["V5"].role == "label"


def test_help_and_version_are_our_own_and_the_app_gets_its_options_and_one_table(command, table):
    assert command("--version") == (0, f"mapdp-studio {__version__}\n", "", [])
    assert command("--help")[1].startswith("mapdp-studio  ")
    port = ["--server.port", "8600"]
    assert command() == (0, "", "", [([], None)])
    assert command(*port, table) == (0, "", "", [(port, table)])
    assert command("--server.headless=true")[3] == [(["--server.headless=true"], None)]


def test_the_server_is_started_with_its_options_and_the_project(tmp_path, monkeypatch):
    (path := tmp_path / "mine.mapdp").touch()
    called = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda **kwargs: called.append(sys.argv))
    monkeypatch.setattr(sys, "argv", ["mapdp-studio", str(path), "--server.port", "8600"])
    with pytest.raises(SystemExit, match="0"):
        app.main()
    assert called[0][1:2] + called[0][3:] == ["run", "--server.port", "8600", "--", str(path)]


def test_an_account_without_a_home_can_start_the_server(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")
    app.have_a_home()
    assert os.environ["HOME"] == "/somewhere"
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)  # nobody of that number is known
    app.have_a_home()
    assert os.environ["HOME"] == os.sep


def test_an_option_that_the_server_does_not_have_is_refused(monkeypatch):
    monkeypatch.setattr("sys.argv", [])
    with pytest.raises(ValueError, match=r"No such option.*--server\.prot"):
        app.serve(["--server.prot", "1"], None)


def test_on_a_terminal_progress_is_one_line_drawn_over_itself(capsys, monkeypatch):
    show_progress(Progress(1, 4, 0.0, 3, "restart 1"))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    show_progress(Progress(1, 4, 0.0, 3, "restart 1"))
    show_progress(Progress(5, 4, 0.0, 0, "looking"))
    quarter, whole = capsys.readouterr().err.split("\r")[1:]
    assert quarter == f"[{'#' * 6}{' ' * 18}] restart 1  K = 3\x1b[K"
    assert whole == f"[{'#' * 24}] looking\x1b[K"
