"""The door: a column that nobody named stays inside, and so does a line that nobody judged."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from core.release.door import Allowed, let_out, only_named
from core.release.pictures import let_out_picture
from core.release.report import ReleasedReport

ALLOWED = Allowed(
    always=("name",),
    where={"told": ("n", "remark"), "about": ("g",), "judged": ("p",)},
    roughly={"g": "told"},
)
TABLE = pd.DataFrame(
    {"name": ["a", "b"], "g": [0.123, -1.27], "n": [40, 7], "p": 0.03, "remark": "", "new": [1, 2]}
)


def test_a_column_that_nobody_named_stays_inside():
    told = let_out(
        TABLE,
        ALLOWED,
        {"told": [True, True], "about": [True, True], "judged": [True, True]},
        ["", ""],
    )
    pd.testing.assert_frame_equal(told.astype(object), TABLE.drop(columns="new").astype(object))
    by_group = Allowed(always=("name",), by_group=True)
    wide = TABLE.assign(**{"Group 1": 1, "Group 9": 9})
    assert [*only_named(wide, by_group, ["Group 1"])] == ["name", "Group 1"]
    assert [*only_named(wide, ALLOWED, ["Group 1"])] == ["name", "g", "n", "p", "remark"]


def test_a_line_keeps_what_its_conditions_do_not_allow():
    told = let_out(
        TABLE,
        ALLOWED,
        {"told": [True, False], "about": [True, True], "judged": [True, True]},
        ["", "hidden"],
    )
    assert told["name"].tolist() == ["a", "b"]
    assert told["n"].tolist() == [40, None]
    assert told["g"].tolist() == [0.123, -1.3]
    assert told["remark"].tolist() == ["", "hidden"]
    assert told["p"].tolist() == [0.03, 0.03]


def test_a_condition_that_nobody_judged_does_not_hold():
    told = let_out(TABLE, ALLOWED, {"told": [True, True]}, ["hidden", "hidden"])
    assert told["p"].tolist() == [None, None]
    assert told["remark"].tolist() == ["hidden", "hidden"]


def test_no_number_leaves_with_more_digits_than_are_printed():
    exact = TABLE.assign(n=[40 / 7, np.nan], g=[12345.6, 8], p=[0.0123456, 1e-12])
    told = only_named(exact, replace(ALLOWED, p_values=("p",)))
    assert told["n"].tolist()[0] == 5.714
    assert np.isnan(told["n"].tolist()[1])
    assert told["g"].tolist() == [12346, 8]
    assert told["p"].tolist() == [0.0123, 1e-12]


def report_of(*calls) -> str:
    report = ReleasedReport("A report")
    report.titles = ("Group 1",)
    for name, *told in calls:
        getattr(report, name)(*told)
    return report.html().partition("<script>")[0]


def test_of_a_report_s_tables_only_what_was_named_leaves():
    own = pd.DataFrame({"Column": ["age"], "Group 1": ["61"], "Largest SMD": ["0.1"]})
    text = report_of(
        ("table", own.assign(secret="7 patients"), "Table 1."),
        ("table", pd.DataFrame({"Somebody": ["a new table"], "n": [3]}), "New."),
        ("table", pd.DataFrame({"Group": ["Group 1"], "at 2.5": ["80 %"], "at last": ["3"]}), ""),
    )
    assert "61" in text
    assert "80 %" in text
    for inside in ("secret", "7 patients", "a new table", "New.", "at last", "<td>3</td>"):
        assert inside not in text


def test_of_a_picture_s_data_only_what_was_named_leaves():
    """Not the row beside a point, values that were counted, nor digits that nobody sees."""
    ages = np.array([61.2345, 47.9876])
    figure = go.Figure(layout={"meta": "effects"})
    figure.add_scatter(x=ages, y=[0, 1], ids=["P1", "P2"], meta="a row", selectedpoints=[1])
    figure.add_scatter(x=[0.123456], error_x={"array": [0.0345678], "symmetric": False})
    figure.add_scatter(x=[1.0], customdata=[["Group 1", 0.7654321]], hovertemplate="%{x}")
    figure.add_histogram(x=[33.0, 34.0])
    inside = ("P1", "a row", "61.2345", "0.123456", "0.0345678", "0.7654321", "33.0", "selected")
    told = let_out_picture(figure)
    data = json.dumps([trace.to_plotly_json() for trace in told.data], default=list)
    assert [word for word in inside if word in data] == []
    for word in ("61.2", "0.123", "0.0346", "0.765", "Group 1"):
        assert word in data
    assert let_out_picture(go.Figure(figure).update_layout(meta="jitter")) is None
    assert "<figure>" not in report_of(("figure", go.Figure().add_scatter(y=ages), "Ages."))
