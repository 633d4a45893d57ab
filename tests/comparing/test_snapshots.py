"""Two results side by side: what was changed, and when their costs compare."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from mapdp_studio.core import ColumnSpec, Schema
from mapdp_studio.core.comparing.snapshots import Snapshot, side_by_side
from mapdp_studio.core.engine.columns import Columns, default_priors
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition
from tests.tables.labelled import SCHEMA


def test_snapshots_say_what_was_changed_and_when_costs_compare(fitted):
    results, wanted = fitted
    judge = results.get(wanted["MAPDP"])
    kept = {
        name: Snapshot(
            METHODS[name].title,
            Naming().apply(results.get(wanted[name]).labels_),
            JudgedPartition.of(judge, results.get(wanted[name]).labels_).objective_,
            SCHEMA,
            Settings(),
            judge.prior_scale_,
        )
        for name in ("MAPDP", "KMeansBIC")
    }
    found = side_by_side(kept["MAPDP"], kept["KMeansBIC"])
    assert found.changes == ("K-means instead of MAP-DP",)
    assert found.difference == kept["KMeansBIC"].objective - kept["MAPDP"].objective
    assert found.contingency.counts.sum() == 90
    without = replace(
        kept["MAPDP"],
        schema=SCHEMA.with_column("visits", role="ignore"),
        settings=Settings(concentration=5.0),
    )
    found = side_by_side(kept["MAPDP"], without)
    assert found.changes == ("without visits", "N₀ 5 instead of 3")
    assert found.difference is None
    assert found.contingency.ari == 1.0


def test_costs_of_two_likelihoods_compare_where_both_give_the_same_cells_probabilities():
    frame = pd.DataFrame({"n": [0, 1, 2, 2, 1, 0, 4, 1], "x": np.arange(8.0)})
    base = Schema([ColumnSpec("n", "poisson"), ColumnSpec("x", "normal")])
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1])

    def result(schema: Schema) -> Snapshot:
        encoded = schema.encode(frame)
        columns = Columns.pack(encoded, default_priors(encoded, 0.1))
        objective = Partition(columns, 3.0, labels).objective()
        return Snapshot("MAP-DP", Naming().apply(labels), objective, schema, Settings(), 0.1)

    first = result(base)
    for family in ("geometric", "categorical"):
        second = result(base.with_column("n", family=family))
        found = side_by_side(first, second)
        assert found.difference == second.objective - first.objective
        assert found.changes == ("n typed otherwise",)
    for other in (
        base.with_column("n", family="normal"),
        base.with_column("n", special={"zero": 0}),
        base.with_column("n", missing_codes=[4]),
        base.with_column("x", role="ignore"),
    ):
        assert side_by_side(first, result(other)).difference is None
