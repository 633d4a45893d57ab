"""One patient."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from mapdp_studio.core.clinical.placing import least_sure, look_up, rows_of_id
from mapdp_studio.core.statistics.bootstraps import Bootstraps, Draw


def test_a_patient_s_reasons_are_the_columns_observed(cohort):
    groups = cohort["groups"]
    row = int(np.flatnonzero(groups.labels == 2)[0])
    seen = look_up(groups, cohort["checks"], row)
    names = list(cohort["study"].lock.columns("cluster"))
    assert (seen.group, seen.share) == (2, None)
    assert len(seen.reasons) == cohort["frame"].loc[row, names].notna().sum()
    assert seen.reasons["nats"].abs().is_monotonic_decreasing
    assert rows_of_id(cohort["frame"], ("Patient",), " P007 ") == [6]


def test_the_least_sure_are_those_whom_the_draws_put_elsewhere(cohort):
    groups = cohort["groups"]
    away = np.array([3, 400, 77])  # in none, one and two of three draws where they belong
    draws = []
    for b in range(3):
        labels = groups.labels.astype(np.int32).copy()
        moved = away[: 3 - b]
        labels[moved] = np.where(labels[moved] == 0, 1, 0)
        draws.append(Draw(labels, None))
    bootstraps = Bootstraps(groups.labels, tuple(draws))
    checks = SimpleNamespace(stability=SimpleNamespace(bootstraps=bootstraps))
    assert least_sure(groups, checks, 3).tolist() == away.tolist()
    seen = [look_up(groups, checks, int(row)) for row in away]
    assert [one.share for one in seen] == pytest.approx([0.0, 1 / 3, 2 / 3])
    assert [one.n_draws for one in seen] == [3, 3, 3]
