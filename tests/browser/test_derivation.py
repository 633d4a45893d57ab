"""One derivation: every step and every price is the library's, and what its switches claim."""

from __future__ import annotations

import numpy as np
import pytest

from core import DPMeans, KMeansBIC, MixtureEM
from core.engine.columns import Columns
from core.engine.partition import Partition
from core.families import GaussianPrior, SphericalPrior
from core.inference.assignment_costs import assignment_costs
from core.partitions.labels import by_size
from core.partitions.scores import match_labels
from core.schema.encoded import Encoded
from core.teaching.ladder import SWITCHES
from pages.parts.teach.live.scripts import DERIVATION, live_scripts
from tests.browser.test_live_board import DOF, MIDDLE, REACH, drawings, merged

#: What each step makes of every drawing, and the bills of some of its points.
CLIMB = """drawings => drawings.map(({points, asked, ...told}) => LADDER.map((step) => {
    const columns = columnsOf(points);
    const found = climbed(step, columns, told);
    return {
        labels: [...found.labels],
        start: found.start && [...found.start],
        shares: found.shares?.map((one) => [...one]),
        concentration: found.concentration,
        bills: asked.map((i) => billOf(found, columns, i)),
    };
}))"""
#: The page's own points, and what they are told.
OWN = "({points: drawnClouds(1, CLOUDS).points, ...TOLD})"
#: By how much the differences of two clusters' prices bend from end to end of the board, the most.
BEND = """({step, told: {points, ...told}}) => {
    const columns = columnsOf(points);
    const prices = pricesOfPlaces(climbed(step, columns, told), columns);
    const gaps = (x) => {
        const all = prices(x, MIDDLE).slice(0, 3);
        return all.map((price) => price - all[0]);
    };
    const [left, middle, right] = [0, 5, 10].map(gaps);
    return Math.max(...middle.map((gap, k) => Math.abs(left[k] - 2 * gap + right[k])));
}"""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page with the derivation's scripts."""
    page = browser.new_page()
    page.add_script_tag(content=live_scripts(DERIVATION[:-1]))
    yield page
    page.close()


@pytest.fixture(scope="module")
def own(page):
    return page.evaluate(OWN)


def units(points: list) -> np.ndarray:
    return 10.0 * np.array(points) / 4095.0


def priors(width: float) -> dict[str, tuple]:
    """Of the two steps with a model, by their names in the ladder."""
    scatter = (DOF - 3) * width**2 * np.eye(2)
    own = GaussianPrior([MIDDLE] * 2, (width / REACH) ** 2, DOF, scatter)
    return {
        "mapdp": ("gaussian", own),
        "round": ("spherical", SphericalPrior([MIDDLE] * 2, REACH**2, width**2)),
    }


def total(entry: dict) -> float:
    return sum(entry["terms"].values())


def check_shares(drawing: dict, found: dict) -> None:
    rows, (family, prior) = units(drawing["points"]), priors(drawing["width"])["mapdp"]
    k = len(found["shares"])
    model = MixtureEM(
        k, likelihood=family, prior=prior, init=np.array(found["start"]), tol=0.0, max_iter=3000
    )
    shares = model.fit(rows).responsibilities_
    mine = np.array(found["shares"]).T
    pairs = np.square(mine[:, :, None] - shares[:, None, :]).sum(axis=0)
    np.testing.assert_allclose(mine, shares[:, pairs.argmin(axis=1)], atol=1e-5)
    for i, bill in zip(drawing["asked"], found["bills"], strict=True):
        prices = np.exp([-total(entry) for entry in bill])
        np.testing.assert_allclose(prices / prices.sum(), mine[i], atol=1e-7)
        np.testing.assert_allclose([entry["share"] for entry in bill], mine[i], atol=1e-7)


