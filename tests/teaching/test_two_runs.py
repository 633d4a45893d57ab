"""Two runs side by side show what the library does, and what comes true of them."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.race import race_figure
from mapdp_studio.core.teaching.race import Race
from mapdp_studio.core.teaching.steps import procedures, walk
from tests.classroom import SETTINGS, room


def raced(here, *names: str, has_truth: bool = True) -> Race:
    classes = here.truth.classes
    most = min(procedures()[name].most_rows for name in names)
    runs = [walk(name, here.encoded, here.view, classes, SETTINGS, 0.1, most) for name in names]
    return Race((runs[0], runs[1]), classes if has_truth else None)


def test_the_figure_has_the_steps_of_the_library(ellipses):
    here, _ = ellipses
    race = raced(here, "rows", "DPMeans")
    assert race.walks[0].view.rows.tolist() == race.walks[1].view.rows.tolist()
    race = raced(here, "KMeansBIC", "MAPDP")
    figure = race_figure(race, is_wide=True)
    ends = [len(run.steps) - 1 for run in race.walks]
    assert len(figure.frames) == len(figure.layout.sliders[0].steps) == max(ends) + 1
    for k, frame in enumerate(figure.frames):
        for side, run in enumerate(race.walks):
            step = run.steps[min(k, ends[side])]  # who is done waits
            rows, curves, centres, badges = frame.data[4 * side : 4 * side + 4]
            np.testing.assert_array_equal(rows.marker.color, step.labels % 10)
            assert set(badges.text) <= {str(number) for number in step.numbers.values()}
            assert len(centres.x) == (0 if step.centers is None else len(step.centers))
            assert np.isfinite(np.array(curves.x, dtype=float)).sum() == sum(map(len, step.curves))
            values = np.array([one.objective for one in run.steps])
            falling, score = frame.data[8 + side], frame.data[10 + side]
            at = min(k, ends[side])
            share = (values[at] - values.min()) / np.ptp(values)
            assert falling.y[-1] == pytest.approx(share)
            assert score.y[-1] == nmi(here.truth.classes, step.labels)
            assert len(falling.x) == len(score.x) == at + 1
    asked, told = (figure.frames[k].layout.annotations[0].text for k in (0, -1))
    assert race.question in asked
    assert race.answer in told


@pytest.mark.parametrize("has_truth", [True, False])
def test_what_is_called_right_comes_true(has_truth):
    here = room("5.1", 600)
    race = raced(here, "MAPDP", "KMeansBIC", has_truth=has_truth)
    ends = [nmi(here.truth.classes, run.steps[-1].labels) for run in race.walks]
    assert ends[0] > ends[1] + 0.2
    assert [run.steps[-1].n_clusters for run in race.walks] == [3, 3]
    assert race.winner == (0 if has_truth else 2)
    said = "Left: MAP-DP" if has_truth else "As many (K = 3 against K = 3)"
    assert race.answer.startswith(said)
    turned = Race(race.walks[::-1], race.classes)
    assert turned.winner == (1 if has_truth else 2)
