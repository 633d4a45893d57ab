"""The report: caveats, settings, no patient; outcomes; every number the same in each place."""

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.duration.hazard_regression import PHReg
from statsmodels.duration.survfunc import survdiff
from statsmodels.formula.api import ols
from statsmodels.stats.multitest import multipletests

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import concerns
from mapdp_studio.core.clinical.outcomes import (
    CAUTION,
    hide_effects,
    overall_table,
    pair_table,
    survival_curves,
)
from mapdp_studio.core.clinical.placing import apply_to
from mapdp_studio.core.clinical.report import EFFECT, make_package, versions
from mapdp_studio.core.clinical.small_counts import HIDDEN, OFF
from mapdp_studio.core.clinical.study import SecondTable
from mapdp_studio.core.clinical.t_tests import PAPER
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.schema.schema import Schema
from mapdp_studio.core.schema.spec import ColumnSpec
from mapdp_studio.core.statistics.chance import LIMITS
from mapdp_studio.core.version import __version__
from mapdp_studio.core.wording import CAVEAT, p_text
from tests.clinical.studies import Studied, own_text, studied, tables_of
from tests.tables.deaths import deaths_frame

ROOT = Path(__file__).parents[2]


def test_the_report_holds_its_caveats_its_methods_and_no_patient(cohort):
    written = cohort.written(10, "A & B.csv")
    texts = (CAVEAT, "by construction", CAUTION, LIMITS, "needs other patients", "A &amp; B.csv")
    texts += (cohort.lock.hash, "skewness among all patients is beyond 1", "527 patients")
    for words in (*texts, "215 columns", "N₀ = 3", "One run of the search", "Holm over 18 tests"):
        assert words in written.html
    assert re.findall(r"\bP\d{3}\b", own_text(written)) == []
    made = {"groups", "validators", "controls", "table-1", "t-tests"}  # adjusted for nothing
    assert set(written.tables) == made
    assert written.tables["groups"].set_index("Group").loc["Atypical", "Patients"] == HIDDEN
    # Every column that made the groups has its line.
    assert set(cohort.lock.columns("cluster")) < set(written.tables["table-1"].index)
    # Another version that is installed beside a checkout is not the one that ran.
    cited, changes = ((ROOT / name).read_text() for name in ("CITATION.cff", "CHANGELOG.md"))
    assert changes.split("\n## ")[1].split()[0] == versions()["mapdp-studio"] == __version__
    assert f"\nversion: {__version__}\n" in cited
    table = pd.DataFrame(np.random.default_rng(2).normal(size=(60, 4)), columns=list("abcd"))
    noise = studied(table, infer_schema(table).with_column("d", role="validator"))
    assert not noise.groups.found_any
    written = noise.written()
    assert (noise.checks.light.colour, list(written.tables)) == ("grey", ["groups"])
    assert "No groups were found" in written.html
    assert "No test was made between groups of the columns kept out" in written.html
    assert not re.search("tested between|no check was made yet", written.html)


@pytest.fixture(scope="module")
def whole() -> Studied:
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
    roles = dict.fromkeys(["rare", "cost", "lab", "age"], "validator")
    schema = infer_schema(frame).with_columns(roles | {"arm": "control", "died": "ignore"})
    schema = schema.with_column("cost", transform=None)
    schema = schema.with_column("score_%", role="validator", family="binomial", trials=4, offset=0)
    outcome = {"family": "time_to_event", "event": "died", "event_codes": (1,)}
    schema = schema.with_column("time", role="validator", **outcome)
    one = studied(frame, schema, covariates=("age",))
    assert one.groups.sizes.tolist() == [90, 70]
    return one


