"""What a study locks and remembers, and rows that repeat patients."""

import hashlib
import json

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import Schema, SchemaError, infer_schema
from mapdp_studio.core.clinical.concerns import MARK, Repeats, repeats_of
from mapdp_studio.core.clinical.lock import Lock, Plan, data_hash, without_reasons
from mapdp_studio.core.clinical.placing import group_assignments
from mapdp_studio.core.clinical.report import versions
from mapdp_studio.core.clinical.small_counts import OFF
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.verdict import patient_ids
from mapdp_studio.core.exports.tables import as_csv
from mapdp_studio.core.plain import to_plain
from tests.clinical.studies import Studied, locked, own_text, studied, visits
from tests.tables import cohorts

FRAME = cohorts.table("gbsg").head(120)
SCHEMA = infer_schema(FRAME).with_columns({"age": "validator", "status": "ignore"})
TIME = {"family": "time_to_event", "event": "status", "event_codes": (1,), "role": "validator"}


def test_the_hash_stands_for_roles_plan_and_data():
    first = locked(FRAME, SCHEMA).lock
    assert first.hash == locked(FRAME.copy(), SCHEMA).lock.hash
    plans = {"seed": 1, "put_together": False, "likelihood_power": 0.5, "covariates": ("age",)}
    others = [locked(FRAME, SCHEMA, **{name: of}) for name, of in plans.items()]
    others.append(locked(FRAME, SCHEMA.with_column("nodes", role="validator")))
    one_cell = FRAME.assign(nodes=FRAME["nodes"].where(FRAME.index != 7, 99))
    others.append(locked(one_cell, SCHEMA))
    assert len({first.hash, *(other.lock.hash for other in others)}) == 7
    assert first.time.endswith("UTC")
    assert data_hash(FRAME.rename(columns={"nodes": "node"})) != first.data_hash


def test_covariates_are_locked_and_a_lock_of_before_keeps_its_hash():
    study = locked(FRAME, SCHEMA, covariates=("age", "nodes"))
    assert "adjusted for age, nodes" in study.log[-1].what
    assert Study.from_dict(json.loads(json.dumps(study.to_dict()))).lock == study.lock
    before = json.loads(json.dumps(to_plain(locked(FRAME, SCHEMA, put_together=False).lock)))
    plan = before["plan"]
    for name in ("covariates", "put_together", "likelihood_power"):
        del plan[name]
    old = Lock.from_dict(before | {"plan": plan})
    assert (old.plan.covariates, old.plan.merges) == ((), False)
    content = json.dumps([without_reasons(old.schema), plan, old.data_hash], sort_keys=True)
    assert old.hash == hashlib.sha256(content.encode()).hexdigest()


