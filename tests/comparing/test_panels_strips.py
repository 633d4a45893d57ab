"""What stands in a panel: colours, numbers, outlines, cells of K-means, and a first look."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from mapdp_studio.core import KMeansBIC
from mapdp_studio.core.comparing import panels, strips
from mapdp_studio.core.comparing.comparison import Results, Truth, known_truth, matched, tasks
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.profiling.what_if import find_groups
from mapdp_studio.core.schema.encoded import Encoded, Unit
from tests.classroom import SETTINGS, room
from tests.tables import four_groups
from tests.tables.labelled import FRAME, SCHEMA
from tests.tables.mixed import ENCODED

BLOCK = Unit("both", "gaussian", ("a", "b"))
VIEW, TRUTH = choose_view(SCHEMA.encode(FRAME)), known_truth(FRAME, SCHEMA)


def test_colours_and_numbers_are_those_of_the_groups_that_other_pages_show(fitted):
    results, fits = fitted
    model = results.get(fits[JUDGE])
    assert model.n_clusters_ == 3
    groups = Naming(((0, 2),), {0: "both"}).apply(model.labels_)
    of_groups = np.array(groups.colours)
    panel = panels.method_panel(JUDGE, VIEW, results, fits, fits, None, groups)
    assert (panel.title, panel.remark) == ("MAP-DP, 2 groups", "3 clusters as fitted")
    np.testing.assert_array_equal(panel.labels, of_groups[groups.labels])
    assert panel.names == groups.titles
    assert panel.numbers == {colour: k + 1 for k, colour in enumerate(groups.colours)}
    assert [label for label, _ in panel.outlines] == [*groups.colours]
    for name in ("DPMeans", "KMeansBIC"):
        labels = results.get(fits[name]).labels_
        other = panels.method_panel(name, VIEW, results, fits, fits, None, groups)
        assert f"NMI {nmi(groups.labels, labels):.2f}" in other.title
        number = matched(groups.labels, labels)
        shown = np.array([other.numbers[label] for label in other.labels.tolist()])
        np.testing.assert_array_equal(shown, number + 1)
        assert [other.names[code] for code in other.codes] == [f"cluster {k}" for k in shown]
        same = number < groups.n_groups
        np.testing.assert_array_equal(other.labels[same], of_groups[number[same]])
        assert not {*other.labels[~same].tolist()} & {*groups.colours}
    panel, inside = panels.truth_panel(VIEW, TRUTH, groups), TRUTH.classes >= 0
    assert panel.names == (*TRUTH.names, "not known")
    assert (panel.labels[~inside] == -1).all()
    number = matched(groups.labels[inside], TRUTH.classes[inside]) + 1
    assert [panel.numbers[label] for label in panel.labels[inside].tolist()] == number.tolist()
    assert f"{number[TRUTH.classes[inside] == 0][0]}: {TRUTH.names[0]}" in panel.remark


@pytest.mark.parametrize("truth", [TRUTH, None], ids=["known groups", "none"])
def test_titles_say_how_far_a_method_agrees_and_rows_that_part_can_be_lit(fitted, truth):
    results, fits = fitted
    assert panels.truth_panel(VIEW, TRUTH).remark == "1: b, 2: c, 3: a"
    reference = results.get(fits[JUDGE]).labels_ if truth is None else truth.classes
    for name in fits:
        panel = panels.method_panel(name, VIEW, results, fits, fits, truth)
        labels = results.get(fits[name]).labels_
        if truth is None and name == JUDGE:
            assert panel.apart is None
            assert "NMI" not in panel.title
            continue
        inside, found = reference >= 0, matched(reference, labels)
        assert f", NMI {nmi(reference[inside], labels[inside]):.2f}" in panel.title
        np.testing.assert_array_equal(panel.apart, inside & (found != reference))


def test_a_cluster_that_is_no_known_group_takes_a_number_left_free():
    here, results = room("5.1", 600), Results()
    model = results.fit(here.tasks["KMeansBIC"], here.frame, here.schema)
    panel = panels.method_panel("KMeansBIC", here.view, results, here.tasks, here.tasks, here.truth)
    labels = np.unique(matched(here.truth.classes, model.labels_)).tolist()
    assert labels == [0, 2, 3]  # it cuts the wide one, and joins two of which one is matched
    assert panel.numbers == {0: 1, 2: 3, 3: 2}
    assert {*panel.names} == {"cluster 1", "cluster 2", "cluster 3"}


def test_ellipses_stand_where_the_model_has_them_and_not_in_the_view_of_a_retyped_table(fitted):
    results, fits = fitted
    drawn = {name: panels.method_panel(name, VIEW, results, fits, fits, None) for name in fits}
    has_outlines = {name for name, panel in drawn.items() if panel.outlines}
    assert has_outlines == {"MAPDP", "MixtureEM", "CollapsedGibbs"}
    assert "plain numbers" in drawn["DPMeans"].remark
    assert "chosen by E" in drawn["MAPDP"].remark
    schema = SCHEMA.with_column("visits", family="categorical")
    later, view = tasks("digest", schema, Settings(), len(FRAME)), choose_view(schema.encode(FRAME))
    for name in fits:
        panel = panels.method_panel(name, view, results, later, fits, TRUTH)
        assert (panel.is_stale, panel.outlines) == (True, ())


def truth_of(values: np.ndarray, classes: np.ndarray) -> tuple[View, panels.Panel]:
    view, names = choose_view(Encoded.from_array(values, "normal")), tuple("abcdefghijklm")
    return view, panels.truth_panel(view, Truth("kind", classes, names[: classes.max() + 1]))


def test_labels_that_no_row_has_take_no_colour():
    classes = np.repeat([0, 2, 5], 10)
    _, panel = truth_of(np.random.default_rng(0).normal(size=(30, 2)), classes)
    np.testing.assert_array_equal(panel.labels, classes)
    assert panel.numbers == {k: k + 1 for k in range(6)}


def test_badges_part_in_a_corner_and_stand_beside_clusters_that_they_would_hide():
    values = np.repeat([[0.0, 0.0], [9.0, 9.0]], [240, 20], axis=0)
    view, panel = truth_of(values, np.repeat(np.arange(13), 20))
    size = (view.x.high - view.x.low, view.y.high - view.y.low)
    places = np.array([(x / size[0], y / size[1]) for x, y, _ in panel.badges])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(13)
    assert apart.min() > 0.08
    random, classes = np.random.default_rng(0), np.repeat(np.arange(3), 50)
    sizes, middles = np.array([0.2, 0.2, 3.0]), np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 20.0]])
    steps = random.normal(size=(150, 2))
    _, panel = truth_of(middles[classes] + sizes[classes, None] * steps, classes)
    places = np.array([place for *place, _ in panel.badges])
    assert (np.linalg.norm(places - middles, axis=1) > 3 * sizes).tolist() == [True, True, False]
    assert places[0, 0] < 0.0 < 2.0 < places[1, 0]  # each on the far side of the other one


@pytest.mark.parametrize(
    ("sizes", "coloured"),
    [
        ((989, 6, 5), [True, True, True]),  # half a per cent of 1,000 rows is 5
        ((990, 6, 4), [True, True, False]),
        ((35, 3, 2), [True, True, False]),  # and fewer than three rows are too few of any table
    ],
)
def test_only_clusters_of_half_a_per_cent_and_three_rows_have_a_colour(sizes, coloured):
    classes = np.repeat([0, 1, 2], sizes)
    _, panel = truth_of(np.random.default_rng(0).normal(size=(classes.size, 2)), classes)
    assert [bool((panel.labels[classes == k] == k).all()) for k in range(3)] == coloured
    assert [label for _, _, label in panel.badges] == [k for k in range(3) if coloured[k]]


def test_an_outline_holds_95_percent_of_a_gaussian_block():
    mean, covariance = np.array([3.0, -1.0]), np.array([[4.0, 1.5], [1.5, 1.0]])
    block = Encoded(np.random.default_rng(1).normal(size=(50, 2)), (BLOCK,))
    (curve,) = panels.outlines(
        choose_view(block, ("a", "b")), [{"both": {"mean": mean, "covariance": covariance}}]
    )
    steps = curve.astype(np.float64) - mean
    distance = np.einsum("ij,jk,ik->i", steps, np.linalg.inv(covariance), steps)
    np.testing.assert_allclose(distance, panels.RADIUS**2, rtol=1e-4)


def test_an_outline_has_the_moments_of_the_mixed_model_and_holds_95_percent():
    view = choose_view(ENCODED)
    cluster = {
        "weight": {"mean": 75.0, "sd": 4.0},
        "dose": {"mean": 1.2, "sd": 0.3},
        "grade": {"mean": 1.6, "probability": 0.4},
        "colour": {"probabilities": [0.2, 0.5, 0.3]},
    }
    (curve,) = panels.outlines(view, [cluster])
    random, n = np.random.default_rng(0), 200_000
    numbers = random.normal(75.0, 4.0, n), random.normal(1.2, 0.3, n), random.binomial(4, 0.4, n)
    drawn = np.column_stack([*numbers, random.multinomial(1, [0.2, 0.5, 0.3], n)])
    points = np.column_stack([drawn @ weights + constant for weights, constant in view.weights])
    np.testing.assert_allclose(curve[:-1].mean(axis=0), points.mean(axis=0), atol=0.02)
    assert np.exp(-(panels.RADIUS**2) / 2) == pytest.approx(0.05)
    scatter = 2.0 * np.cov(curve[:-1].T, bias=True) / panels.RADIUS**2
    np.testing.assert_allclose(scatter, np.cov(points.T), rtol=0.03, atol=0.005)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_rows_lie_in_the_cells_of_their_clusters(k):
    here = room("5.2", 600)
    model = KMeansBIC(k_min=k, k_max=k, random_state=0).fit(here.frame, here.schema)
    inside = np.empty((len(here.points), k), dtype=bool)
    for j, cell in enumerate(panels.cells(model)):  # to the left of every side
        sides, steps = np.diff(cell, axis=0), here.points[:, None] - cell[:-1]
        left = sides[:, 0] * steps[..., 1] - sides[:, 1] * steps[..., 0] >= 0
        inside[:, j] = left.all(axis=1)
    assert (inside.sum(axis=1) == 1).all()
    centres = model.cluster_centers_ * model.encoding_.scale + model.encoding_.center
    order = np.lexsort(centres.T[::-1])  # the cells come by the places of their centres
    np.testing.assert_array_equal(order[inside.argmax(axis=1)], model.labels_)


def test_a_first_look_is_a_fit_to_the_sample_of_a_long_table_marked_so(monkeypatch):
    n = len(four_groups.FRAME) // 3
    monkeypatch.setattr(panels, "SAMPLE", n)
    frame = four_groups.FRAME.assign(known=four_groups.GROUP.astype(str))
    schema, completed = four_groups.SCHEMA, four_groups.SCHEMA.completed(frame)
    view = choose_view(completed.encode(frame))
    fits = tasks("digest", schema, Settings(), len(frame))
    look = panels.FirstLook.of(frame, completed, view, known_truth(frame, schema))
    for name in [*METHODS.first, *METHODS.first]:  # nothing is fitted twice
        look.results.fit(fits[name], look.frame, look.schema)
    assert look.results.fitted == dict.fromkeys(METHODS.first, 1)
    for name, method in METHODS.first.items():
        panel = look.panel(name, view, fits)
        assert panel.title.startswith(f"{method.title}, K = ")
        assert panel.remark == f"first look: {n} rows"
        assert panel.labels.shape == (n,)
    model, gibbs = (look.results.get(fits[name]) for name in (JUDGE, "CollapsedGibbs"))
    assert nmi(four_groups.GROUP[view.rows[look.places]], model.labels_) > 0.5
    np.testing.assert_array_equal(look.panel(JUDGE, view, fits).codes, model.labels_)
    assert gibbs.columns_.priors == model.columns_.priors
    seen = look.panel(JUDGE, view, fits).view  # its points lie where they will stay
    np.testing.assert_array_equal(seen.points, view.points[look.places])
    look.fit_quickly(fits[JUDGE])
    assert look.results.get(fits[JUDGE]).patience == panels.LOOK_PATIENCE < model.patience
    shapes = {(9_105, 48): True, (100_000, 10): True, (4_000, 2): False, (300, 5_000): False}
    monkeypatch.undo()
    assert {shape: panels.is_long(*shape) for shape in shapes} == shapes


VISITS = partial(SCHEMA.with_column, "visits")


def test_a_strip_agrees_with_the_panels_and_ends_with_more_clusters_than_asked_for(ellipses):
    here, results = ellipses
    classes = here.truth.classes
    data = here.encoded, here.schema, SETTINGS, classes
    values = [1.0, 3.0, 300.0, 700.0]
    strip = strips.measure_strip(strips.CONCENTRATION, values, *data, most=9)
    assert strip.values.tolist() == values[:3]
    assert strip.n_clusters[1] <= 9 < strip.n_clusters[2]
    model = results.get(here.tasks["MAPDP"])
    assert strip.n_clusters[1] == model.n_clusters_
    assert strip.nmi[1] == pytest.approx(nmi(classes, model.labels_))
    strip = strips.measure_strip(strips.PENALTY, strips.penalties(4.0), *data)
    at = int(np.argmin(abs(strip.values - SETTINGS.penalty)))
    assert strip.n_clusters[at] == results.get(here.tasks["DPMeans"]).n_clusters_
    assert (strip.n_clusters[0], strip.n_clusters[-1]) == (strip.n_clusters.max(), 1)
    assert strip.in_words(3).endswith("and 1 at 80; the true K is 3.")
    by_bic = replace(SETTINGS, bic=True)  # which a strip over K does not
    strip = strips.measure_strip(strips.CLUSTERS, range(1, 21), *data[:2], by_bic, classes)
    model = KMeansBIC(3, 3, 10, random_state=SETTINGS.seed).fit(here.frame, here.schema)
    assert strip.bic[2] == pytest.approx(model.bic_[3])
    own = nmi(classes, results.get(here.tasks["KMeansBIC"]).labels_)
    assert strip.nmi[2] == pytest.approx(own, abs=0.02)


@pytest.fixture(scope="module")
def taken() -> dict[str, Snapshot]:
    return {name: find_groups(FRAME, SCHEMA, Settings(), name) for name in ("MAPDP", "KMeansBIC")}


def test_two_methods_under_one_model_have_costs_that_compare(taken):
    table, difference, changes = side_by_side(taken["MAPDP"], taken["KMeansBIC"])
    assert changes == ["K-means instead of MAP-DP"]
    assert difference == taken["KMeansBIC"].objective - taken["MAPDP"].objective
    assert table.counts.sum() == 90
    assert side_by_side(taken["MAPDP"], taken["MAPDP"])[0].ari == 1.0


@pytest.mark.parametrize(
    ("change", "words", "compares"),
    [
        ({"schema": VISITS(role="ignore")}, ["without visits"], False),
        ({"schema": VISITS(family="normal")}, ["visits typed otherwise"], False),
        ({"settings": Settings(concentration=5.0)}, ["other settings"], False),
        ({"settings": Settings(likelihood_power=0.5)}, ["other settings"], False),
        ({"settings": Settings(bic=False)}, ["other settings"], True),
        ({"prior_scale": 77.0}, [], False),
    ],
    ids=str,
)
def test_a_snapshot_says_what_was_changed_and_whether_costs_compare(taken, change, words, compares):
    _, difference, changes = side_by_side(taken["MAPDP"], replace(taken["MAPDP"], **change))
    assert changes == words
    assert (difference is not None) == compares
