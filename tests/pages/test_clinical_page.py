"""The Clinical page without a browser: every step and view on every sort of table."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.clinical import verdict
from mapdp_studio.core.clinical.concerns import MARK
from mapdp_studio.core.clinical.outcomes import CAUTION
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.statistics.resampling import Protocol
from mapdp_studio.pages import Session, Table
from mapdp_studio.pages.parts.clinical.plan import LOCK
from tests.tables.cohorts import FOLDER

pytestmark = pytest.mark.usefixtures("ready", "few_draws")
PAGE = Path(__file__).parents[2] / "pages" / "clinical.py"
CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
STEPS = ("plan", "groups", "t_tests", "outcomes", "report")
#: Views for the statistician, with words that say that they are there.
VIEWS = {
    "A patient": "spoke for",
    "Chance or severity": "hold none: real ones gain more",
    "What drove the groups": "log Bayes factor",
    "Sites": "Without each site of",
    "A second table": "Nothing is fitted to it",
    "Stability: groups": "were drawn anew",
    "Stability: starts": "restarts reached",
    "Stability: how many": "are drawn anew",
    "Stability: patients": "the least settled first",
}
RANDOM = np.random.default_rng(11)
GROUP = np.repeat([0, 1, 2], [40, 35, 3])
N = GROUP.size
COHORT = pd.DataFrame(
    {
        "patient": [f"P{i:03d}" for i in range(N)],
        "stiffness": RANDOM.normal(20.0, 2.0, N) + 15.0 * GROUP,
        "walk": RANDOM.normal(60.0, 3.0, N) - 16.0 * GROUP,
        "tremor": np.where(RANDOM.random(N) < 0.1 + 0.8 * (GROUP == 1), "yes", "no"),
        "falls": RANDOM.poisson(1.0 + 6.0 * GROUP),
        "site": RANDOM.choice(["north", "south"], N),
        "time": RANDOM.exponential(30.0 / (1.0 + GROUP), N).round(1),
        "status": RANDOM.integers(0, 2, N),
    }
)
NOISE = pd.DataFrame(RANDOM.normal(size=(50, 3)), columns=["a", "b", "<b>c</b> ![x](http://a/b)"])
OUTCOME = {"family": "time_to_event", "role": "validator", "event": "status"}
ROLES = {
    "site": {"role": "control"},
    "status": {"role": "ignore"},
    "time": OUTCOME | {"event_codes": (1,)},
}


@pytest.fixture(scope="module")
def few_draws():
    """Checks of few draws: what they find has tests of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Protocol, "full", classmethod(lambda kind, seed=0: kind(3, 3, 1, seed)))
        patch.setattr(verdict, "FULL", 2)
        yield


def page_on(frame: pd.DataFrame, changes: dict[str, dict] | None = None) -> AppTest:
    studio = Session()
    schema = infer_schema(frame)
    for name, change in (changes or {}).items():
        schema = schema.with_column(name, **change)
    studio.take(Table(frame, "table.csv", " ".join(frame)), schema)
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    page.session_state["studio"] = studio
    return settled(page)


def press(page: AppTest, label: str) -> AppTest:
    return next(button for button in page.button if button.label == label).click().run()


def settled(page: AppTest) -> AppTest:
    """Run a page, and again when what that began is there."""
    jobs = page.session_state["studio"].jobs._newest
    drawn = None
    while drawn != [*jobs.values()]:
        for job in jobs.values():
            assert job.wait(120)
            assert job.failure == ""
        drawn = [*jobs.values()]  # all of them ended before the page is drawn
        page.run()
        assert not page.exception
    return page


def locked(page: AppTest) -> AppTest:
    return settled(press(settled(page), LOCK))


def visit(page: AppTest, step: str, view: str = "") -> AppTest:
    page.session_state["clinical_section"] = step
    page.session_state["statistician"] = bool(view)
    if view:
        page.session_state["statistician_view"] = view
    settled(page)
    assert page.caption[-1].value == CAVEAT
    return page


def said(page: AppTest) -> str:
    parts = (page.markdown, page.caption, page.info, page.warning, page.success, page.error)
    return " ".join(element.value for elements in parts for element in elements)


def lock_of(page: AppTest):
    return next(button for button in page.button if button.label == LOCK)


def asked(page: AppTest, words: str):
    return next(box for box in page.multiselect if words in box.label)


