"""The Clinical page without a browser: every section on every sort of table, and no traceback."""

from __future__ import annotations

import io
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema, read_table
from mapdp_studio.core.clinical.concerns import MARK
from mapdp_studio.core.clinical.groups import find_subgroups
from mapdp_studio.core.clinical.outcomes import CAUTION
from mapdp_studio.core.clinical.t_tests import BANNER
from mapdp_studio.pages import Session, Table
from tests.tables.cohorts import FOLDER

pytestmark = pytest.mark.usefixtures("ready")
PAGE = Path(__file__).parents[2] / "pages" / "clinical.py"
CAVEAT = "Exploratory research use; not for diagnosis or treatment decisions."
SECTIONS = ("roles", "groups", "t_tests", "hold", "outcomes", "patient", "report", "more")
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


def page_on(frame: pd.DataFrame, changes: dict[str, dict] | None = None) -> AppTest:
    studio = Session()
    schema = infer_schema(frame)
    for name, change in (changes or {}).items():
        schema = schema.with_column(name, **change)
    studio.take(Table(frame, "table.csv", " ".join(frame)), schema)
    page = AppTest.from_file(str(PAGE), default_timeout=60)
    page.session_state["studio"] = studio
    return page.run()


def press(page: AppTest, label: str) -> AppTest:
    button = next(button for button in page.button if button.label == label)
    return button.click().run()


def locked(page: AppTest) -> AppTest:
    page = press(page, "Lock the roles and find groups")
    finish(page)
    return page.run()


def finish(page: AppTest) -> None:
    for job in page.session_state["studio"].jobs._newest.values():
        assert job.wait(120)
        assert job.failure == ""


def visit(page: AppTest, section: str) -> AppTest:
    page.session_state["clinical_section"] = section
    jobs = page.session_state["studio"].jobs._newest
    ended = [job for job in jobs.values() if not job.running]
    page.run()
    assert not page.exception
    while [*jobs.values()] != ended:  # what was still under way is drawn when it is there
        finish(page)
        ended = [*jobs.values()]
        page.run()
    assert not page.exception
    assert page.caption[-1].value == CAVEAT
    return page


def said(page: AppTest) -> str:
    parts = (page.markdown, page.caption, page.info, page.warning, page.success, page.error)
    return " ".join(element.value for elements in parts for element in elements)


@pytest.fixture(scope="module")
def cohort() -> AppTest:
    outcome = {"family": "time_to_event", "role": "validator", "event": "status"}
    changes = {
        "site": {"role": "control"},
        "status": {"role": "ignore"},
        "time": outcome | {"event_codes": (1,)},
    }
    return locked(page_on(COHORT, changes))


def test_before_the_lock_every_section_leads_to_the_roles():
    page = page_on(COHORT)
    for section in SECTIONS[1:]:
        assert "Groups come after the roles are locked" in said(visit(page, section))


def test_a_known_answer_can_be_named_as_an_outcome():
    page = page_on(COHORT, {"tremor": {"role": "label"}})
    assert "Name it among the outcomes" in said(page)
    asked = next(box for box in page.multiselect if box.label == "Which columns are outcomes?")
    asked.select("tremor").run()
    assert page.session_state["studio"].schema["tremor"].role == "validator"


def test_another_table_begins_at_the_roles():
    page = page_on(COHORT)
    visit(page, "more")
    page.session_state["studio"].take(Table(NOISE, "other.csv", "other"), infer_schema(NOISE))
    assert page.run().session_state["clinical_section"] == "roles"


def test_two_groups_and_three_atypical_patients(cohort):
    page = visit(cohort, "groups")
    metrics = {metric.label: metric.value for metric in page.metric}
    assert metrics["Groups (5 or more)"] == "2"
    assert metrics["Atypical patients"] == "3"
    assert "Not checked yet" in said(page)


