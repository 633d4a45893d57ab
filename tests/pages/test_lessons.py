"""The lessons of the Teach page say nothing false: each claim is computed from the generators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal

from mapdp_studio.core import MAPDP, DPMeans, KMeansBIC
from mapdp_studio.core.comparing.comparison import Results, matched
from mapdp_studio.core.comparing.voronoi import centres_in_view
from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.models.similarity.graph import NEIGHBOURS, neighbour_graph
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.lessons import BEGINNING
from mapdp_studio.core.teaching.restaurant import seat
from mapdp_studio.core.teaching.small_variance import spherical_fit
from mapdp_studio.demo_datasets import (
    SCENARIOS,
    load_scenario,
    load_scenario_table,
    load_taught,
    scenario_spec,
)
from mapdp_studio.pages.parts.teach.controls import N_ROWS, START_WIDTH, TOLERANCE, set_at
from mapdp_studio.pages.parts.teach.settings import Classroom
from tests.lesson_screens import (
    crossed,
    judged,
    k_of,
    labels,
    model,
    of,
    row_at,
    score,
    scores,
    shown,
    surely,
    walked,
    wrongly,
)

N, SEEDS = BEGINNING["rows"], range(2)


def k_means(key: str, seeds: Iterable[int], *told: int) -> Iterator[tuple[np.ndarray, KMeansBIC]]:
    """The true groups of every draw, and K-means told this."""
    for seed in seeds:
        frame, schema, label = load_scenario_table(key, N, seed)
        yield frame[label].to_numpy(), KMeansBIC(*told, random_state=seed).fit(frame, schema)


def discs(key: str, seed: int) -> tuple[int, int]:
    """K that BIC chooses for K-means, and that of the highest BIC of any start."""
    ((_, found),) = k_means(key, [seed], 1, 20, 10)
    bic = found.result_.details["bic"]
    return found.n_clusters_, int(bic["n_clusters"][np.nanargmax(bic["highest"])])


def spreads(key: str, **knob: float) -> list[list[float]]:
    """Standard deviations along the axes of every cluster of a generator."""
    covariances = scenario_spec(key, **knob).covariances
    return [np.sqrt(np.linalg.eigvalsh(np.array(c))).round(2).tolist() for c in covariances]


@pytest.mark.parametrize("key", ["5.1", "5.2", "5.5", "5.6"])
def test_everyone_is_right_at_the_first_stop(key):
    assert min(scores(key, 1).values()) > 0.93


# ---- 5.1: unequal radii


def test_the_widths_of_5_1_are_the_generator_s():
    assert spreads("5.1", radius_ratio=1.0) == [[1, 1], [1, 1], [0.8, 0.8]]
    assert spreads("5.1") == [[5, 5], [1, 1], [0.8, 0.8]]


def test_k_means_cuts_the_wide_cluster_and_the_small_ones_share_a_centre():
    table = crossed("5.1", 2, "KMeansBIC")
    wide = table.max(axis=1).argmin()
    small = np.delete(table, wide, axis=0)
    assert (small.max(axis=1) == small.sum(axis=1)).all()
    assert len({*small.argmax(axis=1)}) == 1
    assert (table[wide] > 300).sum() == 2
    assert model("5.1", 2, "MAPDP").n_clusters_ == 3
    assert score("5.1", 2, "MAPDP") > 0.97


def test_the_row_of_5_1_lies_on_the_rim_and_k_means_gives_it_away():
    here, _ = shown("5.1", 3)
    row = row_at("5.1", 3)
    classes = here.truth.classes
    wide = np.argmax([here.points[classes == k].std() for k in range(3)])
    assert classes[row] == wide
    spec = scenario_spec("5.1")
    away = np.linalg.norm(here.points[row] - spec.means, axis=1)
    assert (away / [5, 1, 0.8])[::2] == pytest.approx([2.4, 5.0], abs=0.05)
    k_means = labels("5.1", 3, "KMeansBIC")
    assert k_means[row] == np.bincount(k_means[classes != wide]).argmax()
    for name in ("MAPDP", "MixtureEM", "CollapsedGibbs"):
        found = labels("5.1", 3, name)
        assert found[row] == np.bincount(found[classes == wide]).argmax()
    words = judged("5.1", 3)
    assert words.startswith(f"Cluster {wide + 1} is cheapest, 4.1 log units below a new cluster.")


@pytest.mark.parametrize(("key", "stop"), [("5.1", 4), ("5.4", 2)])
def test_k_means_leaves_the_truth_while_its_squared_error_falls(key, stop):
    here, run = walked(key, stop)
    steps = run.steps
    errors = [step.objective for step in steps]
    assert all(after <= before for before, after in pairwise(errors))
    assert errors[-1] < 0.95 * errors[0]
    assert nmi(here.truth.classes, steps[0].labels) > 0.95
    assert nmi(here.truth.classes, steps[-1].labels) < 0.9


def test_more_starts_of_k_means_change_nothing():
    assert score("5.1", 5, "KMeansBIC") == pytest.approx(score("5.1", 2, "KMeansBIC"), abs=0.01)
    drawn = k_means("5.1", SEEDS, 3, 3, 20)
    assert max(nmi(truth, found.labels_) for truth, found in drawn) < 0.62


def test_bic_takes_many_discs_for_the_wide_cluster():
    assert k_of("5.1", 6, "KMeansBIC") == 12
    assert 9 <= discs("5.1", 1)[0] <= 13


# ---- 5.2: unequal populations


def test_k_means_cuts_the_crowd_of_5_2_61_to_39():
    table = crossed("5.2", 2, "KMeansBIC")
    crowd, few = table.sum(axis=1).argmax(), table.sum(axis=1).argmin()
    parts = np.sort(table[crowd])[::-1] / table[crowd].sum()
    assert np.round(100 * parts[:2]).tolist() == [61, 39]
    host = table[few].argmax()
    assert table[few, host] > 0.8 * table[few].sum()
    assert table[crowd, host] > 0
    means = np.array(scenario_spec("5.2").means)
    apart = [np.linalg.norm(a - b) for i, a in enumerate(means) for b in means[:i]]
    assert min(apart) == pytest.approx(5.0, abs=0.1)
    assert spreads("5.2") == [[1, 1]] * 3
    assert np.round(100 * np.array(scenario_spec("5.2").weights)).tolist() == [69, 29, 2]
    assert np.ptp(scenario_spec("5.2", imbalance=0.0).weights) == 0.0


@pytest.mark.parametrize("stop", [4, 5])
def test_map_dp_finds_the_three_of_5_2_whatever_n_0(stop):
    assert model("5.2", stop, "MAPDP").n_clusters_ == 3
    assert score("5.2", stop, "MAPDP") > 0.98
    assert np.log(10.0) == pytest.approx(2.3, abs=0.05)
    assert np.log(3.0 / 0.01) == pytest.approx(5.7, abs=0.05)
    assert np.log(29 / 2) == pytest.approx(2.7, abs=0.05)


def test_no_cut_through_a_cluster_of_5_2_is_as_cheap_as_ten_times_the_n_0():
    here, _ = shown("5.2", 5)
    found = model("5.2", 5, "MAPDP")
    before = partition_cost(here, found, found.labels_)
    for k in range(3):
        rows = np.flatnonzero(found.labels_ == k)
        halves = KMeansBIC(2, 2, 10, random_state=0).fit(here.points[rows]).labels_
        oddest = rows[np.argsort(found.score_samples(here.frame)[rows])[0]]
        for cut in (rows[halves == 1], oddest):
            labels = found.labels_.copy()
            labels[cut] = 3
            # Beside N_0 = 30 it still costs, beside N_0 = 3 by 2.3 more.
            assert partition_cost(here, found, labels) > before


def partition_cost(here: Classroom, found: ClusterEstimator, labels: np.ndarray) -> float:
    """E of a partition under the prior and N_0 of a fit."""
    columns = Columns.pack(here.encoded, found.prior_)
    return Partition(columns, found.concentration, labels).objective()


def test_the_row_of_5_2_belongs_to_the_few_and_goes_there_against_its_count():
    assert "against the count term (2.7)" in judged("5.2", 3)
    here, _ = shown("5.2", 3)
    row = row_at("5.2", 3)
    assert here.truth.classes[row] == np.bincount(here.truth.classes).argmin()
    found = labels("5.2", 3, "MAPDP")
    assert found[row] == 2
    sizes = np.bincount(found)
    assert sizes[1] / (sizes[2] - 1) == pytest.approx(15, abs=0.5)


# ---- 5.3: far outliers


def test_near_pairs_trouble_dp_means_and_not_k_means():
    assert score("5.3", 1, "KMeansBIC") > 0.9 > score("5.3", 1, "DPMeans")
    table = crossed("5.3", 1, "DPMeans")
    assert table.shape == (5, 3)
    assert sorted(table.sum(axis=0)) == [2, 2, N - 4]


def test_far_pairs_take_a_centre_of_k_means():
    assert sorted(crossed("5.3", 2, "DPMeans").sum(axis=0)) == [2, 2, N - 4]
    table = crossed("5.3", 2, "KMeansBIC")
    pairs = table.sum(axis=1) == 2
    assert table[pairs].argmax(axis=1).tolist() == [table[pairs][0].argmax()] * 2
    centre = table[pairs][0].argmax()
    assert table[~pairs, centre].sum() == 0
    assert len({*table[~pairs].argmax(axis=1)}) == 2
    places, ways = centres_in_view(model("5.3", 2, "KMeansBIC"), shown("5.3", 2)[0].view)
    assert (len(places), len(ways)) == (3, 1)


def test_dp_means_collapses_at_the_suggested_lambda():
    table = crossed("5.3", 2, "DPMeans")
    assert table.shape == (5, 3)
    assert (table[:3] > 0).sum() == 3
    assert np.unique(table[:3].argmax(axis=1)).size == 1


def test_map_dp_finds_the_same_three_wherever_the_pairs_lie():
    for stop in (2, 3):
        table = crossed("5.3", stop, "MAPDP")
        assert table.shape == (5, 5)
        assert (table.max(axis=1) > 0.95 * table.sum(axis=1)).all()
    assert score("5.3", 3, "MAPDP") == pytest.approx(score("5.3", 2, "MAPDP"), abs=0.02)


def test_told_five_k_means_cuts_a_real_cluster():
    table = crossed("5.3", 4, "KMeansBIC")
    pairs = table.sum(axis=1) == 2
    assert len({*table[pairs].argmax(axis=1)}) == 1
    cut = np.sort(table[~pairs], axis=1)[:, -2]
    assert (cut > 100).sum() == 1
    here, _ = shown("5.3", 4)
    standard = pd.DataFrame((here.points - here.points.mean(axis=0)) / here.points.std(axis=0))
    found, true = (
        np.square(standard - standard.groupby(groups).transform("mean")).to_numpy().sum()
        for groups in (labels("5.3", 4, "KMeansBIC"), here.truth.classes)
    )
    assert found < true
    assert k_of("5.3", 4, "DPMeans") == 5
    assert score("5.3", 4, "DPMeans") > 0.9
    assert set_at("5.3", "3")["outlier_distance"] / 72.0 == pytest.approx(2, abs=0.1)


# ---- 5.4: rotated ellipses


def test_k_means_cuts_across_the_two_long_ellipses():
    volumes = [np.prod(sd) for sd in spreads("5.4")]
    assert volumes == pytest.approx([3.6] * 3, abs=0.01)
    table = crossed("5.4", 1, "KMeansBIC")
    assert (np.sort(table, axis=1)[:, -2] > 150).sum() == 2


@pytest.mark.parametrize("rotation", [0.0, 30.0, 90.0])
def test_k_means_cuts_across_the_two_whatever_the_angle(rotation):
    points, classes = load_scenario("5.4", n=N, seed=0, rotation=rotation)
    found = KMeansBIC(3, 3, 10, random_state=0).fit(points.to_numpy()).labels_
    table = np.array([np.bincount(found[classes == k], minlength=3) for k in range(3)])
    assert (np.sort(table[:2], axis=1)[:, -2] > 100).all()
    assert table[:2].sum(axis=0).min() < 50  # the third stays whole


def test_e_m_finds_its_way_back_from_the_cut():
    here, run = walked("5.4", 3)
    steps = run.steps
    assert nmi(here.truth.classes, steps[0].labels) < 0.75
    assert nmi(here.truth.classes, steps[-1].labels) > 0.95


def test_stretching_a_column_helps_where_standardising_cannot():
    points, classes = load_scenario("5.4", n=N, seed=0)
    assert np.ptp(points.std()) < 0.03 * points.std().mean()
    plain, stretched = (
        nmi(classes, KMeansBIC(3, 3, 10, random_state=0).fit(points.to_numpy() * scale).labels_)
        for scale in ([1.0, 1.0], [1.0, 1.5])
    )
    assert (round(plain, 2), round(stretched, 2)) == (0.62, 0.96)
    assert round(score("5.4", 4, "KMeansBIC"), 2) == 0.62


def test_bic_takes_many_discs_for_three_ellipses():
    assert k_of("5.4", 5, "KMeansBIC") == 14
    assert 8 <= discs("5.4", 1)[0] <= 14


# ---- 5.5: well separated ellipses


def test_bic_finds_the_three_of_5_5_and_r16_s_rule_one_too_many():
    found = model("5.5", 2, "KMeansBIC")
    assert score("5.5", 2, "KMeansBIC") == 1.0
    assert discs("5.5", 1) == (3, 4)
    here, told = shown("5.5", 2)[0], dict(found.get_params(), best_start="bic")
    by_r16 = KMeansBIC(**told).fit(here.frame, here.schema)
    assert by_r16.n_clusters_ == 4
    cut = np.bincount(by_r16.labels_[here.truth.classes == 1])
    assert (cut > 0.2 * cut.sum()).sum() == 2
    least = found.result_.details["bic"]["inertia"][3]
    assert by_r16.inertia_ / least == pytest.approx(1.06, abs=0.005)
    assert np.round(100 * np.array(scenario_spec("5.5").weights)).tolist() == [12, 28, 60]


def test_who_loses_least_as_the_gaps_close():
    near = scores("5.5", 3)
    assert min(near["MAPDP"], near["MixtureEM"]) > 0.98
    assert max(near["KMeansBIC"], near["DPMeans"]) < 0.94
    nearer = {name: round(score, 2) for name, score in scores("5.5", 4).items()}
    assert nearer["MAPDP"] == nearer["MixtureEM"] == 0.84
    assert nearer["KMeansBIC"] == nearer["DPMeans"] == 0.69
    assert nearer["CollapsedGibbs"] < 0.84


# ---- 5.6: overlapping ellipses


def _wrong(stop: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Whether each row is placed wrongly, and whether the generator leaves no doubt about it."""
    return wrongly("5.6", stop, name), surely("5.6")


