"""Prepare on Data: what its forms make, and steps that go on, off and away."""

import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ColumnSpec, ReadOptions, Schema, infer_schema, read_table
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.prepare import (
    STEPS,
    Combine,
    CutRanges,
    DropRepeated,
    FillBlanks,
    FilterRows,
    MergeLevels,
    OneRowPer,
    OrderLevels,
    RenameColumns,
    TimeBetween,
)
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session
from tests.pages.conftest import control, drawn, press, run, words

CSV = "who,visit,pain,drug,price\n" + "\n".join(
    f"p{i // 3:02d},{i % 3},{i % 7},{'abx'[i % 3]},{i * 1.5:.1f}" for i in range(60)
)
ONE_EACH = OneRowPer("who", "visit", "", (("pain", "mean"), ("drug", "last"), ("price", "slope")))
DEAR = FilterRows("price", "at least", (30.0,))


@pytest.fixture
def project() -> Project:
    frame = read_table(CSV.encode())
    options = ReadOptions(**frame.attrs["read_options"])
    return Project(Table(frame, "visits.csv", "1234", CSV.encode(), options), infer_schema(frame))


def opened(project: Project) -> AppTest:
    def script() -> None:
        import streamlit as st

        from mapdp_studio.pages.parts.data.prepare import prepare
        from mapdp_studio.pages.parts.visit.visit import session_bar

        prepare(st.session_state["visit"])
        session_bar(st.session_state["visit"], st.container())

    return drawn(script, visit=Session(project))


def filled(at: AppTest, key: str, *values: tuple[str, object]) -> AppTest:
    """The form of a step with values under its labels, each typed before the next."""
    run(at.selectbox[0].select(key))
    for label, value in values:
        run(control(at, label).set_value(value))
    return at


def steps_of(at: AppTest) -> tuple:
    return at.session_state["visit"].table.recipe.steps


#: What is filled in, and the step that is made.
MADE = [
    ([("Rows whose", "price"), ("value", 60.0)], FilterRows("price", "at least", (60.0,))),
    ([("Rows whose", "price"), ("value", 60.0), ("cell", "<")], FilterRows("price", "<", (60.0,))),
    ([("In these columns", ["pain"]), ("a blank means", "99")], FillBlanks(("pain",), 99)),
    (
        [("Columns", ["drug"]), ("Make one of", ["a", "x"]), ("called", "other")],
        MergeLevels(("drug",), (("a", "other"), ("x", "other"))),
    ),
    *(
        (
            [("Column", "price"), ("A range begins at each of these numbers", typed)],
            CutRanges("price", (30.0, 60.0), "price"),
        )
        for typed in ("30, 60", "30,0; 60,0")
    ),
    (
        [("Columns on the same scale", ["visit"]), ("The other way round", True)],
        OrderLevels(("visit",), (2, 1, 0)),
    ),
    (
        [("Of these columns", ["price", "visit"]), ("make the", "ratio")],
        Combine(("price", "visit"), "ratio", "ratio of price and visit"),
    ),
    ([("Column", "price"), ("New name", "cost")], RenameColumns((("price", "cost"),))),
    (
        [
            ("One row for each", "who"),
            ("Mean of", ["pain", "price"]),
            ("Maximum of", ["price"]),
            ("First value of", ["drug"]),
        ],
        OneRowPer(
            "who",
            summaries=(("pain", "mean"), ("drug", "first"), ("price", "mean"), ("price", "max")),
        ),
    ),
]


@pytest.mark.parametrize(("values", "step"), MADE, ids=lambda value: getattr(value, "key", None))
def test_a_form_makes_its_step(values, step, project):
    at = filled(opened(project), step.key, *values)
    assert not at.error
    press(at, "Add this step")
    assert steps_of(at) == (step,)
    assert at.session_state["visit"].table.records[0].is_done
    run(next(b for b in at.button if b.key and b.key.startswith("step-delete")).click())
    assert steps_of(at) == ()


