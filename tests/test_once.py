"""The store of what follows from what."""

import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from mapdp_studio.core.once import Known


def test_a_value_is_worked_out_once_and_what_was_asked_for_last_is_kept_but_not_sent():
    store, asked = Known(), []

    def value_of(about):
        return store.latest("square", about, lambda: asked.append(about) or about**2, 2)

    assert [value_of(n) for n in (1, 2, 1, 3, 1, 2)] == [1, 4, 1, 9, 1, 4]
    assert asked == [1, 2, 3, 2]
    assert [store.known("square", n) for n in (1, 2, 3)] == [1, 4, None]
    store.note("root", 4, 2)
    assert (store.known("root", 4), store.known("square", 4)) == (2, None)
    there = pickle.loads(pickle.dumps(store))
    assert there.known("root", 4) is None
    assert there.latest("root", 9, lambda: 3) == there.known("root", 9) == 3


def test_threads_that_ask_at_once_wait_for_one_of_them_and_the_next_takes_over():
    asked, go_on, store = [], Event(), Known()

    def work():
        asked.append(None)
        go_on.wait()
        return "worked out" if len(asked) > 1 else int("fails")

    with ThreadPoolExecutor(10) as pool:
        answers = [pool.submit(store.latest, "name", "about", work) for _ in range(10)]
        time.sleep(0.2)
        assert len(asked) == 1
        go_on.set()
        failed = [answer for answer in answers if answer.exception(timeout=10)]
    assert (len(failed), len(asked)) == (1, 2)
    assert {answer.result() for answer in answers if answer not in failed} == {"worked out"}
