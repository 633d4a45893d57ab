"""A race shows what the library does, and calls right what comes true."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.race import race_sheet
from mapdp_studio.core.teaching.race import Race
from mapdp_studio.core.teaching.steps import procedures, walk
from tests.classroom import SETTINGS, room


def raced(here, *names: str, has_truth: bool = True) -> Race:
    classes = here.truth.classes
    most = min(procedures()[name].most_rows for name in names)
    runs = [walk(name, here.encoded, here.view, classes, SETTINGS, 0.1, most) for name in names]
    return Race((runs[0], runs[1]), classes if has_truth else None)


def test_the_sheet_has_the_steps_of_the_library(ellipses):
    here, _ = ellipses
    race = raced(here, "rows", "DPMeans")
    assert race.walks[0].view.rows.tolist() == race.walks[1].view.rows.tolist()
    race = raced(here, "KMeansBIC", "MAPDP")
    sheet = race_sheet(race)
    for run, drawn, scores in zip(race.walks, sheet["runners"], race.agreement, strict=True):
        np.testing.assert_allclose(drawn["points"], run.view.points, rtol=1e-4, atol=1e-4)
        assert drawn["objective"] == [step.objective for step in run.steps]
        for step, seen, score in zip(run.steps, drawn["steps"], scores, strict=True):
            assert seen["colours"] == "".join(str(label % 10) for label in step.labels)
            assert seen["k"] == step.n_clusters
            assert score == nmi(here.truth.classes, step.labels)
            centres = [] if step.centers is None else step.centers
            np.testing.assert_allclose(np.ravel(seen["centres"]), np.ravel(centres), rtol=1e-4)
            for (x, y, xx, xy, yy), curve in zip(seen["ellipses"], step.curves, strict=True):
                off = curve - [x, y]
                on = np.einsum("ci,ij,cj->c", off, np.linalg.inv([[xx, xy], [xy, yy]]), off)
                np.testing.assert_allclose(on, 1.0, atol=0.01)


@pytest.mark.parametrize("has_truth", [True, False])
def test_what_is_called_right_comes_true(has_truth):
    here = room("5.1", 600)
    race = raced(here, "MAPDP", "KMeansBIC", has_truth=has_truth)
    ends = [nmi(here.truth.classes, run.steps[-1].labels) for run in race.walks]
    assert ends[0] > ends[1] + 0.2
    assert [run.steps[-1].n_clusters for run in race.walks] == [3, 3]
    assert race.right == (0 if has_truth else 2)
    turned = Race(race.walks[::-1], race.classes)
    assert turned.right == (1 if has_truth else 2)
