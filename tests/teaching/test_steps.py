"""Runs step by step, and what each method weighs for a row."""

import numpy as np
import pytest

from mapdp_studio.core import CollapsedGibbs
from mapdp_studio.core.comparing.comparison import matched
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NormalKnownVariancePrior
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.record import COUNT, NEW, OTHER, PREDICTIVE
from mapdp_studio.core.methods.steps import MOST_STEPS
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.plots.teaching import costs_figure
from mapdp_studio.core.teaching.steps import procedures, row_costs, scores, verdict, walk
from tests.classroom import SETTINGS, fitted, room
from tests.reference import set_partitions


@pytest.mark.parametrize("name", procedures())
def test_a_walk_keeps_its_numbers_and_its_objective_falls(ellipses, name):
    here, _ = ellipses
    run = walk(name, here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    assert len(run.steps) <= (250 if name == "rows" else MOST_STEPS)
    assert len(run.view.rows) == (150 if name == "rows" else 600)
    values = np.array([step.objective for step in run.steps])
    if name not in ("rows", "CollapsedGibbs"):
        assert (np.diff(values[name == "MAPDP" :]) <= 1e-6 * abs(values[0])).all()
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


@pytest.mark.parametrize(
    "names", [("truth",), ("CollapsedGibbs",), ("KMeansBIC", "MAPDP"), ("rows", "DPMeans")], ids=str
)
def test_the_figure_has_the_steps_of_the_library(ellipses, names):
    here, _ = ellipses
    classes = here.truth.classes
    runs = [walk(name, here.encoded, here.view, classes, SETTINGS, 0.1) for name in names]
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


def test_what_is_called_right_comes_true():
    here = room("5.1", 600)
    told = here.encoded, here.view, here.truth.classes, SETTINGS, 0.1
    runs = [walk(name, *told) for name in ("MAPDP", "KMeansBIC")]
    for classes, said in ((here.truth.classes, ("Left", "Right")), (None, ("As many", "As many"))):
        reached = [scores(run, classes) for run in runs]
        assert verdict(runs, reached, classes is not None)[1].startswith(said[0])
        turned = verdict(runs[::-1], reached[::-1], classes is not None)[1]
        assert turned.startswith(said[1])


@pytest.mark.parametrize("row", [0, 17, 311])
def test_mapdps_costs_are_the_changes_of_e(ellipses, row):
    here, results = ellipses
    model = results.get(here.tasks["MAPDP"])
    numbers = np.full(model.n_clusters_, NEW)
    numbers[model.labels_] = matched(here.truth.classes, model.labels_)
    found = row_costs(results, here.tasks, here.encoded, row, here.truth.classes)[0]
    energies = []
    for cluster in found.clusters:
        labels = model.labels_.copy()
        labels[row] = len(numbers) if cluster == NEW else np.flatnonzero(numbers == cluster)[0]
        energies.append(Partition(model.columns_, model.concentration, labels).objective())
    changes = np.array(energies) - energies[0]
    np.testing.assert_allclose(found.totals - found.totals[0], changes, atol=1e-6)
    assert found.clusters[found.winner] == numbers[model.labels_[row]]
    gaps = found.totals - found.totals[found.winner]
    assert f"{np.sort(gaps)[1]:.1f} log units below" in found.words
    second = int(np.argsort(found.totals)[1])
    gain = {name: term[second] - term[found.winner] for name, term in found.terms.items()}
    assert f"The {max((PREDICTIVE, COUNT), key=gain.get)} decides" in found.words


@pytest.mark.parametrize("row", [3, 200])
def test_the_others_choose_as_their_labels_say(ellipses, row):
    here, results = ellipses
    found = row_costs(results, here.tasks, here.encoded, row, here.truth.classes)
    assert [one.title for one in found] == [method.title for method in METHODS.first.values()]
    for one, task in zip(found[:4], here.tasks.values(), strict=False):
        labels = matched(here.truth.classes, results.get(task).labels_)
        assert one.clusters[one.winner] == labels[row], one.title
    for one in found[3:]:
        assert one.totals.sum() == pytest.approx(1.0)
    assert np.isclose(found[1].totals[-1], SETTINGS.penalty)
    assert len(costs_figure(found).data) == 6


def test_gibbs_bars_are_the_posterior_that_every_partition_gives():
    # Two rows, four that go now with them and now with the others, and those two others: the four
    # outnumber either core, so where most of a row's companions are shown says nothing.
    x = np.array([-0.1, 0.1, 2.6, 2.7, 2.8, 2.9, 5.5, 5.7])[:, None]
    told = {"n_sweeps": 4000, "n_kept": 2000, "random_state": 0, "read_out": "centre"}
    prior = [NormalKnownVariancePrior(2.5, 100.0, 1.0)]
    model = CollapsedGibbs(0.1, likelihood="normal_known_variance", prior=prior, **told).fit(x)
    assert model.labels_.tolist() == [0, 0, 0, 0, 0, 0, 1, 1]
    partitions = np.array(list(set_partitions(len(x))))
    energies = [Partition(model.columns_, 0.1, labels).objective() for labels in partitions]
    chances = np.exp(min(energies) - np.array(energies))
    chances /= chances.sum()
    for row in (2, 3, 4, 5):
        of = partitions[:, row, None]
        first, second = ((of == partitions[:, core]).any(axis=1) for core in ([0, 1], [6, 7]))
        exact = [chances[first].sum(), chances[second & ~first].sum()]
        assert exact[1] > 0.3
        found = METHODS["CollapsedGibbs"].row_costs(model, None, row, np.arange(2))
        np.testing.assert_allclose(found.totals[:2], exact, atol=0.05)
        assert found.clusters == (0, 1, OTHER, NEW)