def test_nothing_is_judged_before_the_last_search(monkeypatch):
    shared, held = threading.Event(), threading.Event()

    def slowly(frame, lock, callback, share):
        found = find_subgroups(frame, lock, callback, share)
        share(replace(found, objectives=found.objectives[:1]))
        shared.set()
        held.wait(60)
        return found

    monkeypatch.setattr("mapdp_studio.pages.parts.clinical.work.find_subgroups", slowly)
    page = press(page_on(COHORT), "Lock the roles and find groups")
    assert shared.wait(60)
    page.run()
    labels = {button.label for button in page.button}
    assert "Groups (5 or more)" in {metric.label for metric in page.metric}
    assert not labels & {"Preview: 20 draws", "Full protocol"}
    held.set()
    finish(page)
    page.run()
    assert {"Preview: 20 draws", "Full protocol"} <= {button.label for button in page.button}


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_is_drawn(cohort, section):
    visit(cohort, section)


@pytest.mark.parametrize(
    ("key", "section", "views"),
    [
        (
            "groups_view",
            "groups",
            ["At a glance", "Profiles", "Two groups", "Yes/no and scores", "Profile cards"],
        ),
        (
            "hold_view",
            "hold",
            [
                "Chance or severity",
                "Other patients",
                "Other starts",
                "Pairs",
                "Other settings",
                "Sites",
            ],
        ),
        ("t_test_mode", "t_tests", ["Two groups", "One against all others", "All pairs"]),
        (
            "validators_view",
            "outcomes",
            ["Effects", "Survival", "Negative controls", "Missing cells"],
        ),
        ("more_view", "more", ["A second cohort", "The 2016 paper's analysis"]),
        ("report_view", "report", ["Methods", "Files"]),
    ],
)
def test_every_view_of_a_section_is_drawn(cohort, key, section, views):
    for view in views:
        cohort.session_state[key] = view
        visit(cohort, section)


def test_t_tests_stand_two_clicks_from_the_roles_and_the_paper_s_one_more():
    page = locked(page_on(COHORT))  # the first click
    page = visit(page, "t_tests")  # the second
    made = page.dataframe[0].value
    assert made["Column"].tolist()[0] == "stiffness"
    assert set(made["Column"]) >= {"tremor = yes", "falls"}
    assert made["p, column left out"].notna().sum() >= 3
    assert BANNER in said(page)
    press(page, "As in the 2016 paper")
    finish(page)
    page.run()
    assert "not corrected" in said(page)
    assert "as Table 3" in said(page)
    state = page.session_state
    assert (state["t_test"], state["t_alpha"], state["t_by"]) == ("Student", 0.01, "p")


def test_outcomes_have_curves_and_controls(cohort):
    cohort.session_state["validators_view"] = "Survival"
    page = visit(cohort, "outcomes")
    for words in ("log-rank", "azards are not proportional", "out of scope"):
        assert words in said(page)
    tables = [frame.value for frame in page.dataframe]
    assert any("Median follow-up" in table for table in tables)
    effects = next(table for table in tables if "Also (95 % interval)" in table)
    both = effects["Effect (95 % interval)"] + effects["Also (95 % interval)"]
    assert both.str.contains(r"hazard ratio [\d.]+ \([\d.]+ to").any()
    assert both.str.contains("mean times without the event up to").any()
    cohort.session_state["validators_view"] = "Negative controls"
    assert "No negative control differs" in said(visit(cohort, "outcomes"))


def test_the_checks_run_and_what_they_found_is_on_three_screens(cohort):
    cohort.session_state["groups_view"] = "At a glance"
    page = press(visit(cohort, "groups"), "Preview: 20 draws")
    finish(page)
    assert "rests on the preview of 20 draws" in said(visit(page, "groups"))
    views = {
        "Chance or severity": "Up to 99 tables of each kind are asked for",
        "Other patients": "were drawn anew",
        "Other settings": "adjusted Rand index",
    }
    for view, words in views.items():
        page.session_state["hold_view"] = view
        assert words in said(visit(page, "hold"))


