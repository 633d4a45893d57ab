"""Groups that are no more than the special outcomes of one column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, infer_schema
from mapdp_studio.core.profiling.outcome_split import outcome_split
from mapdp_studio.core.profiling.profiles import natural_columns


def lab_table(
    seed: int, share: float, others: float, n: int = 300
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two groups: a log-normal lab column 4 sd apart, and two normal columns ``others`` sd apart.

    Returns the table with the lab's lowest ``share`` of cells at its limit, the truth and the exact
    values of the lab.
    """
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    lab = np.exp(random.normal(4 * group, 1.0))
    limit = float(f"{np.quantile(lab, share):.3g}")
    cells = [f"{value:.4g}" if value >= limit else f"<{limit:g}" for value in lab]
    frame = pd.DataFrame({"lab": cells})
    if others:
        frame["x"], frame["y"] = random.normal(others * group), random.normal(others * group)
    return frame, group, lab


@pytest.mark.parametrize(("share", "is_said"), [(0.7, True), (0.3, False)])
def test_a_limit_that_outweighs_the_other_columns_is_named(share, is_said):
    frame, _, _ = lab_table(1, share, others=1.5)
    model = MAPDP(random_state=0).fit(frame, infer_schema(frame))
    said = outcome_split(natural_columns(model.columns_.encoded), model.labels_)
    assert bool(said) == is_said
    assert said.startswith("lab: whether a cell is below" if is_said else "")


def test_nothing_is_said_of_one_group_or_one_column():
    frame, _, _ = lab_table(1, 0.7, others=0.0)
    columns = natural_columns(infer_schema(frame).encode(frame))
    below = frame["lab"].str.startswith("<").to_numpy().astype(int)
    assert outcome_split(columns, below) == ""
    frame, _, _ = lab_table(1, 0.7, others=1.5)
    columns = natural_columns(infer_schema(frame).encode(frame))
    assert outcome_split(columns, np.zeros(300, dtype=int)) == ""
    assert outcome_split(columns, below) != ""
