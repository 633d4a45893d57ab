"""Rows that stand several times are searched as one that counts as often."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import MAPDP, ColumnSpec, Schema, infer_schema
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.models.repeated_rows import FEW, DistinctRows


def table(seed: int, n: int = 90) -> pd.DataFrame:
    """Three groups that overlap, in columns of four kinds; a cell is missing here and there."""
    random, group = np.random.default_rng(seed), np.repeat([0, 1, 2], n // 3)
    names = np.where(random.random(n) < 0.7, group, random.integers(0, 3, n))
    frame = pd.DataFrame(
        {
            "a": random.normal(size=n) + 3 * group,
            "b": random.normal(size=n) + 2 * (group == 1),
            "c": np.array(["u", "v", "w"])[names],
            "k": random.poisson(1 + 3 * group),
        }
    )
    return frame.mask(random.random(frame.shape) < 0.02)


@pytest.mark.parametrize("seed", range(3))
def test_copies_are_weights(seed):
    frame, times = table(seed), np.random.default_rng(seed).integers(1, 4, 90)
    schema = infer_schema(frame)
    copies = frame.loc[frame.index.repeat(times)].reset_index(drop=True)
    once = MAPDP(random_state=0).fit(frame, schema, sample_weight=times)
    each = MAPDP(random_state=0).fit(copies, schema)
    assert each.objective_ == pytest.approx(once.objective_, abs=1e-6)
    np.testing.assert_array_equal(each.labels_, np.repeat(once.labels_, times))
    assert len(each.result_.labels) == times.sum()


def test_the_distinct_rows_are_the_table():
    frame = pd.concat([table(0), table(0)[::-1]], ignore_index=True)
    encoded = infer_schema(frame).encode(frame)
    distinct = DistinctRows.of(encoded)
    np.testing.assert_array_equal(distinct.encoded.values[distinct.place], encoded.values)
    np.testing.assert_array_equal(distinct.encoded.weights, np.full(90, 2.0))
    np.testing.assert_array_equal(distinct.place[:90], np.arange(90))
    assert DistinctRows.of(encoded.rows(np.arange(int(90 / FEW) - 1))) is None


def test_where_every_row_wants_to_be_alone_all_rows_are_looked_after():
    # A yes/no tells so little that with an N0 of 1,000 the copies of a row part.
    frame = pd.DataFrame({"x": ["yes", "no"] * 6})
    schema = Schema([ColumnSpec("x", "bernoulli", "cluster", levels=("no", "yes"))])
    model = MAPDP(1000.0, random_state=0).fit(frame, schema)
    assert model.n_clusters_ > 2
    partition = Partition(model.columns_, 1000.0, model.labels_)
    assert partition.sweep(np.arange(12)) == 0