def test_all_patients_do_not_give_a_hidden_group_away(whole):
    """20 events, or empty cells, of the first group and 23 of all leave 3 of the second."""
    written = whole.written()
    tables = written.tables
    lines = tables["table-1"].set_index("Column")
    line = lines.loc["rare = 1"]
    assert line["Cluster 2"] == line["All"] == HIDDEN != line["Cluster 1"]
    # A mean tells of no number of empty cells: only how many were seen is hidden.
    line = lines.loc["lab, mean (SD)"]
    assert all(re.fullmatch(r"\S+ \(\S+\)", line[name]) for name in ("Cluster 2", "All"))
    assert "; 20 missing" in line["Cluster 1"]
    # Nor do effects and numbers of patients between the two.
    found = whole.validation.validators
    pairs = pair_table(hide_effects(found, written.hidden))
    pairs = pairs.set_index("Column")[["n", "Effect (95 % interval)"]]
    adjusted = tables["adjusted"].set_index("Column").filter(like="djusted (").join(pairs["n"])
    assert [(table.loc["rare = 1"] == HIDDEN).all() for table in (pairs, adjusted)] == [True] * 2
    assert (pairs.loc["age"] != HIDDEN).all()


def test_corrected_and_adjusted_p_values_are_never_called_the_same(whole):
    other = whole.frame.sample(80, replace=True, random_state=0).reset_index(drop=True)
    other[list("bcd")] += np.random.default_rng(4).normal(0, 0.1, (80, 3))
    whole.study.second = SecondTable("elsewhere.csv", other)
    other.loc[0, list("abcd")] = 90.0  # suits no group
    placed = apply_to(whole.groups, whole.lock, other.drop(columns="cost"))
    assert (placed.labels[0], placed.placed.size) == (2, 79)
    text = re.sub("<[^>]+>", " ", own_text(whole.written(second=placed)))
    second = ("elsewhere.csv", "Outcomes that it lacks: cost", "Outcomes of the second cohort")
    for words in ("p, corrected", "p, adjusted for covariates", *second):
        assert words in text
    assert not re.search("adjusted p\\b", text, re.IGNORECASE)


def test_page_csv_and_report_print_the_same_numbers(whole):
    groups, validation = whole.groups, whole.validation
    tests = replace(whole.tests, left_out=dict.fromkeys("abcd", groups.labels))
    checks = replace(whole.checks, tests=tests)
    written = make_package(whole.study, checks, validation, "whole.csv", OFF)
    read = tables_of(written.html)
    csv = {
        name: pd.read_csv(io.BytesIO(as_csv(table)), keep_default_na=False, na_values=[""])
        for name, table in written.tables.items()
    }

    def in_report(*names: str) -> pd.DataFrame:
        return next(table for table in read if list(table)[: len(names)] == list(names))

    at_once = overall_table(validation.validators, groups.labels, groups.titles)
    first_page = in_report("Column", *groups.titles, EFFECT, "p", "p, corrected")
    clearest = first_page.pop(EFFECT)
    pd.testing.assert_frame_equal(first_page, at_once[list(first_page)], check_dtype=False)

    pairs, file = pair_table(validation.validators), csv["validators"]
    assert clearest.tolist() == ("1 and 2: " + pairs["Effect (95 % interval)"]).tolist()
    full = in_report("Column", "Groups", "n", "Effect (95 % interval)")
    for name in ("Column", "Groups", "Effect (95 % interval)", "p", "p, corrected"):
        assert full[name].tolist() == pairs[name].tolist()
    assert file["p, corrected"].map(p_text).tolist() == pairs["p, corrected"].tolist()
    assert file["p"].map(p_text).tolist() == pairs["p"].tolist()

    lines, file = tests.lines(), csv["t-tests"]
    for name in ("p", "p_left_out", "judged", "mean_1", "g", "n_2", "low_left_out"):
        np.testing.assert_allclose(file[name], lines[name], rtol=1e-15)  # pandas 2's last digit
    table = in_report("Column", "Groups", "Differs")
    assert table["Column"].tolist() == lines["title"].tolist()
    titles = {"p_left_out": "p, column left out", "judged": "corrected", "p": "p, as the paper"}
    for name, title in titles.items():
        assert table[title].tolist() == lines[name].map(p_text).tolist()

    described = (table for table in read if list(table)[:2] == ["Column", "All"])
    one = next(table for table in described if "n = " in table["All"][0])
    file = written.tables["table-1"]
    assert one.to_numpy().tolist() == file.to_numpy().tolist()


