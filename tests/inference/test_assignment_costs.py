"""What a row costs in every cluster, against the change of E."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.engine.columns import Columns
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.inference.assignment_costs import assignment_costs
from mapdp_studio.core.inference.row_scores import RowScores
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import random_families, random_table

LABELS = np.array([0, 0, 0, 1, 1, 1, 1, 2, 2, 3])


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("seed", range(4))
def test_costs_are_changes_of_e_at_every_power_and_weight(power, seed):
    random = np.random.default_rng(seed)
    encoded, priors = random_table(random, 10, random_families(random))
    weights = random.choice([0.5, 1.0, 3.0], 10) if seed % 2 else None
    columns = Columns.pack(Encoded(encoded.values, encoded.units, weights), priors, power)
    partition = Partition(columns, 1.7, LABELS)
    for row in (1, 8, 9):
        total = np.sum(assignment_costs(partition, row), axis=0)
        possible = np.flatnonzero(np.isfinite(total))
        assert possible.tolist() == ([0, 1, 2, 3] if row == 9 else [0, 1, 2, 3, 4])
        energies = []
        for k in possible:
            moved = LABELS.copy()
            moved[row] = k
            moved = np.unique(moved, return_inverse=True)[1]
            energies.append(Partition(columns, 1.7, moved).objective())
        own = np.flatnonzero(possible == LABELS[row])[0]
        expected = np.array(energies) - energies[own]
        assert total[possible] - total[possible][own] == pytest.approx(expected, abs=1e-9)
    assert np.array_equal(partition.labels, LABELS)


def test_at_power_1_the_likelihood_term_is_minus_the_log_predictive():
    random = np.random.default_rng(0)
    encoded, priors = random_table(random, 10, ["normal", "categorical"])
    partition = Partition(Columns.pack(encoded, priors), 1.7, LABELS)
    likelihood, _ = assignment_costs(partition, 4)
    one, own = encoded.rows(slice(4, 5)), LABELS[4:5]
    expected = -RowScores.of(partition).log_predictive(one, own)[0]
    assert likelihood == pytest.approx(expected, abs=1e-9)
