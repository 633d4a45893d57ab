"""The report: its caveats, its settings, no patient; whole without groups, too."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.distinctions import BY_CONSTRUCTION
from mapdp_studio.core.clinical.flow import participants_table
from mapdp_studio.core.clinical.methods import APPLICABILITY
from mapdp_studio.core.clinical.report import CAVEAT, package
from mapdp_studio.core.clinical.report_second import Brought
from mapdp_studio.core.clinical.second_cohort import apply_to
from mapdp_studio.core.clinical.small_counts import HIDDEN
from mapdp_studio.core.clinical.study import Plan, Study
from mapdp_studio.core.clinical.t_test_lines import TTests
from mapdp_studio.core.clinical.validation import CAUTION, validate
from mapdp_studio.core.statistics.chance import LIMITS
from tests.clinical.run_study import study_of


def test_the_report_holds_its_caveats_and_no_patient(cohort, written):
    for words in (CAVEAT, BY_CONSTRUCTION, CAUTION, LIMITS, APPLICABILITY[4]):
        assert words in written.html
    assert "They are &lt;i&gt;alike&lt;/i&gt;." in written.html
    assert "A &amp; B.csv" in written.html
    assert cohort["study"].lock.hash in written.html
    own = written.html.partition("<script>")[0]  # what follows is plotly.js
    assert re.findall(r"\bP\d{3}\b", own) == []
    made = {"groups", "yes-no", "scores", "validators", "controls", "participants", "columns"}
    assert set(written.tables) == made


@pytest.fixture(scope="module")
def whole():
    """A study with outcomes, covariates and t-tests: everything that a report may hold."""
    random = np.random.default_rng(5)
    truth = np.repeat([0, 1], [90, 70])
    frame = pd.DataFrame(random.normal(size=(160, 4)) + 5 * truth[:, None], columns=list("abcd"))
    frame["a"] = frame["a"].mask(random.random(160) < 0.2)
    frame["cost"], frame["age"] = random.lognormal(size=160), random.normal(60, 8, 160)
    frame["score_%"], frame["arm"] = random.binomial(4, 0.5, 160), random.integers(2, size=160)
    frame["time"], frame["died"] = random.exponential(5, 160), random.integers(2, size=160)
    few = np.isin(np.arange(160), [*range(20), *range(90, 93)])  # 20 of one group, 3 of the other
    frame["rare"], frame["lab"] = few.astype(int), random.normal(size=160)
    frame["lab"] = frame["lab"].mask(few)
    schema = infer_schema(frame).with_column("rare", role="validator")
    for name, role in (
        ("cost", "validator"),
        ("lab", "validator"),
        ("age", "validator"),
        ("arm", "control"),
    ):
        schema = schema.with_column(name, role=role)
    schema = schema.with_column("cost", transform=None).with_column("died", role="ignore")
    schema = schema.with_column("score_%", role="validator", family="binomial", trials=4, offset=0)
    outcome = {"family": "time_to_event", "event": "died", "event_codes": (1,)}
    schema = schema.with_column("time", role="validator", **outcome)
    study, groups = study_of(frame, schema, restarts=1, covariates=("age",))
    assert groups.sizes.tolist() == [90, 70]
    tests = TTests.of(frame, study.lock, groups)
    validation = validate(frame, study.lock, groups.labels)
    second = second_of(groups, study.lock, frame)
    about = study, Checks(groups), validation, "whole.csv", (), 5, tests, None, second
    return frame, groups, study, package(*about)


def second_of(groups, lock, frame) -> Brought:
    random = np.random.default_rng(4)
    other = frame.sample(80, replace=True, random_state=0).reset_index(drop=True)
    other[list("bcd")] += random.normal(0, 0.1, (80, 3))
    return Brought("elsewhere.csv", apply_to(groups, lock, other.drop(columns="cost")))


def test_table_one_tells_all_patients_by_a_rule_that_is_said(whole):
    frame, groups, _, written = whole
    table = written.tables["table-1"].set_index("Column")
    age, cost = frame["age"], frame["cost"]
    assert table.loc["age, mean (SD)", "All"] == f"{age.mean():.1f} ({age.std():.2f}); n = 160"
    quartiles = cost.quantile([0.5, 0.25, 0.75]).map("{:.3g}".format).tolist()
    said = "{} [{} to {}]; n = 160".format(*quartiles)
    assert table.loc["cost, median [quartiles]", "All"] == said
    inside = frame["a"][groups.labels == 1]
    of_a = table.loc["a, mean (SD)", "Group 2"]
    assert of_a.endswith(f"n = {inside.count()}; {inside.isna().sum()} missing")
    assert "skewness among all patients is beyond 1" in written.html


def test_all_patients_do_not_give_a_hidden_group_away(whole):
    """20 events, or empty cells, of the first group and 23 of all leave 3 of the second."""
    tables = whole[-1].tables
    line = tables["table-1"].set_index("Column").loc["rare = 1"]
    assert line["Group 2"] == HIDDEN != line["Group 1"]
    assert line["All"] == HIDDEN
    # A mean tells of no number of empty cells: only how many were seen is hidden.
    line = tables["table-1"].set_index("Column").loc["lab, mean (SD)"]
    assert all(re.fullmatch(r"\S+ \(\S+\)", line[name]) for name in ("Group 2", "All"))
    assert "; 20 missing" in line["Group 1"]
    missing = tables["missing"].set_index("Column")
    assert missing.loc["lab", ["All", "Group 2"]].eq(HIDDEN).all()
    assert missing.loc["a", ["All", "Group 1", "Group 2"]].ne(HIDDEN).all()


def test_corrected_and_adjusted_p_values_are_never_called_the_same(whole):
    text = written_text(whole[-1])
    assert "p, corrected" in text
    assert "p, adjusted for covariates" in text
    assert not re.search("adjusted p\\b", text, re.IGNORECASE)


def written_text(written) -> str:
    return re.sub("<[^>]+>", " ", written.html.partition("<script>")[0])


def test_the_flow_leads_from_the_file_to_the_complete_cases(whole):
    flow = whole[-1].tables["participants"].set_index("Stage")["Patients"]
    assert flow["Rows of the file"] == flow["In the search for groups"] == "160"
    assert flow["Complete cases: cost"] == "Group 1: 90, Group 2: 70"
    text = written_text(whole[-1])
    for said in ("elsewhere.csv", "Outcomes that it lacks: cost"):
        assert said in text


def test_a_few_rows_less_do_not_follow_from_the_counts_around_them():
    steps = ("A (320 → 310 rows).", "B (fewer than 5 rows less).", "C (307 → 300 rows).")
    lock = SimpleNamespace(prepared=steps, n_rows=300, columns=lambda role: ())
    groups = SimpleNamespace(labels=np.repeat([0, 1], 150), sizes=np.array([150, 150]))
    groups.atypical, groups.profiled = (), (0, 1)
    flow = participants_table(lock, groups, None)["Patients"].tolist()
    assert flow[:4] == [HIDDEN, HIDDEN, "fewer than 5 rows less", "300"]


def test_the_settings_repeat_the_study(cohort, written):
    saved = json.loads(written.settings)
    again = Study()
    again.lock_in(cohort["frame"], Schema.from_dict(saved["schema"]), Plan(**saved["plan"]))
    assert again.lock.hash == saved["hash"] == cohort["study"].lock.hash
    assert {"python", "numpy", "mapdp-studio"} <= set(saved["versions"])


def test_everything_stays_whole_when_there_are_no_groups(noise):
    groups, study, frame = noise["groups"], noise["study"], noise["frame"]
    assert not groups.found_any
    checks = Checks(groups)
    assert checks.light.colour == "grey"
    written = package(study, checks, validate(frame, study.lock, groups.labels), "noise.csv")
    assert "No groups were found" in written.html
    assert CAVEAT in written.html
    assert list(written.tables) == ["groups", "participants", "columns"]