def test_numbers_of_each_kind_are_those_of_scipy_and_statsmodels(whole):
    frame, labels = whole.frame, whole.groups.labels
    tables = whole.written().tables
    tested = tables["validators"].set_index("column")
    first, second = (frame[labels == k] for k in (0, 1))
    age = stats.ttest_ind(first["age"], second["age"], equal_var=False)
    interval = age.confidence_interval()
    line = tested.loc["age"]
    assert line["p"] == pytest.approx(age.pvalue)
    assert [line["low"], line["high"]] == pytest.approx([interval.low, interval.high])
    assert np.isnan(tested.loc["rare = 1", "low"])  # three patients
    _, log_rank = survdiff(frame["time"], frame["died"], labels)
    assert tested.loc["time until died = 1", "p"] == pytest.approx(log_rank)
    ratio = PHReg(frame["time"], labels == 0, status=frame["died"], ties="efron").fit()
    found = tested.loc["time until died = 1", "estimate"]
    assert found == pytest.approx(np.exp(ratio.params[0]), rel=1e-4)
    holm = multipletests(tested["p"], method="holm")[1]
    np.testing.assert_allclose(tested["p, corrected"], holm)
    pooled = np.sqrt((89 * first["b"].var() + 69 * second["b"].var()) / 158)
    g = (first["b"].mean() - second["b"].mean()) / pooled * (1 - 3 / (4 * 158 - 1))
    by_the_pair_shown = whole.tests.lines(choice=PAPER).set_index("column")
    assert by_the_pair_shown.loc["b", "g"] == pytest.approx(g)
    model = ols("cost ~ age + g", frame.assign(g=1 - labels)).fit()
    adjusted = tables["adjusted"].set_index("Column")
    assert adjusted.loc["cost", "p, adjusted for covariates"] == p_text(model.pvalues["g"])
    assert "age" not in adjusted.index  # nothing is adjusted for itself


@pytest.fixture(scope="module")
def died() -> Studied:
    frame = deaths_frame(missing=0.1)
    schema = infer_schema(frame).with_column("age", role="validator")
    for name in ("tremor", "deaths"):
        schema = schema.with_column(name, family="bernoulli", levels=(2, 1))
    one = studied(frame, schema.with_column("deaths", role="validator"), covariates=("age",))
    assert one.groups.sizes.tolist() == [90, 70]
    return one


def test_every_table_screen_and_export_names_the_level(died):
    found, groups = died.validation.validators, died.groups
    for screen in (pair_table(found), overall_table(found, groups.labels, groups.titles)):
        assert "deaths = 1" in screen["Column"].tolist()
    row = overall_table(found, groups.labels, groups.titles).set_index("Column")
    row = row.loc["deaths = 1", groups.titles[1]]
    of_second = died.frame["deaths"][groups.labels == 1]
    assert row.startswith(f"1: {(of_second == 1).sum()} of {of_second.notna().sum()}")
    report = died.written(OFF)
    assert "adjusted for age" in report.html
    assert "not hidden" in report.html
    for table, column in (("validators", "column"), ("table-1", "Column"), ("adjusted", "Column")):
        assert "deaths = 1" in set(report.tables[table][column])
    assert "tremor = 1" in set(report.tables["t-tests"]["title"])
    # A control that differs stands on the first two pages.
    wrong = replace(died.validation, controls=found)
    front = make_package(died.study, died.checks, wrong, "t.csv").html.partition("Three limits")[0]
    assert "deaths = 1: should not differ between groups" in front
    assert "should not differ" not in report.html


