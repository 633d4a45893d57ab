"""Tables, settings and reports as files: exact, harmless, and as they were."""

import io
import json
import uuid
from dataclasses import replace

import numpy as np
import openpyxl
import pandas as pd
import plotly.graph_objects as go
import pyarrow as pa
import pytest
from plotly.offline import get_plotlyjs

from mapdp_studio.core import ColumnSpec, ReadOptions, Schema, infer_schema, read_table
from mapdp_studio.core.comparing.comparison import tasks
from mapdp_studio.core.exports import settings_file, tables
from mapdp_studio.core.exports.analysis_report import Analysis, _columns, analysis_report
from mapdp_studio.core.exports.report import written
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.how_many import how_many
from mapdp_studio.core.profiling.judged import JudgedPartition, row_assignments
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED
from mapdp_studio.core.wording import percent

RANDOM = np.random.default_rng(7)


def test_spreadsheets_find_no_formula_in_a_csv_and_numbers_are_left_alone():
    frame = pd.DataFrame(
        {
            "=cmd": ["=1+1", "+x", "-5", "@a"],
            "@number": [-1.5, 2.0, np.nan, 1e-17],
            "text": ["\tx", "\ry", 'quo"te', "a,b"],
            "category": pd.Categorical(["-a", "b", "-a", None]),
            "mixed": [1, "=x", None, 2.5],
            "id": [uuid.UUID(int=7), None, None, None],
            "list": [[1, 2], None, None, None],
            "view": pd.Series(["=a", "b", "c", "d"], dtype=pd.ArrowDtype(pa.string_view())),
        }
    )
    text = tables.as_csv(frame).decode("utf-8-sig")
    back = pd.read_csv(io.StringIO(text, newline=""), dtype=str, keep_default_na=False)
    assert list(back) == ["'=cmd", "'@number", *list(frame)[2:]]
    assert back["'=cmd"].tolist() == ["'=1+1", "'+x", "'-5", "'@a"]
    assert back["'@number"].tolist() == ["-1.5", "2", "", "1e-17"]
    assert back["text"].tolist() == ["'\tx", "'\ry", 'quo"te', "a,b"]
    assert back["category"].tolist() == ["'-a", "b", "'-a", ""]
    assert back["mixed"].tolist() == ["1", "'=x", "", "2.5"]
    # What a CSV has no form for is text.
    assert back.loc[0, ["id", "list", "view"]].tolist() == [str(uuid.UUID(int=7)), "[1, 2]", "'=a"]
    assert back.loc[1, ["id", "list", "view"]].tolist() == ["", "", "b"]


def test_a_csv_keeps_every_digit_and_writes_times_without_idle_zeros():
    numbers = pd.DataFrame({"x": RANDOM.normal(size=50) * 10.0 ** RANDOM.integers(-9, 9, 50)})
    np.testing.assert_array_equal(
        read_table(tables.as_csv(numbers), name="x.csv")["x"], numbers["x"]
    )
    day, time = pd.to_datetime(["2020-01-01", None]), ["2020-01-01 10:00", "2020-01-02"]
    frame = pd.DataFrame({"day": day, "time": pd.to_datetime(time, format="mixed")})
    lines = tables.as_csv(frame).decode("utf-8-sig").splitlines()
    assert lines[1:] == ["2020-01-01,2020-01-01 10:00:00", ",2020-01-02 00:00:00"]


def test_a_number_beyond_those_of_stata_is_offered_in_every_other_form():
    frame = pd.DataFrame({"a": [1.5, 1.6e308], "b": pd.array([1.5, None], dtype="Float64")})
    assert {*tables.writers(frame)} == {*tables.writers(frame.assign(a=np.inf))} - {"Stata"}


def test_a_workbook_holds_text_that_is_no_formula(tmp_path):
    when = pd.to_datetime(["2020-01-01 10:00"] * 2).tz_localize("Europe/Berlin")
    frame = pd.DataFrame({"=a": ["=1+1", "b\x07"], "x": [np.inf, 2.5], "when": when})
    (tmp_path / "t.xlsx").write_bytes(tables.as_xlsx(frame))
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    cells = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert cells[0] == ["=a", "x", "when"]
    assert cells[1][:2] + cells[2][:2] == ["=1+1", None, "b", 2.5]
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} == {"s", "n", "d"}
    assert str(cells[1][2]) == "2020-01-01 10:00:00"