def check_model(drawing: dict, found: dict, step: str) -> None:
    rows, (family, prior) = units(drawing["points"]), priors(drawing["width"])[step]
    concentration = found["concentration"]
    labels, _ = merged(rows, prior, concentration, family)
    assert_same(found["labels"], labels)
    columns = Columns.pack(Encoded.from_array(rows, family), [prior])
    partition = Partition(columns, concentration)
    partition.load(np.array(found["labels"]))
    together = np.log(len(rows) - 1 + concentration)
    for i, bill in zip(drawing["asked"], found["bills"], strict=True):
        likelihood, count = assignment_costs(partition, i)
        wanted = {
            -1 if k == partition.n_clusters else k: (likelihood[k], count[k] + together)
            for k in np.flatnonzero(np.isfinite(count)).tolist()
        }
        got = {
            entry["cluster"]: (
                entry["terms"]["distance"] + entry["terms"]["normaliser"],
                entry["terms"]["count"],
            )
            for entry in bill
        }
        assert got.keys() == wanted.keys()
        for cluster, terms in wanted.items():
            assert got[cluster] == pytest.approx(terms, abs=1e-6)


def check_centres(drawing: dict, found: dict, step: str) -> None:
    rows, penalty = units(drawing["points"]), drawing["penalty"]
    labels = np.array(found["labels"])
    if step == "dpmeans":
        assert_same(labels, DPMeans(penalty=penalty).fit(rows).labels_)
    else:
        means = np.array([rows[labels == k].mean(axis=0) for k in range(labels.max() + 1)])
        k = len(means)
        rest = KMeansBIC(k_min=k, k_max=k, tol=0.0, init=means).fit(rows)
        assert_same(labels, rest.labels_)
    scale = 2.0 * drawing["width"] ** 2
    for i, bill in zip(drawing["asked"], found["bills"], strict=True):
        for entry in bill:
            wanted = penalty
            if entry["cluster"] >= 0:
                mean = rows[labels == entry["cluster"]].mean(axis=0)
                wanted = np.square(rows[i] - mean).sum()
            assert total(entry) == pytest.approx(wanted / scale, abs=1e-9)


def assert_same(mine, labels) -> None:
    names = np.unique(mine, return_inverse=True)[1]
    np.testing.assert_array_equal(by_size(names)[0], labels)


def test_every_step_and_every_price_is_the_librarys(page, own):
    drawn = [
        {
            **{name: one[name] for name in ("points", "penalty")},
            "width": max(one["width"], 0.4),
            "k": min(len(one["centres"]), 5),
        }
        for one in drawings(8)
    ]
    asked = [{**one, "asked": [0, 1, len(one["points"]) - 1]} for one in (own, *drawn)]
    assert len(page.evaluate("LADDER")) == len(SWITCHES) + 1
    for drawing, steps in zip(asked, page.evaluate(CLIMB, asked), strict=True):
        shared, full, round_, bought, told = steps
        check_shares(drawing, shared)
        check_model(drawing, full, "mapdp")
        check_model(drawing, round_, "round")
        check_centres(drawing, bought, "dpmeans")
        check_centres(drawing, told, "kmeans")


def test_the_switches_do_what_is_said_of_them(page, own):
    steps = page.evaluate(CLIMB, [own | {"asked": []}])[0]
    shared, full, round_, bought, told = (np.array(step["labels"]) for step in steps)
    names = page.evaluate("LADDER")
    bends = [page.evaluate(BEND, {"step": step, "told": own}) for step in names]
    right = [switch.stop.rightly for switch in SWITCHES]
    assert right == ["Two at most", "Straighten", "It shrinks", "None"]
    assert all(len(np.unique(step)) == 3 for step in (shared, full, round_, bought, told))
    assert len(shared) == 240
    assert moved(shared, full) <= 2
    assert bends[1] > 10.0 > 1.0 > bends[2] > bends[3] == pytest.approx(0.0, abs=1e-9)
    assert np.bincount(bought).max() < np.bincount(round_).max() < 160
    assert moved(bought, told) == 0
    chosen = page.evaluate("FIRST_CHOSEN")
    own["points"][chosen] = [4178, 4178]  # the upper right corner
    *_, bought, told = page.evaluate(CLIMB, [own | {"asked": []}])[0]
    assert [len(set(step["labels"])) for step in (bought, told)] == [4, 3]


def moved(before: np.ndarray, after: np.ndarray) -> int:
    """Points that another group has, the groups matched."""
    return int((match_labels(before, after) != before).sum())
