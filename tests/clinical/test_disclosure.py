"""What leaves the page tells of no small group, not even by subtraction."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from core import ColumnSpec, Schema, infer_schema
from core.clinical import exported
from core.clinical.checks import Checks
from core.clinical.disclosure import rounded_up, shown, told_lines
from core.clinical.distinctions import Distinctions
from core.clinical.exported import exported_tables
from core.clinical.report import package
from core.clinical.report_tables import complete_cases_told
from core.clinical.t_test_lines import Choice, TTests
from core.clinical.tables import pairs_table, score_table, size_table, yes_table
from core.clinical.validation import validate
from core.release import report as door
from core.release.allowed import ALLOWED
from core.release.cells import moments_tell
from core.release.door import only_named
from core.statistics.suppression import HIDDEN
from core.statistics.survival import Survival, coarsened, kaplan_meier
from core.statistics.variables import Variable
from tests.benchmarks.disclosure import attack, told
from tests.benchmarks.disclosure_cohorts import leaving
from tests.clinical.run_study import study_of


@pytest.mark.parametrize("least", [5, 10, 20])
def test_nothing_that_leaves_tells_of_a_hidden_group(cohort, least):
    groups, seen = cohort["groups"], cohort["seen"]
    kept = shown(groups, least)
    table = size_table(cohort["checks"], least)
    assert 0 < len(kept) <= 3
    assert min(int(n) for n in table["Patients"] if n != HIDDEN) >= least
    # At least two are hidden, so that none follows from the total.
    assert (table["Patients"] == HIDDEN).sum() >= 2
    away = [groups.titles[k] for k in groups.profiled if k not in kept]
    for hidden in (score_table(seen, least, most=4), yes_table(seen, least, most=4)):
        assert (hidden[away] == HIDDEN).all(axis=None)
    pairs = pairs_table(cohort["validation"].validators, groups, least)
    named = {k + 1 for k in kept}
    gone = ~(pairs["group"].isin(named) & pairs["against"].isin(named))
    assert gone.any()
    assert pairs.loc[gone, ["n", "n against", "p", "estimate"]].isna().all(axis=None)


#: What came to the door of a report, and what left.
AT_THE_DOOR: list[tuple] = []


def noted(work, into):
    """The same function, what it was given and what it gave kept."""

    def kept(given, *more):
        into.append((given, work(given, *more)))
        return into[-1][1]

    return kept


@pytest.fixture(scope="module")
def sparse():
    """Groups of 120, 90, 12 and 3: the 12 must go so that the 3 do not follow from the total."""
    random = np.random.default_rng(5)
    truth = np.repeat([0, 1, 2, 3], [120, 90, 12, 3])
    frame = pd.DataFrame(random.normal(size=(225, 6)) + 9 * truth[:, None], columns=list("abcdef"))
    frame["rare"] = np.where(np.arange(225) % 60 == 0, "yes", "no")  # 2 yes in each large group
    frame["often"] = np.where(random.random(225) < 0.5, "yes", "no")
    frame["stage"] = (np.arange(225) % 40 == 0) + 2 * (truth == 0)  # a mean of 3/90 in the second
    frame["age"], frame["time"] = random.normal(60, 8, 225), random.exponential(5, 225)
    frame["status"], frame["arm"] = random.integers(2, size=225), random.integers(2, size=225)
    schema = infer_schema(frame).with_column("stage", family="binomial", trials=3)
    schema = schema.with_column("age", role="validator").with_column("arm", role="control")
    outcome = {"family": "time_to_event", "event": "status", "event_codes": (1,)}
    schema = schema.with_column("time", role="validator", **outcome)
    study, groups = study_of(frame, schema.with_column("status", role="ignore"), restarts=1)
    assert groups.sizes.tolist() == [120, 90, 12, 3]
    about = Checks(groups), validate(frame, study.lock, groups.labels), "sparse.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(door, "only_named", noted(door.only_named, AT_THE_DOOR))
        patch.setattr(door, "let_out_picture", noted(door.let_out_picture, AT_THE_DOOR))
        tests = TTests.of(frame, study.lock, groups)
        written = package(study, *about, (), 5, tests)
    own = written.html.partition("<script>")[0]
    found = re.findall(r'<script type="application/json">(.*?)</script>', own, flags=re.DOTALL)
    return written, own, [json.loads(figure) for figure in found]


def test_a_size_is_not_worked_out_from_how_many_were_tested(sparse):
    written, own, figures = sparse
    sizes = written.tables["groups"]["Patients"].tolist()
    assert sizes == ["120", "90", HIDDEN, HIDDEN, "225"]
    # All groups of ten or more were tested at once: 222 patients, which leaves 3; and the p-value
    # of all tells of the third what the pairs of the others do not.
    assert "<td>1, 2, 3</td>" not in own
    assert f"<td>{HIDDEN}</td><td>{HIDDEN}</td><td>{HIDDEN}</td><td>{HIDDEN}</td>" in own
    assert "<td>222</td>" not in own
    assert "n = at least 90," in json.dumps(figures)
    assert not re.search("n = (at least )?1[0-2],", json.dumps(figures))
    pairs = written.tables["validators"]
    assert pairs.loc[pairs["n"].notna(), ["group", "against"]].to_numpy().tolist() == [[1, 2]] * 2


def test_no_share_or_mean_tells_a_small_count(sparse):
    written, _, figures = sparse
    yes = written.tables["yes-no"].set_index("Column")
    assert yes.loc["rare", "Yes is"] == "yes"
    assert (yes.loc["rare"].drop("Yes is") == HIDDEN).all()
    assert (yes.loc["often", ["Group 1", "Group 2"]] != HIDDEN).all()
    scores = written.tables["scores"].set_index("Column").loc["stage"]
    assert scores["Group 2"] == HIDDEN
    heat = next(t for figure in figures for t in figure["data"] if t["type"] == "heatmap")
    names = next(f for f in figures if f["data"][0] is heat)["layout"]["yaxis"]["ticktext"]
    z = np.frombuffer(base64.b64decode(heat["z"]["bdata"]), heat["z"]["dtype"]).reshape(-1, 2)
    told = {name.partition(" = ")[0]: row for name, row in zip(names, z, strict=True)}
    assert np.isnan(told["rare"]).all()
    assert not np.isnan(told["often"]).any()
    assert np.isnan(told["stage"][1])
    assert np.array_equal(z, z.round(2), equal_nan=True)


@pytest.fixture(scope="module")
def leaves():
    """Some columns of a cohort of the benchmark, in which a rare outcome could be worked out."""
    names = ["m0", "m1", "yes 1", "stage 1", "out yes 0", "out yes 1", "out stage 1", "out kind 1"]
    return leaving("small groups", [*names, "out count 0", "out dose", "out age"], refit=False)


@pytest.mark.parametrize("least", [5, 10])
def test_for_no_small_count_fewer_numbers_are_left_than_the_threshold(leaves, least):
    """Whole numbers enumerated, then integer programmes; the benchmark has more of them.

    Without the checks of moments, of totals and of tests of all groups, some are solved.
    """
    found = list(attack(leaves, least))
    assert len(found) > 40
    assert [key for key, left in found if left < least] == []
    told_of, of = told(leaves, least)
    assert told_of > of // 20


def test_table_1_and_the_later_tables_hide_the_same_cells(leaves):
    """A column and group that one table hides no other tells anything about."""
    titles = leaves.groups.titles
    for package_of in leaves.packages.values():
        tables, by_table = package_of.tables, {}
        for name in ("table-1", "missing"):
            table = tables[name].set_index("Column")[list(titles)]
            by_table[name] = table.rename(index=plain_name) != HIDDEN
        told_in = by_table["table-1"]
        assert told_in.any(axis=None)
        assert not told_in.all(axis=None)
        absent = by_table["missing"]
        pd.testing.assert_frame_equal(absent, told_in.loc[absent.index], check_names=False)
        lines = tables["t-tests"].set_index("column")
        for name, line in lines.iterrows():
            both = told_in.loc[name, line["groups"].split(" and ")].all()
            assert (line["n_1"] is not None) == both
        for name in ("yes-no", "scores"):
            table = tables.get(name, pd.DataFrame({"Column": []})).set_index("Column")
            for column, line in table.iterrows():
                own = {title for title in titles if line[title] not in (HIDDEN, "too few")}
                assert own == {title for title in titles if told_in.loc[column, title]}
        for line in tables["validators"].to_dict("records"):
            pair = [titles[line[of] - 1] for of in ("group", "against")]
            assert pd.notna(line["n"]) == told_in.loc[plain_name(line["column"]), pair].all()


def plain_name(title: str) -> str:
    """A column without the level, event or summary that a table names beside it."""
    return re.split(r" = | until |, mean|, median", title)[0]


@pytest.fixture(scope="module")
def small():
    """Two groups; of an outcome 7, of another 15 of the second are observed."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame({name: random.normal(np.repeat([0, 4], [80, 40])) for name in "abc"})
    for name, n in (("rare", 7), ("few", 15)):
        is_seen = (np.arange(120) < 80) | (np.arange(120) >= 120 - n)
        frame[name] = np.where(is_seen, random.normal(size=120), np.nan)
    schema = Schema(
        ColumnSpec(name, "normal", "cluster" if name in "abc" else "validator") for name in frame
    )
    study, groups = study_of(frame, schema, restarts=1)
    assert groups.sizes.tolist() == [80, 40]
    return study, groups, TTests.of(frame, study.lock, groups), frame


