"""The door: a column that nobody named stays inside, and so does a line that nobody judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from core.release.door import Allowed, let_out, only_named

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