@pytest.fixture(scope="module")
def cohort(ready, few_draws) -> AppTest:
    return locked(page_on(COHORT, ROLES))


# ---- the plan


def test_before_the_lock_every_step_leads_to_the_plan():
    page = page_on(COHORT)
    for step in STEPS[1:]:
        assert "Groups come after the plan is locked" in said(visit(page, step))
    press(page, "Go to the plan")
    assert page.session_state["clinical_section"] == "plan"
    visit(page, "report")
    page.session_state["studio"].take(Table(NOISE, "other.csv", "other"), infer_schema(NOISE))
    assert page.run().session_state["clinical_section"] == "plan"  # another table begins anew


@pytest.mark.parametrize(
    ("question", "name", "role"),
    [
        ("outcomes", "tremor", "validator"),
        ("outcomes", "walk", "validator"),
        ("treatments", "falls", "control"),
        ("site", "site", "control"),
        ("site", "stiffness", "id"),
    ],
)
def test_three_questions_give_columns_their_roles_and_take_them_back(question, name, role):
    page = page_on(COHORT, {"tremor": {"role": "label"}, "site": {"role": "cluster"}})
    before = page.session_state["studio"].schema[name].role
    settled(asked(page, question).select(name).run())
    assert page.session_state["studio"].schema[name].role == role
    assert name in "".join(asked(page, question).value)
    if before == "cluster" and role != "id":
        settled(asked(page, question).unselect(name).run())
        assert page.session_state["studio"].schema[name].role == "cluster"


def test_what_looks_like_an_answer_is_asked_about_before_the_lock():
    arm = np.where(GROUP == 0, "a", "b")
    page = page_on(COHORT[["stiffness", "walk", "falls"]].assign(group=arm))
    question = next(one for one in page.pills if "Is “group”" in one.label)
    place = question.options.index("Keep “group” out, as an outcome")
    question.set_value(place).run()
    schema = page.session_state["studio"].schema
    assert (schema["group"].role, schema.questions) == ("validator", ())


def test_what_is_adjusted_for_is_asked_before_the_lock_and_no_more_after_it():
    page = page_on(COHORT, {"falls": {"role": "validator"}})
    asked(page, "Adjust").select("site").select("walk").run()
    assert "walk made the groups" in said(page)  # what adjusting for it asks is something else
    page.session_state["studio"].change({"walk": {"role": "ignore"}})  # can be it no longer
    page.text_area[0].set_value(" why ")
    page.session_state["studio"].settings = Settings(seed=7)
    page = locked(page.run())
    plan = page.session_state["studio"].study.lock.plan
    assert (plan.covariates, plan.seed, plan.purpose) == (("site",), 7, "why")
    page = visit(page, "plan")
    assert "adjusted for site = south" in said(page)
    assert not page.multiselect
    assert "Lock (JSON)" in [button.label for button in page.get("download_button")]


def test_a_third_code_is_asked_about_and_no_curve_drawn_until_it_is_known():
    status = np.where(np.arange(N) % 3, COHORT["status"], 2)
    changes = {"time": OUTCOME | {"event_codes": (1,)}, "status": {"role": "ignore"}}
    page = page_on(COHORT.assign(status=status), changes)
    assert "several values beside the event of" in said(page)
    assert asked(page, "not yet, when last seen").options == ["0", "2"]
    page = visit(locked(page), "outcomes")
    assert "tell too many events" in said(page)
    assert "Kaplan-Meier curves" not in said(page)
    page = settled(press(visit(page, "plan"), "Unlock all the same"))
    asked(page, "not yet, when last seen").select("0").select("2").run()
    page = press(page, "Use as an outcome")
    assert page.session_state["studio"].schema["time"].censored_codes == (0, 2)
    assert "log-rank" in tables(visit(locked(page), "outcomes"))


def test_unlocking_after_the_groups_were_seen_marks_the_p_values():
    page = visit(locked(page_on(COHORT)), "groups")
    page = locked(press(visit(page, "plan"), "Unlock all the same"))
    assert "chosen afterwards" in said(visit(page, "outcomes"))
    page = locked(press(visit(page, "plan"), "Unlock all the same"))
    assert "Groups were sought once after the validators had been seen" in said(page)


def test_groups_found_elsewhere_are_told_before_the_lock_and_mark_it():
    page = page_on(COHORT)
    page.session_state["studio"].results.fitted["MAPDP"] += 2
    assert "found 2 times on other pages" in said(page.run())
    assert "read every p-value here" in said(visit(locked(page), "plan"))


