"""A second cohort."""

from __future__ import annotations

import pytest

from mapdp_studio.core import SchemaError
from mapdp_studio.core.clinical.placing import apply_to
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.demo_datasets import load_parkinsonism


def test_a_second_cohort_is_placed_in_the_first_one_s_groups(cohort):
    other, _, truth = load_parkinsonism(1)
    found = apply_to(cohort["groups"], cohort["study"].lock, other)
    assert ari(truth, found.labels) > 0.9
    assert found.absent == ()
    assert abs(found.density - found.own_density) < 0.1
    with pytest.raises(SchemaError, match="Speech"):
        apply_to(cohort["groups"], cohort["study"].lock, other.drop(columns=["Speech"]))