def told_of(small, least: int, tests: TTests | None = None, **more) -> pd.DataFrame:
    _, groups, own, _ = small
    tests = tests or own
    lines = tests.beside_their_type(tests.lines([(0, 1)], Choice()), Choice()).assign(**more)
    return told_lines(tests, lines, Distinctions(groups), least).set_index("column")


@pytest.mark.parametrize("least", [5, 10, 20])
def test_a_hidden_line_tells_only_names_direction_and_about_the_size(small, least):
    """The name of its test said how many are observed: "5 to 9 patients", "permutation"."""
    told = told_of(small, least)
    hidden = told.loc[told["n_1"].isna()]
    assert [*hidden.index] == [name for name, n in (("few", 15), ("rare", 7)) if n < least]
    left = hidden.notna().any()
    assert {*left.index[left]} <= {"title", "made", "groups", "differs", "g", "remark"}
    assert hidden["remark"].eq(f"hidden: a count below {least} would follow").all()
    assert told.loc["a", ["n_1", "p", "test"]].notna().all()


def test_a_column_that_nobody_named_stays_inside_whatever_table_it_is_in(small, monkeypatch):
    study, groups, tests, frame = small
    assert "shared_n" not in told_of(small, 5, shared_n=7, se=0.1)
    validation = validate(frame, study.lock, groups.labels)
    made = ("size_table", "yes_table", "score_table", "pairs_table")
    made += ("table_one", "missing_table", "adjusted_table", "told_lines")
    about = Distinctions(groups), Checks(groups), validation, tests, (), 5
    before, _ = exported_tables(*about)
    for name in made:
        planted = getattr(exported, name)
        monkeypatch.setattr(
            exported, name, lambda *a, planted=planted: planted(*a).assign(secret=1)
        )
    after, _ = exported_tables(*about)
    assert {*after} >= {"groups", "validators", "table-1", "missing", "adjusted", "t-tests"}
    for name, table in after.items():
        assert "secret" not in table
        pd.testing.assert_frame_equal(table, before[name])


