"""The comparison: what each setting touches, one yardstick for all, and the page itself."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core import MAPDP, infer_schema
from core.comparing.comparison import (
    ALGORITHMS,
    Refused,
    Results,
    Settings,
    known_truth,
    matched,
    scoreboard,
    tasks,
)
from core.comparing.panels import algorithm_panels
from core.comparing.projection import choose_view
from core.engine.partition import Partition
from pages import Session, Table
from pages.parts.shared.engine import engine

RANDOM = np.random.default_rng(2)
GROUP = np.repeat([0, 1, 2], 30)
FRAME = pd.DataFrame(
    {
        "height": RANDOM.normal(160.0, 3.0, 90) + 12.0 * GROUP,
        "weight": RANDOM.normal(60.0, 3.0, 90) + 9.0 * GROUP,
        "visits": RANDOM.integers(0, 4, 90).astype(float),
        "kind": np.array(["a", "b", "c"])[GROUP],
    }
)
FRAME.loc[:9, "kind"] = None
FRAME.loc[::7, "height"] = np.nan
SCHEMA = infer_schema(FRAME).with_column("kind", role="label")


@pytest.fixture(scope="module")
def fitted() -> tuple[Results, dict]:
    results, wanted = Results(), tasks("digest", SCHEMA, Settings(), len(FRAME))
    for task in wanted.values():
        results.fit(task, FRAME, SCHEMA)
    return results, wanted


@pytest.mark.parametrize(
    ("change", "touched"),
    [
        ({"concentration": 5.0}, {"MAPDP", "CollapsedGibbs"}),
        ({"penalty": 4.0}, {"DPMeans"}),
        ({"n_clusters": 4}, {"MixtureEM"}),
        ({"n_clusters": 4, "bic": False}, {"MixtureEM", "KMeansBIC"}),
        ({"effort": 2}, {"MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs"}),
        ({"seed": 1}, {"MAPDP", "KMeansBIC", "MixtureEM", "CollapsedGibbs"}),
    ],
    ids=str,
)
def test_a_setting_touches_only_the_algorithms_that_read_it(change, touched):
    before = tasks("digest", SCHEMA, Settings(), 90)
    after = tasks("digest", SCHEMA, replace(Settings(), **change), 90)
    assert {name for name in ALGORITHMS if before[name] != after[name]} == touched


def test_only_what_is_clustered_on_makes_results_stale():
    before = tasks("digest", SCHEMA, Settings(), 90)
    assert tasks("digest", SCHEMA.with_column("kind", role="ignore"), Settings(), 90) == before
    retyped = tasks("digest", SCHEMA.with_column("visits", family="categorical"), Settings(), 90)
    other_table = tasks("other", SCHEMA, Settings(), 90)
    assert all(retyped[name] != before[name] != other_table[name] for name in ALGORITHMS)


def test_large_tables_are_asked_for_fewer_starts_and_sweeps():
    small, large = (
        dict(tasks("d", SCHEMA, Settings(), n)["CollapsedGibbs"].arguments)
        for n in (100, 10_000_000)
    )
    assert small["n_sweeps"] == 200
    assert large["n_sweeps"] == 20


def test_all_partitions_are_judged_under_one_model(fitted):
    results, wanted = fitted
    judge = results.get(wanted["MAPDP"])
    for name, task in wanted.items():
        model = results.get(task)
        expected = Partition(judge.columns_, 3.0, model.labels_).objective()
        assert results.objective(task, wanted["MAPDP"]) == pytest.approx(expected), name
    rows = scoreboard(results, wanted, known_truth(FRAME, SCHEMA))
    assert min(row.above for row in rows) == 0.0
    assert [row.title for row in rows] == list(ALGORITHMS.values())
    assert rows[0].agreement["ari"] > 0.9


def test_gibbs_runs_under_the_prior_that_mapdp_chose(fitted):
    results, wanted = fitted
    mapdp, gibbs = (results.get(wanted[name]) for name in ("MAPDP", "CollapsedGibbs"))
    assert gibbs.prior_ == mapdp.prior_


def test_the_concentration_changes_e_even_where_the_labels_stay(fitted):
    results, wanted = fitted
    other = tasks("digest", SCHEMA, Settings(concentration=3.5), len(FRAME))
    results.fit(other["MAPDP"], FRAME, SCHEMA)
    former, latter = (results.get(t["MAPDP"]) for t in (wanted, other))
    np.testing.assert_array_equal(former.labels_, latter.labels_)
    assert former.objective_ != latter.objective_
    task = wanted["DPMeans"]
    assert results.objective(task, wanted["MAPDP"]) != results.objective(task, other["MAPDP"])


def test_a_fit_is_made_once_and_an_interrupted_one_is_not_kept():
    results, task = Results(), tasks("digest", SCHEMA, Settings(), 90)["MAPDP"]

    class Stop(BaseException):
        pass

    def stop(progress):
        raise Stop

    with pytest.raises(Stop):
        results.fit(task, FRAME, SCHEMA, stop)
    assert results.get(task) is None
    model = results.fit(task, FRAME, SCHEMA)
    assert results.get(task) is model
    assert results.fitted == {"MAPDP": 1}
    alone = MAPDP(3.0, random_state=0).fit(FRAME, SCHEMA)
    np.testing.assert_array_equal(model.labels_, alone.labels_)


def test_what_cannot_be_fitted_says_why_and_the_others_go_on():
    results, wanted = Results(), tasks("digest", SCHEMA, Settings(n_clusters=5), 2)
    frame = FRAME.iloc[[1, 80]].reset_index(drop=True)
    for task in wanted.values():
        results.fit(task, frame, SCHEMA)
    refused = results.get(wanted["MixtureEM"])
    assert isinstance(refused, Refused)
    assert "5" in refused.reason
    rows = scoreboard(results, wanted, None)
    assert [row.n_clusters is None for row in rows] == [False, False, False, True, False]
    view = choose_view(SCHEMA.encode(frame))
    panels = algorithm_panels(view, results, wanted, wanted, None)
    assert panels[3].remark == "does not run on this table"


def test_old_models_are_let_go():
    results = Results()
    kept = [tasks("d", SCHEMA, Settings(penalty=float(p)), 90)["DPMeans"] for p in range(1, 15)]
    for task in kept:
        results.fit(task, FRAME, SCHEMA)
    assert results.get(kept[0]) is None
    assert results.get(kept[-1]) is not None


def test_the_truth_leaves_out_rows_without_one():
    truth = known_truth(FRAME, SCHEMA)
    assert truth.names == ("b", "c", "a")
    assert (truth.classes[:10] == -1).all()
    assert known_truth(FRAME.assign(kind=None), SCHEMA) is None
    assert known_truth(FRAME, SCHEMA.with_column("kind", role="ignore")) is None


def test_matching_keeps_the_colour_of_the_same_rows():
    reference = np.array([0, 0, 0, 1, 1, -1, -1, -1])
    labels = np.array([1, 1, 1, 0, 0, 2, 2, 0])
    np.testing.assert_array_equal(matched(reference, labels), [0, 0, 0, 1, 1, 2, 2, 1])


def test_ellipses_stand_where_the_model_has_them(fitted):
    results, wanted = fitted
    view = choose_view(SCHEMA.encode(FRAME))
    panels = dict(
        zip(ALGORITHMS, algorithm_panels(view, results, wanted, wanted, None), strict=True)
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


# ---- the page


@pytest.fixture(scope="module")
def ready() -> None:
    for _ in range(1800):
        if engine().ready:
            return
        time.sleep(0.1)
    raise AssertionError("The engine was not ready within 180 s.")


def page(frame: pd.DataFrame = FRAME, schema=SCHEMA) -> AppTest:
    at = AppTest.from_file(str(Path(__file__).parents[2] / "pages" / "compare.py"))
    studio = Session()
    studio.take(Table(frame, "table.csv", "digest"), schema)
    at.session_state["studio"] = studio
    return at.run(timeout=60)


def results_of(at: AppTest) -> Results:
    assert not at.exception
    return at.session_state["studio"].results


@pytest.mark.usefixtures("ready")
def test_the_page_shows_five_clusterings_and_their_scores():
    at = page()
    assert results_of(at).fitted == dict.fromkeys(ALGORITHMS, 1)
    (table,) = at.table
    assert list(table.value.index) == list(ALGORITHMS.values())
    assert {"K", "E (nats)", "NMI", "AMI", "ARI", "Sweeps", "Time"} <= set(table.value)
    said = " ".join(caption.value for caption in at.caption)
    assert "not comparable" in said
    assert "Runs on plain numbers" in said
    assert "chosen by E" in said


@pytest.mark.usefixtures("ready")
def test_a_slider_recomputes_only_what_it_touches():
    at = page()
    results = results_of(at)
    before = at.table[0].value["E (nats)"]
    at.select_slider(key="n0").set_value(7.0).run(timeout=60)
    assert results_of(at) is results
    twice = {"MAPDP": 2, "CollapsedGibbs": 2}
    assert results.fitted == dict.fromkeys(ALGORITHMS, 1) | twice
    assert at.session_state["studio"].settings.concentration == 7.0
    assert (at.table[0].value["E (nats)"] != before).all()
    at.slider(key="k").set_value(5).run(timeout=60)
    assert results.fitted == dict.fromkeys(ALGORITHMS, 1) | twice | {"MixtureEM": 2}
    at.select_slider(key="lambda").set_value(100.0).run(timeout=60)
    at.toggle(key="bic").set_value(False).run(timeout=60)
    assert results.fitted == dict.fromkeys(ALGORITHMS, 2)
    at.select_slider(key="n0").set_value(3.0).run(timeout=60)
    assert results.fitted == dict.fromkeys(ALGORITHMS, 2)


@pytest.mark.usefixtures("ready")
def test_a_retyped_column_gives_new_results():
    at = page()
    studio = at.session_state["studio"]
    before = at.table[0].value["E (nats)"]
    studio.change({"visits": {"family": "categorical"}})
    at.run(timeout=60)
    assert studio.results.fitted == dict.fromkeys(ALGORITHMS, 2)
    assert (at.table[0].value["E (nats)"] != before).all()


@pytest.mark.usefixtures("ready")
def test_what_is_stopped_waits_until_it_is_run():
    at = page()
    wanted = tasks("digest", SCHEMA, Settings(concentration=7.0, penalty=1.0), len(FRAME))
    at.session_state["stopped_tasks"] = {wanted["MAPDP"], wanted["CollapsedGibbs"]}
    at.select_slider(key="n0").set_value(7.0).run(timeout=60)
    assert results_of(at).fitted["MAPDP"] == 1
    assert any("not up to date: MAP-DP, Gibbs" in caption.value for caption in at.caption)
    at.button(key="run").click().run(timeout=60)
    assert results_of(at).fitted["MAPDP"] == 2


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize(
    "frame",
    [
        FRAME[["height"]],
        FRAME[["kind"]].dropna().reset_index(drop=True),
        FRAME[["height", "weight"]].iloc[[1, 2]].reset_index(drop=True),
        pd.DataFrame({"![x](http://a/b)": RANDOM.normal(size=20), "<b>y</b>": RANDOM.random(20)}),
    ],
    ids=["one column", "one category", "two rows", "names with markup"],
)
def test_an_odd_table_is_no_reason_to_fail(frame):
    at = page(frame, infer_schema(frame))
    assert sum(results_of(at).fitted.values()) == len(ALGORITHMS)


def test_without_a_table_the_page_leads_to_one():
    at = AppTest.from_file(str(Path(__file__).parents[2] / "pages" / "compare.py"))
    at.session_state["studio"] = Session()
    at.run()
    assert not at.exception
    assert at.button[0].label == "Go to Data"
