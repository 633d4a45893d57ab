"""JSON: one record a line, or a list of records."""

from __future__ import annotations

import pytest

from mapdp_studio.core import TableError, read_table


@pytest.mark.parametrize(
    "text", ['{"a":1,"b":"x"}\n{"b":"y","a":2.5}\n', '[{"a":1,"b":"x"},\n {"a":2.5,"b":"y"}]']
)
def test_json_lines_and_records(text):
    assert read_table(text.encode()).to_dict("list") == {"a": [1, 2.5], "b": ["x", "y"]}


def test_numbers_beyond_64_bits_keep_their_digits_where_all_are_whole():
    text = b'{"a": 1, "b": 99999999999999999999999, "c": 1.5}\n{"a": 2, "b": 1, "c": %d}\n' % 10**30
    frame = read_table(text)
    assert frame["b"].tolist() == ["99999999999999999999999", "1"]
    assert frame["c"].tolist() == [1.5, 1e30]


def test_half_a_character_is_marked_and_a_whole_one_kept():
    text = rb'{"a\ud800": "\ud83d\ude00", "b": "\udc00x"}' + b'\n{"b": "y"}\n'
    frame = read_table(text)
    assert list(frame) == ["a\ufffd", "b"]
    assert frame.iloc[0].tolist() == ["\U0001f600", "\ufffdx"]


def test_ever_new_keys_are_refused_while_they_are_read(monkeypatch):
    monkeypatch.setattr("mapdp_studio.core.reading.json_records.MAX_COLUMNS", 50)
    monkeypatch.setattr("mapdp_studio.core.reading.options.MAX_COLUMNS", 50)
    lines = "\n".join(f'{{"k{row}": 1}}' for row in range(60)) + "\nno JSON"
    with pytest.raises(TableError, match="51 columns"):
        read_table(lines.encode())