def test_a_lock_read_back_makes_the_same_lock_with_its_steps_blocks_and_rows(cohort):
    frame = pd.DataFrame({"patient": np.arange(60) // 2})
    frame[list("abc")] = np.random.default_rng(0).lognormal(size=(60, 3))
    frame.attrs["prepared"] = ["Rows kept where a > 0 (70 → 60 rows)."]
    guessed = infer_schema(frame).with_columns({"patient": "id", "c": "control"})
    guessed = guessed.with_block("ab", columns=["a", "b"], family="gaussian")
    of_rows = locked(frame, guessed, as_rows=True, seed=3).lock
    for table, lock in ((cohort.frame, cohort.lock), (frame, of_rows)):
        text = lock.to_json(versions())
        saved = json.loads(text)
        read = Lock.from_dict(saved["lock"])
        names = ("plan", "prepared", "repeats")
        assert all(getattr(read, name) == getattr(lock, name) for name in names)
        again = locked(table, read.schema, as_rows=True, **vars(read.plan)).lock
        assert again.hash == read.hash == lock.hash == saved["hash"]
        assert "P001" not in text
        assert "reason" not in saved["lock"]["schema"]["columns"][0]


@pytest.mark.parametrize(
    ("roles", "plan", "error"),
    [
        *(
            ({}, {"covariates": (name,)}, f"'{name}' cannot be adjusted for")
            for name in ("rfstime", "status", "pid", "nowhere")
        ),
        (dict.fromkeys(SCHEMA.names("cluster")[1:], "ignore"), {}, "at least two columns"),
        ({"nodes": "weight"}, {}, r"counts row 3 0\.5 times"),
    ],
)
def test_what_is_not_locked(roles, plan, error):
    frame = FRAME.assign(nodes=np.where(np.arange(120) == 2, 0.5, 1.0))
    with pytest.raises(SchemaError, match=error):
        locked(frame, SCHEMA.with_columns({"rfstime": TIME} | roles), **plan)


def test_a_time_kept_out_is_named_with_its_event():
    lock = locked(FRAME, SCHEMA.with_columns({"rfstime": TIME})).lock
    assert set(lock.titles("validator")) == {"age", "rfstime (event: status)"}


def test_a_row_is_as_many_patients_as_its_weight_says():
    times = np.arange(120) % 3 + 1
    weighted = Schema([*SCHEMA.values(), infer_schema(FRAME.assign(times=times))["times"]])
    weighted = weighted.with_column("times", role="weight")
    one = studied(FRAME.assign(times=times), weighted)
    long = FRAME.loc[np.repeat(FRAME.index, times)].reset_index(drop=True)
    twins = studied(long.assign(pid=[f"Q{i}" for i in range(len(long))]), SCHEMA)
    assert one.lock.n_rows == times.sum() == one.groups.labels.size
    assert one.groups.sizes.tolist() == twins.groups.sizes.tolist()
    tested = [each.validation.validators.as_frame() for each in (one, twins)]
    pd.testing.assert_frame_equal(*tested)
    assert len(tested[0])
    rows = group_assignments(one.groups, one.frame, one.lock, with_id=True)
    assert rows["Row"].tolist() == (np.repeat(np.arange(120), times) + 1).tolist()
    assert rows["pid"].tolist() == long["pid"].tolist()


@pytest.mark.parametrize(
    ("steps", "reservation", "n_events"),
    [
        ("unlock", "", 3),
        ("note_groups note_groups unlock", "chosen afterwards", 4),
        ("note_validators", "", 2),
    ],
)
def test_what_happened_stays_on_record(steps, reservation, n_events):
    study = locked(FRAME, SCHEMA)
    for step in steps.split():
        getattr(study, step)()
    if study.lock is None:
        study.lock_in(FRAME, SCHEMA, Plan())
    assert reservation in study.reservation
    assert bool(reservation) == bool(study.reservation)
    assert len(study.log) == n_events
    again = Study.from_dict(study.to_dict())
    assert (again.log, again.reservation) == (study.log, study.reservation)
    study = Study()
    study.lock_in(FRAME, SCHEMA, Plan(), fits_elsewhere=3)
    assert "3 clusterings of this table" in study.log[0].what
    assert "chosen afterwards" in study.reservation


@pytest.fixture(scope="module")
def many() -> Studied:
    frame = visits()
    schema = infer_schema(frame).with_column("relapse", role="validator")
    return studied(frame, schema, as_rows=True, purpose="Every patient counts.")


def test_a_study_of_visits_is_not_locked_without_a_choice(many):
    study = Study()
    with pytest.raises(SchemaError, match=r"“id” recurs, [\d,]+ rows belong to 300 patients"):
        study.lock_in(many.frame, many.lock.schema, Plan())
    assert study.lock is None
    once = many.frame.drop_duplicates("id").reset_index(drop=True)
    study.lock_in(once, infer_schema(once), Plan(), as_rows=True)
    assert (study.lock.repeats, study.reservation, study.lock.n_rows) == (None, "", 300)
    assert many.lock.columns("id")[0] == "rownames"
    assert many.lock.repeats == Repeats("id", len(many.frame), 300, 12)
    assert np.array_equal(patient_ids(many.frame, many.lock), many.frame["id"])


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ({"patient": range(60)}, None),
        ({"row": range(60), "patient": np.arange(60) // 2}, "patient"),
        ({"patient": np.arange(60) // 2, "subject visit": range(60)}, "patient"),
        ({"patient visit": range(60), "id": np.arange(60) // 2}, "id"),
        ({"household": np.arange(60) // 10, "id": np.arange(60) // 3}, "id"),
        ({"patient": range(60), "address": np.arange(60) // 2}, None),
        ({"row": range(60), "hospital": np.arange(60) % 4}, None),
        ({"hospital number": np.repeat(np.arange(40), [2] * 20 + [1] * 20)}, "hospital number"),
        ({"id": [None] * 58 + [1, 2]}, None),
        ({"zip": np.arange(60) // 2}, None),
        ({"zip": np.arange(60) // 2, "id": np.arange(60) // 3}, "id"),
        ({"staff id": np.arange(60)[::-1] + 900, "manager id": np.arange(60) // 2}, None),
        ({"order id": np.arange(60)[::-1] + 900, "client id": np.arange(60) // 2}, "client id"),
    ],
)
def test_which_id_is_a_patients(ids, expected):
    frame = pd.DataFrame(ids)
    roles = {name: {"role": "id", "family": None} for name in ids}
    found = repeats_of(frame, infer_schema(frame).with_columns(roles))
    assert (found and found.name) == expected


def test_every_p_value_is_marked_and_rows_are_counted_as_rows(many):
    # A group of twelve rows may be one patient: with anything hidden no pair would be shown.
    written = many.written(OFF)
    for name in ("validators", "t-tests"):
        table = written.tables[name]
        assert table["p"].notna().any()
        assert (table["Note"] == MARK).all()
        assert as_csv(table).decode().count(MARK) == len(table)
    text = own_text(written)
    for sentence in (many.study.reservation, f"{len(many.frame):,} rows of 300 patients"):
        assert sentence in text
    assert f"{len(many.frame):,} patients" not in text
    assert text.count(MARK) == 2  # at the top, and with the methods
    assert (many.lock.marked(pd.DataFrame({"p_left_out": [0.1, None]}))["Note"] == MARK).all()
    assert "Note" not in many.lock.marked(pd.DataFrame({"Patients": [1], "Prior": ["x"]}))
    # Twelve rows may be one patient's: sixty are of five at least.
    assert (many.lock.least_count(5), many.lock.least_count(OFF)) == (60, OFF)
    assert "below 60" in many.written(5).sentence
