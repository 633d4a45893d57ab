"""Rows priced together: the engine's own scores, and the cluster that numpy's argmax says."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core.engine import assign
from mapdp_studio.core.engine.assign import Scorer
from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.engine.product import score_table
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.schema.encoded import Encoded
from tests.random_tables import random_table


def test_rows_outside_go_to_the_cheapest_cluster_or_a_new_one():
    """Rows far from all clusters open one where that may be, else they take a neighbour."""
    values = np.concatenate([np.arange(20) % 5 + 10.0 * (np.arange(20) % 2), [4e3, 5e3]])[:, None]
    encoded = Encoded.from_array(values, "normal")
    columns = Columns.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(columns, 3.0, np.append(np.arange(20) % 2, [-1, -1]))
    scorer, rows = Scorer(columns.table, partition.clusters), columns.table.values
    costs = scorer.of(rows) + np.log(partition.sizes)
    np.testing.assert_array_equal(scorer.cheapest(rows), costs.argmax(axis=1))
    found = scorer.cheapest(rows, partition.log_concentration)
    assert (found[20:] == -1).all()
    assert (found[:20] == costs[:20].argmax(axis=1)).all()


@pytest.mark.parametrize("most", [1, 3, assign.MOST_VALUES])
def test_scores_worked_out_once_are_the_engines(most, monkeypatch):
    """Of every family, with missing cells; few whole numbers, or none, are known beforehand."""
    monkeypatch.setattr(assign, "MOST_VALUES", most)
    monkeypatch.setattr(assign, "BLOCK", 3)
    encoded, priors = random_table(np.random.default_rng(2), 60, list(FAMILIES))
    columns, labels = Columns.pack(encoded, priors), np.arange(60) % 3
    clusters = Partition(columns, 2.0, labels).clusters
    scorer = Scorer(columns.table, clusters)
    for rows in (np.arange(2), np.arange(3), np.arange(59)):  # larger numbers come later
        few = columns.of_rows(Encoded(encoded.values[rows], encoded.units))
        wanted = np.empty((rows.size, scorer.width))
        score_table(few.table, clusters.state, 3, np.full(rows.size, -1), wanted, clusters.work)
        np.testing.assert_allclose(
            scorer.of(few.table.values), wanted[:, :3], rtol=1e-12, atol=1e-12
        )
