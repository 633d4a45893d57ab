"""A finished search with a sample of its rows: E, merges and predictions are those of all rows."""

from __future__ import annotations

import numpy as np
import pytest

from core import MAPDP, MAPDPParts, ModelFileError
from core.engine.columns import Columns
from core.engine.partition import Partition
from core.inference.contributions import column_contributions
from core.parts.opened import open_finished
from core.profiling.judged import JudgedPartition
from tests.parts.conftest import SCHEMA


@pytest.fixture(scope="module")
def fitted(folder, tmp_path_factory):
    model = MAPDPParts(random_state=0, sample=300, prior="empirical")
    return model.fit(folder, SCHEMA, tmp_path_factory.mktemp("labels"))


def test_what_is_told_of_all_rows_is_what_the_engine_tells_of_them(frame, fitted):
    opened = open_finished(fitted.labels_path_)
    columns = Columns.pack(fitted.schema_.encode(frame), fitted.prior_)
    whole = MAPDP().adopt(Partition(columns, 3.0, fitted.read_labels()), 0.1, fitted.schema_)
    model = opened.model
    judged = JudgedPartition.of(model, model.labels_)
    assert len(opened.frame) == len(model.labels_) < len(frame) == opened.n_rows
    assert judged.objective_ == pytest.approx(whole.objective_, abs=1e-6)
    assert np.allclose(judged.merge_path_.objectives, whole.merge_path_.objectives)
    one, other = (column_contributions(m.partition_) for m in (judged, whole))
    assert np.allclose(one["nats"], other["nats"])
    assert np.allclose(one["nats_per_row"], other["nats_per_row"], rtol=0.1)
    assert np.allclose(judged.predict_proba(frame[:80]), whole.predict_proba(frame[:80]))
    assert np.array_equal(opened.sizes, whole.result_.sizes)
    drawn = fitted.sample_["row"].to_numpy()
    assert np.array_equal(model.labels_, fitted.read_labels()[drawn])
    assert np.bincount(model.labels_).min() >= 10


def test_clusters_united_by_hand_are_those_of_all_rows(frame, fitted):
    model = open_finished(fitted.labels_path_).model
    old_to_new = np.array([1, 0, 1, 2])
    columns = Columns.pack(fitted.schema_.encode(frame), fitted.prior_)
    whole = Partition(columns, 3.0, old_to_new[fitted.read_labels()])
    united = JudgedPartition.of(model, old_to_new[model.labels_])
    assert united.objective_ == pytest.approx(whole.objective(), abs=1e-6)
    assert np.array_equal(united.partition_.sizes, whole.sizes)
    apart = np.arange(len(model.labels_)) % 2  # no union of clusters: judged by the rows at hand
    assert JudgedPartition.of(model, apart).partition_.sizes.sum() == len(apart)


def test_a_folder_without_a_finished_search_gets_a_sentence(tmp_path):
    with pytest.raises(ModelFileError, match="name the folder of labels"):
        open_finished(tmp_path)
