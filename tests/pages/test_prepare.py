"""Prepare on Data: steps go on, off and away, and wherever the table goes."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import ColumnSpec, ReadOptions, Schema, infer_schema, read_table
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.exports.script import from_file, prepared
from mapdp_studio.core.exports.settings_file import load_settings, save_settings
from mapdp_studio.core.prepare import STEPS
from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from mapdp_studio.core.prepare.columns import Combine, CutRanges
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import DropRepeated, FilterRows, OneRowPer
from mapdp_studio.core.prepare.step import PrepareError
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import Work
from mapdp_studio.pages import Session

CSV = "who,visit,pain,drug,price\n" + "\n".join(
    f"p{i // 3:02d},{i % 3},{i % 7},{'abx'[i % 3]},{i * 1.5:.1f}" for i in range(60)
)
ONE_EACH = OneRowPer("who", "visit", "", (("pain", "mean"), ("drug", "last"), ("price", "slope")))


def fresh() -> Work:
    frame = read_table(CSV.encode())
    options = ReadOptions(**frame.attrs["read_options"])
    return Work(Table(frame, "visits.csv", "1234", CSV.encode(), options), infer_schema(frame))


def prepare_page() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.data.prepare import prepare

    if not st.session_state.get("elsewhere"):
        prepare(st.session_state["studio"])


TWO = Schema([ColumnSpec(name, "normal") for name in ("pain", "price")])


def prepare_with_bar() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.data.prepare import prepare
    from mapdp_studio.pages.parts.visit.session_bar import session_bar

    prepare(st.session_state["studio"])
    session_bar(st.session_state["studio"], st.container())


def bar_page() -> None:
    import streamlit as st

    from mapdp_studio.pages.parts.visit.session_bar import session_bar

    session_bar(st.session_state["studio"], st.container())


def opened(work: Work, page=prepare_page) -> AppTest:
    studio = Session()
    studio.take_work(work)
    at = AppTest.from_function(page, default_timeout=90)
    at.session_state["studio"] = studio
    return at.run()


@pytest.mark.parametrize("key", STEPS)
def test_every_form_opens_and_asks_without_failing(key):
    at = opened(fresh())
    at.selectbox[0].select(key).run()
    assert not at.exception


def test_steps_go_on_and_off_and_back_bit_for_bit():
    work = fresh()
    whole, schema = work.table.frame, work.schema
    work.change({"pain": {"family": "poisson"}})
    work.prepare(Recipe().with_step(FilterRows("price", "at least", (30.0,))))
    assert len(work.table.frame) == 40
    assert work.schema["pain"].family == "poisson"
    work.prepare(work.table.recipe.with_step(ONE_EACH))
    assert [record.effect for record in work.table.records][1].startswith("40 \u2192 14 rows")
    work.prepare(work.table.recipe.switched(0))
    assert len(work.table.frame) == 20
    work.prepare(Recipe())
    assert work.table.frame is whole
    assert [spec.family for spec in work.schema.values()] == [
        "poisson" if name == "pain" else schema[name].family for name in schema
    ]


def test_snapshots_and_marked_rows_belong_to_the_rows_that_are_there():
    work = fresh()
    work.snapshots["before"], work.marked = object(), np.array([3])
    work.prepare(Recipe().with_step(FilterRows("price", "at least", (30.0,))))
    assert (work.snapshots, work.marked.size) == ({}, 0)
    work.prepare(work.table.recipe.with_step(RenameColumns((("price", "cost"),))))
    work.snapshots["dear"], work.marked = object(), np.array([5])
    work.prepare(work.table.recipe.without(1))
    assert list(work.snapshots) == ["dear"]
    assert work.marked.tolist() == [5]
    work.prepare(Recipe())
    assert list(work.snapshots) == ["before"]


def test_a_step_that_cannot_be_done_is_passed_over_and_says_why():
    work = fresh()
    work.prepare(Recipe().with_step(ONE_EACH).with_step(FilterRows("visit", "is", (1,))))
    gone = work.table.records[1]
    assert "no column 'visit'" in gone.problem
    assert len(work.table.frame) == 20
    at = opened(work)
    assert any("no column 'visit'" in warning.value.replace("\\", "") for warning in at.warning)


def test_steps_are_in_the_project_the_settings_the_script_and_the_lock():
    work = fresh()
    work.prepare(Recipe().with_step(DropRepeated(("price",))).with_step(ONE_EACH))
    back = load_project(save_project(work)).work()
    assert back.table.recipe == work.table.recipe
    assert_frame_equal(back.table.frame, work.table.frame)
    assert_frame_equal(back.table.as_read, work.table.as_read)
    assert load_settings(save_settings(work.saved())).recipe == work.table.recipe
    origin = prepared(from_file("visits.csv", work.table.options), work.table.recipe)
    room = {"frame": read_table(CSV.encode()), "pd": pd}
    room |= {name: step for step in STEPS.values() if (name := step.__name__) in origin.steps}
    exec("\n".join(origin.lines[1:]), room)
    assert_frame_equal(room["frame"], work.table.frame, check_names=True)
    schema = Schema([ColumnSpec(n, "normal") for n in ("pain, mean", "price, slope")])
    work.study.lock_in(work.table.frame, schema, Plan(purpose="to see"))
    assert "one row per 'who'" in work.study.lock.preparation
    assert "60 \u2192 20 rows" in work.study.lock.preparation
    with pytest.raises(PrepareError, match="locked"):
        work.prepare(Recipe())


def test_the_page_adds_a_step_and_takes_it_away():
    at = opened(fresh())
    at.selectbox[0].select(FilterRows.key).run()
    whose = next(box for box in at.selectbox if box.label == "Rows whose")
    whose.select("price").run()
    at.number_input[0].set_value(60.0).run()
    next(button for button in at.button if button.label == "Add this step").click().run()
    table = at.session_state["studio"].table
    assert len(table.frame) == 20
    assert table.recipe.steps == (FilterRows("price", "at least", (60.0,)),)
    delete = next(b for b in at.button if b.key and b.key.startswith("step-delete"))
    delete.click().run()
    assert at.session_state["studio"].table.recipe == Recipe()
    assert not at.exception


def test_a_locked_table_is_not_undone():
    work = fresh()
    session = Session()
    session.take_work(work)
    at = AppTest.from_function(bar_page, default_timeout=30)
    at.session_state["studio"] = session
    at.run()
    session.prepare(Recipe().with_step(FilterRows("price", "at least", (30.0,))))
    at.run()
    session.study.lock_in(session.table.frame, TWO, Plan())
    at.button(key="undo").click().run()
    assert len(session.table.frame) == 40
    assert "locked" in at.toast[0].value
    session.study.unlock()
    at.button(key="undo").click().run()
    assert len(session.table.frame) == 60
    assert not at.exception


def test_levels_are_made_one_by_their_names():
    at = opened(fresh())
    at.selectbox[0].select(MergeLevels.key).run()
    at.multiselect[0].set_value(["drug"]).run()
    next(box for box in at.multiselect if box.label == "Make one of").set_value(["a", "x"]).run()
    next(text for text in at.text_input if text.label == "called").set_value("other").run()
    next(button for button in at.button if button.label == "Add this step").click().run()
    table = at.session_state["studio"].table
    assert table.frame["drug"].value_counts().to_dict() == {"other": 40, "b": 20}
    assert not at.exception


def take_settings() -> None:
    from mapdp_studio.pages.parts.visit.reload_settings import _take

    _take()


def test_settings_with_other_steps_leave_a_locked_table_as_it_is():
    work = fresh()
    saved = save_settings(work.saved())
    session = Session()
    session.take_work(work)
    session.prepare(Recipe().with_step(FilterRows("price", "at least", (30.0,))))
    session.study.lock_in(session.table.frame, TWO, Plan())
    at = AppTest.from_function(take_settings, default_timeout=30)
    at.session_state["studio"] = session
    at.session_state["settings_file"] = BytesIO(saved.encode())
    at.run()
    assert not at.exception
    (refused,) = at.session_state["settings_said"]["refused"]
    assert "locked" in refused
    assert len(session.table.frame) == 40


def test_numbers_are_read_with_the_signs_they_are_written_with_and_examples_say_so():
    rows = [f"town {i};{i + 1}.{(37 * i) % 1000:03d}" for i in range(40)]
    data = "\n".join(["town;people", *rows, "last;21.558(1)", "note;(1) counted anew"]).encode()
    frame = read_table(data)
    options = ReadOptions(**frame.attrs["read_options"])
    at = opened(Work(Table(frame, "towns.csv", "1", data, options), infer_schema(frame)))
    at.selectbox[0].select(NumberFromText.key).run()
    at.multiselect[0].select("people").run()
    signs = {box.label: box.value for box in at.selectbox}
    assert signs["Decimal sign"] == ","
    before, after = (table.value["people"].tolist() for table in at.dataframe)
    assert after[before.index("21.558(1)")] == 21558


def test_what_is_kept_of_a_unit_is_chosen_in_lists_of_columns_and_comes_back():
    at = opened(fresh())
    at.selectbox[0].select(OneRowPer.key).run()
    next(box for box in at.selectbox if box.label == "One row for each").select("who").run()
    lists = {box.label: box for box in at.multiselect}
    lists["Mean of"].set_value(["pain", "price"])
    lists["Maximum of"].set_value(["price"])
    lists["First value of"].set_value(["drug"]).run()
    next(button for button in at.button if button.label == "Add this step").click().run()
    (step,) = at.session_state["studio"].table.recipe.steps
    kept = (("pain", "mean"), ("drug", "first"), ("price", "mean"), ("price", "max"))
    assert step == OneRowPer("who", summaries=kept)
    next(b for b in at.button if b.key and b.key.startswith("step-edit")).click().run()
    again = {box.label: box.value for box in at.multiselect}
    assert (again["Mean of"], again["Maximum of"]) == (["pain", "price"], ["price"])
    assert not at.exception


def test_what_was_said_to_be_missing_is_emptied_before_a_step_computes_with_it():
    work = fresh()
    work.change({"price": {"missing_codes": (0, 1.5)}})
    at = opened(work)
    at.selectbox[0].select(Combine.key).run()
    at.multiselect[0].set_value(["price", "visit"]).run()
    assert any("0, 1.5 in price" in caption.value.replace("\\", "") for caption in at.caption)
    next(button for button in at.button if button.label == "Add this step").click().run()
    table = at.session_state["studio"].table
    assert table.frame["sum of price and visit"].isna().tolist() == [True] * 2 + [False] * 58
    assert table.recipe.steps[0] == MergeLevels(("price",), ((0, ""), (1.5, "")))
    assert not at.exception


@pytest.mark.parametrize("typed", ["30; 60", "30, 60", "30,0; 60,0"])
def test_ends_of_ranges_are_typed_with_commas_or_semicolons(typed):
    at = opened(fresh())
    at.selectbox[0].select(CutRanges.key).run()
    next(box for box in at.selectbox if box.label == "Column").select("price").run()
    next(text for text in at.text_input if text.label.startswith("A range")).set_value(typed).run()
    next(button for button in at.button if button.label == "Add this step").click().run()
    (step,) = at.session_state["studio"].table.recipe.steps
    assert step == CutRanges("price", (30.0, 60.0), "price")
    assert step.sentence.startswith("Cut 'price' into ranges, in its place: below 30")


def test_a_step_that_is_being_made_stays_while_the_list_changes_or_another_tab_is_seen():
    work = fresh()
    work.prepare(Recipe().with_step(FilterRows("drug", "is", ("a", "b"))))
    at = opened(work)
    at.selectbox[0].select("logarithm").run()
    at.multiselect[0].select("price").run()
    at.number_input[0].set_value(1.0).run()
    assert any("ook the logarithm" in m.value for m in at.markdown)
    at.toggle[0].set_value(False).run()
    assert at.selectbox[0].value == "logarithm"
    assert at.multiselect[0].value == ["price"]
    assert at.number_input[0].value == 1
    for elsewhere in (True, False):
        at.session_state["elsewhere"] = elsewhere
        at.run()
    assert at.multiselect[0].value == ["price"]
    next(b for b in at.button if b.label == "Leave it").click().run()
    assert at.selectbox[0].value is None


def _press(at: AppTest, label: str) -> AppTest:
    return next(button for button in at.button if button.label == label).click().run()


def test_what_is_still_being_typed_when_a_step_is_added_counts():
    at = opened(fresh())
    at.selectbox[0].select(FillBlanks.key).run()
    at.multiselect[0].set_value(["pain"]).run()
    next(text for text in at.text_input if text.label == "a blank means").set_value("0").run()
    next(text for text in at.text_input if text.label == "a blank means").set_value("99")
    _press(at, "Add this step")
    assert at.session_state["studio"].table.recipe.steps == (FillBlanks(("pain",), 99),)
    assert not at.exception


def test_undone_a_suggestion_that_was_not_needed_returns_and_the_step_before_stays():
    at = opened(fresh(), prepare_with_bar)
    studio = at.session_state["studio"]
    studio.prepare(Recipe().with_step(FilterRows("price", "at least", (30.0,))))
    at.run()
    n_suggested = len([b for b in at.button if b.label == "Not needed"])
    _press(at, "Not needed")
    for direction, n in (("undo", n_suggested), ("redo", n_suggested - 1)):
        at.button(key=direction).click().run()
        assert len([b for b in at.button if b.label == "Not needed"]) == n
        assert len(studio.table.frame) == 40
    assert not at.exception


def test_another_way_to_compare_keeps_the_number_and_an_unfilled_filter_is_no_step():
    at = opened(fresh())
    at.selectbox[0].select(FilterRows.key).run()
    next(box for box in at.selectbox if box.label == "Rows whose").select("price").run()
    assert not [b for b in at.button if b.label == "Add this step"]
    assert not at.error
    at.number_input[0].set_value(60.0).run()
    cell = next(box for box in at.selectbox if box.label == "cell")
    assert {"is at least", "is below", "is at most", "is above"} <= {*cell.options}
    cell.select("<").run()
    _press(at, "Add this step")
    steps = at.session_state["studio"].table.recipe.steps
    assert steps == (FilterRows("price", "<", (60.0,)),)


def test_levels_that_are_made_one_stand_so_in_the_list_those_of_few_rows_among_them():
    work = fresh()
    work.table.frame["again"] = work.table.frame["drug"]
    at = opened(work)
    at.selectbox[0].select(MergeLevels.key).run()
    at.multiselect[0].set_value(["drug", "pain"]).run()
    at.number_input[0].set_value(9)
    next(text for text in at.text_input if text.label == "called").set_value("few").run()
    shown = at.dataframe[0].value
    assert shown["Becomes"].tolist() == [
        "few" if n < 9 else level for level, n in zip(shown["Level"], shown["Rows"], strict=True)
    ]
    assert (shown["Rows"] < 9).sum() == 3


def test_levels_of_numbers_begin_in_their_order_and_are_written_whole():
    work = fresh()
    work.table.frame["pain"] = work.table.frame["pain"].where(work.table.frame["pain"] > 0)
    at = opened(work)
    at.selectbox[0].select(OrderLevels.key).run()
    at.multiselect[0].set_value(["pain"]).run()
    assert at.multiselect[1].options == list("123456")
    at.toggle[0].set_value(True).run()
    _press(at, "Add this step")
    (step,) = at.session_state["studio"].table.recipe.steps
    assert step == OrderLevels(("pain",), (6, 5, 4, 3, 2, 1))


def test_a_step_that_cannot_be_is_left_like_any_other():
    at = opened(fresh())
    at.selectbox[0].select(FilterRows.key).run()
    next(box for box in at.selectbox if box.label == "Rows whose").select("price").run()
    at.number_input[0].set_value(600.0).run()
    assert "would be left" in at.error[0].value
    _press(at, "Leave it")
    assert at.selectbox[0].value is None


def test_labels_are_read_out_as_they_are_written():
    work = fresh()
    work.table.frame["of_birth"] = "1/31/2020"
    at = opened(work)
    at.selectbox[0].select("time between dates").run()
    next(box for box in at.selectbox if box.label == "From").select("of_birth").run()
    labels = [box.label for box in at.selectbox]
    assert "Written as" in labels
    assert not any("\\" in label for label in labels)


def test_a_new_column_is_the_first_of_the_preview():
    at = opened(fresh())
    at.selectbox[0].select(Combine.key).run()
    at.multiselect[0].set_value(["price", "visit", "pain"]).run()
    before, after = (table.value.columns[0] for table in at.dataframe)
    assert (before, after) == ("price", "sum of price and visit and pain")
