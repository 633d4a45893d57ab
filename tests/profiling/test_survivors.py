"""The sentence on what stays as the evidence counts less, and the merges that lead there."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.survivors import Survivors

FITTED = np.repeat([0, 1, 2, 3], [40, 30, 20, 4])
TWO = np.repeat([0, 1, 0, 2], [40, 30, 20, 4])
TWO[0] = 1


def path(*partitions: np.ndarray) -> TolerancePath:
    counts = np.array([int((np.bincount(labels) >= 5).sum()) for labels in partitions])
    powers = np.geomspace(1.0, 0.1, len(partitions))
    return TolerancePath(powers, partitions, np.zeros(len(powers)), counts)


def test_merges_lead_from_the_fitted_groups_to_those_that_stay():
    found = Survivors.of(path(FITTED, *[TWO] * 9, np.zeros(94, int)), FITTED)
    assert found.merged == ((0, 2),)
    assert Naming(merged=found.merged).apply(FITTED).sizes.tolist() == [60, 30, 4]
    assert (found.n_surviving, found.n_beside, found.n_apart) == (2, 1, 1)
    # Eleven powers from 1 to .1: the two are those of the second to the tenth.
    assert found.sentence == (
        "4 groups, 1 of them under 10 rows; as the evidence counts less, 2 groups stay from 79 % "
        "of its weight down to 13 %."
    )
    assert "1 row would" in found.remark


def test_nothing_stays_where_no_number_stays():
    found = Survivors.of(path(FITTED, *[np.zeros(94, int)] * 9), FITTED)
    assert found.n_surviving is None
    assert found.sentence.endswith("no groups stay while its weight falls by a factor of 1.5.")


def test_groups_that_all_stay_need_no_merge():
    three = np.repeat([0, 1, 2], [40, 30, 20])
    found = Survivors.of(path(*[three] * 6), three)
    assert found.merged == ()
    assert "3 groups stay from 100 % of its weight down to 10 %." in found.sentence