def test_a_second_cohort_stays_when_its_section_is_left(cohort):
    cohort.session_state["more_view"] = "A second cohort"
    again = COHORT[::2].to_csv(index=False).encode()
    page = visit(cohort, "more")
    page.file_uploader[0].upload("a.csv", again, "text/csv").run()
    assert "are no replication" in said(visit(page, "more"))
    moved = COHORT[::2].assign(
        stiffness=COHORT["stiffness"] + 0.01, walk=COHORT["walk"] - 0.01, patient="new"
    )
    content = moved.assign(time=moved["time"] + 0.5).to_csv().encode()
    visit(cohort, "more").file_uploader[0].upload("b.csv", content, "text/csv").run()
    for section in ("groups", "more"):
        page = visit(cohort, section)
    assert "b\\.csv**: 39 patients" in said(page)
    assert "Validators in the second cohort" in said(page)
    assert CAUTION in said(page)
    visit(page, "more").file_uploader[0].upload("c.csv", b"", "text/csv").run()
    assert "Validators in the second cohort" not in said(page)
    assert page.error


def with_report(page: AppTest) -> AppTest:
    """The report's screen, on which it is written unless an earlier test did."""
    page.session_state["report_view"] = "Files"
    page = visit(page, "report")
    if any(button.label == "Write the report" for button in page.button):
        finish(press(page, "Write the report"))
        page = visit(page, "report")
    return page


def test_the_report_is_written_and_offered(cohort):
    page = with_report(cohort)
    assert "hidden" in said(page)
    labels = [button.label for button in page.get("download_button")]
    assert "Report (one HTML file)" in labels
    assert "Lock (JSON)" in labels
    assert "Assignments (CSV)" not in labels


def test_a_real_cohort_is_locked_and_taken_away_under_every_threshold(monkeypatch):
    """survival::gbsg, of whose groups some are small: the report and the t-tests as CSV."""
    taken = {}

    def spy(label, data, *about, **looks):
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
        visit(page, "t_tests")
        said_in_it = f"below {least} are hidden" if least else "Small counts are not hidden"
        assert said_in_it in taken["Report (one HTML file)"]
        lines = pd.read_csv(io.BytesIO(taken["All lines (CSV)"]))
        assert {"age", "nodes", "pgr"} <= {*lines["column"]}


def test_the_lock_is_taken_away_by_itself(cohort):
    page = visit(cohort, "roles")
    assert "Lock (JSON)" in [button.label for button in page.get("download_button")]


def test_a_report_stays_while_more_is_found(cohort, monkeypatch):
    """It was dropped for its button again with every column that was left out behind the page."""
    monkeypatch.setattr(
        "mapdp_studio.pages.parts.clinical.report._known", lambda *about: (0, 0, False, 1)
    )
    with_report(cohort)
    monkeypatch.setattr(
        "mapdp_studio.pages.parts.clinical.report._known", lambda *about: (0, 0, False, 2)
    )
    page = visit(cohort, "report")
    assert "More has been found since this report was written" in said(page)
    assert "Report (one HTML file)" in [button.label for button in page.get("download_button")]
    page = press(page, "Write it again")
    finish(page)
    assert "More has been found" not in said(page.run())


def test_what_is_adjusted_for_is_asked_before_the_lock_and_no_more_after_it():
    page = page_on(COHORT, {"falls": {"role": "validator"}})
    asked = next(box for box in page.multiselect if box.label == "Adjust the outcomes for")
    asked.select("site").select("walk").run()
    assert "walk made the groups" in said(page)  # what adjusting for it asks is something else
    page.session_state["studio"].change({"walk": {"role": "ignore"}})  # can be it no longer
    page = locked(page.run())
    assert page.session_state["studio"].study.lock.plan.covariates == ("site",)
    page.session_state["report_view"] = "Files"
    page = visit(page, "report")
    assert "adjusted for site = south, as was locked" in said(page)
    assert "Adjust the outcomes for" not in [box.label for box in page.multiselect]


