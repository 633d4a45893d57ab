"""Runs step by step, what each method weighs for a row, the prior's draws, and drawings."""

import json
from base64 import b64decode

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.special import psi

from mapdp_studio.core import CollapsedGibbs
from mapdp_studio.core.comparing.comparison import matched
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NormalKnownVariancePrior
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.record import COUNT, NEW, OTHER, PREDICTIVE
from mapdp_studio.core.methods.steps import MOST_STEPS
from mapdp_studio.core.models.dpmeans import DPMeans
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.plots.teaching import costs_figure, posterior_figure
from mapdp_studio.core.teaching import drawing, prior, steps
from mapdp_studio.core.teaching.drawing import PLACES, drawn_table, read_points, write_points
from mapdp_studio.core.teaching.small_variance import spherical_fit
from mapdp_studio.core.teaching.steps import procedures, row_costs, walk
from tests.classroom import SETTINGS, room
from tests.reference import set_partitions


@pytest.mark.parametrize("name", procedures())
def test_a_walk_keeps_its_numbers_and_its_objective_falls(ellipses, name, monkeypatch):
    here, _ = ellipses
    most = 150 if name == "MixtureEM" else 600
    monkeypatch.setattr(steps, "MOST_ROWS", most)
    run = walk(name, here.encoded, here.view, here.truth.classes, SETTINGS, 0.1)
    assert len(run.steps) <= MOST_STEPS
    assert len(run.view.rows) == most
    assert ("150 of the 600 rows take part." in run.note) == (most == 150)
    values = np.array([step.objective for step in run.steps])
    if name != "CollapsedGibbs":
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
    assert nmi(classes, run.steps[-1].labels) > 0.5, "each row beside its own class"
    assert (run.steps[-1].together is not None) == (name == "CollapsedGibbs")


def unpacked(part: dict) -> dict | np.ndarray:
    """Numbers, where a part of a figure's JSON packs some."""
    if "bdata" not in part:
        return part
    shape = [int(n) for n in part.get("shape", "-1").split(",")]
    return np.frombuffer(b64decode(part["bdata"]), part["dtype"]).reshape(shape)


@pytest.mark.parametrize(
    "names",
    [("truth",), ("CollapsedGibbs",), ("KMeansBIC", "MAPDP"), ("MixtureEM", "DPMeans")],
    ids=str,
)
def test_the_figure_has_the_steps_of_the_library(ellipses, names):
    here, _ = ellipses
    classes = here.truth.classes
    runs = [walk(name, here.encoded, here.view, classes, SETTINGS, 0.1) for name in names]
    text, n = steps_figure(runs, classes, is_wide=True), len(runs)
    figure = go.Figure(json.loads(text, object_hook=unpacked))
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
            assert len(centres.x) == (0 if step.centers is None else len(step.centers))
            assert np.isfinite(np.array(curves.x, dtype=float)).sum() == sum(map(len, step.curves))
            values = np.array([one.objective for one in run.steps])
            falling, score = frame.data[4 * n + side], frame.data[5 * n + side]
            assert falling.y[-1] == pytest.approx((values[place] - values.min()) / np.ptp(values))
            assert score.y[-1] == nmi(classes[run.view.rows], step.labels)
            assert len(falling.x) == len(score.x) == place + 1
        assert (len(frame.data) > 6 * n) == (names == ("CollapsedGibbs",))
        for pairs in frame.data[6 * n :]:
            np.testing.assert_array_equal(pairs.z, (100 * runs[0].steps[k].together).round())
    for k in (0, max(ends)):
        words = f": {runs[0].steps[k].words}" if n == 1 else ""
        assert figure.frames[k].layout.annotations[0].text == f"<b>Step {k}{words}</b>"


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
    kwargs = {"n_sweeps": 4000, "n_kept": 2000, "random_state": 0, "read_out": "centre"}
    prior = [NormalKnownVariancePrior(2.5, 100.0, 1.0)]
    model = CollapsedGibbs(0.1, likelihood="normal_known_variance", prior=prior, **kwargs).fit(x)
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


@pytest.mark.parametrize("concentration", [0.5, 3.0])
def test_tables_fill_as_the_restaurant_says(concentration):
    evenings = [prior.seat(200, concentration, seed) for seed in range(400)]
    counts = np.array([evening.n_tables[-1] for evening in evenings])
    error, first = counts.std() / np.sqrt(counts.size), evenings[0]
    assert abs(counts.mean() - first.expected[-1]) < 4 * error
    assert counts.std() == pytest.approx(first.deviation[-1], rel=0.15)
    exact = concentration * (psi(concentration + first.numbers) - psi(concentration))
    np.testing.assert_allclose(first.expected, exact)
    # Any two rows share a table with chance 1 / (N_0 + 1); so does any later row with the first.
    chance = 1 / (concentration + 1)
    firsts = np.array([evening.sizes(200)[0] - 1 for evening in evenings]) / 199
    assert abs(firsts.mean() - chance) < 4 * firsts.std() / np.sqrt(400)
    assert (first.newcomer(0), first.newcomer(1)) == (1.0, concentration / (concentration + 1))
    assert first.numbers[:12].tolist() == list(range(1, 13))


