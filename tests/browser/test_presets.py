"""The board's presets: what each asks can be found, and is not so as it begins."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.comparison import Results, tasks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.drawing import PLACES, SIDE, drawn_table
from mapdp_studio.pages.parts.teach.live.scripts import FILES, live_scripts

PER_UNIT = (PLACES - 1) / SIDE
#: What the three methods make of a preset, with what is changed of its start.
ANSWERS = """({name, change}) => {
    const sketch = new Sketch();
    const preset = PRESETS.find((one) => one.name === name);
    sketch.take({painted: [], published: false, ...preset.start()});
    Object.assign(sketch, change);
    if (change.k) sketch.setK(change.k);
    const answers = answersTo(sketch);
    const rest = ({labels, objective}) => ({labels: [...labels], objective});
    return {points: sketch.points, energy: painted(sketch)?.energy, k: sketch.k,
        ...Object.fromEntries(METHODS.map((name) => [name, rest(answers[name].at(-1))]))};
}"""


@pytest.fixture(scope="module")
def answers(browser):
    """Given a preset's name and what is changed of it."""
    page = browser.new_page()
    page.add_script_tag(content=live_scripts(FILES[:-1]))
    yield lambda name, **change: page.evaluate(ANSWERS, {"name": name, "change": change})
    page.close()


def places(*units: tuple[float, float]) -> list[list[int]]:
    return (np.array(units) * PER_UNIT).round().astype(int).tolist()


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
    after = answers("near", points=second_moved(begun["points"], 60, -2.2))
    assert groups(begun, "mapdp") == groups(after, "mapdp") == 2


def test_colours_can_have_a_lower_e_than_plain_sweeps(answers):
    coloured = answers("beat", painted=[0] * 20 + [1] * 20 + [2] * 20)
    assert coloured["energy"] < coloured["mapdp"]["objective"] - 1e-6


def test_e_m_loses_a_group_to_far_points_that_map_dp_keeps(answers):
    begun = answers("no-em")
    after = answers("no-em", points=[*begun["points"], *places(*[(29, 29)] * 3)])
    frame, schema = drawn_table(np.array(after["points"]))
    told = tasks("drawn", schema, Settings(n_clusters=3), len(frame))
    by_em = Results().fit(told["MixtureEM"], frame, schema).labels_
    assert groups(after, "mapdp", 120) == 3
    assert len({*by_em[:120].tolist()}) < 3
