"""Many fits beside each other."""

from __future__ import annotations

import time

import numpy as np
import pytest

from mapdp_studio.core import MAPDP, Progress
from mapdp_studio.core.clinical.left_out import groups_without
from mapdp_studio.core.models.side_by_side import THREADS, Refits
from mapdp_studio.core.statistics.copula import copula_reference
from mapdp_studio.core.statistics.stability import Protocol, assess
from mapdp_studio.core.statistics.stability_summary import ORDERS, stability_summary
from tests.far_away import Far


def test_one_failure_ends_all_fits():
    started, finished = [], []

    def work(item: int, callback) -> int:
        started.append(item)
        if item == 1:
            raise ValueError("no")
        until = time.monotonic() + 20.0
        while item and time.monotonic() < until:  # ends as soon as the failure is known
            callback(Progress(1, 2, 0.0, 1))
        finished.append(item)
        return item

    with pytest.raises(ValueError, match="no"):
        list(Refits(100).map(work, range(100), ""))
    assert len(started) <= 2 + THREADS
    assert finished == [0]


def test_workers_far_away_find_the_same():
    """Bootstraps, restarts, settings, orders, tables of a copula, columns left out."""
    random = np.random.default_rng(0)
    values = 5.0 * np.eye(3)[random.integers(3, size=60)] + random.normal(size=(60, 3))
    model = MAPDP(prior="empirical", patience=2, random_state=0).fit(values)
    protocol, far, told = Protocol(restarts=2, bootstraps=2, fits=1), Far(), []
    there = assess(model, protocol, executor=far, callback=told.append)
    here = assess(model, protocol)
    assert far.asked == len(told) == told[-1].done == told[-1].total
    assert np.array_equal(there.restarts.objectives, here.restarts.objectives)
    assert np.array_equal(there.bootstraps.patients.shares, here.bootstraps.patients.shares)
    assert np.array_equal(there.bootstraps.held_out.gains, here.bootstraps.held_out.gains)
    without = [labels for _, labels in groups_without(model, model.columns_.encoded, executor=far)]
    again = [labels for _, labels in groups_without(model, model.columns_.encoded)]
    assert all(map(np.array_equal, without, again))
    far.asked = 0
    orders = stability_summary(model, protocol, told.append, executor=far).orders
    assert far.asked == ORDERS + told[-1].total
    wanted = stability_summary(model, protocol, told.append).orders
    found_in_order = [[draw.labels.tolist() for draw in way.draws] for way in (orders, wanted)]
    assert found_in_order[0] == found_in_order[1]
    far.asked = 0
    found = copula_reference(model, 1, executor=far)
    assert far.asked > 0
    assert found.observed == copula_reference(model, 1).observed
