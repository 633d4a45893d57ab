"""What is taken away comes back the same: tables, script, model, settings, link, report."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from core import (
    MAPDP,
    Block,
    CollapsedGibbs,
    ColumnSpec,
    ReadOptions,
    Schema,
    infer_schema,
    load_model,
    read_table,
    save_model,
)
from core.comparing.comparison import ALGORITHMS, Results, Settings, tasks
from core.comparing.snapshots import Snapshot, side_by_side
from core.exports.analysis_report import Analysis, analysis_report
from core.exports.report import Report
from core.exports.script import from_demo, from_file, from_scenario, script
from core.exports.settings_file import Saved, SettingsFileError, load_settings, save_settings
from core.exports.tables import as_csv, as_parquet, summary_table, with_labels
from core.exports.take_away import file_stem, labelled, permalink, script_of
from core.families import NormalPrior
from core.partitions.naming import Naming
from core.profiling.judged import JudgedPartition
from core.session.history import History

ROOT = Path(__file__).parents[2]
RANDOM = np.random.default_rng(7)
GROUP = np.repeat([0, 1, 2], 20)
FRAME = pd.DataFrame(
    {
        "größe 😀": RANDOM.normal(160.0, 3.0, 60) + 15.0 * GROUP,
        "=weight": RANDOM.normal(60.0, 3.0, 60) + 12.0 * GROUP,
        "visits": RANDOM.poisson(2 + 4 * GROUP),
        'kind "of"': np.array(["a", "-b", "c"])[GROUP],
    }
)
FRAME.loc[::7, "größe 😀"] = np.nan
FRAME.loc[::9, 'kind "of"'] = None


# ---- tables


def test_spreadsheets_find_no_formula_in_a_csv_and_numbers_are_left_alone():
    frame = pd.DataFrame(
        {
            "=cmd": ["=1+1", "+x", "-5", "@a"],
            "@number": [-1.5, 2.0, np.nan, 1e-17],
            "text": ["\tx", "\ry", 'quo"te', "a,b"],
            "category": pd.Categorical(["-a", "b", "-a", None]),
            "mixed": [1, "=x", None, 2.5],
        }
    )
    text = as_csv(frame).decode("utf-8-sig")
    back = pd.read_csv(io.StringIO(text, newline=""), dtype=str, keep_default_na=False)
    assert list(back) == ["'=cmd", "'@number", "text", "category", "mixed"]
    assert back["'=cmd"].tolist() == ["'=1+1", "'+x", "'-5", "'@a"]
    assert back["'@number"].tolist() == ["-1.5", "2", "", "1e-17"]
    assert back["text"].tolist() == ["'\tx", "'\ry", 'quo"te', "a,b"]
    assert back["category"].tolist() == ["'-a", "b", "'-a", ""]
    assert back["mixed"].tolist() == ["1", "'=x", "", "2.5"]


def test_a_table_comes_back_from_its_csv_to_the_last_digit():
    numbers = pd.DataFrame({"x": RANDOM.normal(size=50) * 10.0 ** RANDOM.integers(-9, 9, 50)})
    again = read_table(as_csv(numbers), name="x.csv")
    np.testing.assert_array_equal(again["x"], numbers["x"])


def test_times_are_written_without_idle_zeros_and_without_loss():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", None]),
            "time": pd.to_datetime(["2020-01-01 10:00", "2020-01-02"], format="mixed"),
        }
    )
    lines = as_csv(frame).decode("utf-8-sig").splitlines()
    assert lines[1:] == ["2020-01-01,2020-01-01 10:00:00", ",2020-01-02 00:00:00"]


def test_labels_stand_beside_a_column_of_that_name():
    frame = pd.DataFrame({"cluster": [1, 2], "cluster (2)": [3, 4]})
    both = with_labels(frame, {"cluster": ["A", "B"]})
    assert list(both) == ["cluster", "cluster (2)", "cluster (3)"]
    again = pd.read_parquet(io.BytesIO(as_parquet(both)))
    pd.testing.assert_frame_equal(again, both, check_dtype=False)


# ---- one fitted table


@pytest.fixture(scope="module")
def fitted() -> tuple[pd.DataFrame, Schema, Results, dict]:
    frame = read_table(FRAME.to_csv(index=False, sep=";").encode(), name="my table.csv")
    schema = infer_schema(frame).with_column("=weight", transform="log")
    schema = schema.with_block("size", columns=["größe 😀", "=weight"], family="gaussian")
    settings = Settings(penalty=5.0, n_clusters=4)
    results, wanted = Results(), tasks("digest", schema, settings, len(frame))
    for task in wanted.values():
        results.fit(task, frame, schema)
    return frame, schema, results, wanted


def test_the_summary_holds_every_column_of_every_group(fitted):
    frame, schema, results, wanted = fitted
    model = results.get(wanted["MAPDP"])
    titles = tuple(f"g{k}" for k in range(model.n_clusters_))
    found = summary_table(model.columns_.encoded, model.labels_, titles)
    row = found[(found["cluster"] == "g0") & (found["column"] == "visits")].iloc[0]
    own = frame["visits"][model.labels_ == 0]
    assert (row["n_observed"], row["mean"]) == (own.size, pytest.approx(own.mean()))
    assert found["cluster"].iloc[-1] == "all rows"
    assert set(found["column"]) == set(schema.names("cluster"))


@pytest.fixture
def run(tmp_path):
    """Run a script in a process of its own.

    As in a checkout, whose kernels are compiled already: tests/test_installed.py sees to it that
    the installed package, which scripts name, is the same files.
    """

    def run(text: str) -> np.ndarray:
        assert "from mapdp_studio.core import" in text
        text = text.replace("from mapdp_studio.", "from ")
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "error", "script.py"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return np.loadtxt(tmp_path / "labels.csv", skiprows=1, dtype=np.int64, ndmin=1)

    return run


@pytest.mark.parametrize("algorithm", ["MAPDP", "CollapsedGibbs", "DPMeans"])
def test_a_script_gives_the_labels_again_in_a_fresh_process(fitted, run, tmp_path, algorithm):
    frame, schema, results, wanted = fitted
    FRAME.to_csv(tmp_path / "my table.csv", index=False, sep=";")
    options = ReadOptions(**frame.attrs["read_options"])
    text = script_of(from_file("my table.csv", options), wanted[algorithm], schema, (), 'A "b"\\')
    np.testing.assert_array_equal(run(text), results.get(wanted[algorithm]).labels_)


def test_a_script_lays_merges_over_the_labels(run):
    from demo_datasets import load_demo

    frame, schema, _ = load_demo("iris")
    labels = MAPDP(random_state=1).fit(frame, schema).labels_
    text = script(from_demo("iris"), "MAPDP", {"random_state": 1}, schema=schema, merged=((0, 2),))
    expected = Naming(merged=((0, 2),)).apply(labels).labels
    np.testing.assert_array_equal(run(text), expected)


def test_a_script_draws_a_scenario_and_writes_its_priors(run):
    from demo_datasets import load_scenario

    points, _ = load_scenario("5.2", n=60, seed=3)
    prior = [NormalPrior(0.0, 0.1, 2.0, 3.0), NormalPrior(1.0, 0.1, 2.0, 3.0)]
    arguments = {"likelihood": "normal", "prior": prior, "random_state": 0}
    text = script(from_scenario("5.2", n=60, seed=3), "MAPDP", arguments)
    expected = MAPDP(**arguments).fit(points.to_numpy()).labels_
    np.testing.assert_array_equal(run(text), expected)


def test_long_lines_are_broken_and_short_ones_are_not():
    schema = Schema(
        [ColumnSpec("x", "normal"), ColumnSpec("c", "categorical", levels=tuple("abcdefghijklmno"))]
    )
    text = script(from_demo("iris"), "DPMeans", {"penalty": 2.0}, schema=schema)
    assert max(map(len, text.splitlines())) <= 100
    compile(text, "script.py", "exec")


def test_a_saved_model_predicts_the_same_in_a_fresh_process(fitted, run, tmp_path):
    frame, _, results, wanted = fitted
    model = results.get(wanted["CollapsedGibbs"])
    assert isinstance(model, CollapsedGibbs)
    merged = Naming(merged=((0, 1),)).apply(model.labels_).labels
    judged = JudgedPartition.of(results.get(wanted["MAPDP"]), merged)
    for name, saved in {"fitted": model, "judged": judged}.items():
        (tmp_path / "model.json").write_text(save_model(saved), encoding="utf-8")
        frame.to_parquet(tmp_path / "rows.parquet")
        found = run(
            "import numpy as np\nfrom mapdp_studio.core import load_model, read_table\n"
            "model = load_model(open('model.json', encoding='utf-8').read())\n"
            "labels = model.predict(read_table('rows.parquet'))\n"
            "np.savetxt('labels.csv', labels, fmt='%d', header='x')\n"
        )
        np.testing.assert_array_equal(found, saved.predict(frame), err_msg=name)
        again = load_model(save_model(saved))
        np.testing.assert_array_equal(again.predict_proba(frame), saved.predict_proba(frame))


def test_the_labelled_table_leaves_out_what_it_is_told_to(fitted):
    frame, _, results, wanted = fitted
    groups = Naming(names={0: "=first"}).apply(results.get(wanted["MAPDP"]).labels_)
    found = labelled(frame, groups, ("visits",), None)
    assert "visits" not in found
    assert (found["cluster"][groups.labels == 0] == "=first").all()
    assert "'=first" in as_csv(found).decode()
    np.testing.assert_array_equal(found["cluster number"], groups.labels)


# ---- settings


@pytest.fixture
def saved(fitted) -> Saved:
    frame, schema, _, _ = fitted
    naming = Naming(((0, 1),), {0: "mild", 2: "😀"})
    options = ReadOptions(**frame.attrs["read_options"])
    settings = Settings(5.0, 7.5, 4, 4, False, 2, 9)
    return Saved(
        "my table.csv", frame.shape, options, schema, settings, "DPMeans", {"MAPDP": naming}
    )


def test_settings_come_back_as_they_were(saved):
    text = save_settings(saved)
    assert load_settings(text) == saved
    assert load_settings(text.encode()) == saved


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda c: "{", "not JSON"),
        (lambda c: [], "no settings file"),
        (lambda c: c | {"format": "x"}, "no settings file"),
        (lambda c: c | {"version": 2}, "newer version"),
        (lambda c: {k: v for k, v in c.items() if k != "schema"}, "lacks 'schema'"),
        (lambda c: c | {"result of": "magic"}, "no method"),
        (lambda c: c | {"comparison": c["comparison"] | {"effort": 99}}, "outside 1 to 10"),
        (lambda c: c | {"comparison": c["comparison"] | {"effort": "2"}}, "not a whole number"),
        (lambda c: c | {"comparison": c["comparison"] | {"concentration": -1}}, "outside"),
        (lambda c: c | {"comparison": c["comparison"] | {"bic": 1}}, "neither true nor false"),
        (lambda c: c | {"comparison": {}}, "lacks 'bic'"),
        (lambda c: c | {"schema": c["schema"] | {"version": 9}}, "newer version"),
        (lambda c: c | {"schema": {"version": 1, "columns": [{"name": 3}]}}, "column name"),
        (lambda c: c | {"names": {"MAPDP": 3}}, "damaged"),
        (lambda c: c | {"read options": {"delimiter": "xx"}}, "one character"),
    ],
    ids=range(15),
)
def test_settings_edited_by_hand_or_newer_get_a_sentence(saved, change, said):
    changed = change(json.loads(save_settings(saved)))
    text = changed if isinstance(changed, str) else json.dumps(changed)
    with pytest.raises(SettingsFileError, match=said) as caught:
        load_settings(text)
    assert str(caught.value).rstrip().endswith((".", "again."))


def test_the_link_holds_the_settings_and_nothing_of_the_table():
    settings = Settings(5.0, 7.5, 4, 4, False, 2, 9)
    link = permalink("http://host/app/take_away?x=1", settings, None)
    assert link == ("http://host/app/compare?n0=5&k=4&bic=false&restarts=2&seed=9&lambda=7.5")
    assert permalink("http://host/x", Settings(), "5.1") == "http://host/compare?example=5.1"


def test_file_names_are_plain():
    assert file_stem("../my table (2).csv") == "my-table-2"
    assert file_stem("größe 😀.parquet") == "größe"
    assert file_stem("😀.csv") == "table"


# ---- the report


def test_a_report_needs_no_network_and_runs_no_text():
    import plotly.graph_objects as go

    bad = "</script><script>alert(1)</script><img src=x>"
    report = Report(bad, bad)
    for say in (report.heading, report.paragraph, report.note, report.code):
        say(bad)
    report.points([bad])
    report.table(pd.DataFrame({bad: [bad, None], "n": [1234.5678, np.inf]}), bad)
    report.figure(go.Figure(go.Scatter(x=[1], y=[2], name=bad)), bad, bad)
    report.figure(go.Figure())
    page = report.html()
    own = page.replace(_plotly(), "")
    assert page.count(_plotly()) == 1
    assert "<script>alert" not in own
    assert "<img" not in own
    assert "http" not in own.replace("http-equiv", "")
    assert "1,235" in own
    assert "default-src 'none'" in own
    assert own.count('data-format="svg"') == own.count('data-format="png"') == 2


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return get_plotlyjs()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_result_has_a_report(fitted, algorithm):
    frame, schema, results, wanted = fitted
    model, judge = results.get(wanted[algorithm]), results.get(wanted["MAPDP"])
    groups = Naming(names={0: "<b>first</b>"}).apply(model.labels_)
    partition = JudgedPartition.of(judge, groups.labels)
    title = ALGORITHMS[algorithm]
    analysis = Analysis(
        "t.csv", frame, schema, Settings(), algorithm, title, model, groups, partition, "x", "now"
    )
    steps = []
    page = analysis_report(analysis, steps.append).replace(_plotly(), "")
    assert "&lt;b&gt;first&lt;/b&gt;" in page
    assert "not for diagnosis" in page
    assert "größe 😀" in page
    assert len(steps) == 9


# ---- undo, redo, snapshots


def test_steps_are_undone_done_again_and_given_up():
    history: History[str] = History()
    for state in ("a", "b", "b", "c"):
        history.note(state)
    assert (history.undo(), history.undo(), history.steps_back) == ("b", "a", 0)
    assert (history.redo(), history.steps_forward) == ("b", 1)
    history.note("d")
    assert history.steps_forward == 0
    assert history.undo() == "b"
    with pytest.raises(IndexError):
        History().undo()


def test_a_state_that_completes_another_is_no_step():
    history: History[str] = History()
    history.note("a")
    history.note("a, suggested", completes=True)
    assert history.steps_back == 0
    assert history.present == "a, suggested"


def test_snapshots_say_what_was_changed_and_when_costs_compare(fitted):
    _, schema, results, wanted = fitted
    judge = results.get(wanted["MAPDP"])
    kept = {
        name: Snapshot(
            ALGORITHMS[name],
            Naming().apply(results.get(wanted[name]).labels_),
            JudgedPartition.of(judge, results.get(wanted[name]).labels_).objective_,
            schema,
            Settings(),
            judge.prior_scale_,
        )
        for name in ("MAPDP", "KMeansBIC")
    }
    found = side_by_side(kept["MAPDP"], kept["KMeansBIC"])
    assert found.changes == ("K-means instead of MAP-DP",)
    assert found.difference == kept["KMeansBIC"].objective - kept["MAPDP"].objective
    assert found.contingency.counts.sum() == 60
    without = replace(
        kept["MAPDP"],
        schema=schema.with_column("visits", role="ignore"),
        settings=Settings(concentration=5.0),
    )
    found = side_by_side(kept["MAPDP"], without)
    assert found.changes == ("without visits", "N₀ 5 instead of 3")
    assert found.difference is None
    assert found.contingency.ari == 1.0


def test_a_block_of_the_public_names_is_the_schema_s():
    schema = Schema(
        [ColumnSpec("x", "normal"), ColumnSpec("y", "normal")], [Block("b", "gaussian", ("x", "y"))]
    )
    assert schema.blocks["b"].columns == ("x", "y")
