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
from mapdp_studio.core.session.project import History, Project
from mapdp_studio.core.session.project_file import save_project
from mapdp_studio.core.session.table import Table
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


def on(frame: pd.DataFrame = CODED) -> Project:
    return Project(Table(frame, "table.csv", "digest"), infer_schema(frame))


@pytest.fixture
def project() -> Project:
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
def test_a_change_that_does_not_fit_leaves_the_column_and_says_why(project, name, changes, reason):
    before, renewals = project.schema, project.renewals
    project.change({name: changes})
    assert project.schema is before
    assert reason in project.refused[name]
    assert project.renewals > renewals


def test_of_several_changes_those_that_fit_are_taken(project):
    project.change({name: {"family": "geometric"} for name in ("visits", "balance")})
    assert project.schema["visits"].family == "geometric"
    assert list(project.refused) == ["balance"]
    project.change({"balance": {"role": "ignore"}})
    assert project.refused == {}


def test_columns_are_joined_and_taken_apart(project):
    project.join("size", ["height", "balance"], "gaussian")
    assert project.schema.blocks["size"].columns == ("height", "balance")
    project.join("height", ["visits"], "gaussian")
    assert "height" in project.refused
    project.take_apart("size")
    assert (project.schema.blocks, project.refused) == ({}, {})


def test_a_guess_that_does_not_fit_is_named_until_it_is_mended():
    project = on(FRAME.assign(height=[float("inf"), *FRAME["height"][1:]]))
    assert "infinite" in project.problems["height"]
    assert not project.can_choose
    project.change({"height": {"missing_codes": (float("inf"),)}})
    assert project.problems == {}


def test_a_change_keeps_the_reason_and_leads_back():
    project = on()
    suggested = project.schema["grade"]
    project.change({"grade": {"family": "categorical"}})
    changed = project.schema["grade"]
    assert changed.reason == f"Set by hand. Suggested: {suggested.reason}"
    project.change({"grade": {"role": "ignore"}})
    assert project.schema["grade"].reason == changed.reason
    project.take_suggestions(["grade"])
    assert project.schema["grade"] == suggested
    assert project.schema["grade"].reason == suggested.reason


def test_names_follow_everywhere_and_are_refused_where_they_clash():
    project = on()
    project.join("body", ["height"], "gaussian")
    project.rename({"height": " cm ", "lab": "crp"})
    assert (project.refused, project.problems) == ({}, {})
    assert list(project.table.frame) == list(project.schema) == ["cm", "grade", "crp"]
    assert list(project.suggested) == ["cm", "grade", "crp"]
    assert project.schema.blocks["body"].columns == ("cm",)
    assert project.table.digest.startswith("digest#")
    for name in ("grade", "", "body"):
        project.rename({"cm": name})
        assert "keeps its name" in project.refused["cm"]
        assert list(project.schema) == ["cm", "grade", "crp"]


def test_the_session_reads_and_writes_all_that_belongs_to_the_table(project):
    visit = Session()
    visit.take(project.table, project.schema)
    for name in (field.name for field in fields(Project)):
        assert getattr(visit, name) is getattr(visit.project, name)
    visit.algorithm = "DPMeans"
    whole = visit.project
    assert whole.algorithm == "DPMeans"
    job = visit.jobs.start("a job", 0, lambda job: None)
    visit.take(project.table, project.schema)
    assert visit.project is not whole
    assert visit.algorithm == "DPMeans", "another table begins with the method as it was"
    assert visit.jobs.get("a job", 0) is None
    assert job.wait(10)


@pytest.mark.parametrize("dropped", [(), ("b",)], ids=["passed over", "in the place of another"])
def test_a_column_that_is_given_the_name_of_another_takes_no_decision_from_it(dropped):
    project = on(ABC)
    project.change({"c": {"role": "label"}})
    step = OneRowPer("c", "", "", (("a", "mean"),)) if dropped else DropRepeated(("c",))
    project.prepare(steps(step, RenameColumns((("a", "b"),))))
    assert [*project.schema] == [*project.table.frame]
    assert project.schema["c"].role == "label"