def test_off_hides_nothing_and_a_threshold_hides_lines(died):
    everything, lines = (died.written(least).tables["t-tests"] for least in (OFF, 10))
    assert everything["n_1"].notna().all()
    # The only interval is that of groups found without the column; nothing was left out here.
    assert {*everything["column"]} == {*died.lock.columns("cluster")}
    assert not {"low", "high"} & {*everything}
    assert everything["low_left_out"].isna().all()
    hidden = lines["remark"].str.startswith("hidden")
    assert 0 < hidden.sum() < hidden.size
    assert lines.loc[hidden, ["difference", "t", "g"]].isna().all(axis=None)
    for side, size in (("1", 90), ("2", 70)):
        assert lines.loc[lines[f"mean_{side}"].isna(), f"n_{side}"].isna().all()
        missing = size - everything[f"n_{side}"]
        assert lines.loc[missing.between(1, 9), f"n_{side}"].isna().all()
    # Degrees of freedom give numbers of patients away.
    uncounted = lines[["n_1", "n_2"]].isna().any(axis=1)
    assert uncounted.any()
    assert lines.loc[uncounted, ["df", "df_left_out"]].isna().all(axis=None)
    # The line stays, with its p-value.
    assert lines.loc[hidden, "p"].notna().any()


READ = [(None, (2,), "nothing"), ((0,), (2,), "incidence")]


@pytest.mark.parametrize(
    ("censored", "event", "read"), [*READ, ((0, 1), (2,), "survival"), (None, (1, 2), "survival")]
)
def test_a_third_code_is_asked_about_then_read_as_another_event(censored, event, read):
    """Two groups; who is transplanted (1) no longer dies (2) before the transplant."""
    random = np.random.default_rng(6)
    group = np.repeat([0, 1], [60, 50])
    died, moved, left = (random.exponential(mean, group.size) for mean in (4, 3, 6))
    columns = {f"a{j}": random.normal(6 * group, 1) for j in range(3)}
    columns["time"] = np.min([left, moved, died], axis=0).round(2)
    found = pd.DataFrame(columns | {"status": np.argmin([left, moved, died], axis=0)})
    codes = {"event": "status", "event_codes": event, "censored_codes": censored}
    time = ColumnSpec("time", "time_to_event", "validator", **codes)
    specs = [*(ColumnSpec(f"a{j}", "normal") for j in range(3)), time]
    schema = Schema([*specs, ColumnSpec("status", "categorical", "ignore")])
    one = studied(found, schema, covariates=("a0",))
    made, groups = one.validation.validators, one.groups
    nothing, survival, incidence = (read == of for of in ("nothing", "survival", "incidence"))
    assert ("nobody said which" in made.columns[0].variable.no_share) == nothing
    curves = [curve.is_incidence for curve in survival_curves(made, groups.labels)]
    assert curves == ([] if nothing else [incidence])
    row = overall_table(made, groups.labels, groups.titles).loc[0]
    assert row["Test"] == ("Gray's test" if incidence else "log-rank test")
    pairs, html = pair_table(made), one.written().html
    effects = pairs["Effect (95 % interval)"][0] + pairs.get("Also (95 % interval)", [""])[0]
    for is_so, words, where in (
        (survival, "median", row[groups.titles[0]]),
        (incidence, "another first in", row[groups.titles[0]]),
        (True, "cause-specific hazard ratio" if incidence else "hazard ratio", effects),
        (survival, "mean times", effects),
        (incidence, "shares with the event", effects),
        (nothing, "Nobody said which", pairs["Remark"][0]),
        (survival, "Kaplan-Meier curves, with", html),
        (incidence, "another event may come first, with", html),
        (nothing, "tell too many events", html),
        (True, "Median follow-up", html),
        (True, "a0 made the groups", html),
    ):
        assert (words in where) == is_so, words
    assert bool(concerns(found, one.lock.schema)) == (censored is None and event == (2,))
