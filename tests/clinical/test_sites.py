"""The groups without the patients of each site in turn."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.concerns import site_columns
from mapdp_studio.core.clinical.placing import sites_left_out
from tests.clinical.run_study import study_of
from tests.far_away import Far
from tests.tables.deaths import N, deaths_frame


def test_groups_that_hang_on_no_site_come_back_without_each():
    """A code read as a float, as where some are missing, is named as it was written."""
    sites = np.random.default_rng(0).choice([1.0, 2.0], N)
    frame = deaths_frame(missing=0.0).assign(centre=sites)
    frame.loc[:2, "centre"] = np.nan
    schema = infer_schema(frame).with_column("deaths", role="validator")
    schema = schema.with_column("centre", role="control")
    assert site_columns(frame, schema) == ["centre"]
    _, groups = study_of(frame, schema, restarts=1)
    table = sites_left_out(groups, frame["centre"])
    far = Far()
    assert sites_left_out(groups, frame["centre"], executor=far).equals(table)
    assert far.asked == 2
    table = table.set_index("Left out")
    assert sorted(table.index) == ["1", "2"]
    assert table.loc["1", "Patients"] == (frame["centre"] == 1.0).sum()
    assert (table["Groups"] == 2).all()
    assert (table[["Agreement (ARI)", "Group 1", "Group 2"]] > 0.9).all(axis=None)
