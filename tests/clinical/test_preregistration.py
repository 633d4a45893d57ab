"""A lock exported alone: read back it makes the same lock; it says what N can show."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.proportion import power_proportions_2indep

from core import infer_schema
from core.clinical.methods import versions
from core.clinical.preregistration import as_json, as_text, read
from core.clinical.study import Plan, Study
from core.statistics.detectable import detectable, hazard_ratio


def test_read_back_it_makes_the_same_lock_on_the_same_table(cohort):
    frame, lock = cohort["frame"], cohort["study"].lock
    text = as_json(lock, versions())
    known = read(text)
    again = Study()
    again.lock_in(frame, known.schema, known.plan)
    assert again.lock.hash == known.hash == lock.hash
    assert known.plan == lock.plan
    assert known.columns("validator") == lock.columns("validator")
    changed = json.loads(text)
    changed["lock"]["plan"]["covariates"] = list(lock.columns("validator")[:1])
    for wrong, why in ((json.dumps(changed), "changed after"), ("{}", "no pre-reg")):
        with pytest.raises(ValueError, match=why):
            read(wrong)


def test_steps_of_prepare_and_rows_that_repeat_patients_come_back_too():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"patient": np.arange(60) // 2, **dict.fromkeys("abc", 0.0)})
    frame[["a", "b", "c"]] = random.lognormal(size=(60, 3))
    frame.attrs["prepared"] = ["Rows kept where a > 0 (70 → 60 rows)."]
    schema = infer_schema(frame).with_column("patient", role="id").with_column("c", role="control")
    study = Study()
    schema = schema.with_block("ab", columns=["a", "b"], family="gaussian")
    study.lock_in(frame, schema, Plan(seed=3), as_rows=True)
    known = read(as_json(study.lock, versions()))
    assert known.prepared == ("Rows kept where a > 0 (70 → 60 rows).",)
    assert known.repeats == study.lock.repeats is not None
    again = Study()
    again.lock_in(frame, known.schema, known.plan, as_rows=True)
    assert again.lock.hash == known.hash == study.lock.hash
    text = as_text(known, versions())
    for said in ("60 rows", "70 → 60 rows", "p-values are too small", "Together, with their"):
        assert said in " ".join(text.split())


def test_the_page_of_text_says_what_was_decided_and_no_cell(cohort):
    lock = cohort["study"].lock
    text = as_text(lock, versions())
    for said in (lock.hash, lock.data_hash, "A test.", "seed 0", "Holm", "N₀ = 3"):
        assert said in text
    for title in lock.titles("validator"):
        assert title.split(" until ")[0] in text
    assert "P001" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert len(text.splitlines()) < 80


def test_the_smallest_differences_have_the_power_they_are_said_to_have():
    for share in (0.5, 0.25, 0.1):
        found = detectable(400, share)
        a, b = found.sizes
        shown = TTestIndPower().power(found.means, a, 0.05, b / a)
        assert shown == pytest.approx(0.8, abs=1e-4)
        by_arcs = power_proportions_2indep(found.risks, 0.5, a, ratio=b / a).power
        assert by_arcs == pytest.approx(0.8, abs=0.06)
    # Log-rank's z has mean ln(HR) sqrt(d p q): checked on exponential times with every event seen.
    ratio, random, n = hazard_ratio(100, 0.5), np.random.default_rng(0), 50
    wald = [
        np.log(random.exponential(1.0, n).mean() / random.exponential(1 / ratio, n).mean())
        for _ in range(4000)
    ]
    power = np.mean(np.abs(wald) / np.sqrt(2 / n) > stats.norm.ppf(0.975))
    assert power == pytest.approx(0.8, abs=0.02)
    assert detectable(12, 0.1).means is None
