"""The groups of the cohort, and its two atypical patients."""

from __future__ import annotations

import numpy as np

from core.clinical.replication import Replication
from core.partitions.scores import ari

PUBLISHED_SHARES = (50.0, 43.0, 5.0, 1.7, 0.4)


def test_the_cohort_has_the_paper_s_five_groups(cohort):
    groups = cohort["groups"]
    shares = 100 * groups.sizes / groups.labels.size
    assert np.abs(shares - PUBLISHED_SHARES).max() < 2.0
    assert ari(cohort["truth"], groups.labels) >= 0.95


def test_the_two_patients_are_atypical_and_in_no_test(cohort):
    groups, validation = cohort["groups"], cohort["validation"]
    assert (groups.profiled, groups.atypical) == ((0, 1, 2, 3), (4,))
    assert groups.atypical_rows.size == 2
    assert validation.validators.left_out == (4,)
    pairs = {pair.groups for column in validation.validators.columns for pair in column.pairs}
    assert all(4 not in pair for pair in pairs)
    assert all(4 not in pair for pair in Replication(cohort["seen"], cohort["tests"]).lines["pair"])
    assert 4 not in cohort["seen"].yes.columns
