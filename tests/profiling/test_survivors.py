"""What stays as the evidence counts less, in a sentence, and at which power."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.models.tolerance import TolerancePath
from mapdp_studio.core.profiling.how_many import Survivors

FITTED = np.repeat([0, 1, 2, 3], [40, 30, 20, 4])
TWO = np.repeat([0, 1, 0, 2], [40, 30, 20, 4])
ONE = np.zeros(94, dtype=int)


def path(*partitions: np.ndarray) -> TolerancePath:
    counts = np.array([int((np.bincount(labels) >= 5).sum()) for labels in partitions])
    powers = np.geomspace(1.0, 0.1, len(partitions))
    return TolerancePath(powers, partitions, np.zeros(len(powers)), counts)


@pytest.mark.parametrize(
    ("partitions", "power", "said"),
    [
        # Eleven powers from 1 to .1: the two are those of the second to the tenth.
        (
            (FITTED, *[TWO] * 9, ONE),
            0.1**0.1,
            "4 groups, 1 of them under 10 rows; as the evidence counts less, 2 groups stay from "
            "79 % of its weight down to 13 %.",
        ),
        ((FITTED, *[ONE] * 9), None, "no groups stay while its weight falls by a factor of 1.5."),
        ((FITTED,) * 6, 1.0, "3 groups stay from 100 % of its weight down to 10 %."),
    ],
    ids=["some", "none", "all"],
)
def test_what_stays_is_said_with_its_power(partitions, power, said):
    found = Survivors.of(path(*partitions), FITTED)
    assert found.power == (None if power is None else pytest.approx(power))
    assert found.sentence.endswith(said)


@pytest.mark.parametrize("place", [1, 2, 9])
def test_the_power_is_one_whose_partition_has_the_fewest_groups_small_ones_too(place):
    scattered = np.where(np.arange(94) < 2, np.r_[7, 6, TWO[2:]], TWO)
    partitions = [FITTED, *[scattered] * 9, ONE]
    partitions[place] = TWO
    found = Survivors.of(path(*partitions), FITTED)
    assert found.power == pytest.approx(0.1 ** (place / 10))
