"""The board's presets: what each asks can be found, and is not so as it begins."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.comparison import Results, tasks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.drawing import PLACES, SIDE, drawn_table
from mapdp_studio.pages.parts.teach.board import SCRIPT
from mapdp_studio.pages.parts.teach.presets import PRESETS

PER_UNIT = (PLACES - 1) / SIDE
#: Where the board's controls stand that a preset does not set.
START = {"k": 3, "radius": 3.0, "n0": 3.0, "width": 0.5, "published": False}
#: What the three methods make of a sketch.
ANSWERS = """(sketch) => {
    sketch.centres = centresFor(sketch.k, sketch.centres, sketch.points);
    const answers = answersTo(sketch);
    const rest = ({labels, objective}) => ({labels: [...labels], objective});
    const found = Object.keys(METHODS).map((name) => [name, rest(answers[name].at(-1))]);
    return {points: sketch.points, ...Object.fromEntries(found)};
}"""


@pytest.fixture(scope="module")
def answers(browser):
    """Given a preset's name and what is changed of it."""
    page = browser.new_page()
    page.add_script_tag(content=SCRIPT.replace("export default function", "function component"))

    def answer(name: str, **change):
        preset = PRESETS[name]
        drawn = {"points": preset.points.tolist(), "centres": places(*preset.centres)}
        return page.evaluate(ANSWERS, START | drawn | preset.sets | change)

    yield answer
    page.close()


def places(*units: tuple[float, float]) -> list[list[int]]:
    return (np.array(units).reshape(-1, 2) * PER_UNIT).round().astype(int).tolist()


def groups(answer: dict, method: str, n: int | None = None) -> int:
    """Of the first n points."""
    return len({*answer[method]["labels"][:n]})


def second_moved(points: list[list[int]], n: int, by: float) -> list[list[int]]:
    """The points after the first n, that far across."""
    return points[:n] + [[round(x + by * PER_UNIT), y] for x, y in points[n:]]


def test_a_smaller_circle_gives_the_three_groups(answers):
    assert groups(answers("circles"), "dpmeans") == 1
    assert groups(answers("circles", radius=2.8), "dpmeans") == 3


def test_k_means_rests_where_its_centres_begin(answers):
    begun, worse = (
        answers("bad-start"),
        answers("bad-start", centres=places((2, 2), (3, 3), (6, 5))),
    )
    assert worse["kmeans"]["objective"] > 2 * begun["kmeans"]["objective"]
    centres = places((2, 2), (2, 5), (8, 2), (8, 8), (4.5, 8))
    stuck, found = answers("rescue"), answers("rescue", centres=centres)
    assert found["kmeans"]["objective"] < stuck["kmeans"]["objective"] / 2
    truth = np.repeat(np.arange(5), 30)
    assert nmi(truth, np.array(found["kmeans"]["labels"])) == pytest.approx(1.0)


def test_more_clusters_have_less_error(answers):
    begun, more = answers("too-many"), answers("too-many", k=8)
    assert 3 * more["kmeans"]["objective"] <= 2 * begun["kmeans"]["objective"]


def test_one_point_costs_k_means_a_group_and_dp_means_founds_one(answers):
    begun = answers("one-point")
    after = answers("one-point", points=[*begun["points"], *places((30, 30))])
    assert (groups(begun, "kmeans", 18), groups(after, "kmeans", 18)) == (2, 1)
    begun = answers("no-outlier")
    after = answers("no-outlier", points=[*begun["points"], *places((-1.2, 4.5))])
    alone = {
        method: after[method]["labels"].count(after[method]["labels"][-1])
        for method in ("dpmeans", "mapdp")
    }
    assert alone["dpmeans"] == 1 < alone["mapdp"]


def test_map_dp_sees_widths_and_groups_that_are_near(answers):
    begun = answers("widths")
    after = answers("widths", points=second_moved(begun["points"], 90, -3.1))
    truth = np.repeat([0, 1], [90, 30])
    by = {name: nmi(truth, np.array(after[name]["labels"])) for name in ("kmeans", "mapdp")}
    assert by["mapdp"] > 0.8 > by["kmeans"]
    begun = answers("near")
    after = answers("near", points=second_moved(begun["points"], 60, -2.0))
    assert groups(begun, "mapdp") == groups(after, "mapdp") == 2


def test_e_m_loses_a_group_to_far_points_that_map_dp_keeps(answers):
    begun = answers("no-em")
    after = answers("no-em", points=[*begun["points"], *places(*[(29, 29)] * 3)])
    frame, schema = drawn_table(np.array(after["points"]))
    told = tasks("drawn", schema, Settings(n_clusters=3), len(frame))
    by_em = Results().fit(told["MixtureEM"], frame, schema).labels_
    assert groups(after, "mapdp", 120) == 3
    assert len({*by_em[:120].tolist()}) < 3
