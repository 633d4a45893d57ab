"""The report: its caveats, its settings, no patient; whole without groups, too."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.duration.survfunc import survdiff
from statsmodels.formula.api import ols
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep

from mapdp_studio.core import Schema, infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.groups import BY_CONSTRUCTION
from mapdp_studio.core.clinical.lock import Plan
from mapdp_studio.core.clinical.outcomes import CAUTION, overall, printed, validate
from mapdp_studio.core.clinical.placing import apply_to
from mapdp_studio.core.clinical.report import CAVEAT, THREE_LIMITS, Brought, package
from mapdp_studio.core.clinical.small_counts import HIDDEN, OFF
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.t_tests import Choice, TTests
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.statistics.chance import LIMITS
from mapdp_studio.core.wording import p_text
from tests.clinical.run_study import study_of


def test_the_report_holds_its_caveats_and_no_patient(cohort, written):
    for words in (CAVEAT, BY_CONSTRUCTION, CAUTION, LIMITS, *THREE_LIMITS):
        assert words in written.html
    assert "A &amp; B.csv" in written.html
    assert cohort["study"].lock.hash in written.html
    own = written.html.partition("<script>")[0]  # what follows is plotly.js
    assert re.findall(r"\bP\d{3}\b", own) == []
    made = {"groups", "validators", "controls", "columns"}
    assert set(written.tables) == made | {"table-1", "missing", "adjusted", "t-tests"}


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
    about = study, Checks(groups, tests=tests), validation, "whole.csv", 5, None, second
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


def test_what_came_of_a_second_cohort_is_told(whole):
    text = written_text(whole[-1])
    for said in ("elsewhere.csv", "Outcomes that it lacks: cost"):
        assert said in text


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
    tests = TTests.of(frame, study.lock, groups)
    validation = validate(frame, study.lock, groups.labels)
    written = package(study, replace(checks, tests=tests), validation, "noise.csv")
    assert "No groups were found" in written.html
    assert CAVEAT in written.html
    assert list(written.tables) == ["groups", "columns"]


class _Tables(HTMLParser):
    """The tables of a page: a list of rows each, the names of the columns first."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.is_inside = False
        self.feed(page.partition("<script>")[0])

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self.is_inside = True

    def handle_endtag(self, tag):
        self.is_inside = self.is_inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.is_inside:
            self.tables[-1][-1][-1] += data


def test_page_csv_and_report_print_the_same_numbers(whole):
    """Cell by cell: what the screens show, what the files hold, and what a colleague reads."""
    frame, groups, study, _ = whole
    tests, validation = (
        TTests.of(frame, study.lock, groups),
        validate(frame, study.lock, groups.labels),
    )
    tests = replace(tests, without=dict.fromkeys("abcd", groups.labels))
    written = package(study, Checks(groups, tests=tests), validation, "whole.csv", OFF)
    read = _Tables(written.html).tables
    csv = {
        name: pd.read_csv(io.BytesIO(as_csv(table)), keep_default_na=False, na_values=[""])
        for name, table in written.tables.items()
    }

    def in_report(*names: str) -> pd.DataFrame:
        rows = next(rows for rows in read if rows[0][: len(names)] == list(names))
        return pd.DataFrame(rows[1:], columns=rows[0])

    at_once = overall(validation.validators, groups.labels, groups.titles)
    first_page = in_report("Column", *groups.titles, "p", "p, corrected")
    pd.testing.assert_frame_equal(first_page, at_once[list(first_page)], check_dtype=False)

    pairs, file = printed(validation.validators), csv["validators"]
    full = in_report("Column", "Groups", "n", "Effect (95 % interval)")
    for name in ("Column", "Groups", "Effect (95 % interval)", "p", "p, corrected"):
        assert full[name].tolist() == pairs[name].tolist()
    assert file["p, corrected"].map(p_text).tolist() == pairs["p, corrected"].tolist()
    assert file["p"].map(p_text).tolist() == pairs["p"].tolist()

    lines, file = tests.lines([(0, 1)], Choice()), csv["t-tests"]
    for name in ("p", "p_left_out", "judged", "mean_1", "g", "n_2", "low_left_out"):
        np.testing.assert_array_equal(file[name], lines[name])
    table = in_report("Column", "Groups", "Differs")
    assert table["Column"].tolist() == lines["title"].tolist()
    for name, title in (
        ("p_left_out", "p, column left out"),
        ("judged", "corrected"),
        ("p", "p, as the paper"),
    ):
        assert table[title].tolist() == lines[name].map(p_text).tolist()

    *_, rows = (rows for rows in read if rows[0][:2] == ["Column", "All"] and "n = " in rows[1][1])
    one = pd.DataFrame(rows[1:])
    file = pd.read_csv(
        io.BytesIO(as_csv(written.tables["table-1"])), dtype=str, keep_default_na=False
    )
    # A guard stands before what a spreadsheet would take for a formula.
    guarded = file.map(lambda cell: cell.removeprefix("'"))
    assert one.to_numpy().tolist() == guarded.to_numpy().tolist()


def test_ten_numbers_are_those_of_scipy_and_statsmodels(whole):
    frame, groups, _, written = whole
    labels, tables = groups.labels, written.tables
    outcomes = tables["validators"].set_index("column")
    first, second = (frame[labels == k] for k in (0, 1))
    age = stats.ttest_ind(first["age"], second["age"], equal_var=False)
    interval = age.confidence_interval()
    line = outcomes.loc["age"]
    assert line["p"] == pytest.approx(age.pvalue)
    assert [line["low"], line["high"]] == pytest.approx([interval.low, interval.high])
    table = pd.crosstab(labels, frame["rare"])
    rare = stats.chi2_contingency(table, correction=False).pvalue
    assert outcomes.loc["rare = 1", "p"] == pytest.approx(rare)
    share = confint_proportions_2indep(20, 90, 3, 70, compare="diff", method="newcomb")
    assert written.tables["table-1"].loc["rare", "All"] == HIDDEN
    assert np.isnan(outcomes.loc["rare = 1", "low"])  # three patients
    assert share[0] > 0
    _, log_rank = survdiff(frame["time"], frame["died"], labels)
    assert outcomes.loc["time until died = 1", "p"] == pytest.approx(log_rank)
    ratio = PHReg(frame["time"], labels == 0, status=frame["died"], ties="efron").fit()
    found = outcomes.loc["time until died = 1", "estimate"]
    assert found == pytest.approx(np.exp(ratio.params[0]), rel=1e-4)
    holm = multipletests(outcomes["p"], method="holm")[1]
    np.testing.assert_allclose(outcomes["p, corrected"], holm)
    lines = tables["t-tests"].set_index("column")
    b = stats.ttest_ind(first["b"], second["b"], equal_var=False)
    assert [lines.loc["b", "t"], lines.loc["b", "df"]] == pytest.approx([b.statistic, b.df])
    pooled = np.sqrt((89 * first["b"].var() + 69 * second["b"].var()) / 158)
    g = (first["b"].mean() - second["b"].mean()) / pooled * (1 - 3 / (4 * 158 - 1))
    assert lines.loc["b", "g"] == pytest.approx(g) or np.isnan(lines.loc["b", "g"])
    model = ols("cost ~ age + g", frame.assign(g=1 - labels)).fit()
    assert tables["adjusted"].set_index("Column").loc[
        "cost", "p, adjusted for covariates"
    ] == p_text(model.pvalues["g"])
