"""Work on a table: what is refused, what follows a name, what is decided again and undone."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import SchemaError, infer_schema
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.exports.settings_file import SettingsFileError
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.prepare.cells import MergeLevels
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.prepare.rows import DropRepeated, FilterRows, OneRowPer
from mapdp_studio.core.prepare.tables import RenameColumns
from mapdp_studio.core.session.project_file import save_project
from mapdp_studio.core.session.table import Table
from mapdp_studio.core.session.work import History, Work
from mapdp_studio.pages import Session

FRAME = pd.DataFrame(
    {
        "height": [150.0 + 0.75 * i for i in range(40)],
        "balance": [(7 * i) % 23 - 3 for i in range(40)],
        "visits": [i % 7 for i in range(40)],
    }
)
CODED = pd.DataFrame(
    {
        "height": np.linspace(150, 190, 60).round(1),
        "grade": np.tile([1, 2, 3, 4, 5], 12),
        "lab": [f"{value:.2f}" if value > 0.5 else "<0.5" for value in np.linspace(0.1, 3, 60)],
    }
)
ABC = pd.DataFrame({"a": [1.5, 2.5, 3.1], "b": [1.0, 2.0, 2.0], "c": [1.0, 1.0, 2.0]})


def on(frame: pd.DataFrame = CODED) -> Work:
    return Work(Table(frame, "table.csv", "digest"), infer_schema(frame))


@pytest.fixture
def work() -> Work:
    return on(FRAME)


def steps(*of) -> Recipe:
    recipe = Recipe()
    for step in of:
        recipe = recipe.with_step(step)
    return recipe


@pytest.mark.parametrize(
    ("name", "changes", "reason"),
    [
        ("balance", {"family": "poisson"}, "negative"),
        ("height", {"family": "poisson"}, "fractional"),
        ("height", {"family": None}, "no family"),
        ("height", {"family": "time_to_event"}, "outcome"),
    ],
)
def test_a_change_that_does_not_fit_leaves_the_column_and_says_why(work, name, changes, reason):
    before, renewals = work.schema, work.renewals
    work.change({name: changes})
    assert work.schema is before
    assert reason in work.refused[name]
    assert work.renewals > renewals


def test_of_several_changes_those_that_fit_are_taken(work):
    work.change({name: {"family": "geometric"} for name in ("visits", "balance")})
    assert work.schema["visits"].family == "geometric"
    assert list(work.refused) == ["balance"]
    work.change({"balance": {"role": "ignore"}})
    assert work.refused == {}


def test_columns_are_joined_and_taken_apart(work):
    work.join("size", ["height", "balance"], "gaussian")
    assert work.schema.blocks["size"].columns == ("height", "balance")
    work.join("height", ["visits"], "gaussian")
    assert "height" in work.refused
    work.take_apart("size")
    assert (work.schema.blocks, work.refused) == ({}, {})


def test_a_guess_that_does_not_fit_is_named_until_it_is_mended():
    work = on(FRAME.assign(height=[float("inf"), *FRAME["height"][1:]]))
    assert "infinite" in work.problems["height"]
    assert not work.can_choose
    work.change({"height": {"missing_codes": (float("inf"),)}})
    assert work.problems == {}


def test_a_change_keeps_the_reason_and_leads_back():
    work = on()
    suggested = work.schema["grade"]
    work.change({"grade": {"family": "categorical"}})
    changed = work.schema["grade"]
    assert changed.reason == f"Set by hand. Suggested: {suggested.reason}"
    work.change({"grade": {"role": "ignore"}})
    assert work.schema["grade"].reason == changed.reason
    work.take_suggestions(["grade"])
    assert work.schema["grade"] == suggested
    assert work.schema["grade"].reason == suggested.reason


def test_names_follow_everywhere_and_are_refused_where_they_clash():
    work = on()
    work.join("body", ["height"], "gaussian")
    work.rename({"height": " cm ", "lab": "crp"})
    assert (work.refused, work.problems) == ({}, {})
    assert list(work.table.frame) == list(work.schema) == ["cm", "grade", "crp"]
    assert list(work.suggested) == ["cm", "grade", "crp"]
    assert work.schema.blocks["body"].columns == ("cm",)
    assert work.table.digest.startswith("digest#")
    for name in ("grade", "", "body"):
        work.rename({"cm": name})
        assert "keeps its name" in work.refused["cm"]
        assert list(work.schema) == ["cm", "grade", "crp"]


def test_the_session_reads_and_writes_all_that_belongs_to_the_table(work):
    studio = Session()
    studio.take(work.table, work.schema)
    for name in (field.name for field in fields(Work)):
        assert getattr(studio, name) is getattr(studio.work, name)
    studio.algorithm = "DPMeans"
    whole = studio.work
    assert whole.algorithm == "DPMeans"
    job = studio.jobs.start("a job", 0, lambda job: None)
    studio.take(work.table, work.schema)
    assert studio.work is not whole
    assert studio.algorithm == "DPMeans", "another table begins with the method as it was"
    assert studio.jobs.get("a job", 0) is None
    assert job.wait(10)


@pytest.mark.parametrize("dropped", [(), ("b",)], ids=["passed over", "in the place of another"])
def test_a_column_that_is_given_the_name_of_another_takes_no_decision_from_it(dropped):
    work = on(ABC)
    work.change({"c": {"role": "label"}})
    step = OneRowPer("c", "", "", (("a", "mean"),)) if dropped else DropRepeated(("c",))
    work.prepare(steps(step, RenameColumns((("a", "b"),))))
    assert [*work.schema] == [*work.table.frame]
    assert work.schema["c"].role == "label"


def test_a_name_does_not_join_names_that_could_not_be_given():
    work = on(ABC[["a", "b"]])
    work.prepare(steps(RenameColumns((("a", "b"),))))
    work.rename({"b": "c"})
    work.rename({"a": "d"})
    assert list(work.schema) == list(work.table.frame) == ["d", "c"]
    assert [record.is_done for record in work.table.records] == [False, True]


def test_read_again_keeps_every_decision_by_name_and_can_be_undone():
    work = on()
    work.rename({"height": "cm"})
    work.change({"grade": {"family": "categorical"}, "cm": {"role": "validator"}})
    half = next(a for q in work.schema.questions for a in q.answers if a.text.startswith("Half"))
    work.answer(half)
    before = work.decided
    frame = CODED.assign(extra=np.arange(60.0) ** 2).drop(columns="lab")
    work.read_again(Table(frame, "coded.csv", "other"))
    assert list(work.table.frame) == ["cm", "grade", "extra"]
    assert (work.schema["grade"].family, work.schema["cm"].role) == ("categorical", "validator")
    assert work.notices == [
        "As you decided before: cm, grade.",
        "Not in the table any more: lab.",
        "New in the table: extra.",
    ]
    work.turn_to(before)
    assert (work.table, work.schema) == (before.table, before.schema)
    work.read_again(Table(CODED, "coded.csv", "other"))
    assert work.schema["lab"].taken_as == (("<0.5", 0.25),)
    assert not any("<0.5" in question.text for question in work.schema.questions)


def test_an_order_outlives_a_lost_level_and_is_asked_again_once_it_is_lost():
    doses = ["a small dose", "a medium dose", "a large dose"]
    work = on(CODED.assign(start=np.resize(doses, 60)))
    (question,) = work.schema.questions[-1:]
    work.answer(question.answers[0])
    work.prepare(steps(FilterRows("start", "is", ("a medium dose",), "drop")))
    assert work.schema["start"].levels == tuple(doses)
    assert question.about not in [q.about for q in work.schema.questions]
    work.prepare(steps(MergeLevels(("start",), (("a large dose", "a very large dose"),))))
    assert work.notices == ["Not possible any more, and suggested anew: start."]
    assert question.about in [q.about for q in work.schema.questions]


def test_an_answer_settles_its_own_question_alone():
    price = np.random.default_rng(0).permutation([-410.0, *range(300, 595, 5)])
    work = on(CODED.assign(price=price))

    def asked() -> set[str]:
        return {q.about for q in work.schema.questions if "price" in q.columns}

    assert asked() == {"outcome", "missing"}
    (doubt,) = [q for q in work.schema.questions if q.columns == ("price",) and "mistake" in q.text]
    work.answer(next(answer for answer in doubt.answers if answer.discards))
    assert asked() == {"outcome"}
    work.prepare(steps(FilterRows("price", "at least", (0.0,))))
    assert asked() == {"outcome"}
    work.prepare(steps(OneRowPer("grade", summaries=(("height", "mean"),))))
    work.prepare(Recipe())
    assert -410 in work.schema["price"].missing_codes
    assert asked() == {"outcome"}


def test_what_a_study_locked_is_changed_by_nothing_and_says_so():
    work = on()
    work.asks_table = True
    work.study.lock_in(work.table.frame, work.schema, Plan())
    before, table = work.schema, work.table
    assert not work.is_undecided
    for change in (
        lambda: work.change({"height": {"role": "validator"}}),
        lambda: work.join("body", ["height"], "gaussian"),
        lambda: work.answer(before.questions[0].answers[-1]),
        lambda: work.take_choice(before.with_column("grade", family="categorical")),
        lambda: work.replace_schema(before.with_column("grade", role="ignore")),
        lambda: work.rename({"height": "cm"}),
    ):
        work.refused = {}
        change()
        assert work.schema is before
        assert work.table is table
        assert all("locked" in why for why in work.refused.values())
        assert work.refused
    with pytest.raises(SchemaError, match="locked"):
        work.read_again(Table(CODED.head(30), "coded.csv", "other"))
    work.study.unlock()
    work.change({"height": {"role": "validator"}})
    assert work.schema["height"].role == "validator"


def test_names_are_taken_up_with_settings_of_as_many_rows_only_and_nothing_under_a_lock(work):
    naming = Naming(names={0: "tall"})
    work.naming[work.tasks()["MAPDP"]] = naming
    saved = work.saved()
    same, shorter, locked = (
        Work(Table(f, "t", "d"), work.schema) for f in (FRAME, FRAME[:30], FRAME)
    )
    assert not any("left out" in said for said in same.take_up(saved))
    assert list(same.naming.values()) == [naming]
    assert any("left out" in said for said in shorter.take_up(saved))
    assert shorter.naming == {}
    locked.change({"visits": {"role": "ignore"}})
    locked.study.lock_in(FRAME, locked.schema, Plan(purpose="to see"))
    with pytest.raises(SettingsFileError, match="locked"):
        locked.take_up(saved)


def test_steps_are_undone_done_again_and_given_up():
    history = History()
    assert history.steps == {-1: 0, 1: 0}
    for state in (1, 2, 2, 3):
        history.note(state)
    assert (history.states, history.steps) == ([1, 2, 3], {-1: 2, 1: 0})
    assert (history.go(-1), history.go(-1), history.steps) == (2, 1, {-1: 0, 1: 2})
    assert (history.go(1), history.steps) == (2, {-1: 1, 1: 1})
    history.note(2.0)  # equal, and not the same: it takes the place, and what was undone stays
    assert isinstance(history.states[1], float)
    assert history.steps[1] == 1
    history.note(4)
    assert (history.states, history.steps) == ([1, 2.0, 4], {-1: 2, 1: 0})


def test_whatever_is_decided_is_undone_and_done_again_to_the_bit():
    work = on()

    def everything() -> tuple:
        """All that was decided: the cells, the project's file, and the fits asked for."""
        plain = replace(work, settings=Settings(), set_aside={})  # sliders are not undone
        told = {**work.naming}, work.declined
        return work.table.digest, save_project(plain), [*plain.tasks().values()], *told

    def note() -> tuple:
        work.history.note(work.decided)
        return everything()

    question = work.schema.questions[0]
    task = work.tasks()["MAPDP"]
    known = [note()]
    for decide in (
        lambda: work.answer(question.answers[-1]),
        lambda: work.change({"grade": {"family": "categorical"}}),
        lambda: work.rename({"height": "cm"}),
        lambda: work.join("body", ["cm"], "gaussian"),
        lambda: work.prepare(steps(FilterRows("grade", "at least", (2.0,)))),
        lambda: work.take_apart("body"),
        lambda: setattr(work, "algorithm", "DPMeans"),
        lambda: setattr(work, "naming", {task: Naming(names={0: "tall"})}),
        lambda: setattr(work, "declined", frozenset({"not needed"})),
        lambda: work.take_suggestions(["grade"]),
        lambda: work.prepare(Recipe()),
    ):
        decide()
        known.append(note())
        assert known[-1] != known[-2]
    for step, states in ((-1, known[-2::-1]), (1, known[1:])):
        for state in states:
            work.turn_to(work.history.go(step))
            assert everything() == state