def test_gibbs_shows_who_stays_together_and_who_changes_sides():
    _, run = walked("5.6", 4)
    steps = run.steps
    together = steps[-1].together
    assert ((together > 0.95).sum(axis=1) > 5).mean() > 0.5
    assert ((together > 0.2) & (together < 0.8)).any(axis=1).mean() > 0.05


def test_k_means_mislabels_rows_outside_the_overlap_too():
    wrong, certain = _wrong(5, "KMeansBIC")
    assert (wrong.sum(), (wrong & certain).sum()) == (565, 413)


def test_map_dp_s_mistakes_lie_in_the_overlap():
    wrong, certain = _wrong(5, "MAPDP")
    assert round(100 * (~certain).mean()) == 16
    assert (wrong & certain).sum() == 1
    assert wrong.sum() > 50


def test_the_row_of_5_6_is_cheapest_in_one_cluster_and_surely_in_another():
    assert judged("5.6", 3).startswith("Cluster 1 is cheapest, 0.3 log units below cluster 3.")
    assert crossed("5.6", 3, "MAPDP")[:, 2].tolist() == [0, 0, 36]
    said = judged("5.6", 3, "CollapsedGibbs")
    assert "of 100 draws that were kept the row was in cluster 3 in 93, in cluster 1 in 7." in said
    # Two other ways: with the rows about the centre of the small ellipse, and by the generator.
    here, row = shown("5.6", 3)[0], row_at("5.6", 3)
    spec = scenario_spec("5.6")
    parts = [
        (w, multivariate_normal(m, c))
        for w, m, c in zip(spec.weights, spec.means, spec.covariances, strict=True)
    ]
    chances = np.array([w * part.pdf(here.points[row]) for w, part in parts])
    small = np.argmin(spec.weights)
    assert chances[small] / chances.sum() == pytest.approx(0.97, abs=0.005)
    assert here.truth.classes[row] == 2
    assert np.bincount(here.truth.classes).tolist() == [1300, 600, 100]
    core = np.argsort(-parts[small][1].pdf(here.points))[:26]
    core = core[core != row][:25]
    draws = model("5.6", 3, "CollapsedGibbs").chains_[0].draws
    with_core = [np.bincount(draw[core]).argmax() == draw[row] for draw in draws]
    # In 6 chains of 600 sweeps from either start it is .90.
    assert np.mean(with_core) == pytest.approx(0.9, abs=0.03)


