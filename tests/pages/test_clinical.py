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
from mapdp_studio.core.clinical.outcomes import CAUTION
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.wording import CAVEAT
from mapdp_studio.pages import Table
from mapdp_studio.pages.parts.clinical import outcomes, study, t_tests
from mapdp_studio.pages.parts.clinical.plan import LOCK
from tests.pages.conftest import control, downloads, page, press, run, settle, visit_of, words
from tests.tables.patients import COHORT, GROUP, RANDOM, N

pytestmark = pytest.mark.usefixtures("few_draws")
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
PLAIN = COHORT[["stiffness", "walk", "falls"]]
NOISE = pd.DataFrame(RANDOM.normal(size=(50, 3)), columns=["a", "b", "<b>c</b> ![x](http://a/b)"])
CODED = {"family": "bernoulli", "levels": (2, 1)}
OUTCOME = {"role": "validator"}
ENDS = {"family": "time_to_event", "event": "status", "event_codes": (1,)}
TIMES = {"status": {"role": "ignore"}, "time": OUTCOME | ENDS}
ROLES = TIMES | {"site": {"role": "control"}, "tremor": CODED, "deaths": OUTCOME | CODED}
#: A bare name, of no level, and where it may stand: beside that patient's own answer.
BARE, OWN = re.compile(r"(?:deaths|tremor)(?! = 1)"), ("A patient", "plotly_chart", " = 2")
OUTCOMES, TREATMENTS, NAMES = "1 Which", "2 Which", "3 Which"
NOT_YET, REPORT = "Which of the other values", "Report (one HTML file)"


def plan_of(frame: pd.DataFrame, **changes: dict) -> AppTest:
    """The plan with what is guessed of the columns, some of them changed."""
    schema = infer_schema(frame)
    for name, change in changes.items():
        schema = schema.with_column(name, **change)
    return page("clinical", visit_of(frame, schema=schema))


def visit_on(at: AppTest):
    return at.session_state["visit"]


def pressed(at: AppTest, label: str) -> AppTest:
    return settle(press(at, label), ())


def unlocked(at: AppTest) -> AppTest:
    return pressed(turned(at, "plan"), "Unlock all the same")


def turned(at: AppTest, step: str, view: str = "") -> AppTest:
    """The page at a step, or at a view for the statistician."""
    at.session_state["clinical_section"] = step
    at.session_state["statistician"] = bool(view)
    if view:
        at.session_state["statistician_view"] = view
    settle(run(at), ())
    assert at.caption[-1].value == CAVEAT
    return at


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
def cohort(few_draws) -> AppTest:
    return pressed(plan_of(COHORT, **ROLES), LOCK)


def test_every_step_leads_to_the_plan_the_verdict_waits_and_another_table_begins_anew(monkeypatch):
    held = threading.Event()
    monkeypatch.setattr(study, "run_checks", lambda *args: held.wait(60) and Checks(args[2]))
    at = plan_of(COHORT)
    for step in STEPS[1:]:
        assert "Groups come after the plan is locked" in words(turned(at, step))
    press(at, "Go to the plan")
    assert at.session_state["clinical_section"] == "plan"
    press(at, LOCK)
    assert visit_on(at).jobs._newest[study.GROUPS].wait(60)
    assert "**Checking whether chance makes as many groups" in words(run(at))
    held.set()
    assert "**Checking whether chance" not in words(settle(at, ()))
    turned(at, "report")
    visit_on(at).take(Table(NOISE, "other.csv", "other"), infer_schema(NOISE))
    assert run(at).session_state["clinical_section"] == "plan"


def test_three_questions_give_columns_their_roles_and_what_looks_like_an_answer_is_asked_about():
    at = plan_of(COHORT, tremor={"role": "label"}, site={"role": "cluster"})
    for question, name, role in (
        (OUTCOMES, "tremor", "validator"),
        (OUTCOMES, "walk", "validator"),
        (TREATMENTS, "falls", "control"),
        (NAMES, "site", "control"),
        (NAMES, "stiffness", "id"),
    ):
        before = visit_on(at).schema[name].role
        run(control(at, question).select(name))
        assert visit_on(at).schema[name].role == role
        assert name in "".join(control(at, question).value)
        if before == "cluster" and role != "id":
            run(control(at, question).unselect(name))
            assert visit_on(at).schema[name].role == "cluster"
    answer = np.where(GROUP == 0, "a", "b")
    at = plan_of(PLAIN.assign(outcome=answer))
    assert "Is “outcome” one? Then name it in question 1" in words(at)
    at = plan_of(PLAIN.assign(group=answer))
    question = next(one for one in at.pills if "Is “group”" in one.label)
    run(question.set_value(question.options.index("Keep “group” out, as an outcome")))
    schema = visit_on(at).schema
    assert (schema["group"].role, schema.questions) == ("validator", ())