def test_a_name_does_not_join_names_that_could_not_be_given():
    project = on(ABC[["a", "b"]])
    project.prepare(steps(RenameColumns((("a", "b"),))))
    project.rename({"b": "c"})
    project.rename({"a": "d"})
    assert list(project.schema) == list(project.table.frame) == ["d", "c"]
    assert [record.is_done for record in project.table.records] == [False, True]


def test_read_again_keeps_every_decision_by_name_and_can_be_undone():
    project = on()
    project.rename({"height": "cm"})
    project.change({"grade": {"family": "categorical"}, "cm": {"role": "validator"}})
    half = next(a for q in project.schema.questions for a in q.answers if a.text.startswith("Half"))
    project.answer(half)
    before = project.decided
    frame = CODED.assign(extra=np.arange(60.0) ** 2).drop(columns="lab")
    project.read_again(Table(frame, "coded.csv", "other"))
    assert list(project.table.frame) == ["cm", "grade", "extra"]
    assert (project.schema["grade"].family, project.schema["cm"].role) == (
        "categorical",
        "validator",
    )
    assert project.notices == [
        "As you decided before: cm, grade.",
        "Not in the table any more: lab.",
        "New in the table: extra.",
    ]
    project.turn_to(before)
    assert (project.table, project.schema) == (before.table, before.schema)
    project.read_again(Table(CODED, "coded.csv", "other"))
    assert project.schema["lab"].taken_as == (("<0.5", 0.25),)
    assert not any("<0.5" in question.text for question in project.schema.questions)


def test_an_order_outlives_a_lost_level_and_is_asked_again_once_it_is_lost():
    doses = ["a small dose", "a medium dose", "a large dose"]
    project = on(CODED.assign(start=np.resize(doses, 60)))
    (question,) = project.schema.questions[-1:]
    project.answer(question.answers[0])
    project.prepare(steps(FilterRows("start", "is", ("a medium dose",), "drop")))
    assert project.schema["start"].levels == tuple(doses)
    assert question.about not in [q.about for q in project.schema.questions]
    project.prepare(steps(MergeLevels(("start",), (("a large dose", "a very large dose"),))))
    assert project.notices == ["Not possible any more, and suggested anew: start."]
    assert question.about in [q.about for q in project.schema.questions]


def test_an_answer_settles_its_own_question_alone():
    price = np.random.default_rng(0).permutation([-410.0, *range(300, 595, 5)])
    project = on(CODED.assign(price=price))

    def asked() -> set[str]:
        return {q.about for q in project.schema.questions if "price" in q.columns}

    assert asked() == {"outcome", "missing"}
    (doubt,) = [
        q for q in project.schema.questions if q.columns == ("price",) and "mistake" in q.text
    ]
    project.answer(next(answer for answer in doubt.answers if answer.changes))
    assert asked() == {"outcome"}
    project.prepare(steps(FilterRows("price", "at least", (0.0,))))
    assert asked() == {"outcome"}
    project.prepare(steps(OneRowPer("grade", summaries=(("height", "mean"),))))
    project.prepare(Recipe())
    assert -410 in project.schema["price"].missing_codes
    assert asked() == {"outcome"}


def test_what_a_study_locked_is_changed_by_nothing_and_says_so():
    project = on()
    project.asks_table = True
    project.study.lock_in(project.table.frame, project.schema, Plan())
    before, table = project.schema, project.table
    assert not project.is_undecided
    for change in (
        lambda: project.change({"height": {"role": "validator"}}),
        lambda: project.join("body", ["height"], "gaussian"),
        lambda: project.answer(before.questions[0].answers[-1]),
        lambda: project.take_choice(before.with_column("grade", family="categorical")),
        lambda: project.replace_schema(before.with_column("grade", role="ignore")),
        lambda: project.rename({"height": "cm"}),
    ):
        project.refused = {}
        change()
        assert project.schema is before
        assert project.table is table
        assert all("locked" in why for why in project.refused.values())
        assert project.refused
    with pytest.raises(SchemaError, match="locked"):
        project.read_again(Table(CODED.head(30), "coded.csv", "other"))
    project.study.unlock()
    project.change({"height": {"role": "validator"}})
    assert project.schema["height"].role == "validator"


