"""Rows priced under clusters at rest: the cluster that numpy's argmax says, or a new one."""

from __future__ import annotations

import numpy as np

from mapdp_studio.core.engine import tiles as assign
from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.schema.encoded import Encoded


def test_rows_outside_go_to_the_cheapest_cluster_or_a_new_one(monkeypatch):
    """Rows far from all clusters open one where that may be, else they take a neighbour."""
    monkeypatch.setattr(assign, "BLOCK", 8)
    values = np.concatenate([np.arange(20) % 5 + 10.0 * (np.arange(20) % 2), [4e3, 5e3]])[:, None]
    encoded = Encoded.from_array(values, "normal")
    columns = Columns.pack(encoded, default_priors(encoded, 0.1))
    partition = Partition(columns, 3.0, np.append(np.arange(20) % 2, [-1, -1]))
    table, clusters = columns.table, partition.clusters
    costs = assign.scores_of(table, clusters, table.values)[:, :-1] + np.log(partition.sizes)
    found = assign.cheapest(table, clusters, table.values)
    np.testing.assert_array_equal(found, costs.argmax(axis=1))
    found = assign.cheapest(table, clusters, table.values, partition.log_concentration)
    assert (found[20:] == -1).all()
    assert (found[:20] == costs[:20].argmax(axis=1)).all()
