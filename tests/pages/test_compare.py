"""The Compare page: what a slider touches, methods beside, a long table, trees, marks."""

import json
import re
import threading

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.comparing.comparison import FitError, Results, Task
from mapdp_studio.core.comparing.panels import LOOK_PATIENCE
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.partitions.scores import Contingency
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.compare import answers, panels
from mapdp_studio.pages.parts.shared import chosen, compute
from mapdp_studio.pages.parts.shared.controls import TOLERANCES
from tests.misfit_tables import load_misfit
from tests.pages.conftest import endless, page, press, run, settle, shown, until, visit_of, words
from tests.tables.labelled import FRAME, SCHEMA

ONCE = dict.fromkeys(METHODS.first, 1)


@pytest.fixture
def visit() -> Session:
    return visit_of(FRAME, schema=SCHEMA)


def energies(at: AppTest) -> np.ndarray:
    return at.table[0].value["E (log units)"].to_numpy()


def compare_with(at: AppTest, *names: str) -> AppTest:
    return run(at.multiselect(key="methods beside").set_value([*names]))


def test_a_slider_recomputes_only_what_it_touches(visit):
    at, results = shown("compare", visit), visit.results
    assert results.fitted == ONCE
    scores = at.table[0].value
    assert list(scores.index) == [method.title for method in METHODS.first.values()]
    assert {"K", "E (log units)", "NMI", "AMI", "ARI", "Sweeps", "Time"} <= set(scores)
    for text in ("NMI: agreement with “", "exact cost under MAP-DP's model", "chosen by E"):
        assert text in words(at)
    before = energies(at)
    run(at.select_slider(key="n0").set_value(7.0))
    twice = {"MAPDP": 2, "CollapsedGibbs": 2}
    assert (visit.results, results.fitted) == (results, ONCE | twice)
    assert visit.settings.concentration == 7.0
    assert (energies(at) != before).all()
    run(at.slider(key="k").set_value(5))
    assert results.fitted == ONCE | twice | {"MixtureEM": 2, "KMeansBIC": 2}
    assert not visit.settings.bic, "K is K-means', not one that BIC chooses"
    assert {"n0": "7", "k": "5", "bic": "false"}.items() <= at.query_params.items()
    assert {*at.query_params} <= {"n0", "lambda", "k", "bic"}, "the table is told to nobody"
    at.query_params["n0"] = "50"  # as a browser asks that has not heard of what was written
    assert run(at).query_params["n0"] == "7"
    run(at.select_slider(key="lambda").set_value(100.0))
    run(at.select_slider(key="n0").set_value(3.0))
    run(at.multiselect(key="axes-digest").set_value(["height", "visits"]))
    assert "Rows with a missing value stand in the margin" in words(at)
    assert results.fitted == dict.fromkeys(METHODS.first, 2)
    before = energies(at)
    visit.change({"visits": {"family": "categorical"}})
    run(at)
    assert results.fitted == dict.fromkeys(METHODS.first, 3)
    assert (energies(at) != before).all()
    assert "said when all are there" in answers.which_answer(visit, visit.project.tasks(), True)


def test_tolerance_touches_what_reads_it_and_its_strip_is_measured_once_where_it_is_looked_at():
    visit = visit_of(load_misfit("heavy tails", 300)[0])
    assert (len({*TOLERANCES}), TOLERANCES[0], TOLERANCES[-1]) == (40, 1.0, 0.02)
    at = page("compare", visit, tolerance="0.3", bic="true")
    assert (visit.settings.likelihood_power, visit.settings.bic) == (0.3, True)
    assert "NMI: agreement with MAP-DP's groups" in words(at)
    at.session_state["compare_tab"] = "K against a setting"
    assert "Groups as tolerance rises" not in run(at).session_state["visit"].jobs._newest
    settle(run(at.button(key="ask tolerance").click()))
    job = visit.jobs._newest["Groups as tolerance rises"]
    assert job.result.n_clusters[job.result.proposed] == 3
    settle(run(at.select_slider(key="tolerance").set_value(0.45)))
    assert visit.results.fitted == ONCE | {"MAPDP": 3, "MixtureEM": 2, "CollapsedGibbs": 2}
    assert visit.jobs._newest["Groups as tolerance rises"] is job
    compare_with(at, "HDBSCAN")
    assert any(text.value == "DP-means: K against λ" for text in at.subheader)
    settle(run(at.button(key="ask lambda").click()))
    assert re.search(r"K is \d+ at [\d.]+ and \d+ at [\d.]+\.", words(at))