def test_what_is_adjusted_for_is_asked_before_the_lock_and_groups_seen_mark_the_p_values():
    at = plan_of(COHORT, falls={"role": "validator"})
    run(control(at, "Adjust").select("site").select("walk"))
    assert "walk made the groups" in words(at)  # what adjusting for it asks is something else
    visit_on(at).change({"walk": {"role": "ignore"}})  # can be it no longer
    visit_on(at).settings = Settings(seed=7)
    visit_on(at).results.fitted["MAPDP"] += 2
    assert "found 2 times on other pages" in words(run(at))
    at = pressed(at, LOCK)
    plan = visit_on(at).study.lock.plan
    assert (plan.covariates, plan.seed) == (("site",), 7)
    at = turned(at, "plan")
    for text in ("adjusted for site = south", "read every p-value here"):
        assert text in words(at)
    assert not at.multiselect
    assert "Lock (JSON)" in downloads(at)
    turned(at, "groups")
    at = pressed(unlocked(at), LOCK)
    assert "chosen afterwards" in words(turned(at, "outcomes"))


def test_a_third_code_is_asked_about_and_no_curve_drawn_until_it_is_known():
    status = np.where(np.arange(N) % 3, COHORT["status"], 2)
    at = plan_of(COHORT.assign(status=status), **TIMES)
    assert "several values beside the event of" in words(at)
    assert control(at, NOT_YET).options == ["0", "2"]
    at = turned(pressed(at, LOCK), "outcomes")
    assert "tell too many events" in words(at)
    assert "Kaplan-Meier curves" not in words(at)
    at = unlocked(at)
    run(control(at, NOT_YET).select("0").select("2"))
    at = press(at, "Use as an outcome")
    assert visit_on(at).schema["time"].censored_codes == (0, 2)
    assert "Kaplan-Meier curves" in words(turned(pressed(at, LOCK), "outcomes"))


def test_a_table_of_visits_is_locked_by_choice_alone_and_marked():
    twice = pd.concat([COHORT, COHORT], ignore_index=True)
    twice.insert(0, "rownames", np.arange(len(twice)))
    at = plan_of(twice, tremor={"role": "validator"})
    assert "“patient” recurs, 156 rows belong to 78 patients" in words(at).replace("\\", "")
    assert next(button for button in at.button if button.label == LOCK).disabled
    run(at.checkbox[0].check())
    at = pressed(at, LOCK)
    for step in STEPS[1:]:
        assert MARK in words(turned(at, step))


@pytest.mark.parametrize(
    ("step", "view"), [*((step, "") for step in STEPS), *(("groups", view) for view in VIEWS)]
)
def test_every_screen_is_drawn_and_names_the_level_that_it_counts(cohort, step, view):
    at, read = turned(cohort, step, view), ""
    assert VIEWS.get(view, "") in words(at)
    assert ("statistician" in [fold.key for fold in at.expander]) == (step != "plan")
    for kind, content in elements(at.main):
        read += content
        for mention in BARE.finditer(content):
            around = content[max(0, mention.start() - 60) : mention.end() + 40]
            assert (view, kind) == OWN[:2], around
            assert OWN[2] in content, around
    assert view or step == "report" or re.search("(?:deaths|tremor) = 1", read)


def test_table_one_begins_with_a_card_s_sentence_and_t_tests_with_the_largest_difference(cohort):
    at = turned(cohort, "groups")
    (table,) = at.table
    first, second = (name for name in table.value if "Group" in name)
    assert first.startswith("**Group 1**  \n40 patients, 51\u00a0%  \nLike Group 2, but ")
    assert "lower stiffness (19" in first
    assert "38 patients" in second
    assert "stiffness, mean \\(SD\\)" in table.value.index
    assert "**3 atypical patients** (rows 76, 77, 78), in clusters of fewer than 5" in words(at)
    assert "Chance or severity." in words(at)  # behind "why"
    at = turned(cohort, "t_tests")
    table = at.dataframe[0].value
    groups = [pair for pair in table if pair[0].startswith("Group ")]
    assert groups == [(f"Group {k}", name) for k in (1, 2) for name in ("n", "mean", "SD")]
    assert table["", "Column"].tolist()[:2] == ["stiffness", "walk"]
    made, line = COHORT["stiffness"][GROUP == 0], table.iloc[0]
    mean = line["Group 1", "mean"]
    assert (mean, line["Group 1", "SD"]) == pytest.approx((made.mean(), made.std()))
    assert line["As the paper", "difference"] == pytest.approx(mean - line["Group 2", "mean"])
    assert table["Groups found without the column", "p"].notna().sum() >= 3
    assert "the paper's p is no evidence" in words(at)
    assert len(at.warning) == 0
    run(at.toggle(key="t_all_pairs").set_value(True))
    assert ("", "Groups") in at.dataframe[0].value
    run(at.toggle(key="t_all_pairs").set_value(False))
    run(at.selectbox(key="t_b").select_index(1))
    assert at.dataframe[0].value["All others", "n"].iloc[0] == N - 40
    at.selectbox(key="t_b").select_index(0)
    keys = ("t_test", "t_alpha", "t_correction", "t_by")
    for label, chosen in {
        "As in the 2016 paper": ["Student", 0.01, "None", "p"],
        "Back to corrected tests": ["Welch", 0.05, "Benjamini-Hochberg", "p_left_out"],
    }.items():
        at = pressed(at, label)
        assert [at.session_state[key] for key in keys] == chosen
        assert ("not corrected" in words(at)) == ("None" in chosen)
        assert "By chance alone" not in words(at)  # of columns that made the groups, all are


