"""Any partition under MAP-DP's model."""

from __future__ import annotations

import numpy as np
import pytest

from mapdp_studio.core import load_model, save_model
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.judged import JudgedPartition
from tests.tables.four_groups import FRAME


def test_a_partition_is_judged_by_the_exact_objective(model):
    merged = Naming().merging((0,), (3,)).apply(model.labels_)
    judged = JudgedPartition.of(model, merged.labels)
    expected = Partition(model.columns_, model.concentration, merged.labels).objective()
    assert judged.objective_ == pytest.approx(expected)
    assert judged.objective_ > model.objective_
    assert JudgedPartition.of(model, model.labels_).objective_ == model.objective_
    np.testing.assert_array_equal(judged.predict(FRAME), merged.labels)
    loaded = load_model(save_model(judged))
    np.testing.assert_array_equal(loaded.predict_proba(FRAME), judged.predict_proba(FRAME))
