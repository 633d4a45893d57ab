"""One panel a method: its outlines and its remark."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import DPMeans
from mapdp_studio.core.comparing.comparison import Truth, known_truth, matched, suggestion, tasks
from mapdp_studio.core.comparing.panels import algorithm_panels, truth_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.schema.encoded import Encoded
from tests.tables.labelled import FRAME, SCHEMA
from tests.tables.mixed import ENCODED, N


def test_ellipses_stand_where_the_model_has_them(fitted):
    results, wanted = fitted
    view = choose_view(SCHEMA.encode(FRAME))
    panels = dict(
        zip(METHODS.first, algorithm_panels(view, results, wanted, wanted, None), strict=True)
    )
    has_outlines = {name for name, panel in panels.items() if panel.outlines}
    assert has_outlines == {"MAPDP", "MixtureEM", "CollapsedGibbs"}
    assert "plain numbers" in panels["DPMeans"].remark
    assert "chosen by E" in panels["MAPDP"].remark


def test_results_of_a_retyped_table_are_stale_and_have_no_outlines_in_the_new_view(fitted):
    results, before = fitted
    schema = SCHEMA.with_column("visits", family="categorical")
    wanted = tasks("digest", schema, Settings(), len(FRAME))
    view = choose_view(schema.encode(FRAME))
    panels = algorithm_panels(view, results, wanted, before, known_truth(FRAME, schema))
    assert all(panel.is_stale and not panel.outlines for panel in panels)


def test_rows_without_a_known_group_are_grey():
    view = choose_view(ENCODED)
    classes = np.arange(N) % 3 - 1
    panel = truth_panel(view, Truth("kind", classes, ("a", "b")))
    assert (panel.labels[classes < 0] == -1).all()
    assert panel.names[panel.codes[0]] == "not known"
    assert len(panel.badges) == 2


def test_badges_of_groups_in_one_corner_part():
    classes = np.repeat(np.arange(13), 20)
    values = np.repeat([[0.0, 0.0], [9.0, 9.0]], [240, 20], axis=0)
    view = choose_view(Encoded.from_array(values, "normal"))
    panel = truth_panel(view, Truth("kind", classes, tuple("abcdefghijklm")))
    size = (view.x.high - view.x.low, view.y.high - view.y.low)
    places = np.array([(x / size[0], y / size[1]) for x, y, _ in panel.badges])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(13)
    assert apart.min() > 0.08


def test_a_badge_stands_beside_a_cluster_that_it_would_hide_and_in_one_that_it_would_not():
    random = np.random.default_rng(0)
    sizes, middles = [0.2, 0.2, 3.0], [[0.0, 0.0], [2.0, 0.0], [0.0, 20.0]]
    values = np.concatenate(
        [m + s * random.normal(size=(50, 2)) for m, s in zip(middles, sizes, strict=True)]
    )
    view = choose_view(Encoded.from_array(values, "normal"))
    classes = np.repeat(np.arange(3), 50)
    panel = truth_panel(view, Truth("kind", classes, tuple("abc")))
    places = {label: np.array([x, y]) for x, y, label in panel.badges}
    for k, (middle, size) in enumerate(zip(middles, sizes, strict=True)):
        assert (np.linalg.norm(places[k] - middle) > 3 * size) == (k < 2)
    assert places[0][0] < 0.0 < 2.0 < places[1][0]  # each on the far side of the other one


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
    values = np.random.default_rng(0).normal(size=(classes.size, 2))
    view = choose_view(Encoded.from_array(values, "normal"))
    panel = truth_panel(view, Truth("kind", classes, ("a", "b", "c")))
    assert [(panel.labels[classes == k] >= 0).all() for k in range(3)] == coloured
    assert [(panel.labels[classes == k] < 0).all() for k in range(3)] == [not c for c in coloured]


def test_titles_say_how_far_a_method_agrees_and_rows_that_part_can_be_lit(fitted):
    results, wanted = fitted
    view = choose_view(SCHEMA.encode(FRAME))
    truth = known_truth(FRAME, SCHEMA)
    for known in (truth, None):
        panels = algorithm_panels(view, results, wanted, wanted, known)
        reference = results.get(wanted["MAPDP"]).labels_ if known is None else known.classes
        for name, panel in zip(METHODS.first, panels, strict=True):
            labels = results.get(wanted[name]).labels_
            if known is None and name == "MAPDP":
                assert panel.apart is None
                assert "NMI" not in panel.title
                continue
            inside = reference >= 0
            assert f", NMI {nmi(reference[inside], labels[inside]):.2f}" in panel.title
            parts = inside & (matched(reference, labels) != reference)
            np.testing.assert_array_equal(panel.apart, parts)


def test_known_groups_carry_their_names():
    panel = truth_panel(choose_view(SCHEMA.encode(FRAME)), known_truth(FRAME, SCHEMA))
    assert panel.remark == "1 b, 2 c, 3 a"


def test_a_penalty_is_suggested_that_gives_the_clusters_asked_for_or_says_that_none_does():
    encoded = SCHEMA.encode(FRAME)
    positions = np.geomspace(1.0, 100.0, 60).tolist()
    found = {at: DPMeans(penalty=at).fit(FRAME, SCHEMA).n_clusters_ for at in positions}
    asked = range(1, max(found.values()) + 2)
    exact = {k for k in asked if suggestion(encoded, k, positions).is_exact}
    assert exact == {*found.values()} != {*asked}
    for k in exact:
        assert found[suggestion(encoded, k, positions).penalty] == k