def test_nothing_of_today_s_tables_is_dropped_at_the_door(small, cohort, monkeypatch):
    """A new column belongs into ``core.release.allowed``, or into nobody's hands."""
    study, groups, tests, frame = small
    known = []
    monkeypatch.setattr(exported, "only_named", lambda table, *_: known.append([*table]) or table)
    about = Distinctions(groups), Checks(groups), validate(frame, study.lock, groups.labels)
    exported_tables(*about, tests, (), 5)
    monkeypatch.undo()
    again, _ = exported_tables(*about, tests, (), 5)
    assert known == [[*table] for table in again.values()]
    seen = cohort["seen"]
    for name, table in {"yes-no": yes_table(seen, 5, 4), "scores": score_table(seen, 5, 4)}.items():
        assert [*only_named(table, ALLOWED[name], cohort["groups"].titles)] == [*table]


def test_nothing_of_today_s_report_is_dropped_at_the_door(sparse):
    """A new table, column or picture belongs into ``core.release``, or into nobody's hands."""
    tables = [pair for pair in AT_THE_DOOR if isinstance(pair[0], pd.DataFrame)]
    given = {tuple(table) for table, _ in tables}
    assert len(given) > 10
    # Of the lists that a report is compared with, one names all of a table's columns.
    named = {tuple(told) for _, told in tables}
    assert given <= named
    assert all(told is not None for figure, told in AT_THE_DOOR if not hasattr(figure, "columns"))