def test_names_are_taken_up_with_settings_of_as_many_rows_only_and_nothing_under_a_lock(project):
    naming = Naming(names={0: "tall"})
    project.naming[project.tasks()["MAPDP"]] = naming
    saved = project.saved()
    same, shorter, locked = (
        Project(Table(f, "t", "d"), project.schema) for f in (FRAME, FRAME[:30], FRAME)
    )
    assert not any("left out" in remark for remark in same.take_up(saved))
    assert list(same.naming.values()) == [naming]
    assert any("left out" in remark for remark in shorter.take_up(saved))
    assert shorter.naming == {}
    locked.change({"visits": {"role": "ignore"}})
    locked.study.lock_in(FRAME, locked.schema, Plan(purpose="to see"))
    with pytest.raises(SettingsFileError, match="locked"):
        locked.take_up(saved)


def test_steps_are_undone_done_again_and_given_up():
    history = History()
    assert history.steps == {-1: 0, 1: 0}
    for state in (1, 2, 2, 3):
        history.keep(state)
    assert (history.states, history.steps) == ([1, 2, 3], {-1: 2, 1: 0})
    assert (history.go(-1), history.go(-1), history.steps) == (2, 1, {-1: 0, 1: 2})
    assert (history.go(1), history.steps) == (2, {-1: 1, 1: 1})
    history.keep(2.0)  # equal, and not the same: it takes the place, and what was undone stays
    assert isinstance(history.states[1], float)
    assert history.steps[1] == 1
    history.keep(4)
    assert (history.states, history.steps) == ([1, 2.0, 4], {-1: 2, 1: 0})


def test_steps_go_on_and_off_and_back_bit_for_bit_with_the_snapshots_of_their_rows(project):
    whole, tall = project.table.frame, FilterRows("height", "at least", (165.0,))
    project.change({"visits": {"family": "categorical"}})
    families = {name: spec.family for name, spec in project.schema.items()}
    project.snapshots["before"], project.marked = object(), np.array([3])
    project.prepare(steps(tall))
    assert (len(project.table.frame), project.schema["visits"].family) == (20, "categorical")
    assert (project.snapshots, project.marked.size) == ({}, 0), "they are of other rows"
    project.snapshots["tall"] = object()
    project.prepare(steps(tall, OneRowPer("visits", summaries=(("height", "mean"),))))
    project.prepare(project.table.recipe.switched(0))
    project.prepare(steps(tall))
    assert list(project.snapshots) == ["tall"]
    project.prepare(Recipe())
    assert list(project.snapshots) == ["before"]
    assert project.table.frame is whole
    assert {name: spec.family for name, spec in project.schema.items()} == families


def test_whatever_is_decided_is_undone_and_done_again_to_the_bit():
    project = on()

    def everything() -> tuple:
        """All that was decided: the cells, the project's file, and the fits asked for."""
        plain = replace(project, settings=Settings(), all_snapshots={})  # sliders are not undone
        naming = {**project.naming}
        return project.table.digest, save_project(plain), [*plain.tasks().values()], naming

    def keep() -> tuple:
        project.history.keep(project.decided)
        return everything()

    question = project.schema.questions[0]
    task = project.tasks()["MAPDP"]
    seen = [keep()]
    for decide in (
        lambda: project.answer(question.answers[-1]),
        lambda: project.change({"grade": {"family": "categorical"}}),
        lambda: project.rename({"height": "cm"}),
        lambda: project.join("body", ["cm"], "gaussian"),
        lambda: project.prepare(steps(FilterRows("grade", "at least", (2.0,)))),
        lambda: project.take_apart("body"),
        lambda: setattr(project, "algorithm", "DPMeans"),
        lambda: setattr(project, "naming", {task: Naming(names={0: "tall"})}),
        lambda: project.take_suggestions(["grade"]),
        lambda: project.prepare(Recipe()),
    ):
        decide()
        seen.append(keep())
        assert seen[-1] != seen[-2]
    for step, states in ((-1, seen[-2::-1]), (1, seen[1:])):
        for state in states:
            project.turn_to(project.history.go(step))
            assert everything() == state