@pytest.mark.parametrize("concentration", [0.5, 4.0])
def test_sticks_are_weights(concentration):
    draws = np.array([prior.stick_breaking(concentration, 400, seed) for seed in range(2000)])
    assert (draws >= 0.0).all()
    assert (draws.sum(axis=1) <= 1.0 + 1e-12).all()
    assert draws[:, 0].mean() == pytest.approx(1 / (1 + concentration), abs=0.02)
    # Two rows share a cluster with chance 1 / (1 + N_0): the sum of the squared weights.
    pairs = np.square(draws).sum(axis=1).mean()
    assert pairs == pytest.approx(1 / (1 + concentration), abs=0.02)


def test_mixtures_are_drawn_from_their_base():
    _, labels = prior.draw_mixture(1000, 2.0, seed=3)
    assert np.array_equal(labels, prior.seat(1000, 2.0, 3).labels)
    # Two rows of one cluster each time: within it, and where it lies.
    pairs = np.array([prior.draw_mixture(2, 1e-9, seed)[0] for seed in range(600)])
    within = prior.BASE.scatter / (prior.BASE.dof - 3)
    assert np.allclose(np.cov((pairs[:, 0] - pairs[:, 1]).T) / 2, within, atol=0.2)
    spread = within * (1 + 1 / prior.BASE.mean_count)
    assert np.allclose(np.cov(pairs[:, 0].T), spread, atol=0.15 * spread.max())


def test_the_posterior_of_a_fit_says_that_a_k_was_never_drawn():
    rows = np.random.default_rng(0).normal([[0.0], [9.0]], 1.0, (2, 40)).reshape(-1, 1)
    model = CollapsedGibbs(n_sweeps=30, random_state=0).fit(rows)
    shares = prior.fitted_posterior_of_k(model)
    after = model.n_clusters_trace_[15:]
    assert shares[15].to_dict() == {k: np.mean(after == k) for k in np.unique(after)}
    figure = posterior_figure(shares, 3)
    assert [trace.name for trace in figure.data] == ["15 sweeps"]
    assert figure.layout.shapes[0].x0 == 3
    for k in (after[0], after.max() + 1):
        text = f"K = {k}, as {100 * np.mean(after == k):.0f} % of Gibbs' 15 sweeps after"
        assert text in prior.posterior_sentence(shares, k)


@pytest.mark.parametrize("key", ["5.4", "5.5"])
def test_a_shrinking_width_ends_at_dp_means(key):
    here = room(key, 600)
    limit = DPMeans(penalty=4.0).fit(here.frame, here.schema).labels_
    narrow, wide = (spherical_fit(here.encoded, 4.0, sd) for sd in (0.06, 1.0))
    assert nmi(limit, narrow.labels) > 0.98
    assert wide.n_clusters < narrow.n_clusters == narrow.labels.max() + 1
    # One cluster of one row more, at squared distance 4 of the others, costs the same either way.
    variance = narrow.sd**2
    log_ratio = narrow.log_concentration - np.log1p(1.0 / variance)
    assert log_ratio * -2.0 * variance == pytest.approx(4.0)


@pytest.mark.parametrize(("low", "high", "letters"), [(0, PLACES - 1, 4), (*drawing.FAR, 5)])
def test_points_come_back_from_their_text(low, high, letters):
    corners = [[x, y] for x in (low, high) for y in (low, high)]
    random = np.random.default_rng(0).integers(low, high + 1, (drawing.MOST_POINTS - 4, 2))
    points = np.concatenate([corners, random])
    text = write_points(points).removeprefix("~")
    assert len(text) == letters * len(points)
    assert text.replace("-", "").replace("_", "").isalnum()
    np.testing.assert_array_equal(read_points(write_points(points)), points)
    assert read_points("").shape == (0, 2)
    assert read_points("AAAAABAC").tolist() == [[0, 0], [1, 2]]  # as links of all versions say it
    frame, schema = drawn_table(np.array([[0, PLACES - 1], [PLACES - 1, 0], [7, 9]]))
    assert frame.iloc[:2].to_numpy().tolist() == [[0.0, 10.0], [10.0, 0.0]]
    assert schema.encode(frame).values.shape == (3, 2)


@pytest.mark.parametrize("text", ["abc", "??", "AAAA" * (drawing.MOST_POINTS + 1), "AA==", "~AAAA"])
def test_what_is_no_points_is_refused(text):
    with pytest.raises(ValueError, match="no points"):
        read_points(text)
