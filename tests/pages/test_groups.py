"""Clusters, Missing values, New rows, Stability and Views: how groups are shown, named, judged."""

import io
import threading

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import KMeansBIC, Progress, save_model
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.inference.merge_path import merge_path
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition
from mapdp_studio.core.profiling.trees import groups_at
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.session.project import CHANCE, HOW_MANY
from mapdp_studio.core.statistics.chance import Chance
from mapdp_studio.core.statistics.nulls import SHUFFLED
from mapdp_studio.pages import Session
from mapdp_studio.pages.parts.shared.chosen import FOLLOWING
from tests.pages.conftest import (
    control,
    downloads,
    framed,
    in_store,
    page,
    press,
    run,
    settle,
    shown,
    until,
    visit_of,
    words,
)
from tests.several_groupings import as_written, three_groupings
from tests.tables.holed import FRAME, RANDOM

CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0], [9.0, 9.0]])
CLOUDS = (CENTERS[:, None, :] + np.random.default_rng(0).normal(size=(4, 50, 2))).reshape(-1, 2)
#: Four groups and three rows that are like no others.
FOUR = pd.DataFrame([*CLOUDS, [40.0, 40.0], [41.0, 40.5], [40.2, 41.0]], columns=["x", "y"])
FITTED, FIRST = 6, 5
AS_CHANCE = Chance(np.array([0.0, 5.0]), {SHUFFLED: (np.array([0.0, 6.0]),)})
BOTH = {"ARI", "AMI", "Rows apart"}


def whole(name, visit):
    """A page once chance is known, too."""
    return settle(shown(name, visit), ())


def are_compared(at) -> bool:
    return {metric.label for metric in at.metric} == BOTH


def test_the_groups_that_come_back_are_shown_first_on_every_page():
    visit = visit_of(FOUR)
    at = whole("clusters", visit)
    for text in (
        f"**K = {FIRST} (of {FITTED} fitted)**",
        f"**{FIRST} groups** ({FITTED} clusters as fitted); ",
        f"**{FIRST} groups**, put together from the {FITTED} of the fit.",  # why
    ):
        assert text in words(at)
    assert at.slider[0].value == FIRST
    assert not visit.naming, "nobody decided anything yet"
    assert not visit.project.saved().namings, "another table would have its own number"
    assert f"**K = {FIRST} (of {FITTED} fitted)**" in words(whole("take_away", visit))
    run(at.slider[0].set_value(FITTED))
    assert f"**K = {FITTED}**" in words(at)
    assert f"**K = {FITTED}**" in words(whole("snapshots", visit)), "the visitor's number stays"


def test_one_group_is_shown_in_the_moment_it_is_known_that_chance_makes_as_many():
    visit, known = visit_of(FOUR), threading.Event()
    task = visit.project.tasks()[JUDGE]
    job = visit.jobs.start(CHANCE, task, lambda job: known.wait(60) and AS_CHANCE)
    at = page("clusters", visit)
    assert f"**K = {FIRST} (of {FITTED} fitted)**" in words(at)
    known.set()
    assert job.wait(60)
    assert f"**K = 1 (of {FITTED} fitted)**" in words(run(at)), "which nothing runs again"
    settle(at, ())
    assert "**One group** (6 clusters as fitted); no more groups than chance makes" in words(at)
    assert any(f"up to {FITTED} groups" in line.value for line in at.info)
    assert "What drove the grouping" not in [title.value for title in at.subheader]
    run(at.slider[0].set_value(2))
    assert AS_CHANCE.caution in words(at), "that they come back is none"
    assert "**Take none of them for real.** No more" in words(whole("compare", visit))


