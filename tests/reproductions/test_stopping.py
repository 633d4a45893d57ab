"""Every experiment stops at once when told to."""

from __future__ import annotations

from functools import partial

import pytest

from mapdp_studio.demo_datasets import load_scenario
from tests.reproductions import kj12, r14, r16


class Stop(BaseException):
    pass


def _stop_at(count):
    seen = []

    def callback(progress):
        seen.append(progress)
        assert 0 <= progress.done < progress.total
        assert progress.phase
        if len(seen) == count:
            raise Stop

    return callback


@pytest.mark.parametrize(
    "experiment",
    [
        partial(r14.crp_experiment, 2, n=40, n_sweeps=20),
        partial(kj12.figure_two, 2, 20, n=60, n_penalties=4),
        partial(r16.scenario_runs, load_scenario, effort=r16.Effort(100, 2, 3, 1, 1, 5)),
    ],
    ids=["r14", "kj12", "r16"],
)
def test_experiments_stop_at_once(experiment):
    with pytest.raises(Stop):
        experiment(callback=_stop_at(12))
