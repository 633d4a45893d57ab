"""Delimited text that does not parse: which line is named, and how soon."""

from __future__ import annotations

import time

import pytest

from mapdp_studio.core import TableError, read_table


def test_a_cell_of_megabytes_does_not_keep_the_search_for_the_bad_line_going():
    def seconds(megabytes: int) -> float:
        cell = "x" * 1_000_000 * megabytes
        text = f"a,b\n1,2\n{cell},2\n1,2,3\n".encode()
        began = time.process_time()
        with pytest.raises(TableError, match="line 3"):
            read_table(text, name="x.csv")
        return time.process_time() - began

    # Sixteen times the length: sixteen times as long, not 256 times.
    assert seconds(16) < 64 * max(seconds(1), 0.02)
