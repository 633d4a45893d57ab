"""The board's challenges: not solved as they begin, solved by what is stored here."""

from __future__ import annotations

import numpy as np
import pytest

from core.comparing.comparison import Results, tasks
from core.methods.settings import Settings
from core.teaching.drawing import PLACES, SIDE, drawn_table
from pages.parts.teach.live.scripts import FILES, live_scripts

PER_UNIT = (PLACES - 1) / SIDE
#: What is changed of the start: settings, centres, points that are added, groups that are moved
#: across (all in units), or colours.
SOLUTIONS = {
    "circles": {"radius": 2.8},
    "bad-start": {"centres": [[2, 2], [3, 3], [6, 5]]},
    "rescue": {"centres": [[2, 2], [2, 5], [8, 2], [8, 8], [4.5, 8]]},
    "too-many": {"k": 8},
    "one-point": {"added": [[30, 30]]},
    "no-outlier": {"added": [[-1.2, 4.5]]},
    "widths": {"moved": -3.1},
    "near": {"moved": -2.2},
    "beat": {"isPainted": True},
    "no-em": {"added": [[29, 29]] * 3},
}
#: The sketch of a challenge with a solution, and the judge's mark.
MARK = """({name, change, em}) => {
    const challenge = CHALLENGES.find((one) => one.name === name);
    const start = challenge.start();
    const sketch = new Sketch();
    sketch.take({painted: [], published: false, ...start});
    if (change.radius) sketch.radius = change.radius;
    if (change.k) sketch.setK(change.k);
    if (change.centres) sketch.centres = atUnits(change.centres);
    if (change.isPainted) sketch.painted = [...start.truth];
    sketch.points.push(...atUnits(change.added ?? []));
    sketch.points = sketch.points.map(([x, y], i) =>
        [clip(x + (start.truth[i] === 1 ? toPlaces(change.moved ?? 0) : 0)), y]);
    const [isSolved, words] = challenge.judge(sketch, answersTo(sketch), start, em);
    return {isSolved, words, points: sketch.points, added: sketch.points.length
        - start.points.length, most: challenge.adds};
}"""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page with the board's scripts."""
    page = browser.new_page()
    page.add_script_tag(content=live_scripts(FILES[:-1]))
    yield page
    page.close()


def labels_of_em(points: list[list[int]]) -> list[int]:
    """What the page below the board runs, told K = 3."""
    frame, schema = drawn_table(np.array(points))
    told = tasks("drawn", schema, Settings(n_clusters=3), len(frame))
    return Results().fit(told["MixtureEM"], frame, schema).labels_.tolist()


def marked(page, name: str, change: dict) -> dict:
    asked = {"name": name, "change": change, "em": None}
    found = page.evaluate(MARK, asked)
    if name == "no-em":
        found = page.evaluate(MARK, asked | {"em": labels_of_em(found["points"])})
    return found


def test_every_challenge_has_a_solution_here(page):
    names = page.evaluate("CHALLENGES.map((one) => one.name)")
    assert names == list(SOLUTIONS)


@pytest.mark.parametrize("name", SOLUTIONS)
def test_a_challenge_is_solved_by_its_solution_and_not_as_it_begins(page, name):
    begun, done = (marked(page, name, change) for change in ({}, SOLUTIONS[name]))
    assert not begun["isSolved"], begun["words"]
    assert done["isSolved"], done["words"]
    assert done["added"] <= done["most"]
