"""The board's presets: what each asks can be found, and is not so as it begins."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.comparison import Results, tasks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.drawing import PRESETS, drawn_table, to_places
from mapdp_studio.pages.parts.teach.draw import SCRIPT, START, dragged
from tests.classroom import room

#: What the three methods make of a sketch.
ANSWERS = """(sketch) => {
    sketch.centres = centresFor(sketch.k, sketch.centres, sketch.points);
    const answers = answersTo(sketch);
    const rest = ({labels, objective}) => ({labels: [...labels], objective});
    const found = Object.keys(METHODS).map((name) => [name, rest(answers[name].at(-1))]);
    return {points: sketch.points, ...Object.fromEntries(found)};
}"""


@pytest.fixture(scope="module")
def answer(browser):
    """What the methods make of a sketch."""
    page = browser.new_page()
    page.add_script_tag(content=SCRIPT.replace("export default function", "function component"))
    yield lambda sketch: page.evaluate(ANSWERS, sketch)
    page.close()


@pytest.fixture
def answers(answer):
    """Given a preset's name and what is changed of it."""

    def of(name: str, **change):
        preset = PRESETS[name]
        drawn = {"points": preset.points.tolist(), "centres": places(*preset.centres)}
        return answer(START | drawn | preset.sets | change)

    return of


def places(*units: tuple[float, float]) -> list[list[int]]:
    return to_places(np.array(units, dtype=float).reshape(-1, 2)).tolist()


def groups(answer: dict, method: str, n: int | None = None) -> int:
    """Of the first n points."""
    return len({*answer[method]["labels"][:n]})


def test_a_smaller_circle_gives_the_three_groups(answers):
    assert groups(answers("circles"), "dpmeans") == 1
    assert groups(answers("circles", circle=2.8), "dpmeans") == 3


def test_k_means_rests_where_its_centres_begin(answers):
    begun = answers("bad-start")
    worse = answers("bad-start", centres=places((2, 2), (3, 3), (6, 5)))
    assert worse["kmeans"]["objective"] > 2 * begun["kmeans"]["objective"]


def test_one_point_costs_k_means_a_group_and_dp_means_founds_one(answers):
    begun = answers("one-point")
    after = answers("one-point", points=[*begun["points"], *places((30, 30))])
    assert (groups(begun, "kmeans", 18), groups(after, "kmeans", 18)) == (2, 1)
    begun = answers("no-outlier")
    after = answers("no-outlier", points=[*begun["points"], *places((-1.2, 4.5))])
    labels = {method: after[method]["labels"] for method in ("dpmeans", "mapdp")}
    alone = {method: found.count(found[-1]) for method, found in labels.items()}
    assert alone["dpmeans"] == 1 < alone["mapdp"]


def test_map_dp_sees_widths(answers):
    begun = answers("widths")["points"]
    nearer = [[x - to_places(np.array(3.1)).item(), y] for x, y in begun[90:]]
    after = answers("widths", points=begun[:90] + nearer)
    truth = np.repeat([0, 1], [90, 30])
    by = {name: nmi(truth, np.array(after[name]["labels"])) for name in ("kmeans", "mapdp")}
    assert by["mapdp"] > 0.8 > by["kmeans"]


def test_e_m_loses_a_group_to_far_points_that_map_dp_keeps(answers):
    begun = answers("no-em")
    after = answers("no-em", points=[*begun["points"], *places(*[(29, 29)] * 3)])
    frame, schema = drawn_table(np.array(after["points"]))
    told = tasks("drawn", schema, Settings(n_clusters=3), len(frame))
    by_em = Results().fit(told["MixtureEM"], frame, schema).labels_
    assert groups(after, "mapdp", 120) == 3
    assert len({*by_em[:120].tolist()}) < 3


@pytest.mark.parametrize(("key", "k"), [("5.1", 3), ("5.2", 3), ("5.3", 5), ("5.4", 3), ("5.5", 3)])
def test_a_scenario_that_is_dragged_begins_as_it_fails(answer, key, k):
    here = room(key, 200)
    points, centres, told = dragged(here)
    found = answer({"points": points.tolist(), "centres": centres.tolist(), **told})
    reached = {
        name: nmi(here.truth.classes, np.array(found[name]["labels"]))
        for name in ("kmeans", "mapdp")
    }
    assert groups(found, "mapdp") == k
    assert reached["mapdp"] > 0.88
    assert reached["kmeans"] < reached["mapdp"] or key == "5.5"
    assert reached["kmeans"] < 0.8 or key in ("5.2", "5.5")
