"""Rows of plain numbers: a table too large to be kept gives what it gives when it is kept."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import DPMeans, KMeansBIC
from mapdp_studio.core.models import rows
from mapdp_studio.core.partitions.scores import ari

RANDOM = np.random.default_rng(0)
GROUP = RANDOM.integers(3, size=60)
FRAME = pd.DataFrame(
    {
        "size": 1e6 + 9.0 * GROUP + RANDOM.normal(size=60),
        "kind": np.array(["red", "green", "blue"])[GROUP],
        "visits": RANDOM.poisson(1.0 + 3.0 * GROUP).astype(float),
    }
).mask(RANDOM.random((60, 3)) < 0.1)
PLAIN = FRAME[["size", "visits"]].to_numpy()


@pytest.mark.parametrize("table", [FRAME, PLAIN], ids=["mixed", "plain"])
@pytest.mark.parametrize(
    "model",
    [
        DPMeans(n_clusters_hint=3),
        DPMeans(n_clusters_hint=4, shuffle=True, n_init=2, random_state=0),
        KMeansBIC(k_max=5, n_init=2, random_state=0),
        KMeansBIC(3, 3, init=GROUP),
    ],
    ids=["in order", "shuffled", "by BIC", "from labels"],
)
def test_streamed_rows_give_what_kept_rows_give(model, table, monkeypatch):
    kept = model.fit(table)
    labels, objective = kept.labels_, kept.objective_
    centers, predicted = kept.cluster_centers_, kept.predict(table)
    monkeypatch.setattr(rows, "KEPT_NUMBERS", 0)
    monkeypatch.setattr(rows, "ROWS_AT_ONCE", 7)
    streamed = model.fit(table)
    assert np.array_equal(streamed.labels_, labels)
    assert streamed.objective_ == pytest.approx(objective, rel=1e-9)
    assert np.allclose(streamed.cluster_centers_, centers, rtol=1e-12)
    assert np.array_equal(streamed.predict(table), predicted)


@pytest.mark.parametrize("table", [FRAME, PLAIN], ids=["mixed", "plain"])
@pytest.mark.parametrize(
    "model",
    [
        DPMeans(penalty=1.0),
        DPMeans(n_clusters_hint=6, shuffle=True, n_init=2, random_state=0),
        KMeansBIC(k_max=9, n_init=1, random_state=0),
    ],
    ids=["from afar", "shuffled", "by BIC"],
)
def test_the_order_of_rows_is_nothing_to_the_answer(model, table):
    labels, objective = model.fit(table).labels_, model.objective_
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(table))
        model.fit(table.iloc[order] if table is FRAME else table[order])
        assert model.objective_ == objective
        assert ari(model.labels_, labels[order]) == 1.0
