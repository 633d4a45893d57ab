"""The comparison: what each setting touches, one yardstick for all, and the shared view."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, DPMeans, infer_schema
from mapdp_studio.core.comparing import comparison
from mapdp_studio.core.comparing.comparison import Results, known_truth, matched, scoreboard, tasks
from mapdp_studio.core.comparing.panels import method_panel
from mapdp_studio.core.comparing.projection import MOST_ROWS, choose_view
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.schema.encoded import Encoded, Unit
from mapdp_studio.demo_datasets.catalogue import EXAMPLES
from tests.classroom import room
from tests.tables.labelled import FRAME, SCHEMA
from tests.tables.mixed import ENCODED, N

HAVE_STARTS = ("MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs")
RANDOM = np.random.default_rng(0)
MIDDLES = np.repeat([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]], 40, axis=0)
APART = pd.DataFrame(MIDDLES + RANDOM.normal(size=(120, 2)), columns=["x", "y"])
#: A narrow group beside a wide one, which K-means cuts.
WIDE, NARROW = RANDOM.normal(0.0, 8.0, (160, 2)), RANDOM.normal([14.0, 0.0], 0.3, (40, 2))
UNLIKE = pd.DataFrame(np.vstack([WIDE, NARROW]), columns=["x", "y"])


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"concentration": 5.0}, ("MAPDP", "CollapsedGibbs")),
        ({"penalty": 4.0}, ("DPMeans",)),
        ({"n_clusters": 4}, ("MixtureEM",)),
        ({"likelihood_power": 0.3}, ("MAPDP", "MixtureEM", "CollapsedGibbs")),
        ({"n_clusters": 4, "bic": False}, ("MixtureEM", "KMeansBIC")),
        ({"effort": 2}, HAVE_STARTS),
        ({"seed": 1}, HAVE_STARTS),
    ],
    ids=str,
)
def test_a_setting_touches_only_the_algorithms_that_read_it(change, touched):
    before = tasks("digest", SCHEMA, Settings(penalty=9.0), 90)
    after = tasks("digest", SCHEMA, replace(Settings(penalty=9.0), **change), 90)
    assert {name for name in METHODS.first if before[name] != after[name]} == set(touched)


def test_only_what_is_clustered_on_makes_results_stale_and_large_tables_have_fewer_sweeps():
    def of(digest="digest", **changes):
        schema = SCHEMA
        for name, change in changes.items():
            schema = schema.with_column(name, **change)
        return tasks(digest, schema, Settings(), 90)

    assert of(kind={"role": "ignore"}) == of()
    weighted, without = of(visits={"role": "weight"}), of(visits={"role": "ignore"})
    retyped, other = of(visits={"family": "categorical"}), of("other")
    for name in METHODS.first:
        assert len({weighted[name], without[name], retyped[name], other[name], of()[name]}) == 5
    gibbs = [tasks("d", SCHEMA, Settings(), n)["CollapsedGibbs"] for n in (100, 10_000_000)]
    assert [dict(task.arguments)["n_sweeps"] for task in gibbs] == [125, 20]


def test_all_partitions_are_judged_under_one_model(fitted):
    results, fits = fitted
    judge = results.get(fits[JUDGE])
    for name, task in fits.items():
        expected = Partition(judge.columns_, 3.0, results.get(task).labels_).objective()
        assert results.objective(task, fits[JUDGE]) == pytest.approx(expected), name
    rows = scoreboard(results, fits, known_truth(FRAME, SCHEMA))
    assert rows["above"].min() == 0.0
    assert [*rows.index] == [method.title for method in METHODS.first.values()]
    assert rows["ARI"].iloc[0] > 0.9
    gibbs = results.get(fits["CollapsedGibbs"])
    assert gibbs.prior_ == judge.prior_, "it runs under the prior that MAP-DP chose"
    assert gibbs.init is judge.labels_
    other = tasks("digest", SCHEMA, Settings(concentration=3.5), len(FRAME))[JUDGE]
    np.testing.assert_array_equal(results.fit(other, FRAME, SCHEMA).labels_, judge.labels_)
    assert results.get(other).objective_ != judge.objective_
    assert results.objective(task, fits[JUDGE]) != results.objective(task, other)


def test_a_fit_is_made_once_and_an_interrupted_one_is_not_kept():
    results, task = Results(), tasks("digest", SCHEMA, Settings(), 90)[JUDGE]

    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        results.fit(task, FRAME, SCHEMA, stop)
    assert results.get(task) is None
    model = results.fit(task, FRAME, SCHEMA)
    assert results.fit(task, FRAME, SCHEMA) is results.get(task) is model
    assert results.fitted == {JUDGE: 1}
    np.testing.assert_array_equal(model.labels_, MAPDP(random_state=0).fit(FRAME, SCHEMA).labels_)
    fits = [tasks("d", SCHEMA, Settings(penalty=float(p)), 90)["DPMeans"] for p in range(1, 15)]
    assert [results.fit(task, FRAME, SCHEMA) for task in fits][-1] is results.get(fits[-1])
    assert results.get(fits[0]) is None  # old ones are let go


def test_what_cannot_be_fitted_says_why_and_the_others_go_on():
    results, fits = Results(), tasks("digest", SCHEMA, Settings(n_clusters=5), 2)
    frame = FRAME.iloc[[1, 80]].reset_index(drop=True)
    for task in fits.values():
        results.fit(task, frame, SCHEMA)
    refused = results.get(fits["MixtureEM"])
    assert isinstance(refused, comparison.FitError)
    assert "5" in refused.reason
    rows = scoreboard(results, fits, None)
    assert rows["K"].isna().tolist() == [False, False, False, True, False]
    view = choose_view(SCHEMA.encode(frame))
    panel = method_panel("MixtureEM", view, results, fits, fits, None)
    assert panel.remark == "does not run on this table"


def test_the_truth_leaves_out_rows_without_one_and_matching_keeps_the_colour_of_the_same_rows():
    truth = known_truth(FRAME, SCHEMA)
    assert truth.names == ("b", "c", "a")
    assert (truth.classes[:10] == -1).all()
    assert known_truth(FRAME.assign(kind=None), SCHEMA) is None
    assert known_truth(FRAME, SCHEMA.with_column("kind", role="ignore")) is None
    reference = np.array([0, 0, 0, 1, 1, -1, -1, -1])
    labels = np.array([1, 1, 1, 0, 0, 2, 2, 0])
    np.testing.assert_array_equal(matched(reference, labels), [0, 0, 0, 1, 1, 2, 2, 1])


@pytest.mark.parametrize("n_tried", [1, 60])
def test_a_penalty_is_suggested_that_gives_the_clusters_asked_for_where_one_does(
    monkeypatch, n_tried
):
    encoded, positions = SCHEMA.encode(FRAME), np.geomspace(1.0, 100.0, 60).tolist()
    monkeypatch.setattr(comparison, "CELLS_TRIED", n_tried * encoded.values.size)
    found = {at: DPMeans(penalty=at).fit(FRAME, SCHEMA).n_clusters_ for at in positions}
    suggested = {
        k: comparison.suggestion(encoded, k, positions) for k in range(1, max(found.values()) + 2)
    }
    exact = {k for k, penalty in suggested.items() if found[penalty] == k}
    assert exact == {*found.values()} != {*suggested}


def judged(frame: pd.DataFrame, *names: str, **settings: float) -> tuple[Results, dict]:
    schema, results = infer_schema(frame), Results()
    fits = tasks("digest", schema, Settings(**settings), len(frame), names)
    for task in fits.values():
        results.fit(task, frame, schema)
    return results, fits


LITTLE, OWN = "**It matters little which you take**", "**Take MAP-DP's**"


@pytest.mark.parametrize(
    ("frame", "names", "asked", "merged", "text"),
    [
        (APART, ("KMeansBIC", "MixtureEM"), {}, None, LITTLE),
        (APART, ("KMeansBIC", "MixtureEM"), {}, ((0, 1),), OWN),
        (APART, ("DPMeans", "MixtureEM"), {"penalty": 1e6}, None, OWN),  # one of three parts
        (UNLIKE, ("KMeansBIC",), {}, None, OWN),
    ],
)
def test_any_of_those_that_agree_is_taken_else_the_most_probable(frame, names, asked, merged, text):
    results, fits = judged(frame, *names, **asked)
    labels = results.get(fits[JUDGE]).labels_
    groups = None if merged is None else Naming(merged).apply(labels)
    found = comparison.which_to_take(results, fits, "As chance makes.", groups)
    assert found.startswith(text)
    its_own = f"than its {labels.max() + 1} clusters as fitted. As chance makes."
    assert (its_own in found) == (text == OWN)


def test_a_partition_more_probable_than_mapdp_s_own_is_taken():
    results, fits = judged(APART, "KMeansBIC")
    judge = results.get(fits[JUDGE])
    together = Partition(judge.columns_, judge.concentration, np.zeros(120, dtype=np.int64))
    poor = Results()
    poor.keep(fits[JUDGE], MAPDP(prior=list(judge.prior_)).adopt(together, None))
    assert comparison.which_to_take(poor, fits) == "", "one answer is not compared"
    poor.keep(fits["KMeansBIC"], results.get(fits["KMeansBIC"]))
    assert comparison.which_to_take(poor, fits).startswith("**Take K-means")


DRAWS = np.random.default_rng(1)


def test_many_columns_stand_in_the_plane_of_most_variance():
    view = choose_view(ENCODED)
    complete = ~np.isnan(ENCODED.values).any(axis=1)
    levels = np.arange(len(ENCODED.units[-1].options["levels"]))
    features = np.column_stack([ENCODED.values[:, :-1], ENCODED.values[:, -1:] == levels])
    along = [features @ weights + constant for weights, constant in view.weights]
    assert view.points.dtype == np.float32
    np.testing.assert_allclose(view.points[complete], np.array(along).T[complete], atol=1e-5)
    assert np.corrcoef(view.points.T)[0, 1] == pytest.approx(0.0, abs=1e-6)
    assert view.x.title.startswith("component 1, ")
    assert view.has_one_unit


def test_a_pair_of_columns_is_labelled_in_its_own_units_and_jittered_the_same_every_time():
    view = choose_view(ENCODED, ("dose", "grade"))
    assert view.x.title == "dose (log scale)"
    assert all(np.log(float(text)) == pytest.approx(place) for place, text in view.x.ticks)
    assert [text for _, text in view.y.ticks] == ["1", "2", "3", "4"]
    assert "Jittered so that equal values stay apart: grade." in view.note
    first, second = (choose_view(ENCODED, ("colour", "weight")) for _ in range(2))
    np.testing.assert_array_equal(first.points, second.points)
    np.testing.assert_array_equal(first.points[:, 0].round(), ENCODED.values[:, 3])


@pytest.mark.parametrize(
    ("transform", "numbers", "ticks"),
    [
        ("log", (0.02, 5e5), "0.01 1 100 10,000 1e+06"),
        ("log", (2.0, 150.0), "3 10 30 100"),
        ("log", (4.0, 31.0), "5 10 20"),
        ("log", (4.0, 9.0), "4 5 6 7 8 9"),
        ("sqrt", (0.0, 90.0), "2 4 6 8 20 40 60 80"),
    ],
)
def test_ticks_of_a_scale_are_round_numbers(transform, numbers, ticks):
    unit = Unit("a", "normal", ("a",), {"transform": transform})
    low, high = (np.log if transform == "log" else np.sqrt)(numbers)
    table = Encoded(np.linspace(low, high, 40)[:, None], (unit,))
    found = choose_view(table).x.ticks
    assert " ".join(text for _, text in found) == ticks
    back = np.exp if transform == "log" else np.square
    assert all(back(place) == pytest.approx(float(text.replace(",", ""))) for place, text in found)


def test_missing_values_stand_in_the_margin_and_no_row_is_lost():
    view = choose_view(ENCODED, ("weight", "colour"))
    assert len(view.points) == N
    assert view.x.ticks[0][1] == "missing"
    least = np.nanmin(ENCODED.values[:, 0])
    assert (view.points[:5, 0] < least).all()
    assert (view.points[5:, 0] >= np.float32(least)).all()
    assert np.isfinite(view.points).all()
    assert view.x.low < view.points[:, 0].min()
    assert [text for _, text in view.y.ticks] == ["amber", "blue", "cyan"]
    assert view.weights is None


def test_one_column_is_a_strip_a_large_table_a_stated_sample_and_categories_are_jittered():
    strip = choose_view(Encoded(ENCODED.values[:, :1].copy(), ENCODED.units[:1]))
    assert (strip.y.title, strip.weights) == ("", None)
    values = DRAWS.normal(size=(MOST_ROWS + 1, 2))
    view = choose_view(Encoded.from_array(values, "normal"))
    assert view.rows.size == MOST_ROWS
    assert f"{MOST_ROWS:,} of the {MOST_ROWS + 1:,} rows" in view.note
    np.testing.assert_array_equal(view.points, values[view.rows].astype(np.float32))
    codes = DRAWS.integers(3, size=(200, 3)).astype(float)
    units = tuple(Unit(n, "categorical", (n,), {"levels": (0, 1, 2)}) for n in "abc")
    view = choose_view(Encoded(codes, units))
    assert "coincide" in view.note
    assert np.unique(view.points, axis=0).shape[0] == 200


@pytest.mark.parametrize("key", EXAMPLES)
def test_only_far_outliers_are_brought_to_the_edge(key):
    here = room(key, 600)
    points, shown = here.encoded.values.astype(np.float32), here.view.points
    moved = (shown != points).any(axis=1)
    if key != "5.3":
        assert not moved.any()
        return
    assert moved.sum() == 4
    assert "4 rows lie far outside: each stands" in here.view.note
    assert here.view.x.high - here.view.x.low < 0.5 * np.ptp(points[:, 0])
    middle = np.percentile(points, (5, 95), axis=0).mean(axis=0)
    edge, there = shown[moved] - middle, points[moved] - middle
    np.testing.assert_allclose(edge[:, 1] / edge[:, 0], there[:, 1] / there[:, 0], rtol=1e-4)
    # Arrows end at these rows, and point to where they lie.
    arrows = here.view.arrows
    np.testing.assert_array_equal(arrows[:, 1], shown[moved])
    assert ((np.diff(arrows, axis=1)[:, 0] * there).sum(axis=1) > 0).all()


def test_an_outlier_does_not_squash_the_plane_and_levels_stay_where_they_are():
    values = DRAWS.normal(size=(300, 4))
    values[0] = 500.0
    view = choose_view(Encoded.from_array(values, "normal"))
    assert "1 row lies far outside: it stands" in view.note
    assert np.ptp(view.points[1:, 0]) > 0.2 * (view.x.high - view.x.low)
    codes = np.where(np.arange(300) < 295, 0.0, 2.0)
    units = Unit("a", "normal", ("a",)), Unit("e", "categorical", ("e",), {"levels": (0, 1, 2)})
    table = Encoded(np.column_stack([values[:, 0], codes]), units)
    assert choose_view(table, ("a", "e")).y.high > 2.0
    counts = np.column_stack([DRAWS.normal(size=300), np.where(np.arange(300) == 0, 40.0, codes)])
    jittered = choose_view(Encoded.from_array(counts, "normal"))  # none is moved
    assert jittered.y.high > 40.0


def test_x_and_y_have_one_unit_and_no_panel_of_theirs_is_low_or_narrow():
    def view(*names):
        units = tuple(Unit(name, "normal", (name,)) for name in names)
        return choose_view(Encoded(DRAWS.normal(size=(40, 2)) * [1.0, 9.0], units))

    tied, free = view("x", "Y"), view("income", "age")
    assert (tied.has_one_unit, free.has_one_unit) == (True, False)
    across, up = (axis.high - axis.low for axis in (tied.x, tied.y))
    assert up == pytest.approx(1.3 * across)
    assert abs(tied.x.low + tied.x.high) < 3.0  # about the same middle
    assert free.y.high - free.y.low > 5.0 * (free.x.high - free.x.low)
    logged = replace(tied.units[0], options={"transform": "log"})
    table = Encoded(DRAWS.normal(size=(40, 2)), (logged, tied.units[1]))
    assert not choose_view(table).has_one_unit
