"""The same patients are known again whatever table they come back in."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from core.clinical.seen_rows import SEEN, SeenRows

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "patient": [f"P{i}" for i in range(300)],
        "age": RANDOM.normal(60, 9, 300).round(1),
        "falls": RANDOM.poisson(1.0, 300),
        "sex": RANDOM.choice(["m", "f"], 300),
    }
).mask(RANDOM.random((300, 4)) < 0.05)


def read_again(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(frame.to_csv(index=False)))


@pytest.mark.parametrize(
    "again",
    [
        FRAME,
        read_again(FRAME),
        FRAME.sample(frac=1.0, random_state=0),
        FRAME[FRAME.columns[::-1]],
        FRAME.iloc[40:70],
        FRAME[["age", "falls", "patient"]],
        read_again(FRAME.iloc[::2])[["sex", "patient", "age"]],
        pd.concat([FRAME.iloc[:100], FRAME.iloc[:100].assign(patient="new", age=1.0)]),
    ],
    ids=["same", "read again", "rows", "columns", "part", "fewer columns", "all of it", "in part"],
)
def test_the_same_rows_are_known_again(again):
    seen = SeenRows()
    seen.add(FRAME)
    assert seen.share(again) >= (0.3 if len(again) == 200 else 0.9)


def test_other_rows_are_not():
    seen = SeenRows()
    assert seen.share(FRAME) == 0.0
    seen.add(FRAME)
    other = FRAME.assign(patient=[f"Q{i}" for i in range(300)], age=RANDOM.normal(60, 9, 300))
    assert seen.share(other) < SEEN
    assert seen.share(FRAME[["sex"]]) == 0.0
    assert seen.share(FRAME[["sex", "falls"]]) == 0.0


@pytest.mark.parametrize("part", [300, 20_000])
def test_large_tables_are_remembered_by_some_of_their_rows(part):
    large = pd.DataFrame(RANDOM.normal(size=(60_000, 3)), columns=list("abc"))
    seen = SeenRows()
    seen.add(large)
    assert seen.share(large.sample(part, random_state=1)) == 1.0
    assert seen.share(pd.DataFrame(RANDOM.normal(size=(part, 3)), columns=list("abc"))) == 0.0
    few = SeenRows()
    few.add(large.iloc[:part])
    assert few.share(large[["b", "c", "a"]]) == 1.0