def test_an_example_and_a_search_that_was_stopped_are_shown_as_fitted():
    def stopped(job: Job) -> None:
        job.stop()
        job(Progress(0, 1, 0.0, 1))

    example, visit = visit_of(FOUR, "example of our own"), visit_of(FOUR)
    visit.jobs.start(HOW_MANY, visit.project.tasks()[JUDGE], stopped).wait(10)
    assert f"**{FITTED} groups**" in words(whole("clusters", visit))
    at = whole("clusters", example)
    assert f"**K = {FITTED}**" in words(at)
    assert not {HOW_MANY, CHANCE} & {*example.jobs._newest}, "they are measured when asked"
    assert sum(text.value.startswith("**Cluster") for text in at.markdown) == FITTED


def test_merges_that_take_long_are_followed_in_one_place(monkeypatch):
    go_on, followed = threading.Event(), JudgedPartition.merge_path_.func
    slow = property(lambda groups: go_on.wait(60) and followed(groups))
    monkeypatch.setattr(JudgedPartition, "merge_path_", slow)
    visit = visit_of(FOUR)
    visit.algorithm = "DPMeans"
    at = shown("clusters", visit, "Merge and name")
    run(until(at, lambda at: any(FOLLOWING in name for name in visit.jobs._newest)))
    assert [b.key for b in at.button if "merges" in (b.key or "")] == ["stop Following the merges"]
    go_on.set()
    assert "Merge two by hand" in [one.value for one in settle(at).subheader]


def test_cards_have_sentences_and_rules_and_two_groups_can_be_merged_and_named():
    random, group = np.random.default_rng(4), np.repeat([0, 1, 2], [80, 40, 40])
    middle = np.array([0.0, 100.0, 140.0])[group]
    names = "height", "mass", "age"
    three = pd.DataFrame({n: (middle + random.normal(0.0, 2.0, 160)).round(1) for n in names})
    three.loc[::20, "age"] = np.nan
    visit = visit_of(three)
    at = page("clusters", visit)
    assert sum(text.value.startswith("Like Cluster") for text in at.markdown) == 3
    assert len(at.code) == 3
    assert "right for 80 of 80 left out" in words(at)
    rules = downloads(page("take_away", visit))["Rules"]
    assert "how often it is right on rows" in rules.help
    at = page("clusters", visit, "Merge and name")
    assert at.button(key="merge").label == "Merge Cluster 2 with Cluster 3", "the cheapest pair"
    run(at.button(key="merge").click())
    (naming,) = visit.naming.values()
    assert naming.merged == ((1, 2),)
    next(one for one in at.text_input if one.key.startswith("name-")).set_value("*tall* ones")
    press(at, "Use these names")
    for other in (at, page("missing", visit)):
        assert "K = 2 (of 3 fitted)" in words(other)
    assert r"\*tall\* ones" in words(page("clusters", visit))
    run(at.slider[0].set_value(3))
    assert "K = 3" in words(at)
    run(at.slider[0].set_value(2))
    run(at.button(key="merge").click())
    assert at.slider[0].value == 1
    assert "K = 1 (of 3 fitted)" in words(at)
    assert visit.results.fitted == {"MAPDP": 1}


def test_a_row_is_found_and_ids_stay_where_they_are_not_asked_for(taken):
    visit = visit_of(FRAME)
    at = page("clusters", visit, "Rows")
    for text, sentence in {
        "P006": "Missing, so silent: height.",
        "nobody": "No row has the id",
        "p041": "placed using 4 of 4 columns",
    }.items():
        assert sentence in words(run(at.text_input[0].set_value(text)))
        assert any("Row 42: why" in one.value for one in at.subheader) == (text == "p041")
    listed = next(table.value for table in at.dataframe if "Density" in table.value)
    assert listed["Density"].is_monotonic_increasing, "the most atypical first"
    doubted = listed.loc[listed["Sure"].idxmin()]
    run(at.text_input[0].set_value(str(doubted["Row"])))
    group, sure, other = doubted[["Group", "Sure", "Else"]]
    line = next(one.value for one in at.markdown if ", then **" in one.value)
    assert line.startswith(f"**{group}** {sure:.0f} %, then **{other}** ")
    run(control(at, "Groups").set_value([0]))
    listed = next(table.value for table in at.dataframe if "Row" in table.value)
    assert {*listed["Group"]} == {"Cluster 1"}
    assert len(listed) == (in_store(visit.results, "judged").labels_ == 0).sum()
    for listed in (page("data", visit, "Rows"), at):
        assert "patient" not in listed.dataframe[-1].value
        run(listed.toggle(key="with_ids").set_value(True))
        assert listed.dataframe[-1].value["patient"].str.startswith("P").all()
    for is_locked in (False, True):
        if is_locked:
            visit.study.lock_in(FRAME, visit.schema, Plan())
        assert ("patient" in run(at).dataframe[-1].value) != is_locked
        page("take_away", visit)
        assert (b"patient" in taken["CSV"]()) != is_locked


