"""A cell of several facts is asked about, and the answer splits it."""

import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, Schema, SchemaError, infer_schema, read_table
from mapdp_studio.core.plain import from_plain, to_plain
from mapdp_studio.core.prepare import FilterRows
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.schema.questions import Question
from mapdp_studio.core.session.project import Project
from mapdp_studio.core.session.project_file import load_project, save_project
from mapdp_studio.core.session.table import Table

N = 120
RANDOM = np.random.default_rng(5)
HIGH = RANDOM.random(N) < 0.5
TOP = np.round(np.where(HIGH, 160, 115) + RANDOM.normal(0, 6, N)).astype(int)
LOW = np.round(np.where(HIGH, 98, 72) + RANDOM.normal(0, 4, N)).astype(int)
DAYS = np.round(np.where(HIGH, 280, 225) + RANDOM.normal(0, 6, N)).astype(int)
WEEKS = [f"{day // 7}+{day % 7}" for day in DAYS]
ANSWERS = "cough", "fever", "rash"
PICKED = [[a for k, a in enumerate(ANSWERS) if chosen >> k & 1] for chosen in 1 + np.arange(N) % 7]

#: Cells of one column, the answers that split them, and what the first of them makes.
OFFERED = {
    "blood pressure": (
        [f"{a}/{b}" for a, b in zip(TOP, LOW, strict=True)],
        ("Split into two columns",),
        {"x, first": TOP.tolist(), "x, second": LOW.tolist()},
    ),
    "weeks and days": (
        WEEKS,
        ("Weeks and days: read as weeks", "Add them", "Split into two columns"),
        {"x, weeks": [day // 7 + day % 7 / 7 for day in DAYS.tolist()]},
    ),
    "to be added": (
        [f"{a}+{b}" for a, b in zip(TOP, LOW, strict=True)],
        ("Add them", "Split into two columns"),
        {"x, sum": (TOP + LOW).tolist()},
    ),
    "answers": (
        ["; ".join(some) for some in PICKED],
        ("Split into 3 yes/no columns",),
        {f"x: {one}": ["yes" if one in some else "no" for some in PICKED] for one in ANSWERS},
    ),
}


def opened(cells: list[str]) -> Project:
    data = pd.DataFrame({"x": cells, "pulse": RANDOM.normal(70, 5, N).round(1)})
    content = data.to_csv(index=False).encode()
    frame = read_table(content)
    return Project(Table.of_file(frame, "visits.csv", content), infer_schema(frame))


def asked(project: Project) -> Question:
    (question,) = (q for q in project.schema.questions if q.about == "cells")
    return question


@pytest.mark.parametrize("kind", OFFERED)
def test_the_answer_splits_the_column(kind):
    cells, texts, made = OFFERED[kind]
    project = opened(cells)
    question = asked(project)
    assert tuple(a.text for a in question.answers if a.step is not None) == texts
    assert question.answers[0].text == texts[0]
    assert project.schema.names("cluster") == ("pulse",)
    project.prepare(Recipe().with_step(FilterRows("pulse", ">", (0.0,))))
    project.history.keep(project.decided)
    project.answer(question.answers[0])
    project.history.keep(project.decided)
    for step in (-1, 1):  # undone and done again
        project.turn_to(project.history.go(step))
        assert ("x" in project.table.frame) == (step < 0) == (len(project.table.recipe.steps) == 1)
    assert not project.refused
    assert {name: project.table.frame[name].tolist() for name in made} == made
    assert project.schema.names("cluster") == (*made, "pulse")
    assert not [q for q in project.schema.questions if q.about == "cells"]
    back = load_project(save_project(project))
    pd.testing.assert_frame_equal(back.table.frame, project.table.frame)


@pytest.mark.parametrize("kind", ["blood pressure", "weeks and days"])
def test_the_groups_are_found_then(kind):
    project = opened(OFFERED[kind][0])
    project.answer(asked(project).answers[0])
    model = MAPDP(random_state=0).fit(project.table.frame, project.schema)
    assert model.n_clusters_ == 2
    assert {*zip(model.labels_.tolist(), HIGH.tolist(), strict=True)} in (
        {(0, False), (1, True)},
        {(0, True), (1, False)},
    )


def test_a_question_keeps_its_step_in_files_and_under_new_names():
    question = asked(opened(WEEKS))
    assert from_plain(Question, json.loads(json.dumps(to_plain(question)))) == question
    assert any(a.step for a in question.answers)
    renamed = question.renamed({"x": "age"})
    assert [a.step.column for a in renamed.answers if a.step] == ["age"] * 3
    assert [a.step.column for a in question.answers if a.step] == ["x"] * 3


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ({"step": "split a leaf"}, "There is no step 'split a leaf'"),
        ({"step": "split a cell", "column": "x"}, "it lacks 'sign'"),
        ({"column": "x"}, "There is no step 'None'"),
    ],
)
def test_an_answer_with_a_step_that_is_none_is_refused(step, why):
    saved = to_plain(opened(WEEKS).schema)
    saved["questions"][0]["answers"][0]["step"] = step
    with pytest.raises(SchemaError, match=why):
        Schema.from_dict(saved)