def test_outcomes_stand_by_group_then_p_then_curves_and_controls_in_one_line(cohort, monkeypatch):
    at = turned(cohort, "outcomes")
    by_group = at.table[0].value
    assert [*by_group][:3] == ["Group 1", "Group 2", "p"]
    assert "events, median" in by_group.iloc[0]["Group 1"]
    for text in (CAUTION, "azards are not proportional", "out of scope", "Kaplan-Meier curves"):
        assert text in words(at)
    assert "No negative control differs between the groups (site = south)" in words(at)
    pairs = next(f.value for f in at.dataframe if "Also (95 % interval)" in f.value)
    both = pairs["Effect (95 % interval)"] + pairs["Also (95 % interval)"]
    assert both.str.contains(r"hazard ratio [\d.]+ \([\d.]+ to").any()
    assert any("Median follow-up" in frame.value for frame in at.dataframe)
    for most in (5, 1, 0):  # groups beyond those with a curve of their own share one
        monkeypatch.setattr(outcomes, "MOST_CURVES", most)
        at = turned(cohort, "outcomes")
        (curves,) = (content for kind, content in elements(at.main) if kind == "plotly_chart")
        assert ("Group 2" in curves, "All other groups" in curves) == (most > 0, most == 0)


def test_without_an_outcome_or_without_groups_the_page_stays_whole():
    for frame, text in ((PLAIN, "No column was kept out"), (NOISE, "**No groups found.**")):
        at = pressed(plan_of(frame), LOCK)
        for step in STEPS[1:]:
            is_said = step == "outcomes" or (frame is NOISE and step != "report")
            assert (text in words(turned(at, step))) == is_said


def test_a_second_cohort_stays_when_its_step_is_left(cohort):
    tested = "Outcomes in the second cohort"
    for name, content in (("b.csv", COHORT[::2].to_csv().encode()), ("c.csv", b"")):
        at = turned(cohort, "groups", "A second table")
        run(at.file_uploader[0].upload(name, content, "text/csv"))
        turned(at, "report")
        at = turned(cohort, "groups", "A second table")
        assert ("b\\.csv**: 39 patients" in words(at)) == bool(content)
        assert (tested in words(at)) == (not at.error) == bool(content)


def test_a_report_that_was_not_written_says_so_then_stays_and_hides_small_counts(
    cohort, monkeypatch
):
    """Under pandas 3 an array could not be written to, and the button for another trial was gone.

    What was written was dropped with every column that was left out behind the page.
    """

    def fail(*args):
        np.broadcast_to(0.0, 2)[0] = 1.0

    cohort.session_state["clinical_least"] = 0
    reports = {"HTML": page("take_away", visit_of(PLAIN)), REPORT: turned(cohort, "report")}
    with monkeypatch.context() as patch:
        patch.setattr("mapdp_studio.pages.parts.take_away.cards.analysis_report", fail)
        patch.setattr("mapdp_studio.pages.parts.clinical.report.make_package", fail)
        for at in reports.values():
            pressed(at, "Write the report")
    for button, at in reports.items():
        assert button not in downloads(at)
        assert "assignment destination is read" in at.error[0].value
        assert button in downloads(pressed(at, "Try again"))
    for least in (5, 10):
        cohort.session_state["clinical_least"] = least
        at = pressed(turned(cohort, "report"), "Write the report")
        assert f"below {least} are hidden" in words(at)
    jobs, writing = visit_on(at).jobs._newest, "Writing the study's report"
    before = jobs[writing]
    at = turned(cohort, "report")
    assert {REPORT, "Lock (JSON)"} <= {*downloads(at)}
    assert jobs[writing] is before
    assert "Assignments (CSV)" not in downloads(at)
    at = pressed(at, "Write it again")
    assert jobs[writing] is not before
    assert "Assignments (CSV)" in downloads(run(at.checkbox(key="clinical_may").check()))


@pytest.mark.parametrize("p", [7e-69, t_tests.LEAST_P])
def test_a_p_value_that_no_number_holds_is_marked(p, monkeypatch):
    drawn = []
    monkeypatch.setattr(t_tests, "listing", lambda data, *_, **how: drawn.append(data))
    numbers = [f"{what}_{side}" for what in ("n", "mean", "sd") for side in (1, 2)]
    line = dict.fromkeys([*numbers, "difference", "p_left_out", "t_left_out"], np.nan)
    line |= {"title": "age", "column": "age", "p": p, "differs": False, "remark": ""}
    tests = SimpleNamespace(titles=("Group 1", "Group 2"), left_out={})
    t_tests._table(tests, pd.DataFrame([line]), (0, 1))
    assert (">< 1e-300" in drawn[0].to_html()) == (p == t_tests.LEAST_P)
