"""Runs step by step."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.comparing.comparison import matched
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods.steps import MOST_STEPS
from mapdp_studio.core.models.centroids import lloyd_states
from mapdp_studio.core.models.numeric import numeric_encoding
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.teaching.steps import procedures, scores, verdict, walk
from tests.classroom import SETTINGS, fitted, room


@pytest.mark.parametrize("name", procedures())
def test_a_walk_keeps_its_numbers_and_its_objective_falls(ellipses, name):
    here, _ = ellipses
    run = walk(name, here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    size = 150 if name == "rows" else 600
    assert len(run.steps) <= (250 if name == "rows" else MOST_STEPS)
    assert len(run.view.rows) == size
    values = np.array([step.objective for step in run.steps])
    if name not in ("rows", "CollapsedGibbs"):
        after_first = 2 if name == "MAPDP" else 1
        assert (np.diff(values[after_first - 1 :]) <= 1e-6 * abs(values[0])).all()
    assert sorted(run.steps[0].numbers.values()) == [*range(1, run.steps[0].n_clusters + 1)]
    for before, step in zip(run.steps, run.steps[1:], strict=False):
        assert {*step.numbers} == {*step.labels.tolist()}
        assert len({*step.numbers.values()}) == step.n_clusters
        stay = {*step.numbers} & {*before.numbers}
        assert [step.numbers[k] for k in stay] == [before.numbers[k] for k in stay]
        assert step.n_clusters == before.n_clusters + step.born - step.died
        assert (step.labels >= 0).all()
    classes = here.truth.classes[run.view.rows]
    np.testing.assert_array_equal(matched(classes, run.steps[-1].labels), run.steps[-1].labels)
    assert (run.steps[-1].together is not None) == (name == "CollapsedGibbs")


def test_row_by_row_is_the_first_sweep():
    here = room("5.2", 150)
    run = walk("rows", here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    model = fitted(here).get(here.tasks["MAPDP"])
    columns = model.columns_.with_priors(
        [type(prior).default(here.encoded.values, 0.1) for prior in model.columns_.priors]
    )
    partition = Partition(columns, SETTINGS.concentration)
    order = np.array([step.row for step in run.steps if step.row is not None])
    assert np.array_equal(np.sort(order), np.arange(150))
    partition.sweep(order, first=True)
    assert nmi(partition.labels, run.steps[150].labels) == pytest.approx(1.0)
    assert partition.objective() == pytest.approx(run.steps[150].objective)


def test_k_means_leaves_the_truth_while_its_error_falls(ellipses):
    here, _ = ellipses
    run = walk("truth", here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    classes = here.truth.classes
    np.testing.assert_array_equal(run.steps[0].labels, classes)
    assert nmi(classes, run.steps[-1].labels) < 0.75
    assert run.steps[-1].objective < 0.97 * run.steps[0].objective
    rows = numeric_encoding(here.encoded).apply(here.encoded.values)
    *_, last = lloyd_states(rows, classes)
    assert last.objective == pytest.approx(run.steps[-1].objective)


@pytest.mark.parametrize(
    "names", [("truth",), ("CollapsedGibbs",), ("KMeansBIC", "MAPDP"), ("rows", "DPMeans")], ids=str
)
def test_the_figure_has_the_steps_of_the_library(ellipses, names):
    here, _ = ellipses
    classes, most = here.truth.classes, min(procedures()[name].most_rows for name in names)
    runs = [walk(name, here.encoded, here.view, classes, SETTINGS, 0.1, most) for name in names]
    assert runs[0].view.rows.tolist() == runs[-1].view.rows.tolist()
    figure, n = steps_figure(runs, classes, is_wide=True), len(runs)
    ends = [len(run.steps) - 1 for run in runs]
    assert len(figure.frames) == len(figure.layout.sliders[0].steps) == max(ends) + 1
    for k in {0, 1, min(ends), max(ends)}:
        frame = figure.frames[k]
        for side, run in enumerate(runs):
            place = min(k, ends[side])  # who is done waits
            step = run.steps[place]
            rows, curves, centres, badges = frame.data[4 * side : 4 * side + 4]
            np.testing.assert_array_equal(rows.marker.color, step.labels % 10)
            assert set(badges.text) <= {str(number) for number in step.numbers.values()}
            marks = (step.row is not None) + (0 if step.centers is None else len(step.centers))
            assert len(centres.x) == marks
            assert np.isfinite(np.array(curves.x, dtype=float)).sum() == sum(map(len, step.curves))
            values = np.array([one.objective for one in run.steps])
            falling, score = frame.data[4 * n + side], frame.data[5 * n + side]
            assert falling.y[-1] == pytest.approx((values[place] - values.min()) / np.ptp(values))
            assert score.y[-1] == nmi(classes[run.view.rows], step.labels)
            assert len(falling.x) == len(score.x) == place + 1
        assert (len(frame.data) > 6 * n) == (names == ("CollapsedGibbs",))
    first, last = (figure.frames[k].layout.annotations[0].text for k in (0, -1))
    if n == 1:
        assert f"Step {ends[0]}: {runs[0].steps[-1].words}" in last
    else:
        question, answer = verdict(runs, [scores(run, classes) for run in runs], True)
        assert (question in first, answer in last) == (True, True)


@pytest.mark.parametrize("has_truth", [True, False])
def test_what_is_called_right_comes_true(has_truth):
    here = room("5.1", 600)
    classes = here.truth.classes
    runs = [
        walk(name, here.encoded, here.view, classes, SETTINGS, 0.1)
        for name in ("MAPDP", "KMeansBIC")
    ]
    ends = [nmi(classes, run.steps[-1].labels) for run in runs]
    assert ends[0] > ends[1] + 0.2
    assert [run.steps[-1].n_clusters for run in runs] == [3, 3]
    reached = [scores(run, classes if has_truth else None) for run in runs]
    said = "Left: MAP-DP" if has_truth else "As many (K = 3 against K = 3)"
    assert verdict(runs, reached, has_truth)[1].startswith(said)
    assert verdict(runs[::-1], reached[::-1], has_truth)[1].startswith(
        "Right: MAP-DP" if has_truth else said
    )
