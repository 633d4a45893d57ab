"""The live board: the browser's algorithms are the library's."""

from __future__ import annotations

import numpy as np
import pytest

from core import MAPDP, DPMeans, KMeansBIC
from core.families import GaussianPrior
from core.partitions.labels import by_size
from core.teaching.drawing import PLACES, SIDE
from pages.parts.teach.live_scripts import live_scripts

#: DOF, MIDDLE and REACH of clusters.js.
DOF, MIDDLE, REACH = 10.0, 5.0, 3.0
ANSWER = """drawings => drawings.map(({points, centres, penalty, concentration, width}) => {
    const columns = columnsOf(points);
    const begin = centres.map((place) => place.map(inUnits));
    const ways = [kmeans(columns, begin), dpmeans(columns, penalty),
        mapdp(columns, concentration, width)];
    return ways.map((states) => {
        const {labels, objective} = states.at(-1);
        return {labels: [...labels], objective};
    });
})"""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page with the board's scripts."""
    page = browser.new_page()
    page.add_script_tag(content=live_scripts())
    yield page
    page.close()


def drawings(n: int) -> list[dict]:
    """Clouds of all widths and sizes, some with points far outside."""
    found = []
    for seed in range(n):
        random = np.random.default_rng(seed)
        k = int(random.integers(1, 9))
        clouds = [
            random.normal(
                random.uniform(300, 3800, 2), random.uniform(40, 500, 2), (random.integers(1, 75), 2)
            )
            for _ in range(k)
        ]
        far = random.uniform(-14_000, 18_000, (random.integers(0, 3), 2))
        points = np.concatenate([*clouds, far]).round().astype(int)
        random.shuffle(points)
        centres = random.integers(0, PLACES, (int(random.integers(1, 9)), 2))
        found.append(
            {
                "points": points.tolist(),
                "centres": centres.tolist(),
                "penalty": float(random.uniform(0.3, 4.0) ** 2),
                "concentration": float(10 ** random.uniform(-2, 2)),
                "width": float(random.uniform(0.1, 1.5)),
            }
        )
    return found


def library(drawing: dict) -> list[tuple[np.ndarray, float]]:
    """Labels and objective of the three, in the order of the script's."""
    rows, centres = (SIDE * np.array(drawing[name]) / (PLACES - 1) for name in ("points", "centres"))
    k = min(len(centres), len(rows))
    width = drawing["width"]
    scatter = (DOF - 3) * width**2 * np.eye(2)
    prior = GaussianPrior([MIDDLE] * 2, (width / REACH) ** 2, DOF, scatter)
    models = (
        KMeansBIC(k_min=k, k_max=k, tol=0.0, init=centres[:k]),
        DPMeans(penalty=drawing["penalty"]),
        MAPDP(
            drawing["concentration"], likelihood="gaussian", prior=prior, refine=False, shuffle=False
        ),
    )
    return [(model.fit(rows).labels_, model.objective_) for model in models]


def test_the_browser_finds_what_the_library_finds(page):
    drawn = drawings(200)
    for drawing, answers in zip(drawn, page.evaluate(ANSWER, drawn), strict=True):
        for mine, (labels, objective) in zip(answers, library(drawing), strict=True):
            assert mine["objective"] == pytest.approx(objective, rel=1e-12, abs=1e-6)
            names = np.unique(mine["labels"], return_inverse=True)[1]
            np.testing.assert_array_equal(by_size(names)[0], labels)
