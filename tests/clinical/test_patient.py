"""One patient."""

from __future__ import annotations

import numpy as np

from core.clinical.patient import look_up, rows_of_id


def test_a_patient_s_reasons_are_the_columns_observed(cohort):
    groups = cohort["groups"]
    row = int(np.flatnonzero(groups.labels == 2)[0])
    seen = look_up(groups, cohort["checks"], row)
    names = list(cohort["study"].lock.columns("cluster"))
    assert (seen.group, seen.share) == (2, None)
    assert len(seen.reasons) == cohort["frame"].loc[row, names].notna().sum()
    assert seen.reasons["nats"].abs().is_monotonic_decreasing
    assert rows_of_id(cohort["frame"], ("Patient",), " P007 ") == [6]
