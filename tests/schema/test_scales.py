"""Columns that look alike are typed alike."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema


def test_one_rare_level_does_not_part_a_scale():
    random = np.random.default_rng(0)
    usual = {f"sign {j}": random.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1]) for j in "abcdef"}
    odd = {f"sign {j}": random.choice(4, 300, p=[0.6, 0.02, 0.28, 0.1]) for j in "gh"}
    never = {"sign i": random.choice(3, 300, p=[0.4, 0.4, 0.2])}
    frame = pd.DataFrame(usual | odd | never)
    specs = infer_schema(frame).values()
    assert {(spec.family, spec.trials) for spec in specs} == {("binomial", 3)}
    assert infer_schema(frame[["sign g"]])["sign g"].family == "categorical"
    frame.attrs["columns"] = {"sign a": {"label": "In doubt I hope", "measure": "scale"}}
    assert infer_schema(frame)["sign a"].reason.startswith("\u201cIn doubt I hope\u201d. ")


def test_codes_on_one_scale_stay_codes():
    random = np.random.default_rng(1)
    columns = {f"c{j}": random.choice(4, 300, p=[0.5, 0.05, 0.05, 0.4]) for j in range(4)}
    columns["c9"] = random.choice(4, 300, p=[0.4, 0.3, 0.2, 0.1])
    assert {spec.family for spec in infer_schema(pd.DataFrame(columns)).values()} == {"categorical"}


def test_a_minus_one_that_is_usual_in_one_column_is_a_step_in_all():
    random = np.random.default_rng(0)
    shares = ([0.3, 0.4, 0.3], [0.05, 0.35, 0.6], [0.04, 0.5, 0.46])
    frame = pd.DataFrame(
        {f"spend {j}": random.choice([-1, 0, 1], 300, p=p) for j, p in enumerate(shares)}
    )
    schema = infer_schema(frame)
    assert [spec.missing_codes for spec in schema.values()] == [()] * 3
    assert not [q for q in schema.questions if q.about == "missing"]
    alone = infer_schema(frame[["spend 1"]])
    assert alone["spend 1"].missing_codes == (-1,)


def test_two_questionnaires_are_two_scales():
    random = np.random.default_rng(0)
    worry = {f"worry{j}": random.integers(1, 6, 300) for j in range(1, 9)}
    trust = {f"trust{j}": random.integers(1, 5, 300) for j in range(1, 5)}
    schema = infer_schema(pd.DataFrame(worry | trust))
    assert {schema[name].trials for name in worry} == {4}
    assert {schema[name].trials for name in trust} == {3}
