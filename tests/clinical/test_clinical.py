"""A clinical study from groups to report, on the simulated cohort and where there are none."""

from __future__ import annotations

import base64
import json
import re

import numpy as np
import pandas as pd
import pytest

from core import Schema, SchemaError, infer_schema
from core.clinical.checks import Checks
from core.clinical.disclosure import shown
from core.clinical.distinctions import BANNER, Distinctions
from core.clinical.methods import APPLICABILITY, checklist, methods_paragraph
from core.clinical.patient import look_up, rows_of_id
from core.clinical.replication import Replication
from core.clinical.report import CAVEAT, package
from core.clinical.second_cohort import apply_to
from core.clinical.study import Plan, Study
from core.clinical.subgroups import find_subgroups
from core.clinical.tables import pairs_table, score_table, size_table, yes_table
from core.clinical.validation import CAUTION, validate
from core.partitions.scores import ari
from core.statistics.copula import LIMITS
from core.statistics.suppression import HIDDEN
from core.wording import percent
from demo_datasets import load_parkinsonism
from demo_datasets.cohort_columns import cohort_columns

PUBLISHED_SHARES = (50.0, 43.0, 5.0, 1.7, 0.4)


class Work:
    """A job that nobody watches."""

    def __call__(self, progress) -> None:
        pass

    def share(self, partial) -> None:
        pass


def study_of(frame, schema, **plan):
    study = Study()
    study.lock_in(frame, schema, Plan(**plan))
    return study, find_subgroups(frame, study.lock, Work())


@pytest.fixture(scope="module")
def cohort():
    frame, schema, truth = load_parkinsonism(0)
    study, groups = study_of(frame, schema, restarts=2, purpose="A test.")
    return {
        "frame": frame,
        "truth": truth,
        "study": study,
        "groups": groups,
        "seen": Distinctions(groups),
        "validation": validate(frame, study.lock, groups.labels),
        "checks": Checks(groups),
    }


@pytest.fixture(scope="module")
def noise():
    random = np.random.default_rng(2)
    table = pd.DataFrame(random.normal(size=(60, 4)), columns=list("abcd"))
    study, groups = study_of(table, infer_schema(table), restarts=2)
    return {"frame": table, "study": study, "groups": groups}


# ---- the cohort's groups, and the paper's tables


def test_the_cohort_has_the_paper_s_five_groups(cohort):
    groups = cohort["groups"]
    shares = 100 * groups.sizes / groups.labels.size
    assert np.abs(shares - PUBLISHED_SHARES).max() < 2.0
    assert ari(cohort["truth"], groups.labels) >= 0.95


def test_the_two_patients_are_atypical_and_in_no_test(cohort):
    groups, validation = cohort["groups"], cohort["validation"]
    assert (groups.profiled, groups.atypical) == ((0, 1, 2, 3), (4,))
    assert groups.atypical_rows.size == 2
    assert validation.validators.left_out == (4,)
    pairs = {pair.groups for column in validation.validators.columns for pair in column.pairs}
    assert all(4 not in pair for pair in pairs)
    assert Replication(cohort["seen"]).tests.left_out == (4,)
    assert 4 not in cohort["seen"].yes.columns


@pytest.mark.parametrize("family", ["bernoulli", "binomial"])
def test_tables_3_and_4_lie_within_sampling_error_of_the_published_values(cohort, family):
    """The published columns come first in the cohort; their rates are those printed in R16."""
    seen, labels = cohort["seen"], cohort["groups"].labels
    table = seen.yes if family == "bernoulli" else seen.scores
    published = [column for column in cohort_columns()[:12] if column.family == family]
    assert len(published) == (3 if family == "bernoulli" else 9)
    for column in published:
        observed = cohort["frame"][column.name].notna().to_numpy()
        trials = column.trials or 1
        for group in range(4):
            rate = column.rates[group]
            n = (observed & (labels == group)).sum()
            spread = trials * np.sqrt(rate * (1 - rate) / (n * trials))
            found = table.loc[column.name, group]
            assert abs(found - column.offset - trials * rate) < 3.5 * spread + 1.0 / n


def test_a_table_names_what_counts_as_yes_where_the_column_does_not():
    random, group = np.random.default_rng(2), np.repeat([0, 1], 30)
    frame = pd.DataFrame(
        {
            "sex": np.where(random.random(60) < 0.3, "m", "f"),
            "tremor": np.where(random.random(60) < 0.2 + 0.6 * group, "yes", "no"),
            "walk": random.normal(60.0 - 30.0 * group, 2.0),
        }
    )
    seen = Distinctions(study_of(frame, infer_schema(frame), restarts=1)[1])
    table = seen.printed(seen.yes).set_index("Column")
    assert table["Yes is"].to_dict() == {"tremor": "", "sex": "m"}


def test_about_61_columns_differ_between_the_two_largest_groups(cohort):
    view = Replication(cohort["seen"])
    counts = view.counts().iloc[0]
    assert counts["Groups"] == "Group 1 and Group 2"
    assert 55 <= counts["Differ at 0.01"] <= 68
    assert counts["Expected by chance"] == pytest.approx(2.1)
    assert "Facial expression" in set(view.table_4()["Column"])