def test_labels_stand_beside_a_column_of_that_name_and_ids_are_left_out(fitted):
    _, _, results, fits = fitted
    groups = Naming(names={0: "=first"}).apply(results.get(fits["MAPDP"]).labels_)
    frame = pd.DataFrame({"id": groups.labels, "cluster": 1, "cluster (2)": 3})
    found = tables.labelled(frame, groups, ("id",), None)
    assert list(found) == ["cluster", "cluster (2)", "cluster (3)", "cluster label from 0"]
    assert ((found["cluster (3)"] == "=first") == (groups.labels == 0)).all()
    assert "'=first" in tables.as_csv(found).decode()
    np.testing.assert_array_equal(found["cluster label from 0"], groups.labels)
    again = pd.read_parquet(io.BytesIO(tables.as_parquet(found)))
    pd.testing.assert_frame_equal(again, found, check_dtype=False)


def test_groups_that_were_written_make_none_when_their_table_is_read_again(fitted):
    frame, _, results, fits = fitted
    model = results.get(fits["MAPDP"])
    groups = Naming().apply(model.labels_)
    stand = row_assignments(JudgedPartition.of(model, groups.labels), lambda progress: None)
    for known in (None, stand):
        written = tables.labelled(frame, groups, (), known)
        schema = infer_schema(read_table(tables.as_parquet(written)))
        assert schema.names("label") == ("cluster",)
        assert {*schema.names("cluster")} <= {*frame}
        assert {*written} - {*frame} - {"cluster"} <= {*schema.names("ignore")}
    alone = infer_schema(pd.DataFrame({"cluster": list("ab") * 20, "x": np.arange(40.0)}))
    assert alone["cluster"].role == "cluster"  # asked about, like any other name


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../my table (2).csv", "my-table-2"),
        ("größe 😀.parquet", "größe"),
        ("😀.csv", "table"),
        ("a\0b.csv", "a-b"),
        ("ü" * 400 + ".csv", "ü" * 90),
    ],
)
def test_file_names_are_plain(name, stem):
    assert tables.file_stem(name) == stem


@pytest.fixture
def saved(fitted) -> settings_file.Saved:
    frame, schema, _, _ = fitted
    naming = Naming(((0, 1),), {0: "mild", 2: "😀"})
    options = ReadOptions(**frame.attrs["read_options"])
    settings = Settings(5.0, 7.5, 4, False, 2, 9, 0.3)
    return settings_file.Saved(
        "my table.csv", *frame.shape, options, schema, settings, "DPMeans", {"MAPDP": naming}
    )


def test_settings_come_back_as_they_were(saved):
    text = settings_file.save_settings(saved)
    assert settings_file.load_settings(text) == settings_file.load_settings(text.encode()) == saved


def test_a_time_without_its_event_and_what_is_new_are_set_aside():
    time = ColumnSpec("time", "time_to_event", "validator", event="died", event_codes=(1,))
    x, new, died, plain = (ColumnSpec(name, "normal") for name in ("x", "new", "died", "time"))
    fitting, remarks = settings_file.fitting_schema(
        Schema([x, time, died]), Schema([x, plain, new])
    )
    assert [(spec.role, spec.family) for spec in fitting.values()] == [
        ("cluster", "normal"),
        ("ignore", None),
        ("ignore", "normal"),
    ]
    assert [sentence.split("'")[1] for sentence in remarks] == ["died", "new"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda c: "{", "not JSON"),
        (lambda c: c | {"format": "x"}, "no settings file"),
        (lambda c: c | {"version": 3}, "newer version"),
        (lambda c: {k: v for k, v in c.items() if k != "schema"}, "lacks 'schema'"),
        (lambda c: c | {"result of": "magic"}, "no method"),
        (lambda c: c | {"comparison": c["comparison"] | {"effort": 99}}, "outside 1 to 10"),
        (lambda c: c | {"schema": c["schema"] | {"version": 9}}, "newer version"),
        (lambda c: c | {"schema": {"version": 1, "columns": [{"name": 3}]}}, "column name"),
        (lambda c: c | {"names": {"MAPDP": 3}}, "damaged"),
        (lambda c: c | {"rows": float("inf")}, "damaged"),
        (lambda c: c | {"rows": 3.5}, r"'rows' cannot be 3\.5"),
        (lambda c: c | {"read options": {"delimiter": "many"}}, "one ASCII sign"),
    ],
)
def test_settings_edited_by_hand_or_newer_get_a_sentence(saved, change, error):
    changed = change(json.loads(settings_file.save_settings(saved)))
    text = changed if isinstance(changed, str) else json.dumps(changed)
    with pytest.raises(settings_file.SettingsFileError, match=error) as caught:
        settings_file.load_settings(text)
    assert str(caught.value).rstrip().endswith((".", "again."))


