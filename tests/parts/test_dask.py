"""The same labels from a cluster of two worker processes, one of them killed in mid-visit."""

from __future__ import annotations

import os
import signal
import sys
from types import ModuleType

import pytest

from core import MAPDPParts
from tests.parts.conftest import SCHEMA, SETTINGS, digest

distributed = pytest.importorskip("distributed", reason="dask[distributed] is not installed")


# What dask itself warns of, such as the port of its dashboard, is not ours to mend.
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_changes_nothing(folder, fitted, tmp_path, monkeypatch):
    # A test of a page leaves its script as the main module, which a new process would run.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    killed = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def kill_one(progress):
            in_mid_visit = 1.0 < progress.done < 2.0 and progress.phase == "visit 2"
            if in_mid_visit and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        model = MAPDPParts(**SETTINGS, executor=client)
        model.fit(folder, SCHEMA, tmp_path, kill_one)
        assert killed[0] not in client.run(os.getpid).values()
    assert digest(model) == digest(fitted)