def test_outcomes_differ_and_negative_controls_do_not(cohort):
    validation = cohort["validation"]
    by_name = {c.variable.name: c for c in validation.validators.columns}
    assert len(by_name) == 6
    assert by_name["Motor decline a year (points)"].overall.adjusted < 0.001
    assert all(c.overall.adjusted > 0.05 for c in validation.controls.columns)


# ---- what leaves the room


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
    written = package(
        study, Checks(groups), validate(frame, study.lock, groups.labels), "sparse.csv"
    )
    own = written.html.partition("<script>")[0]
    found = re.findall(r'<script type="application/json">(.*?)</script>', own, flags=re.DOTALL)
    return written, own, [json.loads(figure) for figure in found]


def test_a_size_is_not_worked_out_from_how_many_were_tested(sparse):
    written, own, figures = sparse
    sizes = written.tables["groups"]["Patients"].tolist()
    assert sizes == ["120", "90", HIDDEN, HIDDEN, "225"]
    # All groups of ten or more were tested at once: 222 patients, which leaves 3.
    assert f"<td>1, 2, 3</td><td>{HIDDEN}</td>" in own
    assert "<td>222</td>" not in own
    assert "n = 90," in json.dumps(figures)
    assert "n = 12," not in json.dumps(figures)
    pairs = written.tables["validators"]
    assert pairs.loc[pairs["n"].notna(), ["group", "against"]].to_numpy().tolist() == [[1, 2]] * 2


def test_no_share_or_mean_tells_a_small_count(sparse):
    written, _, figures = sparse
    yes = written.tables["yes-no"].set_index("Column")
    assert (yes.loc["rare"] == HIDDEN).all()
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
def written(cohort):
    parts = cohort["study"], cohort["checks"], cohort["validation"]
    return package(*parts, "A & B.csv", ["They are <i>alike</i>."], 10)


def test_the_report_holds_its_caveats_and_no_patient(cohort, written):
    for words in (CAVEAT, BANNER, CAUTION, LIMITS, APPLICABILITY[4]):
        assert words in written.html
    assert "They are &lt;i&gt;alike&lt;/i&gt;." in written.html
    assert "A &amp; B.csv" in written.html
    assert cohort["study"].lock.hash in written.html
    own = written.html.partition("<script>")[0]  # what follows is plotly.js
    assert re.findall(r"\bP\d{3}\b", own) == []
    assert set(written.tables) == {"groups", "yes-no", "scores", "validators", "controls"}


def test_the_settings_repeat_the_study(cohort, written):
    saved = json.loads(written.settings)
    again = Study()
    again.lock_in(cohort["frame"], Schema.from_dict(saved["schema"]), Plan(**saved["plan"]))
    assert again.lock.hash == saved["hash"] == cohort["study"].lock.hash
    assert {"python", "numpy", "mapdp-studio"} <= set(saved["versions"])


def test_methods_and_checklist_are_written_from_the_settings(cohort):
    parts = cohort["study"], cohort["checks"], cohort["validation"]
    said = methods_paragraph(*parts, "cohort.csv")
    for words in ("527 patients", "215 columns", "N₀ = 3", "2 runs", "Holm over 18 tests"):
        assert words in said
    items = dict(checklist(*parts))
    assert items["Purpose"] == "A test."
    assert items["Verdict"] == "amber, provisional"


# ---- one patient, another cohort


def test_a_patient_s_reasons_are_the_columns_observed(cohort):
    groups = cohort["groups"]
    row = int(np.flatnonzero(groups.labels == 2)[0])
    seen = look_up(groups, cohort["checks"], row)
    names = list(cohort["study"].lock.columns("cluster"))
    assert (seen.group, seen.share) == (2, None)
    assert len(seen.reasons) == cohort["frame"].loc[row, names].notna().sum()
    assert seen.reasons["nats"].abs().is_monotonic_decreasing
    assert rows_of_id(cohort["frame"], ("Patient",), " P007 ") == [6]


def test_a_second_cohort_is_placed_in_the_first_one_s_groups(cohort):
    other, _, truth = load_parkinsonism(1)
    found = apply_to(cohort["groups"], cohort["study"].lock, other)
    assert ari(truth, found.labels) > 0.9
    assert found.absent == ()
    assert abs(found.density - found.own_density) < 0.1
    with pytest.raises(SchemaError, match="Speech"):
        apply_to(cohort["groups"], cohort["study"].lock, other.drop(columns=["Speech"]))


# ---- no groups


def test_everything_stays_whole_when_there_are_no_groups(noise):
    groups, study, frame = noise["groups"], noise["study"], noise["frame"]
    assert not groups.found_any
    checks = Checks(groups)
    assert checks.light.colour == "grey"
    written = package(study, checks, validate(frame, study.lock, groups.labels), "noise.csv")
    assert "No groups were found" in written.html
    assert CAVEAT in written.html
    assert list(written.tables) == ["groups"]


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [(264, 527, "50 %"), (26, 527, "4.9 %"), (2, 527, "0.38 %"), (0, 0, "0 %")],
)
def test_shares_have_the_digits_they_deserve(part, whole, said):
    assert percent(part, whole) == said