# ---- the real table


def test_the_deeper_the_colour_of_a_cultivar_the_wider_it_spreads():
    here, _ = shown("wine", 1)
    colours = [here.points[here.truth.classes == k, 1] for k in range(3)]
    means, sds = ([getattr(of_one, name)() for of_one in colours] for name in ("mean", "std"))
    assert np.argsort(means).tolist() == np.argsort(sds).tolist()
    assert (round(min(sds), 1), round(max(sds), 1)) == (0.9, 2.3)


# ---- shapes: not Gaussian at all

FOLLOWERS = ("SpectralDPMeans", "PenalisedCut", "KernelDPMeans")


@pytest.mark.parametrize(("stop", "n_groups"), [(1, 2), (2, 2), (3, 4), (4, 2)])
def test_those_that_follow_a_shape_find_the_moons_and_the_rings(stop, n_groups):
    for name in FOLLOWERS:
        assert model("shapes", stop, name).n_clusters_ == n_groups
        assert score("shapes", stop, name) == pytest.approx(1.0)


def test_map_dp_covers_the_moons_with_ellipses_and_e_prefers_them():
    pieces = crossed("shapes", 1, "MAPDP")
    assert pieces.shape == (2, 16)
    assert (pieces.min(axis=0) == 0).all()
    fit, classes = model("shapes", 1, "MAPDP"), shown("shapes", 1)[0].truth.classes
    moons = Partition(fit.columns_, fit.concentration, classes).settle()
    assert moons - fit.objective_ == pytest.approx(3119.3, abs=0.5)
    halves = crossed("shapes", 1, "KMeansBIC")
    assert (halves > 100).all()


