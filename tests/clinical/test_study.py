"""What a study locks and remembers, and what it warns of beforehand."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, SchemaError, infer_schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.concerns import concerns, unexplained
from mapdp_studio.core.clinical.lock import Lock, Plan, data_hash, without_reasons
from mapdp_studio.core.clinical.outcomes import validate
from mapdp_studio.core.clinical.placing import group_assignments
from mapdp_studio.core.clinical.study import Study
from tests.clinical.run_study import study_of


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    random = np.random.default_rng(0)
    n = 120
    mild = np.arange(n) % 2
    table = {
        "patient": [f"P{i}" for i in range(n)],
        "age": random.normal(60, 9, n).round(1),
        "score": random.normal(10 + 8 * mild, 2).round(1),
        "walk": random.normal(30 - 9 * mild, 2).round(1),
        "falls": random.poisson(1 + mild),
        "time": random.exponential(20, n).round(1),
        "status": random.integers(0, 3, n),
    }
    return pd.DataFrame(table)


@pytest.fixture(scope="module")
def schema(frame):
    guessed = infer_schema(frame).with_column("age", role="validator")
    return guessed.with_column("status", role="ignore")


def locked(frame, schema, **plan) -> Study:
    study = Study()
    study.lock_in(frame, schema, Plan(**plan))
    return study


def test_the_hash_stands_for_roles_plan_and_data(frame, schema):
    first = locked(frame, schema).lock
    assert first.hash == locked(frame.copy(), schema).lock.hash
    others = [
        locked(frame, schema.with_column("falls", role="validator")),
        locked(frame, schema, seed=1),
        locked(frame, schema, judged="surviving"),
        locked(frame, schema, covariates=("age",)),
        locked(frame.assign(score=frame["score"] + 0.1), schema),
    ]
    assert len({first.hash, *(other.lock.hash for other in others)}) == 6
    assert first.time.endswith("UTC")


def test_covariates_are_locked_and_a_lock_of_before_keeps_its_hash(frame, schema):
    study = locked(frame, schema, covariates=["age", "falls"])
    assert "adjusted for age, falls" in study.log[-1].what
    again = Study.from_dict(json.loads(json.dumps(study.to_dict())))
    assert again.lock == study.lock
    before = json.loads(json.dumps(locked(frame, schema).lock.to_dict()))
    del before["plan"]["covariates"]
    old = Lock.from_dict(before)
    assert old.plan.covariates == ()
    plan = {name: before["plan"][name] for name in before["plan"] if name != "judged"}
    told = json.dumps([without_reasons(old.schema), plan, old.data_hash], sort_keys=True)
    assert old.hash == hashlib.sha256(told.encode()).hexdigest()


@pytest.mark.parametrize("name", ["time", "status", "patient", "nowhere"])
def test_what_cannot_be_adjusted_for_is_not_locked(frame, schema, name):
    schema = schema.with_column("time", event="status", event_codes=(2,))
    with pytest.raises(SchemaError, match=f"'{name}' cannot be adjusted for"):
        locked(frame, schema, covariates=(name,))


def test_a_row_is_as_many_patients_as_its_weight_says(frame, schema):
    times = np.arange(120) % 3 + 1
    weighted = schema_of(frame.assign(times=times), schema)
    study, groups = study_of(frame.assign(times=times), weighted, restarts=1)
    long = frame.loc[np.repeat(frame.index, times)].reset_index(drop=True)
    twins = long.assign(patient=[f"Q{i}" for i in range(len(long))])
    _, expected = study_of(twins, schema, restarts=1)
    assert study.lock.n_rows == times.sum() == groups.labels.size
    assert groups.sizes.tolist() == expected.sizes.tolist()
    tested = [
        validate(table, lock, groups.labels).validators.as_frame()
        for table, lock in (
            (study.lock.cohort(frame.assign(times=times)), study.lock),
            (twins, locked(twins, schema).lock),
        )
    ]
    pd.testing.assert_frame_equal(*tested)
    assert len(tested[0])
    rows = group_assignments(Checks(groups), frame.assign(times=times), study.lock, with_id=True)
    assert rows["Row"].tolist() == (np.repeat(np.arange(120), times) + 1).tolist()
    assert rows["patient"].tolist() == long["patient"].tolist()
    with pytest.raises(SchemaError, match=r"counts row 3 0\.5 times"):
        locked(frame.assign(times=np.where(np.arange(120) == 2, 0.5, 1.0)), weighted)


def schema_of(frame, schema):
    """A schema with a column "times" of weights beside it."""
    guessed = infer_schema(frame)["times"]
    return Schema([*schema.values(), guessed]).with_column("times", role="weight")


def test_the_data_hash_sees_one_cell_and_one_name(frame):
    changed = frame.copy()
    changed.loc[7, "falls"] += 1
    renamed = frame.rename(columns={"falls": "fall"})
    assert len({data_hash(table) for table in (frame, changed, renamed)}) == 3


def test_unlocking_is_free_until_the_groups_were_seen(frame, schema):
    study = locked(frame, schema)
    study.unlock()
    study.lock_in(frame, schema, Plan())
    assert study.reservation == ""
    study.note_groups()
    study.unlock()
    study.lock_in(frame, schema, Plan())
    assert "chosen afterwards" in study.reservation
    assert len(study.log) == 6


def test_searches_after_the_validators_are_counted(frame, schema):
    study = locked(frame, schema)
    study.note_search()
    study.note_validators()
    study.note_search()
    study.note_search()
    assert study.fits_after_validators == 2
    assert "2 times" in study.reservation


def test_clusterings_seen_on_other_pages_are_told(frame, schema):
    study = Study()
    study.lock_in(frame, schema, Plan(), fits_elsewhere=5)
    assert "chosen afterwards" in study.reservation


def test_one_column_makes_no_groups(frame, schema):
    for name in schema.names("cluster")[1:]:
        schema = schema.with_column(name, role="ignore")
    with pytest.raises(SchemaError, match="at least two columns"):
        locked(frame, schema)


def test_unnamed_events_and_circular_validators_are_named(frame, schema):
    frame = frame.assign(sum=2 * frame["score"] + frame["walk"])
    told = infer_schema(frame)
    told = told.with_column("sum", role="validator").with_column("status", role="ignore")
    said = " ".join(concerns(frame, told))
    assert "nobody said which" in said
    assert "'sum' is nearly a function" in said


def test_a_settled_study_has_no_concerns(frame, schema):
    named = schema.with_column("time", event="status", event_codes=(2,), censored_codes=(0, 1))
    assert concerns(frame, named) == []


def test_a_word_that_nobody_looked_is_on_record(frame, schema):
    study = Study()
    study.declare_unseen(3)
    study.lock_in(frame, schema, Plan(), fits_elsewhere=3)
    assert study.reservation == ""
    assert "declared not to have been looked at" in study.log[0].what
    study = Study()
    study.declare_unseen(3)
    study.lock_in(frame, schema, Plan(), fits_elsewhere=4)
    assert "chosen afterwards" in study.reservation


def test_codes_that_explain_nothing_are_asked_for(frame, schema):
    coded = frame.assign(deaths=1 + np.arange(120) % 2, arm=np.arange(120) % 2, sex="m")
    coded.loc[::3, "sex"] = "f"
    told = infer_schema(coded).with_column("deaths", family="bernoulli", role="validator")
    told = told.with_column("arm", family="bernoulli", role="control")
    assert unexplained(coded, told)["deaths"] == (1, 2)
    assert "arm" not in unexplained(coded, told)
    swapped = told.with_column("deaths", levels=(2, 1))
    assert unexplained(coded, swapped)["deaths"] == (2, 1)


def test_a_validator_that_follows_in_part_is_called_prognosis(frame, schema):
    random = np.random.default_rng(1)
    partly = 2 * frame["score"] + frame["walk"] + random.normal(0, 2.5, 120)
    told = infer_schema(frame.assign(partly=partly)).with_column("partly", role="validator")
    said = " ".join(
        concerns(frame.assign(partly=partly), told.with_column("status", role="ignore"))
    )
    assert "prognosis" in said
    assert "“score”" in said
