"""The live board: the browser's algorithms are the library's."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import DPMeans
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.families import GaussianPrior, Prior
from mapdp_studio.core.models.centroids import lloyd_states
from mapdp_studio.core.models.mapdp import published
from mapdp_studio.core.partitions.labels import by_size
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.teaching.drawing import PLACES, SIDE
from mapdp_studio.pages.parts.teach.draw import SCRIPT

#: As in clusterings.js.
DOF, MIDDLE, REACH, MANY = 5.0, 5.0, 3.0, 30
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
    """An empty page with the board's script."""
    page = browser.new_page()
    page.add_script_tag(content=SCRIPT.replace("export default function", "function component"))
    yield page
    page.close()


def drawings(n: int) -> list[dict]:
    """Clouds of all widths and sizes, some with points far outside."""
    found = []
    for seed in range(n):
        random = np.random.default_rng(seed)
        clouds = [
            random.normal(
                random.uniform(300, 3800, 2),
                random.uniform(40, 500, 2),
                (random.integers(8, 75), 2),
            )
            for _ in range(int(random.integers(1, 9)))
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
    """Labels and objective of each, in the order of the script's."""
    rows, centres = (
        SIDE * np.array(drawing[name]) / (PLACES - 1) for name in ("points", "centres")
    )
    width, concentration = drawing["width"], drawing["concentration"]
    scatter = (DOF - 3) * width**2 * np.eye(2)
    prior = GaussianPrior([MIDDLE] * 2, (width / REACH) ** 2, DOF, scatter)
    *_, means = lloyd_states(rows, centres, tol=0.0)
    k_means = by_size(means.labels)[0], means.objective
    dp_means = DPMeans(penalty=drawing["penalty"]).fit(rows)
    found = dp_means.labels_, dp_means.objective_
    return [k_means, found, merged(rows, prior, concentration)]


def merged(rows: np.ndarray, prior: Prior, concentration: float) -> tuple:
    """From many clusters: swept to rest and merged, in turns, by the library's own moves.

    They begin around rows far from each other, the first near the mean.
    """
    columns = Columns.pack(Encoded.from_array(rows, "gaussian"), [prior])
    order = np.arange(len(rows))
    chosen = [int(np.square(rows - rows.mean(axis=0)).sum(axis=1).argmin())]
    gaps = np.square(rows[:, None] - rows).sum(axis=2)
    while len(chosen) < min(MANY, len(rows)):
        chosen.append(int(gaps[chosen].min(axis=0).argmax()))
    labels, is_merged = gaps[chosen].argmin(axis=0), True
    while is_merged:
        run = published(columns, concentration, order, 300, 1e-6, lambda progress: None, labels)
        is_merged = len(run.state.merge()) > 0
        labels = run.state.labels
    return by_size(labels)[0], run.state.objective()


def test_the_browser_finds_what_the_library_finds(page):
    drawn = drawings(200)
    for drawing, answers in zip(drawn, page.evaluate(ANSWER, drawn), strict=True):
        for mine, (labels, objective) in zip(answers, library(drawing), strict=True):
            assert mine["objective"] == pytest.approx(objective, rel=1e-12, abs=1e-6)
            names = np.unique(mine["labels"], return_inverse=True)[1]
            np.testing.assert_array_equal(by_size(names)[0], labels)
