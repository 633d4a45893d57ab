"""A lesson on a sheet of paper."""

from __future__ import annotations

from core.teaching.assignment import assignment_sheet


def test_a_sheet_holds_the_addresses_and_not_the_answer():
    stops = [("Will <K-means> find it?", ("yes", "no"), "http://a/teach?rows=2000&k=3")]
    sheet = assignment_sheet("T & T", "Why", stops)
    assert "Will &lt;K-means&gt; find it?" in sheet
    assert sheet.count("http://a/teach?rows=2000&amp;k=3") == 2
    assert sheet.count("<li>") == 3
    assert "<title>T &amp; T</title>" in sheet
