"""Two results side by side: what was changed, and when their costs compare."""

from __future__ import annotations

from dataclasses import replace

from core.comparing.snapshots import Snapshot, side_by_side
from core.methods import METHODS
from core.methods.settings import Settings
from core.partitions.naming import Naming
from core.profiling.judged import JudgedPartition
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