def test_a_report_needs_no_network_and_runs_no_text(tmp_path):
    bad = "</script><script>alert(1)</script><img src=x>"
    template = tmp_path / "page.html.j2"
    template.write_text(
        "<h2>{{ bad }}</h2>{{ table(frame, bad) }}{{ figure(chart, bad) }}{{ figure(empty) }}"
    )
    frame = pd.DataFrame({bad: [bad, None], "n": [1234.5678, np.inf]})
    charts = {"chart": go.Figure(go.Scatter(x=[1], y=[2], name=bad)), "empty": go.Figure()}
    page = written(template, bad, bad, bad=bad, frame=frame, **charts)
    own = page.replace(get_plotlyjs(), "")
    assert page.count(get_plotlyjs()) == 1
    for text in ("<script>alert", "<img", "http:", "https:"):
        assert text not in own
    for text in ("1,235", "Figure 2.", "default-src 'none'", "\u2013"):
        assert text in own
    template.write_text("<p>{{ bad }}</p>")
    assert get_plotlyjs() not in written(template, bad, bad=bad)


def analysed(fitted, algorithm: str) -> Analysis:
    frame, schema, results, fits = fitted
    model, judge = results.get(fits[algorithm]), results.get(fits["MAPDP"])
    groups = Naming(names={0: "<b>first</b>"}).apply(model.labels_)
    partition = JudgedPartition.of(judge, groups.labels)
    return Analysis("t.csv", frame, schema, Settings(), algorithm, model, groups, partition, "x")


@pytest.mark.usefixtures("planted")
@pytest.mark.parametrize("algorithm", [*METHODS.first, "Halves"])
def test_every_result_has_a_report(fitted, algorithm):
    frame, schema, results, _ = fitted
    fits = tasks("digest", schema, Settings(penalty=5.0, n_clusters=4), len(frame), (algorithm,))
    if algorithm == "Halves":
        results.fit(fits["Halves"], frame, schema)
    page = analysis_report(analysed((frame, schema, results, fits), algorithm))
    own = page.replace(get_plotlyjs(), "")
    for words in ("&lt;b&gt;first&lt;/b&gt;", "not for diagnosis", "größe 😀", "rows are complete"):
        assert words in own
    assert ("Looks at one column only." in own) == (algorithm == "Halves")
    assert own.count("<figure>") == 3


def test_a_report_says_how_many_groups_come_back_and_by_what_rows_count(fitted):
    analysis = analysed(fitted, "MAPDP")
    many = how_many(analysis.model)
    found = Chance(np.array([0.0, 50.0]), {SHUFFLED: (np.array([0.0, 10.0]),)})
    weighed = analysis.schema.with_column("visits", role="weight")
    page = analysis_report(replace(analysis, many=many, chance=found, schema=weighed))
    plain = analysis_report(analysis)
    for words in (
        f"<p>{many.text(many.n_fitted).replace('**', '')}</p>",
        "So far: as much is gained on 0 of 1 table with every column shuffled",
        "Rows count by the column",
    ):
        assert words in page
        assert words not in plain
    frame, visits = analysis.frame, analysis.frame["visits"]
    coded = analysis.schema.with_column("visits", missing_codes=(int(visits.max()),))
    fits = tasks("coded", coded, Settings(), len(frame), ("MAPDP",))
    fitted[2].fit(fits["MAPDP"], frame, coded)
    of_coded = analysed((frame, coded, fitted[2], fits), "MAPDP")
    known = frame[list(coded.names("cluster"))].replace({"visits": {visits.max(): np.nan}}).notna()
    missing = _columns(of_coded)["Missing"][[*coded].index("visits")]
    assert missing == percent(1 - known["visits"].mean())
    assert f"{known.all(axis=1).sum()} of {len(frame)} rows" in analysis_report(of_coded)