def headings_drawn(monkeypatch) -> list[list[str]]:
    """Headings of the panels, as often as they are drawn."""
    drawn: list[list[str]] = []

    def draw(figure: str, *args) -> None:
        drawn.append([one["text"] for one in json.loads(figure)["layout"]["annotations"]])

    monkeypatch.setattr(panels, "chart", draw)
    return drawn


def test_what_is_stopped_waits_until_it_is_run_below_what_was_drawn_last(visit, monkeypatch):
    drawn = headings_drawn(monkeypatch)
    at = shown("compare", visit)
    first = drawn[-1]
    run(at.select_slider(key="n0").set_value(1000.0))
    last = drawn[-1]
    assert first != last
    monkeypatch.undo()  # of what waits for fits
    drawn = headings_drawn(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(Results, "fit", lambda *args: endless(args[-1]))
        run(at.select_slider(key="n0").set_value(7.0))
        assert drawn[-1] == last
        run(at.button(key="stop").click())
        until(at, "not up to date: MAP-DP, Gibbs")
    assert visit.results.fitted["MAPDP"] == 2
    run(at.button(key="run").click())
    until(at, lambda at: visit.results.fitted["MAPDP"] == 3)


def test_methods_come_with_the_address_and_what_begins_where_another_ended_runs_last(visit):
    at = shown("compare", visit, methods="HDBSCAN,CollapsedGibbs,Magic")
    assert visit.compared == ("MAPDP", "CollapsedGibbs", "HDBSCAN")
    assert at.query_params["methods"] == "MAPDP,CollapsedGibbs,HDBSCAN"
    assert visit.results.fitted == dict.fromkeys(visit.compared, 1)
    fitted = [name for name in visit.results.fitted if name != "HDBSCAN"]
    assert fitted == ["MAPDP", "CollapsedGibbs"]
    visit.algorithm = "HDBSCAN"
    assert shown("take_away", visit).selectbox(key="result_of").value == "HDBSCAN"


def test_what_was_seen_while_the_table_chose_stays_until_map_dp_has_more(visit, monkeypatch):
    fit, look = Results.fit, ("patience", LOOK_PATIENCE)

    def fit_look(results: Results, task: Task, *rest: object) -> object:
        return fit(results, task, *rest) if look in task.arguments else endless(rest[-1])

    monkeypatch.undo()  # of what waits for fits
    monkeypatch.setattr(Results, "fit", fit_look)
    visit.asks_table, drawn = True, headings_drawn(monkeypatch)
    until(shown("compare", visit), lambda at: not visit.project.is_undecided)
    visit.jobs.clear()
    (heading,) = (heading for heading in drawn[-1] if "first look" in heading)
    assert "MAP-DP" in heading
    assert f"first look: {len(FRAME)} rows" in heading


def test_a_long_table_is_looked_at_first(visit, monkeypatch):
    go_on, fit = threading.Event(), Results.fit

    def fit_slowly(results, task, *args):
        if len(args[0]) > 20:  # rows: no first look
            go_on.wait(60)
        return fit(results, task, *args)

    monkeypatch.undo()  # of what waits for fits
    drawn = headings_drawn(monkeypatch)
    monkeypatch.setattr("mapdp_studio.core.comparing.panels.LONG", 50)
    monkeypatch.setattr("mapdp_studio.core.comparing.panels.SAMPLE", 20)
    monkeypatch.setattr(Results, "fit", fit_slowly)
    monkeypatch.setattr(compute, "be_patient", lambda *jobs: None)

    def looked(at) -> int:
        return sum("first look: 20 rows" in heading for heading in drawn[-1])

    at = shown("compare", visit)
    until(at, lambda at: looked(at) == len(METHODS.first))
    assert not any("NMI" in heading and "first look" not in heading for heading in drawn[-1])
    go_on.set()
    until(at, lambda at: looked(at) == 0 and "still to come" not in "".join(drawn[-1]))
    go_on.clear()
    run(at.select_slider(key="n0").set_value(10.0))
    until(at, lambda at: looked(at) == 2)  # of those that read it
    go_on.set()


def test_a_heading_says_that_groups_are_to_come_while_their_number_is_sought(visit, monkeypatch):
    drawn = headings_drawn(monkeypatch)
    go_on, found = threading.Event(), chosen.how_many
    monkeypatch.setattr(chosen, "how_many", lambda *of, **how: go_on.wait(60) and found(*of, **how))
    at = shown("compare", visit)
    (waiting,) = [heading for heading in drawn[-1] if "groups to come" in heading]
    assert waiting.startswith("<b>MAP-DP</b>")
    go_on.set()
    until(at, lambda at: "groups to come" not in "".join(drawn[-1]))


def test_a_tree_is_cut_into_groups(visit, monkeypatch):
    at = shown("compare", visit, "Tree")
    task = visit.project.tasks()["MAPDP"]
    path = visit.results.peek("row tree", task)
    assert path.n_leaves == visit.results.get(task).n_clusters_
    compare_with(at, "Agglomerative")
    run(at.selectbox(key="tree_of").set_value("Agglomerative"))
    (slider,) = (slider for slider in at.slider if slider.label == "Groups")
    assert slider.value == 3
    texts = []
    monkeypatch.setattr(answers, "chart", lambda figure, key, alt, config: texts.append(alt))
    run(slider.set_value(6))
    assert texts[-2:] == ["Tree of Linkage, cut into 6 groups.", "The rows in 6 groups."]
    visit.results.keep(visit.project.tasks()["MAPDP"], FitError("It does not run."))
    run(at)


def test_a_column_of_sites_turns_on_the_methods_that_share_clusters(visit):
    frame = FRAME.assign(site=np.where(np.arange(len(FRAME)) % 2, "east", "west"))
    by_site = visit_of(frame, schema=infer_schema(frame).with_column("site", role="group"))
    at = shown("compare", by_site, "Two methods")
    assert "Hard HDP" in at.multiselect(key="methods beside").options
    other = shown("compare", visit)
    assert "Hard HDP" not in other.multiselect(key="methods beside").options
    compare_with(at, "HardHDP")
    model = by_site.results.get(by_site.project.tasks()["HardHDP"])
    assert model.group_names_.tolist() == ["east", "west"]


def test_what_two_methods_disagree_on_is_marked_and_listed(visit, monkeypatch):
    at = page("compare", visit, "Two methods", k="5")
    run(at.selectbox(key="pair_across_MAP-DP").set_value("E-M"))
    assert "lie off the matched pairs of groups" in words(at)
    press(at, "Mark these rows")
    tasks = visit.project.tasks()
    both = (visit.results.get(tasks[name]).labels_ for name in ("MAPDP", "MixtureEM"))
    assert visit.marked.size > 1
    assert visit.marked.tolist() == np.flatnonzero(Contingency.of(*both).apart).tolist()
    monkeypatch.setattr(answers, "session", lambda: visit)
    rows = (visit.marked + 1).tolist()
    answers.take_marks(rows[::-1])  # as the chart tells them, from 1 on
    assert (visit.marked + 1).tolist() == rows
    at = page("compare", visit, "Marked rows")
    assert at.dataframe[0].value["Row"].tolist() == (visit.marked + 1).tolist()
    at.session_state["compare_tab"] = "Consensus"
    assert "How near each method is to the consensus" in words(settle(run(at)))


def test_a_score_that_is_still_to_come_is_no_bullet_of_a_list(monkeypatch):
    drawn = []
    monkeypatch.setattr(answers.st, "table", lambda rows, **kwargs: drawn.append(rows.to_html()))
    columns = ["K", "E", "above", "sweeps", "seconds"]
    answers.draw_scores(pd.DataFrame(np.nan, ["MAP-DP"], columns), 3.0, None)
    assert ">-<" not in drawn[0].replace(" ", "")
