"""A finished search in parts, opened: the pages find the model of all rows where a fit would be."""

from __future__ import annotations

import numpy as np
import pytest

from core import MAPDPParts
from core.comparing.comparison import scoreboard, tasks
from core.methods import JUDGE, METHODS
from core.partitions.naming import Naming
from core.profiling.judged import JudgedPartition, stands_for
from core.session.finished import work_on_finished
from tests.parts.conftest import SCHEMA, make_frame


def test_the_pages_get_the_model_of_all_rows_without_a_fit(tmp_path):
    model = MAPDPParts(2.0, random_state=0, sample=200, prior="empirical")
    model.fit(make_frame(1_500).drop(columns="truth"), SCHEMA, tmp_path)
    work = work_on_finished(tmp_path)
    table = work.table
    wanted = tasks(table.digest, work.schema, work.settings, len(table.frame))
    kept = work.results.get(wanted[JUDGE])
    assert kept.objective_ == model.objective_
    assert len(kept.labels_) == len(table.frame) < work.all_rows.n == 1_500
    # Beside other methods, E is of the rows that all of them have.
    assert work.results.objective(wanted[JUDGE], wanted[JUDGE]) < 0.5 * model.objective_
    # No run is behind it, and its K and prior scale are not of the rows shown.
    score = scoreboard(work.results, {JUDGE: wanted[JUDGE]}, None)[0]
    assert (score.n_iter, score.seconds) == (None, None)
    assert "all 1,500 rows, with prior scale 10 %" in METHODS[JUDGE].explanation(kept)

    sizes = [cluster.size for cluster in model.clusters_]
    weights = stands_for(kept)
    assert np.bincount(kept.labels_, weights) == pytest.approx(sizes)
    groups = Naming().apply(kept.labels_, weights)
    assert JudgedPartition.of(kept, groups.labels).partition_.sizes.tolist() == sizes