def test_unlocking_after_the_groups_were_seen_marks_the_p_values():
    page = visit(locked(page_on(COHORT)), "groups")
    visit(page, "roles")
    press(page, "Unlock all the same")
    page = locked(page)
    assert "chosen afterwards" in said(visit(page, "outcomes"))


@pytest.mark.parametrize("declared", [True, False])
def test_groups_found_elsewhere_are_told_before_the_lock_and_can_be_declared_unseen(declared):
    page = page_on(COHORT)
    page.session_state["studio"].results.fitted["MAPDP"] += 2
    assert "found 2 times on other pages" in said(page.run())
    assert "the page takes your word for it" in said(page)
    if declared:
        press(page, "Nobody has looked at them")
        assert "on other pages. Locked now" not in said(page)
    page = visit(locked(page), "roles")
    assert ("read every p-value here" in said(page)) != declared
    assert ("declared not to have been looked at" in said(page)) == declared


def test_the_page_stays_whole_when_there_are_no_groups():
    page = locked(page_on(NOISE))
    assert "No groups found" in said(visit(page, "groups"))
    for section in SECTIONS[2:]:
        page = visit(page, section)
        if section != "report":
            assert "**No groups found.**" in said(page)


def test_what_looks_like_an_answer_is_asked_about_before_the_lock():
    arm = np.where(GROUP == 0, "a", "b")
    page = page_on(COHORT[["stiffness", "walk", "falls"]].assign(group=arm))
    assert "Is “group” \\(a, b\\) the answer" in said(page)
    press(page, "Keep “group” out, as an outcome")
    schema = page.session_state["studio"].schema
    assert schema["group"].role == "validator"
    assert schema.questions == ()


def test_without_an_outcome_the_roles_are_a_click_away():
    page = visit(locked(page_on(COHORT[["stiffness", "walk", "falls"]])), "outcomes")
    assert "No column was kept out" in said(page)
    press(page, "Go to the roles")
    assert page.session_state["clinical_section"] == "roles"


def test_a_table_of_visits_is_locked_by_choice_alone_and_marked():
    twice = pd.concat([COHORT, COHORT], ignore_index=True)
    twice.insert(0, "rownames", np.arange(len(twice)))
    page = page_on(twice, {"tremor": {"role": "validator"}})
    lock = "Lock the roles and find groups"
    assert "“patient” recurs, 156 rows belong to 78 patients" in said(page).replace("\\", "")
    assert next(button for button in page.button if button.label == lock).disabled
    page.checkbox[0].check().run()
    page = visit(locked(page), "groups")
    assert "156 rows of 78 patients" in said(page)
    assert MARK in said(page)
    for section in ("t_tests", "outcomes"):
        page = visit(page, section)
        assert MARK in said(page)
    assert MARK in said(visit(page, "report"))


def test_a_third_code_is_asked_about_and_no_curve_drawn_until_it_is_known():
    status = np.where(np.arange(N) % 3, COHORT["status"], 2)
    outcome = {"family": "time_to_event", "role": "validator", "event": "status"}
    changes = {"time": outcome | {"event_codes": (1,)}, "status": {"role": "ignore"}}
    page = page_on(COHORT.assign(status=status), changes)
    finish(page)
    page.run()
    assert "has the values 0, 2 beside the event of" in said(page)
    asked = next(box for box in page.multiselect if "not yet, when last seen" in box.label)
    assert asked.options == ["0", "2"]
    page = visit(locked(page), "outcomes")
    assert "tell too many events" in said(page)
    assert "Kaplan-Meier curves" not in said(page)
    page = press(visit(page, "roles"), "Unlock all the same")
    finish(page)
    page.run()
    asked = next(box for box in page.multiselect if "not yet, when last seen" in box.label)
    asked.select("0").select("2").run()
    page = press(page, "Use as a validator")
    assert page.session_state["studio"].schema["time"].censored_codes == (0, 2)
    page.session_state["validators_view"] = "Survival"
    assert "log-rank" in said(visit(locked(page), "outcomes"))
