"""Births, deaths, merges and splits keep labels and sums in step, and lower E."""

from __future__ import annotations

import numpy as np
import pytest

from core import MAPDPParts
from core.engine.columns import Columns
from core.engine.partition import Partition
from core.parts import search as search_module
from core.parts.start import Start
from core.parts.sums import Sums
from tests.parts.conftest import SCHEMA, SETTINGS, digest, make_frame, write_parts


@pytest.mark.parametrize(
    ("wrong", "step"),
    [
        (lambda truth: np.zeros_like(truth), "split"),
        (lambda truth: np.where(truth == 3, 0, truth), "sweep"),
        (lambda truth: 2 * truth + np.arange(truth.size) % 2, "merge"),
        (lambda truth: np.arange(truth.size) % 4, "sweep"),
        (lambda truth: np.where(np.arange(truth.size) % 100 == 0, 4, truth), "start"),
    ],
    ids=["one cluster", "a birth", "halves", "at random", "a death"],
)
def test_every_poor_start_ends_at_the_truth(wrong, step, tmp_path, monkeypatch):
    frame = make_frame(1_000)
    folder = write_parts(frame, tmp_path / "parts", 3)
    steps = []

    def start(look, sample, columns, *others):
        rows = columns.of_rows(SCHEMA.completed(frame).encode(frame))
        labels = np.unique(wrong(frame["truth"].to_numpy()), return_inverse=True)[1]
        return Start(columns.priors, 0.1, Sums.of(rows, labels, int(labels.max()) + 1))

    real = search_module.PartsSearch._record
    monkeypatch.setattr("core.parts.mapdp_parts.start", start)
    monkeypatch.setattr(
        search_module.PartsSearch, "_record", lambda self, s: steps.append(s) or real(self, s)
    )
    model = MAPDPParts(random_state=0, prior="empirical").fit(folder, SCHEMA, tmp_path / "labels")
    assert step in steps
    columns = Columns.pack(model.schema_.encode(frame), model.prior_)
    partition = Partition(columns, 3.0, model.read_labels())
    assert model.objective_ == pytest.approx(partition.objective(), abs=1e-7)
    assert (np.diff(model.objective_trace_) < 0).all()
    truth = Partition(columns, 3.0, frame["truth"].to_numpy())
    truth.sweep(np.arange(len(frame)))
    assert model.objective_ < truth.objective() + 1e-6


def test_a_split_that_is_rejected_leaves_no_trace(fitted, folder, tmp_path, monkeypatch):
    """Whatever a sample says of it, every split is tried on all rows."""
    monkeypatch.setattr("core.parts.splits.SPLIT_MARGIN", np.inf)
    tried = []
    real = search_module.PartsSearch._decide

    def decide(self, proposals):
        before = self.sums.members.copy(), self.trace[-1][0]
        tried.append((len(proposals), real(self, proposals)))
        assert not tried[-1][1]
        assert np.array_equal(self.sums.members, before[0])
        assert self.trace[-1][0] == before[1]
        return False

    monkeypatch.setattr(search_module.PartsSearch, "_decide", decide)
    model = MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path)
    assert max(n for n, _ in tried) >= model.n_clusters_
    assert digest(model) == digest(fitted)
