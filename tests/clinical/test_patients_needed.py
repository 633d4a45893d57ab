"""What would make a column testable: tables of more patients, and the tests' smallest finding."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from core import MAPDP, ColumnSpec, Schema
from core.clinical.patients_needed import (
    DRAWS,
    TIMES,
    drawn_from,
    patients_needed,
)
from core.schema.encoded import Encoded
from core.statistics.detectable import smallest_difference


def fitted(frame: pd.DataFrame) -> MAPDP:
    return MAPDP(random_state=0).fit(frame, Schema([ColumnSpec(c, "normal") for c in frame]))


def test_more_patients_make_weak_columns_testable_and_a_lone_one_never():
    random = np.random.default_rng(0)
    group = np.repeat([0, 1], [60, 50])
    weak = {f"weak {j}": 1.4 * group + random.normal(size=110) for j in range(5)}
    model = fitted(pd.DataFrame({**weak, "strong": 5.0 * group + random.normal(size=110)}))
    shared = []
    known = patients_needed(model, "strong", (0, 1), share=shared.append)
    assert known.enough is not None
    assert shared[-1] == known
    assert f"about {known.enough:,} patients" in known.sentence
    lone = {f"noise {j}": random.normal(size=110) for j in range(3)}
    model = fitted(pd.DataFrame({**lone, "strong": 8.0 * group + random.normal(size=110)}))
    known = patients_needed(model, "strong", (0, 1))
    assert known.found == (0,) * len(TIMES)
    assert known.sizes[-1] == 440
    assert "Not even 4 times as many" in known.sentence
    with pytest.raises(ValueError, match="took no part"):
        patients_needed(model, "nobody", (0, 1))


def test_it_can_be_stopped_and_tells_of_every_size():
    random = np.random.default_rng(1)
    group = np.repeat([0, 1], 40)
    model = fitted(pd.DataFrame({c: 6.0 * group + random.normal(size=80) for c in "ab"}))

    def stop(progress) -> None:
        assert progress.total == len(TIMES) * DRAWS
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        patients_needed(model, "a", (0, 1), stop)


def test_a_drawn_table_has_the_groups_values_and_breaks_what_is_within_a_group():
    random = np.random.default_rng(2)
    group = np.repeat([0, 1], [100, 50])
    x = 10.0 * group + random.normal(size=150)
    own = Encoded.from_array(np.column_stack([x, x + 0.01 * random.normal(size=150)]), "normal")
    table, labels = drawn_from(own, group, 2.0, random)
    assert np.bincount(labels).tolist() == [200, 100]
    for k in (0, 1):
        drawn = table.values[labels == k]
        assert np.isin(drawn[:, 0], x[group == k]).all()
        assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.3


def test_the_smallest_difference_is_found_in_eight_of_ten_studies():
    least = smallest_difference(60, 30)
    random = np.random.default_rng(3)
    a, b = random.normal(least, 1.0, (4000, 60)), random.normal(size=(4000, 30))
    found = stats.ttest_ind(a, b, axis=1, equal_var=False).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.03)
    assert np.isnan(smallest_difference(1, 30))
