"""The store of what follows from what."""

from __future__ import annotations

from core.once import Known


def test_a_value_is_worked_out_once_for_what_it_is_about_and_the_newest_are_kept():
    store, asked = Known(), []

    def value_of(about, most=2):
        return store.latest("square", about, lambda: asked.append(about) or about**2, most)

    assert [value_of(n) for n in (1, 2, 1, 3, 2, 1)] == [1, 4, 1, 9, 4, 1]
    assert asked == [1, 2, 3, 1]
    assert [store.known("square", n) for n in (1, 2, 3)] == [1, None, 9]
    store.note("root", 4, 2)
    assert (store.known("root", 4), store.known("square", 4)) == (2, None)