def test_a_table_of_visits_is_locked_by_choice_alone_and_marked():
    twice = pd.concat([COHORT, COHORT], ignore_index=True)
    twice.insert(0, "rownames", np.arange(len(twice)))
    page = page_on(twice, {"tremor": {"role": "validator"}})
    assert "“patient” recurs, 156 rows belong to 78 patients" in said(page).replace("\\", "")
    assert lock_of(page).disabled
    page.checkbox[0].check().run()
    page = visit(locked(page), "plan")
    assert "156 rows of 78 patients" in said(page)
    for step in STEPS[1:]:
        assert MARK in said(visit(page, step))


# ---- what is found


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_for_the_statistician_is_drawn(cohort, view):
    page = visit(cohort, "groups", view)
    assert any(words in said(page) for words in VIEWS[view].split("|"))


def test_table_one_has_a_card_s_sentence_as_its_head_and_the_atypical_one_line(cohort):
    page = visit(cohort, "groups")
    (table,) = page.table
    first, second = (name for name in table.value if "Group" in name)
    assert first.startswith("**Group 1**  \n40 patients, 51 %  \nLike Group 2, but ")
    assert "lower stiffness (19" in first
    assert "38 patients" in second
    assert "stiffness, mean \\(SD\\)" in table.value.index
    assert "**3 atypical patients** (rows 76, 77, 78), in clusters of fewer than 5" in said(page)
    assert "Chance or severity." in said(page)  # behind "why"


def test_the_verdict_waits_for_chance(monkeypatch):
    held = threading.Event()

    def checking(*about):
        held.wait(60)
        return verdict.Checks(about[2])

    monkeypatch.setattr("mapdp_studio.pages.parts.clinical.results.run_checks", checking)
    page = press(page_on(COHORT), LOCK)
    jobs = page.session_state["studio"].jobs._newest
    assert jobs["clinical groups"].wait(60)
    page.run()
    assert "**Checking whether chance makes as many groups" in said(page)
    held.set()
    assert "**Checking whether chance" not in said(settled(page))


def test_t_tests_show_both_groups_the_largest_difference_first_and_the_paper_s_in_one_click(cohort):
    page = visit(cohort, "t_tests")
    table = page.dataframe[0].value
    groups = [pair for pair in table if pair[0].startswith("Group ")]
    assert groups == [(f"Group {k}", name) for k in (1, 2) for name in ("n", "mean", "SD")]
    assert table["", "Column"].tolist()[:2] == ["stiffness", "walk"]
    made = COHORT["stiffness"][GROUP == 0]
    line = table.iloc[0]
    assert line["Group 1", "mean"] == pytest.approx(made.mean())
    assert line["Group 1", "SD"] == pytest.approx(made.std())
    difference = line["Group 1", "mean"] - line["Group 2", "mean"]
    assert line["As the paper", "difference"] == pytest.approx(difference)
    assert table["Groups found without the column", "p"].notna().sum() >= 3
    assert "the paper's p is no evidence" in said(page)
    assert len(page.warning) == 0
    page = settled(press(page, "As in the 2016 paper"))
    assert "not corrected" in said(page)
    assert "R16 reports 61 of 215" in said(page)
    state = page.session_state
    assert (state["t_test"], state["t_alpha"], state["t_by"]) == ("Student", 0.01, "p")


@pytest.mark.parametrize("against", ["all others", "every two"])
def test_t_tests_of_other_pairs(cohort, against):
    page = visit(cohort, "t_tests")
    if against == "every two":
        page.toggle(key="t_all_pairs").set_value(True)
        assert ("", "Groups") in settled(page).dataframe[0].value
        page.toggle(key="t_all_pairs").set_value(False)
    else:
        page.selectbox(key="t_b").select_index(1)
        assert settled(page).dataframe[0].value["All others", "n"].iloc[0] == N - 40
        page.selectbox(key="t_b").select_index(0)
    settled(page)


def tables(page: AppTest) -> str:
    return " ".join(frame.value.to_csv() for frame in (*page.table, *page.dataframe))


