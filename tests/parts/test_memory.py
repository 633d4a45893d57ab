"""What a visit takes does not grow with the table.

The peak memory of whole fits, at real sizes, is printed by ``python -m tests.benchmarks.parts``.
"""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from core import MAPDPParts
from core.parts import report, search, source, splits
from core.session.jobs import Job
from tests.parts.conftest import SCHEMA, SETTINGS, make_frame, write_parts


@pytest.fixture
def nothing_else_at_work():
    """End what tests of pages have left at work in this process.

    Its memory would be counted, too, and Python may crash where tracing it begins or ends while
    kernels of other threads allocate.
    """
    left = [one for one in gc.get_objects() if type(one) is Job]
    for job in left:
        job.stop()
    assert all(job.wait(60) for job in left)


@pytest.mark.usefixtures("nothing_else_at_work")
def test_eight_times_the_rows_take_no_more_memory_at_a_time(tmp_path, monkeypatch):
    """Limits are made small, so that small tables reach them."""
    for module, limit, size in (
        (source, "ROWS_OF_PART", 1_000),
        (source, "ROWS_OF_BATCH", 1_000),
        (report, "MOST_AT_HAND", 200),
        (search, "MOST_AT_HAND", 200),
        (search, "DRAWN", 50),
        (splits, "MISFITS", 50),
    ):
        monkeypatch.setattr(module, limit, size)

    def taken(name: str, n: int) -> int:
        """Most bytes that visiting a part took beside what was held before."""
        folder = write_parts(make_frame(n), tmp_path / name, n // 1_000)
        most = held = 0

        def look(progress):
            nonlocal most, held
            if not progress.phase.startswith("visit"):
                return
            if tracemalloc.is_tracing():
                most = max(most, tracemalloc.get_traced_memory()[1] - held)
            tracemalloc.start()
            held = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()

        try:
            MAPDPParts(**SETTINGS).fit(folder, SCHEMA, tmp_path / f"labels of {name}", look)
        finally:
            tracemalloc.stop()
        return most

    taken("first", 2_000)  # what is made once is not of the table
    assert taken("eightfold", 16_000) <= 1.05 * taken("once", 2_000)