def test_k_means_halves_the_rings_and_map_dp_pays_for_pieces_once_there_are_rows():
    halves = crossed("shapes", 2, "KMeansBIC")
    assert (abs(halves[:, 0] - halves[:, 1]) < 0.2 * halves.sum(axis=1)).all()
    assert score("shapes", 2, "KMeansBIC") < 0.005
    assert model("shapes", 2, "MAPDP").n_clusters_ == 24
    assert model("shapes", 4, "MAPDP").n_clusters_ == 1


def test_no_line_to_the_ten_nearest_leads_from_one_ring_to_the_other():
    assert NEIGHBOURS == 10
    here = shown("shapes", 2)[0]
    graph = neighbour_graph(here.points / here.points.std(axis=0)).tocoo()
    classes = here.truth.classes
    assert graph.nnz >= NEIGHBOURS * len(classes)
    assert (classes[graph.row] == classes[graph.col]).all()


def test_told_four_groups_k_means_and_e_m_do_not_find_moons_and_rings():
    assert max(score("shapes", 3, name) for name in ("KMeansBIC", "MixtureEM")) < 0.61
    assert model("shapes", 3, "SpectralDPMeans").eigenvalues_[3] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("sets", "n_groups"), [({N_ROWS: 300}, 12), ({TOLERANCE: 0.3, N_ROWS: 4000}, 1)]
)
def test_neither_few_rows_nor_a_tolerance_show_map_dp_the_moons(sets, n_groups):
    here = of("shapes", 1, **sets)
    found = Results().fit(here.tasks["MAPDP"], here.frame, here.schema)
    assert found.n_clusters_ == n_groups