def test_outcomes_stand_by_group_then_their_p_then_curves_and_controls_in_one_line(cohort):
    page = visit(cohort, "outcomes")
    shown = page.table[0].value
    assert [*shown][:3] == ["Group 1", "Group 2", "p"]
    assert "events, median" in shown.iloc[0]["Group 1"]
    for words in (CAUTION, "azards are not proportional", "out of scope", "Kaplan-Meier curves"):
        assert words in said(page)
    assert "No negative control differs between the groups (site = south)" in said(page)
    pairs = next(f.value for f in page.dataframe if "Also (95 % interval)" in f.value)
    both = pairs["Effect (95 % interval)"] + pairs["Also (95 % interval)"]
    assert both.str.contains(r"hazard ratio [\d.]+ \([\d.]+ to").any()
    assert any("Median follow-up" in frame.value for frame in page.dataframe)


def test_without_an_outcome_the_plan_is_a_click_away():
    page = visit(locked(page_on(COHORT[["stiffness", "walk", "falls"]])), "outcomes")
    assert "No column was kept out" in said(page)
    press(page, "Go to the plan")
    assert page.session_state["clinical_section"] == "plan"


def test_the_page_stays_whole_when_there_are_no_groups():
    page = locked(page_on(NOISE))
    for step in STEPS[1:-1]:
        assert "**No groups found.**" in said(visit(page, step))
    visit(page, "report")


def test_a_second_cohort_stays_when_its_step_is_left(cohort):
    def bring(name: str, content: bytes) -> AppTest:
        page = visit(cohort, "groups", "A second table")
        page.file_uploader[0].upload(name, content, "text/csv").run()
        return visit(page, "outcomes", "A second table")

    again = COHORT[::2].to_csv(index=False).encode()
    assert "are no replication" in said(bring("a.csv", again))
    moved = COHORT[::2].assign(
        stiffness=COHORT["stiffness"] + 0.01, walk=COHORT["walk"] - 0.01, patient="new"
    )
    page = bring("b.csv", moved.assign(time=moved["time"] + 0.5).to_csv().encode())
    visit(page, "report")
    page = visit(page, "groups", "A second table")
    assert "b\\.csv**: 39 patients" in said(page)
    assert "Outcomes in the second cohort" in said(page)
    page = bring("c.csv", b"")
    assert "Outcomes in the second cohort" not in said(page)
    assert page.error


# ---- what is taken away


def with_report(page: AppTest) -> AppTest:
    """The report's step, on which it is written unless an earlier test did."""
    page = visit(page, "report")
    if any(button.label == "Write the report" for button in page.button):
        page = settled(press(page, "Write the report"))
    return page


def labels(page: AppTest) -> list[str]:
    return [button.label for button in page.get("download_button")]


def test_a_report_stays_while_more_is_found_and_hides_small_counts(cohort, monkeypatch):
    """It was dropped for its button again with every column that was left out behind the page."""
    known = "mapdp_studio.pages.parts.clinical.report._known"
    monkeypatch.setattr(known, lambda *about: (0, 0, False, 1))
    page = with_report(cohort)
    assert "below 5 are hidden" in said(page)
    assert {"Report (one HTML file)", "Lock (JSON)"} <= {*labels(page)}
    assert "Assignments (CSV)" not in labels(page)
    monkeypatch.setattr(known, lambda *about: (0, 0, False, 2))
    page = visit(cohort, "report")
    assert "More has been found since this report was written" in said(page)
    assert "Report (one HTML file)" in labels(page)
    page = settled(press(page, "Write it again"))
    assert "More has been found" not in said(page)
    page.checkbox(key="clinical_may").check().run()
    assert "Assignments (CSV)" in labels(page)


def test_a_real_cohort_is_locked_and_taken_away_under_every_threshold(monkeypatch):
    """survival::gbsg, of whose groups some are small."""
    taken = {}

    def spy(label, data, *about, **kwargs):
        taken[label] = data() if callable(data) else data

    frame = read_table(FOLDER / "gbsg.csv")[::3].reset_index(drop=True)  # 229 women
    schema = infer_schema(frame)
    survival = next(q for q in schema.questions if q.columns == ("rfstime", "status")).answers[0]
    page = locked(page_on(frame, survival.changes))
    monkeypatch.setattr("streamlit.download_button", spy)
    for least in (0, 5, 10, 20):
        page.session_state["clinical_least"] = least
        taken.clear()
        with_report(page)
        said_in_it = f"below {least} are hidden" if least else "Small counts are not hidden"
        assert said_in_it in taken["Report (one HTML file)"]
        lines = pd.read_csv(io.BytesIO(taken["T-tests (CSV)"]))
        assert {"age", "nodes", "pgr"} <= {*lines["column"]}