def test_every_form_opens_what_is_being_typed_counts_and_what_is_not_filled_in_is_no_step(project):
    at = opened(project)
    for key in STEPS:
        filled(at, key)
    filled(at, FilterRows.key, ("Rows whose", "price"))
    assert not [b for b in at.button if b.label == "Add this step"]
    assert not at.error
    run(control(at, "value").set_value(600.0))
    assert "would be left" in at.error[0].value
    press(at, "Leave it")
    assert at.selectbox[0].value is None
    filled(at, FillBlanks.key, ("In these columns", ["pain"]), ("a blank means", "0"))
    control(at, "a blank means").set_value("99")
    press(at, "Add this step")
    assert steps_of(at) == (FillBlanks(("pain",), 99),)


def test_previews_show_levels_as_they_become_rows_that_change_or_go_and_new_columns_first(project):
    project.table.frame["pain"] = project.table.frame["pain"].where(project.table.frame["pain"] > 0)
    project.table.frame["of_birth"] = "1/31/2020"
    at = filled(opened(project), MergeLevels.key, ("Columns", ["drug", "pain"]))
    control(at, "and rarer than (rows)").set_value(9)
    run(control(at, "called").set_value("few"))
    shown = at.dataframe[0].value
    becomes = zip(shown["Level"], shown["Rows"], strict=True)
    assert shown["Becomes"].tolist() == ["few" if n < 9 else level for level, n in becomes]
    values = ("Columns", ["who"]), ("Make one of", ["p19"]), ("called", "last")
    before, after = (table.value for table in filled(at, MergeLevels.key, *values).dataframe[-2:])
    assert (before["who"].tolist(), after["who"].tolist()) == (["p19"] * 3, ["last"] * 3)
    assert before["price"].tolist() == [85.5, 87.0, 88.5]
    at = filled(opened(project), OrderLevels.key, ("Columns on the same scale", ["pain"]))
    assert at.multiselect[1].options == list("123456")
    at = filled(opened(project), Combine.key, ("Of these columns", ["price", "visit", "pain"]))
    before, after = (table.value.columns[0] for table in at.dataframe)
    assert (before, after) == ("price", "sum of price and visit and pain")
    at = filled(opened(project), TimeBetween.key, ("From", "of_birth"))
    assert control(at, "Written as").value == "%m/%d/%Y"
    project.table.frame["price"] = project.table.frame["price"].replace(60.0, 58.5)
    alike = "Alike in (none named: in all columns)"
    at = filled(opened(project), DropRepeated.key, (alike, ["price"]))
    before, after = (table.value["price"].tolist()[:5] for table in at.dataframe[-2:])
    assert (before, after) == ([55.5, 57.0, 58.5, 58.5, 61.5], [55.5, 57.0, 58.5, 61.5, 63.0])


def test_what_was_said_to_be_missing_is_emptied_before_a_step_computes_with_it(project):
    project.change({"price": {"missing_codes": (0, 1.5)}})
    at = filled(opened(project), Combine.key, ("Of these columns", ["price", "visit"]))
    emptied = MergeLevels(("price",), ((0, ""), (1.5, "")))
    assert escaped(emptied.sentence) in words(at)
    press(at, "Add this step")
    made = at.session_state["visit"].table.frame["sum of price and visit"]
    assert made.isna().tolist() == [True] * 2 + [False] * 58
    assert steps_of(at)[0] == emptied


def test_a_step_that_cannot_be_done_says_so_and_is_moved(project):
    project.prepare(Recipe().with_step(DEAR).with_step(ONE_EACH))
    project.prepare(project.table.recipe.switched(0).with_step(FilterRows("visit", "is", (1,))))
    assert len(project.table.frame) == 20
    at = opened(project)
    assert "no column 'visit'" in words(at).replace("\\", "")
    run(next(b for b in at.button if (b.key or "").startswith("step-arrow_upward-2")).click())
    assert [step.key for step in steps_of(at)] == [FilterRows.key, ONE_EACH.key]


def test_undone_the_step_before_returns_but_a_locked_table_is_left(project):
    at = opened(project)
    visit = at.session_state["visit"]
    visit.prepare(Recipe().with_step(DEAR))
    two = Schema([ColumnSpec(name, "normal") for name in ("pain", "price")])
    visit.study.lock_in(run(at).session_state["visit"].table.frame, two, Plan())
    for n_rows in (40, 60):
        run(at.button(key="undo").click())
        assert len(visit.table.frame) == n_rows
        assert n_rows == 60 or "locked" in at.toast[0].value
        visit.study.unlock()