def test_holes_are_filled_and_groups_described_by_columns_that_did_not_make_them(taken):
    visit = visit_of(FRAME)
    at = settle(press(page("missing", visit, "Filled in"), "Fill the missing cells"))
    assert "Cell by cell" in [heading.value for heading in at.subheader]
    filled = pd.read_csv(io.BytesIO(taken["Filled table (CSV)"]()))
    assert filled[["height", "kind"]].notna().all(axis=None)
    visit.change({"sick": {"role": "validator"}})
    at = page("clusters", visit, "Columns")
    box = control(at, "Column, those")
    assert box.options[-1] == "sick"
    run(box.set_value("sick"))
    assert "sick took no part in the grouping." in words(at)
    table = at.dataframe[-1].value.set_index("Group")["sick = yes"]
    assert table["All rows"].startswith(f"yes: {(FRAME['sick'] == 'yes').sum()} of 75, ")


def test_a_column_of_weights_has_no_scale_and_the_pages_say_so():
    visit = visit_of(FRAME.assign(share=214.0))
    visit.change({"share": {"role": "weight", "family": "normal"}})
    for name, sentence in {
        "data": "214 on average, are scaled to mean 1, so that the table counts as 75",
        "compare": "75 rows, weighed by “share” (scaled to mean 1), clustered",
        "clusters": "Rows count by “share”, scaled to mean 1",
    }.items():
        assert sentence in words(page(name, visit)), name
    assert in_store(visit.results, "fit of MAPDP").n_clusters_ == 3


def test_one_click_shows_both_results_and_another_closes_them_or_keeps_the_change():
    visit = visit_of(FRAME)
    at = framed("clusters", visit)
    at.session_state["clusters_tab"], at.session_state["what-if-digest"] = "What if", "visits"
    button, asked = "what if without it", settle(run(at)) and visit.results.fitted.total()
    until(run(at.button(key=button).click()), are_compared)
    assert "visits left out" in words(at)
    run(at.button(key="close").click())
    assert "visits left out" not in words(at)
    assert visit.schema["visits"].role == "cluster"
    run(at.button(key=button).click())
    for text in ("without visits", "not comparable"):
        assert text in words(at)
    # A study must know that groups were seen.
    assert visit.results.fitted.total() == asked + 1
    run(at.button(key="keep").click())
    assert visit.schema["visits"].role == "ignore"
    assert not at.metric
    run(at.button(key="undo").click())
    assert visit.schema["visits"].role == "cluster"


def test_a_rating_that_fits_badly_is_named_in_one_line_and_changed_by_one_click():
    ends = np.random.default_rng(0).choice([1, 2, 5], (150, 3), p=[0.45, 0.1, 0.45])
    visit, chosen = (visit_of(pd.DataFrame(ends).add_prefix("item ")) for _ in range(2))
    until(shown("clusters", visit), "Not quite as its likelihood expects: item")
    priors = visit.results.get(visit.project.tasks()[JUDGE]).prior_
    chosen.take_choice(visit.schema.with_choice(dict(zip(visit.schema, priors, strict=True))))
    at = until(shown("clusters", chosen), "Not quite as the chosen model expects: item")
    assert not at.warning
    at = page("clusters", visit, "What if")
    assert any("it fits better" in warning.value for warning in at.warning)
    tried = next(b for b in at.button if (b.key or "").startswith("misfit item"))
    assert are_compared(settle(run(tried.click())))
    run(at.button(key="keep").click())
    column = tried.key.removeprefix("misfit ")
    assert {name for name in visit.schema if visit.schema[name].family == "categorical"} == {column}


