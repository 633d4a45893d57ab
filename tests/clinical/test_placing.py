"""One patient, a second cohort, and the groups without each site."""

import numpy as np
import pytest

from mapdp_studio.core import SchemaError, infer_schema
from mapdp_studio.core.clinical import placing
from mapdp_studio.core.clinical.concerns import site_columns
from mapdp_studio.core.clinical.small_counts import HIDDEN
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.clinical.studies import studied
from tests.tables.deaths import N, deaths_frame


def test_a_second_cohort_is_placed_in_the_first_one_s_groups(cohort):
    other, _, truth = load_parkinsonism(1)
    found = placing.apply_to(cohort.groups, cohort.lock, other)
    assert ari(truth, found.labels) > 0.9
    assert found.absent == ()
    sizes, hidden = found.sizes(cohort.groups), found.sizes(cohort.groups, 5)
    assert sizes["First cohort"].astype(int).sum() == len(cohort.frame)
    second = np.bincount(found.labels, minlength=len(sizes))
    assert sizes["Second cohort"].astype(int).tolist() == second.tolist()
    assert sizes["Group"].tolist()[-2:] == ["Cluster 5, atypical", "none of these"]
    assert (hidden["First cohort"] == HIDDEN).tolist() == [False, False, False, True, True, False]
    with pytest.raises(SchemaError, match="Speech"):
        placing.apply_to(cohort.groups, cohort.lock, other.drop(columns=["Speech"]))


def test_groups_that_hang_on_no_site_come_back_without_each():
    """A code read as a float, as where some are missing, is named as it was written."""
    sites = np.random.default_rng(0).choice([1.0, 2.0], N)
    frame = deaths_frame(missing=0.0).assign(centre=sites)
    frame.loc[:2, "centre"] = np.nan
    schema = infer_schema(frame).with_columns({"deaths": "validator", "centre": "control"})
    assert site_columns(frame, schema) == ["centre"]
    shared = []
    table = placing.sites_left_out(
        studied(frame, schema).groups, frame["centre"], share=shared.append
    )
    assert shared[-1].equals(table)
    table = table.set_index("Left out")
    assert sorted(table.index) == ["1", "2"]
    assert table.loc["1", "Patients"] == (frame["centre"] == 1.0).sum()
    assert (table["Groups"] == 2).all()
    assert (table[["Agreement (ARI)", "Group 1", "Group 2"]] > 0.9).all(axis=None)
