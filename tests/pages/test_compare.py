"""The Compare page, run without a browser."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.comparing.comparison import FitError, Results
from mapdp_studio.core.comparing.panels import FirstLook
from mapdp_studio.core.exports.script import from_demo
from mapdp_studio.core.exports.settings_file import SettingsFileError, load_settings, save_settings
from mapdp_studio.core.exports.take_away import script_of
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.session.jobs import Jobs
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare import panels
from mapdp_studio.pages.parts.shared import compute
from tests.pages.conftest import PAGES, endless, in_store, studio_of, until
from tests.tables.labelled import FRAME, SCHEMA

RANDOM = np.random.default_rng(2)


def page(frame: pd.DataFrame = FRAME, schema=SCHEMA) -> AppTest:
    return shown("compare", studio_of(frame, "digest", schema))


def shown(name: str, studio: Session, **asked: str) -> AppTest:
    """A page after one run: nothing that goes on is waited for."""
    at = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    at.session_state["studio"] = studio
    at.query_params.update(asked)
    return at.run()


def results_of(at: AppTest) -> Results:
    assert not at.exception
    return at.session_state["studio"].results


@pytest.mark.usefixtures("ready")
def test_the_page_shows_five_clusterings_and_their_scores():
    at = page()
    assert results_of(at).fitted == dict.fromkeys(METHODS.first, 1)
    (table,) = at.table
    assert list(table.value.index) == [method.title for method in METHODS.first.values()]
    assert {"K", "E (log units)", "NMI", "AMI", "ARI", "Sweeps", "Time"} <= set(table.value)
    said = " ".join(caption.value for caption in at.caption)
    assert "exact cost under MAP-DP's model" in said
    assert "Runs on plain numbers" in said
    assert "chosen by E" in said


@pytest.mark.usefixtures("ready")
def test_a_slider_recomputes_only_what_it_touches():
    at = page()
    results = results_of(at)
    before = at.table[0].value["E (log units)"]
    at.select_slider(key="n0").set_value(7.0).run()
    assert results_of(at) is results
    twice = {"MAPDP": 2, "CollapsedGibbs": 2}
    assert results.fitted == dict.fromkeys(METHODS.first, 1) | twice
    assert at.session_state["studio"].settings.concentration == 7.0
    assert (at.table[0].value["E (log units)"] != before).all()
    at.slider(key="k").set_value(5).run()
    moved = {"MixtureEM": 2, "KMeansBIC": 2}
    assert results.fitted == dict.fromkeys(METHODS.first, 1) | twice | moved
    assert not at.session_state["bic"], "K is K-means', not one that BIC chooses"
    at.select_slider(key="lambda").set_value(100.0).run()
    assert results.fitted == dict.fromkeys(METHODS.first, 2)
    at.select_slider(key="n0").set_value(3.0).run()
    assert results.fitted == dict.fromkeys(METHODS.first, 2)


@pytest.mark.usefixtures("ready")
def test_a_retyped_column_gives_new_results():
    at = page()
    studio = at.session_state["studio"]
    before = at.table[0].value["E (log units)"]
    studio.change({"visits": {"family": "categorical"}})
    at.run()
    assert studio.results.fitted == dict.fromkeys(METHODS.first, 2)
    assert (at.table[0].value["E (log units)"] != before).all()


@pytest.mark.usefixtures("ready")
def test_what_is_stopped_waits_until_it_is_run():
    at = page()
    begin = Jobs.start

    def stopped(jobs, name, *about):
        job = begin(jobs, name, *about)
        job.stop()
        return job

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Jobs, "start", stopped)
        patch.setattr(Results, "fit", lambda *about: endless(about[-1]))
        at.select_slider(key="n0").set_value(7.0).run()
    assert results_of(at).fitted["MAPDP"] == 1
    assert any("not up to date: MAP-DP, Gibbs" in caption.value for caption in at.caption)
    at.button(key="run").click().run()
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
    assert sum(results_of(at).fitted.values()) == len(METHODS.first)


def test_without_a_table_the_page_leads_to_one():
    at = shown("compare", Session())
    assert not at.exception
    assert at.button[0].label == "Go to Data"


@pytest.mark.usefixtures("ready", "a_sixth")
def test_a_planted_method_stands_on_compare():
    at = page()
    assert results_of(at).fitted == dict.fromkeys(METHODS.first, 1)
    (scores,) = at.table
    assert list(scores.value.index)[-1] == "Halves"
    assert any("**Halves.** Looks at one column only" in said.value for said in at.caption)


@pytest.mark.usefixtures("ready", "planted")
def test_one_file_and_one_line_make_a_method_of_compare_the_settings_script_and_report():
    at = page()
    assert "Halves" not in at.session_state["studio"].compared
    at.multiselect(key="methods beside").set_value(["Halves"]).run()
    assert any("**Halves.** Cuts the rows in two." in said.value for said in at.caption)
    at.select_slider(key="own Halves.share").set_value(0.25).run()
    assert results_of(at).fitted == dict.fromkeys(METHODS.first, 1) | {"Halves": 2}
    assert list(at.table[0].value.index) == ["MAP-DP", "Halves"]
    studio = at.session_state["studio"]
    assert at.query_params["Halves.share"] == "0.25"
    saved = load_settings(save_settings(studio.work.saved()))
    assert (saved.settings, saved.compared) == (studio.settings, ("MAPDP", "Halves"))
    task = studio.work.tasks()["Halves"]
    assert "Halves(turned=True, share=0.25)" in script_of(from_demo("iris"), task, SCHEMA, "")
    studio.algorithm = "Halves"
    away = shown("take_away", studio)
    assert not away.exception
    assert away.selectbox(key="result_of").value == "Halves"


@pytest.mark.usefixtures("ready")
def test_what_begins_where_another_method_ended_runs_last():
    studio = studio_of(FRAME, "digest", SCHEMA)
    studio.compared = ("MAPDP", "CollapsedGibbs", "HDBSCAN")
    fitted = results_of(shown("compare", studio)).fitted
    assert [name for name in fitted if name != "HDBSCAN"] == ["MAPDP", "CollapsedGibbs"]
    assert fitted == dict.fromkeys(studio.compared, 1)


@pytest.mark.usefixtures("ready")
def test_strips_need_no_method_beside():
    at = page()
    at.session_state["compare_tab"] = "K against a setting"
    at.multiselect(key="methods beside").set_value(["HDBSCAN"]).run()
    assert results_of(at)
    assert any(said.value == "DP-means: K against λ" for said in at.subheader)


@pytest.mark.usefixtures("ready")
def test_a_long_table_is_looked_at_first(monkeypatch):
    sent = []
    go_on, fit = threading.Event(), Results.fit

    def fit_slowly(results, task, *about):
        if len(about[0]) > 20:  # rows: no first look
            go_on.wait(60)
        return fit(results, task, *about)

    def has(*names):
        return lambda at: {*names} <= {name for name, _ in sent}

    monkeypatch.undo()  # of what waits for fits
    monkeypatch.setattr(panels, "send_panel", lambda _, name, part: sent.append((name, part)))
    monkeypatch.setattr("mapdp_studio.core.comparing.panels.LONG", 50)
    monkeypatch.setattr("mapdp_studio.core.comparing.panels.SAMPLE", 20)
    monkeypatch.setattr(Results, "fit", fit_slowly)
    monkeypatch.setattr(compute, "be_patient", lambda *jobs: None)
    at = page()
    until(at, has(*(f"first {name}" for name in METHODS.first)))
    assert b"first look: 20 rows" in dict(sent)["first MAPDP"]
    assert not {*METHODS.first} & {name for name, _ in sent}
    go_on.set()
    until(at, has(*METHODS.first))
    assert b"first look" not in dict(sent)["MAPDP"]
    go_on.clear()
    sent.clear()
    at.select_slider(key="n0").set_value(10.0).run()
    until(at, has("first MAPDP", "first CollapsedGibbs"))
    go_on.set()
    assert len([name for name, _ in {*sent} if name.startswith("first")]) == 2


@pytest.mark.usefixtures("ready")
def test_methods_and_what_they_are_told_come_with_the_address_and_stay_in_it():
    studio = studio_of(FRAME, "digest", SCHEMA)
    asked = {"Agglomerative.linkage": "ward", "HDBSCAN.min_cluster_size": "8", "HDBSCAN.magic": "1"}
    at = shown("compare", studio, methods="HDBSCAN,Agglomerative,Magic", **asked)
    assert not at.exception
    assert studio.compared == ("MAPDP", "HDBSCAN", "Agglomerative")
    told = (("Agglomerative", "linkage", "ward"), ("HDBSCAN", "min_cluster_size", 7))
    assert studio.settings.own == told
    assert at.query_params["methods"] == "MAPDP,HDBSCAN,Agglomerative"
    assert "HDBSCAN.magic" not in at.query_params
    at.selectbox(key="own Agglomerative.linkage").set_value("single").run()
    assert studio.results.fitted == {"MAPDP": 1, "HDBSCAN": 1, "Agglomerative": 2}
    assert at.query_params["Agglomerative.linkage"] == "single"
    at.select_slider(key="own HDBSCAN.min_cluster_size").set_value(5).run()
    assert [entry[0] for entry in studio.settings.own] == ["Agglomerative"]
    saved = load_settings(save_settings(studio.work.saved()))
    assert saved.settings == studio.settings
    wrong = save_settings(studio.work.saved()).replace('"single"', '"magic"')
    with pytest.raises(SettingsFileError, match="'magic' is no linkage"):
        load_settings(wrong)


@pytest.mark.usefixtures("ready")
def test_a_tree_is_cut_into_groups_that_its_panel_can_show():
    at = page()
    at.session_state["compare_tab"] = "Tree"
    at.run()
    studio = at.session_state["studio"]
    wanted = studio.work.tasks()["MAPDP"]
    path = results_of(at).known("row tree", wanted)
    assert path.n_leaves == studio.results.get(wanted).n_clusters_
    at.multiselect(key="methods beside").set_value(["Agglomerative"]).run()
    at.selectbox(key="tree_of").set_value("Agglomerative").run()
    (slider,) = (slider for slider in at.slider if slider.label == "Groups")
    assert slider.value == 3
    slider.set_value(6).run()
    before = studio.results.get(studio.work.tasks()["Agglomerative"])
    next(b for b in at.button if b.label == "Cut here in its panel").click().run()
    after = studio.results.get(studio.work.tasks()["Agglomerative"])
    assert (before.n_clusters_, after.n_clusters_) == (3, 6)
    np.testing.assert_array_equal(after.labels_, before.labels_at(6))
    studio.results.keep(studio.work.tasks()["MAPDP"], FitError("It does not run."))
    assert results_of(at.run())
    assert at.query_params["Agglomerative.height"] == f"{after.height:g}"


@pytest.mark.usefixtures("ready")
def test_a_method_that_takes_fewer_rows_shows_what_it_makes_of_a_sample(monkeypatch):
    monkeypatch.setitem(METHODS, "HDBSCAN", replace(METHODS["HDBSCAN"], most_rows=len(FRAME) - 1))
    at = page()
    at.multiselect(key="methods beside").set_value(["HDBSCAN"]).run()
    said = [caption.value for caption in at.caption]
    assert any(f"takes up to {len(FRAME) - 1:,} rows: of this table's" in text for text in said)
    assert any("leave some out" in text for text in said)
    look = in_store(results_of(at), "first look")
    assert look.results.fitted["HDBSCAN"] == 1
    made = []
    monkeypatch.setattr(FirstLook, "panel", lambda *given: made.append(given))
    at.run()
    assert results_of(at)
    assert made == []  # a redraw makes nothing again


@pytest.mark.usefixtures("ready")
def test_a_column_of_sites_turns_on_the_methods_that_share_clusters():
    frame = FRAME.assign(site=np.where(np.arange(len(FRAME)) % 2, "east", "west"))
    schema = infer_schema(frame).with_column("site", role="group")
    at = page(frame, schema)
    assert "Hard HDP" in at.multiselect(key="methods beside").options
    assert "Hard HDP" not in page().multiselect(key="methods beside").options
    at.session_state["compare_tab"] = "Two methods"
    at.multiselect(key="methods beside").set_value(["HardHDP"]).run()
    results = results_of(at)
    assert results.fitted["HardHDP"] == 1
    model = results.get(at.session_state["studio"].work.tasks()["HardHDP"])
    assert model.group_names_.tolist() == ["east", "west"]
    at.selectbox(key="pair_down").set_value("Data set: site").run()
    at.selectbox(key="pair_across_Data set: site").set_value("Hard HDP").run()
    table = json.loads(at.get("plotly_chart")[-1].proto.spec)["data"][0]
    n_rows = [sum(int(n or 0) for n in row) for row in table["text"]]
    assert n_rows == frame["site"].value_counts(sort=False).sort_index().tolist()