def test_a_second_file_is_placed_and_what_does_not_match_or_suit_is_named():
    at = page("new_rows", Session())
    at.session_state["visit"] = visit_of(FRAME)  # which a reload finds a run later
    settle(run(at))
    rows = FRAME.iloc[[1, 31, 61, 71]].rename(columns={"height": "Height"}).drop(columns="sick")
    rows.loc[99] = ["N9", 900.0, "never seen", 500]
    for name, given, n_others in (("new.csv", rows, 1), ("others.csv", rows.iloc[:2], 0)):
        content = given.to_csv(index=False).encode()
        settle(run(at.file_uploader(key="new_rows").upload(name, content, "")))
        assert f"in none of these groups: {n_others} of {len(given)} rows" in words(at)
        assert "“Height” is taken for “height”" in words(at)
        assert "treated as missing: sick" in words(at)
        assert ("“kind” has values the model never met" in words(at)) == bool(n_others)
        groups = at.dataframe[0].value.set_index("Row")["Group"]
        assert (groups.get(5) == "none of these", groups[[1, 2]].nunique()) == (n_others, 2)
    run(at.button_group(key="model_place The result of my table").set_value("A saved model (JSON)"))
    content = save_model(KMeansBIC(2, 2, random_state=0).fit(FRAME)).encode()
    run(at.file_uploader[0].upload("model.json", content, ""))
    assert "This is a saved KMeansBIC; rows are placed by a MAPDP" in words(at)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("n_groups", [1, 2])
def test_stability_judges_the_groups_that_are_shown(n_groups):
    visit = visit_of(FRAME)
    page("clusters", visit)
    (task,) = visit.results._values["fit of MAPDP"]
    fit = visit.results.get(task)
    visit.naming[task] = Naming(groups_at(merge_path(fit.partition_), n_groups))
    at = page("stability", visit)
    model = in_store(visit.results, "judged by stability")
    assert ("before any were put together" in words(at)) == (n_groups == 1)
    if n_groups == 1:  # which has nothing to come back to
        assert model.n_clusters_ == 3
        return
    assert (model.labels_ == visit.naming[task].apply(fit.labels_).labels).all()
    settle(run(at.button(key="start_stability").click()))
    for tab, text in {
        "Groups": "times, rows were drawn anew",
        "Starts": "restarts reached",
        "How many": "when the rows are drawn anew",
        "Rows": "How often a row came out",
    }.items():
        at.session_state["stability_tab"] = tab
        assert text in words(run(at)), tab


def test_a_view_opens_on_other_pages_and_is_undone_and_noise_has_none():
    visit = visit_of(as_written(three_groupings(4, n=80, widths=(3, 3), n_noise=0)[0]))
    at = page("views", visit)
    assert "2 groupings of the same rows" in words(at)
    before, found = visit.project.decided, in_store(visit.results, "Looking for views")
    [button for button in at.button if button.label == "Look at its groups"][1].click().run()
    view, n_fits = found.telling[1], visit.results.fitted["MAPDP"]
    assert set(visit.schema.names("cluster")) == set(view.columns)
    assert f"K = {view.model.n_clusters_}" in words(page("clusters", visit))
    assert visit.results.fitted["MAPDP"] == n_fits, "the view's own fit is shown"
    visit.project.turn_to(before)
    page("views", visit)
    assert in_store(visit.results, "Looking for views") is found, "nothing is sought twice"
    frame = pd.DataFrame(RANDOM.normal(size=(80, 3))).add_prefix("c")
    assert "**No column tells" in words(page("views", visit_of(frame)))
