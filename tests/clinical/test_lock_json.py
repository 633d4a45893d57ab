"""A lock taken away alone: read back it makes the same lock."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.lock import Lock, Plan
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.tables import versions


def test_read_back_it_makes_the_same_lock_on_the_same_table(cohort):
    frame, lock = cohort["frame"], cohort["study"].lock
    saved = json.loads(lock.to_json(versions()))
    known = Lock.from_dict(saved["lock"])
    again = Study()
    again.lock_in(frame, known.schema, known.plan)
    assert again.lock.hash == known.hash == lock.hash == saved["hash"]
    assert known.plan == lock.plan
    assert known.columns("validator") == lock.columns("validator")
    assert "P001" not in lock.to_json(versions())


def test_steps_of_prepare_and_rows_that_repeat_patients_come_back_too():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"patient": np.arange(60) // 2, **dict.fromkeys("abc", 0.0)})
    frame[["a", "b", "c"]] = random.lognormal(size=(60, 3))
    frame.attrs["prepared"] = ["Rows kept where a > 0 (70 → 60 rows)."]
    schema = infer_schema(frame).with_column("patient", role="id").with_column("c", role="control")
    study = Study()
    schema = schema.with_block("ab", columns=["a", "b"], family="gaussian")
    study.lock_in(frame, schema, Plan(seed=3), as_rows=True)
    known = Lock.from_dict(json.loads(study.lock.to_json(versions()))["lock"])
    assert known.prepared == ("Rows kept where a > 0 (70 → 60 rows).",)
    assert known.repeats == study.lock.repeats is not None
    again = Study()
    again.lock_in(frame, known.schema, known.plan, as_rows=True)
    assert again.lock.hash == known.hash == study.lock.hash
