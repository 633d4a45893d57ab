"""The Clinical page without a browser: every step and view on every sort of table."""

import re
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import MARK
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.clinical.outcomes import CAUTION
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.pages import Table
from mapdp_studio.pages.parts.clinical import t_tests
from mapdp_studio.pages.parts.clinical.plan import LOCK
from mapdp_studio.pages.parts.data import source
from mapdp_studio.pages.parts.shared import loading
from tests.pages.conftest import in_store, press, run, settle, shown, visit_of, words

pytestmark = pytest.mark.usefixtures("ready", "few_draws")
STEPS = ("plan", "groups", "t_tests", "outcomes", "report")
#: Views for the statistician, with words that say that they are there.
VIEWS = {
    "A patient": "never against itself",
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
#: Deaths and tremor are coded 1 = yes, 2 = no.
COHORT = pd.DataFrame(
    {
        "patient": [f"P{i:03d}" for i in range(N)],
        "stiffness": RANDOM.normal(20.0, 2.0, N) + 15.0 * GROUP,
        "walk": RANDOM.normal(60.0, 3.0, N) - 16.0 * GROUP,
        "tremor": np.where(RANDOM.random(N) < 0.1 + 0.8 * (GROUP == 1), 1, 2),
        "falls": RANDOM.poisson(1.0 + 6.0 * GROUP),
        "site": RANDOM.choice(["north", "south"], N),
        "time": RANDOM.exponential(30.0 / (1.0 + GROUP), N).round(1),
        "status": RANDOM.integers(0, 2, N),
        "deaths": np.where(RANDOM.random(N) < 0.1 + 0.4 * (GROUP == 0), 1, 2),
    }
)
PLAIN = COHORT[["stiffness", "walk", "falls"]]
NOISE = pd.DataFrame(RANDOM.normal(size=(50, 3)), columns=["a", "b", "<b>c</b> ![x](http://a/b)"])
CODED = {"family": "bernoulli", "levels": (2, 1)}
OUTCOME = {"family": "time_to_event", "role": "validator", "event": "status"}
ROLES = {
    "site": {"role": "control"},
    "status": {"role": "ignore"},
    "time": OUTCOME | {"event_codes": (1,)},
    "tremor": CODED,
    "deaths": CODED | {"role": "validator"},
}
#: A bare name, of no level, and where it may stand: beside that patient's own answer.
BARE, OWN = re.compile(r"(?:deaths|tremor)(?! = 1)"), ("A patient", "plotly_chart", " = 2")


def page_on(frame: pd.DataFrame, changes: dict[str, dict] | None = None) -> AppTest:
    schema = infer_schema(frame)
    for name, change in (changes or {}).items():
        schema = schema.with_column(name, **change)
    return settled(shown("clinical", visit_of(frame, " ".join(frame), schema)))


def session_of(page: AppTest):
    return page.session_state["visit"]


def settled(page: AppTest) -> AppTest:
    """Run a page, and again when what that began is there."""
    drawn = None
    while drawn != [*session_of(page).jobs._newest.values()]:
        drawn = [*session_of(page).jobs._newest.values()]
        for job in drawn:  # all of them ended before the page is drawn
            assert job.wait(120)
            assert job.failure == ""
        run(page)
    return page


def locked(page: AppTest) -> AppTest:
    return settled(press(settled(page), LOCK))


def unlocked(page: AppTest) -> AppTest:
    return settled(press(visit(page, "plan"), "Unlock all the same"))


def visit(page: AppTest, step: str, view: str = "") -> AppTest:
    page.session_state["clinical_section"] = step
    page.session_state["statistician"] = bool(view)
    if view:
        page.session_state["statistician_view"] = view
    settled(page)
    assert page.caption[-1].value == CAVEAT
    return page


def asked(page: AppTest, text: str):
    return next(box for box in page.multiselect if text in box.label)


def downloads(page: AppTest) -> set[str]:
    return {button.label for button in page.get("download_button")}


def elements(block) -> Iterator[tuple[str, str]]:
    """Kind and content of everything on a screen: words, tables and figures."""
    for child in getattr(block, "children", {}).values():
        yield from elements(child)
    kind = getattr(block, "type", "")
    if kind in ("dataframe", "table", "arrow_table", "arrow_data_frame"):
        yield "dataframe", block.value.to_csv()
    elif getattr(block, "proto", None) is not None and not getattr(block, "children", None):
        yield kind, str(block.proto).replace("\\\\", "\\")


@pytest.fixture(scope="module")
def cohort(ready, few_draws) -> AppTest:
    return locked(page_on(COHORT, ROLES))


def test_before_the_lock_every_step_leads_to_the_plan_and_another_table_begins_anew():
    page = page_on(COHORT)
    for step in STEPS[1:]:
        assert "Groups come after the plan is locked" in words(visit(page, step))
    press(page, "Go to the plan")
    assert page.session_state["clinical_section"] == "plan"
    visit(page, "report")
    session_of(page).take(Table(NOISE, "other.csv", "other"), infer_schema(NOISE))
    assert run(page).session_state["clinical_section"] == "plan"


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
    before = session_of(page).schema[name].role
    settled(asked(page, question).select(name).run())
    assert session_of(page).schema[name].role == role
    assert name in "".join(asked(page, question).value)
    if before == "cluster" and role != "id":
        settled(asked(page, question).unselect(name).run())
        assert session_of(page).schema[name].role == "cluster"


def test_what_looks_like_an_answer_is_asked_about():
    page = page_on(PLAIN.assign(outcome=np.where(GROUP == 0, "a", "b")))
    assert "Is “outcome” one? Then name it in question 1" in words(page)
    page = page_on(PLAIN.assign(group=np.where(GROUP == 0, "a", "b")))
    question = next(one for one in page.pills if "Is “group”" in one.label)
    run(question.set_value(question.options.index("Keep “group” out, as an outcome")))
    schema = session_of(page).schema
    assert (schema["group"].role, schema.questions) == ("validator", ())


def test_what_is_adjusted_for_is_asked_before_the_lock_and_groups_seen_mark_the_p_values():
    page = page_on(COHORT, {"falls": {"role": "validator"}})
    asked(page, "Adjust").select("site").select("walk").run()
    assert "walk made the groups" in words(page)  # what adjusting for it asks is something else
    session_of(page).change({"walk": {"role": "ignore"}})  # can be it no longer
    session_of(page).settings = Settings(seed=7)
    session_of(page).results.fitted["MAPDP"] += 2
    assert "found 2 times on other pages" in words(run(page))
    page = locked(page)
    plan = session_of(page).study.lock.plan
    assert (plan.covariates, plan.seed) == (("site",), 7)
    page = visit(page, "plan")
    for text in ("adjusted for site = south", "read every p-value here"):
        assert text in words(page)
    assert not page.multiselect
    assert "Lock (JSON)" in downloads(page)
    visit(page, "groups")
    page = locked(unlocked(page))
    assert "chosen afterwards" in words(visit(page, "outcomes"))


def test_a_third_code_is_asked_about_and_no_curve_drawn_until_it_is_known():
    status = np.where(np.arange(N) % 3, COHORT["status"], 2)
    page = page_on(COHORT.assign(status=status), {name: ROLES[name] for name in ("time", "status")})
    assert "several values beside the event of" in words(page)
    assert asked(page, "not yet, when last seen").options == ["0", "2"]
    page = visit(locked(page), "outcomes")
    assert "tell too many events" in words(page)
    assert "Kaplan-Meier curves" not in words(page)
    page = unlocked(page)
    asked(page, "not yet, when last seen").select("0").select("2").run()
    page = press(page, "Use as an outcome")
    assert session_of(page).schema["time"].censored_codes == (0, 2)
    assert "Kaplan-Meier curves" in words(visit(locked(page), "outcomes"))


def test_a_table_of_visits_is_locked_by_choice_alone_and_marked():
    twice = pd.concat([COHORT, COHORT], ignore_index=True)
    twice.insert(0, "rownames", np.arange(len(twice)))
    page = page_on(twice, {"tremor": {"role": "validator"}})
    assert "“patient” recurs, 156 rows belong to 78 patients" in words(page).replace("\\", "")
    assert next(button for button in page.button if button.label == LOCK).disabled
    run(page.checkbox[0].check())
    page = locked(page)
    for step in STEPS[1:]:
        assert MARK in words(visit(page, step))


def test_another_table_takes_no_locked_study_s_place(monkeypatch):
    visit, file = visit_of(PLAIN), ("other.csv", NOISE.to_csv(index=False).encode())
    for room in (source, loading):
        monkeypatch.setattr(room, "session", lambda: visit)
    visit.settings = Settings(concentration=50.0)
    visit.study.lock_in(PLAIN, visit.schema, Plan())
    source.take_table(source._open, *file)
    assert "are locked" in visit.failure
    assert (visit.table.name, visit.study.lock is None) == ("table.csv", False)
    visit.study.unlock()
    source.take_table(source._open, *file)
    assert (visit.table.name, visit.failure, visit.settings) == ("other.csv", "", Settings())


@pytest.mark.parametrize(
    ("step", "view"), [*((step, "") for step in STEPS), *(("groups", view) for view in VIEWS)]
)
def test_every_screen_is_drawn_and_names_the_level_that_it_counts(cohort, step, view):
    page, read = visit(cohort, step, view), ""
    assert VIEWS.get(view, "") in words(page)
    assert ("statistician" in [fold.key for fold in page.expander]) == (step != "plan")
    for kind, content in elements(page.main):
        read += content
        for mention in BARE.finditer(content):
            around = content[max(0, mention.start() - 60) : mention.end() + 40]
            assert (view, kind) == OWN[:2], around
            assert OWN[2] in content, around
    assert view or step == "report" or re.search("(?:deaths|tremor) = 1", read)


def test_table_one_has_a_card_s_sentence_as_its_head_and_the_atypical_one_line(cohort):
    page = visit(cohort, "groups")
    (table,) = page.table
    first, second = (name for name in table.value if "Group" in name)
    assert first.startswith("**Group 1**  \n40 patients, 51\u00a0%  \nLike Group 2, but ")
    assert "lower stiffness (19" in first
    assert "38 patients" in second
    assert "stiffness, mean \\(SD\\)" in table.value.index
    assert "**3 atypical patients** (rows 76, 77, 78), in clusters of fewer than 5" in words(page)
    assert "Chance or severity." in words(page)  # behind "why"


def test_the_verdict_waits_for_chance(monkeypatch):
    held = threading.Event()

    def checking(*args):
        held.wait(60)
        return Checks(args[2])

    monkeypatch.setattr("mapdp_studio.pages.parts.clinical.study.run_checks", checking)
    page = press(page_on(COHORT), LOCK)
    assert session_of(page).jobs._newest["Looking for groups"].wait(60)
    assert "**Checking whether chance makes as many groups" in words(run(page))
    held.set()
    assert "**Checking whether chance" not in words(settled(page))


def test_t_tests_show_both_groups_the_largest_difference_first_and_the_paper_s_in_one_click(cohort):
    page = visit(cohort, "t_tests")
    table = page.dataframe[0].value
    groups = [pair for pair in table if pair[0].startswith("Group ")]
    assert groups == [(f"Group {k}", name) for k in (1, 2) for name in ("n", "mean", "SD")]
    assert table["", "Column"].tolist()[:2] == ["stiffness", "walk"]
    made, line = COHORT["stiffness"][GROUP == 0], table.iloc[0]
    mean = line["Group 1", "mean"]
    assert (mean, line["Group 1", "SD"]) == pytest.approx((made.mean(), made.std()))
    assert line["As the paper", "difference"] == pytest.approx(mean - line["Group 2", "mean"])
    assert table["Groups found without the column", "p"].notna().sum() >= 3
    assert "the paper's p is no evidence" in words(page)
    assert len(page.warning) == 0
    page.toggle(key="t_all_pairs").set_value(True)
    assert ("", "Groups") in settled(page).dataframe[0].value
    page.toggle(key="t_all_pairs").set_value(False)
    settled(page).selectbox(key="t_b").select_index(1)
    assert settled(page).dataframe[0].value["All others", "n"].iloc[0] == N - 40
    page.selectbox(key="t_b").select_index(0)
    keys = ("t_test", "t_alpha", "t_correction", "t_by")
    for label, chosen in {
        "As in the 2016 paper": ["Student", 0.01, "None", "p"],
        "Back to corrected tests": ["Welch", 0.05, "Benjamini-Hochberg", "p_left_out"],
    }.items():
        page = settled(press(settled(page), label))
        assert [page.session_state[key] for key in keys] == chosen
        assert ("not corrected" in words(page)) == ("None" in chosen)


def test_outcomes_stand_by_group_then_their_p_then_curves_and_controls_in_one_line(
    cohort, monkeypatch
):
    page = visit(cohort, "outcomes")
    outcomes = page.table[0].value
    assert [*outcomes][:3] == ["Group 1", "Group 2", "p"]
    assert "events, median" in outcomes.iloc[0]["Group 1"]
    for text in (CAUTION, "azards are not proportional", "out of scope", "Kaplan-Meier curves"):
        assert text in words(page)
    assert "No negative control differs between the groups (site = south)" in words(page)
    pairs = next(f.value for f in page.dataframe if "Also (95 % interval)" in f.value)
    both = pairs["Effect (95 % interval)"] + pairs["Also (95 % interval)"]
    assert both.str.contains(r"hazard ratio [\d.]+ \([\d.]+ to").any()
    assert any("Median follow-up" in frame.value for frame in page.dataframe)
    for most in (5, 0):  # groups beyond those with a curve of their own share one
        monkeypatch.setattr("mapdp_studio.pages.parts.clinical.outcomes.MOST_CURVES", most)
        page = visit(cohort, "outcomes")
        (curves,) = (content for kind, content in elements(page.main) if kind == "plotly_chart")
        assert ("Group 2" in curves, "All other groups" in curves) == (most == 5, most == 0)


@pytest.mark.parametrize(
    ("frame", "text"), [(PLAIN, "No column was kept out"), (NOISE, "**No groups found.**")]
)
def test_without_an_outcome_or_without_groups_the_page_stays_whole(frame, text):
    page = locked(page_on(frame))
    for step in STEPS[1:]:
        assert (text in words(visit(page, step))) == (
            step == "outcomes" or (frame is NOISE and step != "report")
        )


def test_a_second_cohort_stays_when_its_step_is_left(cohort):
    def bring(name: str, content: bytes) -> AppTest:
        page = visit(cohort, "groups", "A second table")
        page.file_uploader[0].upload(name, content, "text/csv").run()
        return visit(page, "outcomes", "A second table")

    visit(bring("b.csv", COHORT[::2].to_csv().encode()), "report")
    page = visit(cohort, "groups", "A second table")
    assert "b\\.csv**: 39 patients" in words(page)
    assert "Outcomes in the second cohort" in words(page)
    page = bring("c.csv", b"")
    assert "Outcomes in the second cohort" not in words(page)
    assert page.error


def test_a_report_stays_until_it_is_written_again_and_hides_small_counts(cohort):
    """It was dropped for its button again with every column that was left out behind the page."""
    for least in (5, 10):
        cohort.session_state["clinical_least"] = least
        page = settled(press(visit(cohort, "report"), "Write the report"))
        assert f"below {least} are hidden" in words(page)
    results = session_of(page).results
    before = in_store(results, "Writing the study's report")
    page = visit(cohort, "report")
    assert {"Report (one HTML file)", "Lock (JSON)"} <= downloads(page)
    assert in_store(results, "Writing the study's report") is before
    assert "Assignments (CSV)" not in downloads(page)
    page = settled(press(page, "Write it again"))
    assert in_store(results, "Writing the study's report") is not before
    assert "Assignments (CSV)" in downloads(run(page.checkbox(key="clinical_may").check()))


@pytest.mark.parametrize(
    ("writer", "button"),
    [
        ("pages.parts.clinical.report.make_package", "Report (one HTML file)"),
        ("core.exports.analysis_report.analysis_report", "HTML"),
    ],
)
def test_a_report_that_could_not_be_written_says_so_and_leaves_a_button(
    cohort, monkeypatch, writer, button
):
    """Under pandas 3 an array could not be written to, and the button was gone."""

    def fail(*args):
        np.broadcast_to(0.0, 2)[0] = 1.0

    if button == "HTML":
        at = settle(shown("take_away", visit_of(PLAIN)))
    else:
        cohort.session_state["clinical_least"] = 0  # not written so far
        at = visit(cohort, "report")
    with monkeypatch.context() as patch:
        patch.setattr(f"mapdp_studio.{writer}", fail)
        at = settle(press(at, "Write the report"))
    assert button not in downloads(at)
    assert "assignment destination is read" in at.error[0].value
    assert button in downloads(settle(press(at, "Try again")))


@pytest.mark.parametrize(
    ("name", "width", "p"),
    [
        ("age", 72, 7e-69),
        ("Hypertension = 1", 152, 7e-69),
        ("Alcohol Use at Least Once Per Week = Yes", 240, t_tests.LEAST_P),
    ],
)
def test_a_long_name_leaves_room_and_a_p_value_that_no_number_holds_is_marked(
    name, width, p, monkeypatch
):
    drawn = {}
    monkeypatch.setattr(
        t_tests, "listing", lambda data, *_, **kwargs: drawn.update(kwargs, data=data)
    )
    numbers = [f"{what}_{side}" for what in ("n", "mean", "sd") for side in (1, 2)]
    line = dict.fromkeys([*numbers, "difference", "p", "p_left_out", "t_left_out"], np.nan)
    line |= {"title": name, "column": name, "differs": False, "remark": "", "p": p}
    tests = SimpleNamespace(titles=("Group 1", "Group 2"), left_out={})
    t_tests._table(tests, pd.DataFrame([line]), (0, 1))
    assert drawn["column_config"][1]["width"] == width
    assert (">< 1e-300" in drawn["data"].to_html()) == (p == t_tests.LEAST_P)
