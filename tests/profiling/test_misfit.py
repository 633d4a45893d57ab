"""A column that its likelihood does not describe is named first, and a fitting table names none."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from core import MAPDP, ColumnSpec, Schema
from core.profiling.misfit import misfits, quantile_residuals

from ..benchmarks.typing_tables import FITTING, PLANTED, misfit_table


@pytest.mark.parametrize("kind", list(PLANTED))
def test_a_planted_misfit_is_named_first_with_what_fits_better(kind):
    frame, schema = misfit_table(3, kind)
    model = MAPDP(n_init=2, random_state=0).fit(frame, schema)
    found = misfits(model.partition_, model.schema_, frame)
    assert found[0].column == kind
    change = found[0].change
    assert found[0].gain > 10
    better = MAPDP(n_init=2, random_state=0).fit(frame, schema.with_column(kind, **change))
    assert kind not in [m.column for m in misfits(better.partition_, better.schema_, frame)]


def test_a_fitting_table_names_nothing():
    frame, schema = misfit_table(4, None)
    assert list(frame) == list(FITTING)
    model = MAPDP(n_init=2, random_state=0).fit(frame, schema)
    assert misfits(model.partition_, model.schema_, frame) == ()


def test_residuals_are_uniform_where_the_model_is_right_and_missing_where_the_cell_is():
    random = np.random.default_rng(0)
    frame = pd.DataFrame({"x": random.normal(size=500), "n": random.poisson(2.0, 500) * 1.0})
    frame.loc[:9, "x"] = np.nan
    schema = Schema([ColumnSpec("x", "normal"), ColumnSpec("n", "poisson")])
    model = MAPDP(n_init=1, random_state=0).fit(frame, schema)
    residuals = quantile_residuals(model.partition_)
    assert 10 <= np.isnan(residuals["x"]).sum() < 20  # and the cells of a tiny cluster
    for u in residuals.values():
        shares = np.histogram(u[~np.isnan(u)], np.linspace(0, 1, 6))[0]
        assert shares.min() > 70