def test_of_those_dropped_from_a_regression_no_death_is_told():
    """Deaths of all observed less those of the complete cases: 4 of the 10 without an age."""
    labels, died = np.repeat([0, 1], [110, 90]), np.arange(200) % 3 == 0
    outcome = Variable("died", "yes/no", died.astype(float), (0, 1))

    def told(dropped) -> bool:
        age = Variable("age", "measurement", np.where(dropped, np.nan, 1.0))
        return complete_cases_told(outcome, [age], labels, (0, 1), 5)

    second = np.arange(200) >= 110
    ten = second & (np.cumsum(second) <= 10)
    assert died[ten].sum() < 5
    assert not told(ten)
    assert not told(second & ~died & (np.cumsum(second & ~died) <= 10))  # none of ten died
    twenty = second & (np.cumsum(second) <= 20)
    assert 5 <= died[twenty].sum() <= 15
    assert told(twenty)
    assert told(np.zeros(200, dtype=bool))


def test_the_groups_found_without_a_column_tell_nothing_by_subtraction(small):
    _, groups, tests, _ = small
    for moved, whole in ((0, True), (1, False), (4, False), (12, True)):
        again = groups.labels.copy()
        again[:moved] = 2
        without = {"a": again, "b": groups.labels, "c": groups.labels}
        told = told_of(small, 5, replace(tests, without=without, known={}))
        of_pair = ["difference_left_out", "low_left_out", "t_left_out", "overlap", "p_test"]
        assert told.loc["a", of_pair].notna().all() == whole
        assert told.loc["a", of_pair].notna().any() == whole
        assert told.loc["b", of_pair].notna().all()
        # The pair shown may be told all the same, and of the other about how it differs.
        about = told.loc["a", ["n_1", "mean_1", "t", "g", "p_left_out", "differs"]]
        assert about.notna().all()
        if not whole:
            assert told.loc["a", "remark"] == "rounded: a count below 5 would follow"
            assert about["p_left_out"] == 0.001


def test_a_p_value_rounded_up_stays_on_its_side_of_every_level():
    p = pd.Series([1e-12, 0.00101, 0.0148, 0.05, 0.0501, 0.23, 0.96, 1.0, np.nan])
    coarse = [0.001, 0.002, 0.02, 0.05, 0.06, 0.3, 1.0, 1.0, np.nan]
    np.testing.assert_array_equal(rounded_up(p), coarse)


def test_values_are_told_by_their_moments_where_too_few_numbers_fit():
    steps, small = np.arange(5.0), np.array([0, 0, 1, 1, 1], dtype=bool)
    assert moments_tell(steps, np.array([60, 20, 0, 0, 0]), small, 5)  # only 0 and 1 fit
    three = np.arange(3.0)
    assert moments_tell(three, np.array([40, 30, 3]), np.ones(3, dtype=bool), 5)
    assert not moments_tell(steps, np.array([30, 25, 20, 12, 3]), small, 5)
    assert moments_tell(steps, np.array([30, 25, 20, 12, 3]), small, 20)
    # Of four steps the second changes by threes: 2, 5, 8 and 11 are left.
    four, second = np.arange(4.0), np.arange(4) == 1
    assert moments_tell(four, np.array([40, 2, 9, 9]), second, 5)
    assert not moments_tell(np.array([2.0]), np.array([50]), np.array([False]), 5)


def test_curves_under_several_thresholds_tell_no_more_than_the_finest():
    random = np.random.default_rng(0)
    curve = kaplan_meier(random.exponential(5.0, 83), random.random(83) < 0.7)
    survival = Survival("time", {0: curve}, np.arange(0.0, 16.0, 2.0))
    five, ten, twenty = (coarsened(survival, least).curves[0] for least in (5, 10, 20))
    for fine, coarse, step in ((five, ten, 10), (ten, twenty, 20)):
        left = fine.share[: coarse.times.size]
        again = np.round(left * 83 / step) * step / 83
        again[(1 - left) * 83 < 1.25 * step - 1e-9] = 1.0  # few, or few before a rounding
        np.testing.assert_allclose(coarse.share, again.clip(0, 1), atol=1e-12)
        at = coarse.times
        assert (coarse.at_risk(at) == fine.at_risk(at) // step * step).all()
    assert five.at_risk(five.times).min() >= 5
