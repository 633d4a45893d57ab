"""Answers come in the order of the tasks, as they come, and only so many wait."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.parts.workers import AHEAD, run_all

N = 60


class Counting(ThreadPoolExecutor):
    """Two threads that know how many tasks they were handed."""

    n_asked = 0

    def submit(self, function, *arguments):
        self.n_asked += 1
        return super().submit(function, *arguments)


def test_answers_come_in_order_and_few_wait_for_the_slowest():
    told = []

    def work(i: int) -> int:
        time.sleep(0.02 if i == 0 else 0.0)
        return i

    with Counting(2) as executor:
        answers = run_all(executor, work, [(i,) for i in range(N)], lambda *n: told.append(n))
        for i, answer in enumerate(answers):
            assert answer == i
            assert executor.n_asked <= i + 2 * AHEAD
    assert told == [(i, N) for i in range(1, N + 1)]


def test_what_waits_is_dropped_when_the_work_is_ended():
    done, gate = [], threading.Event()

    def work(i: int) -> None:
        gate.wait(0.0 if i == 0 else 5.0)
        done.append(i)

    def stop(*n: int) -> None:
        gate.set()
        raise KeyboardInterrupt

    with Counting(2) as executor:
        with pytest.raises(KeyboardInterrupt):
            list(run_all(executor, work, [(i,) for i in range(N)], stop))
        assert executor.n_asked <= 2 * AHEAD
    assert len(done) <= 2 * AHEAD