def test_more_rows_of_the_moons_are_more_pieces():
    assert model("shapes", 5, "MAPDP").n_clusters_ == 17


def test_k_means_and_map_dp_on_the_wines():
    here, _ = shown("wine", 1)
    wrong = {
        name: (matched(here.truth.classes, labels("wine", 1, name)) != here.truth.classes)
        for name in ("KMeansBIC", "MAPDP")
    }
    assert (wrong["KMeansBIC"].sum(), wrong["MAPDP"].sum()) == (22, 14)
    found = labels("wine", 1, "MAPDP")
    assert np.bincount(found)[3:].tolist() == [1]
    assert found[121] == 3
    assert judged("wine", 1).startswith("A new cluster is cheapest, 6.8 log units below")
    assert "was in a new cluster in 82" in judged("wine", 1, "CollapsedGibbs")
    assert "in cluster 1 in 50, in cluster 4 in 35" in judged("wine", 3, "CollapsedGibbs")
    trace = model("wine", 3, "CollapsedGibbs").n_clusters_trace_
    after = trace[trace.size // 5 :]
    assert (after.size, after.min(), after.max()) == (100, 5, 12)


def test_the_wines_have_two_answers_and_two_groups_at_a_tolerance():
    frame, schema, _ = load_taught("wine")
    four, five = (MAPDP(3.0, n_init=1, random_state=seed).fit(frame, schema) for seed in (0, 1))
    assert (four.n_clusters_, five.n_clusters_) == (4, 5)
    assert abs(four.objective_ - five.objective_) == pytest.approx(1.1, abs=0.05)
    table = crossed("wine", 4, "MAPDP")
    deepest = shown("wine", 4)[0].truth.classes == 2
    assert table.shape == (3, 2)
    assert sorted(table[:, 1].tolist()) == [0, 1, 47]
    assert table[2, 1] == 47
    assert deepest.sum() == 48


# ---- fair methods, and the restaurant


@pytest.mark.parametrize("key", SCENARIOS)
def test_e_m_gets_the_starts_that_k_means_gets(key):
    here = of(key, 2)
    arguments = {name: dict(task.arguments) for name, task in here.tasks.items()}
    assert arguments["MixtureEM"]["n_init"] == arguments["KMeansBIC"]["n_init"] == 10


def test_the_number_of_tables_differs_from_evening_to_evening():
    evenings = [seat(1000, 3.0, seed) for seed in range(12)]
    found = [int(evening.n_tables[-1]) for evening in evenings]
    assert (min(found), max(found)) == (12, 22)
    assert evenings[0].deviation[-1] == pytest.approx(3.8, abs=0.01)


@pytest.mark.parametrize("key", ["5.1", "5.2", "5.4", "5.6"])
def test_the_width_that_from_k_means_begins_at_shows_a_difference(key):
    here = of(key, 2)
    fit = spherical_fit(here.encoded, here.settings.penalty, START_WIDTH)
    dp_means = DPMeans(here.settings.penalty).fit(here.frame, here.schema)
    assert nmi(fit.labels, dp_means.labels_) < 0.9
