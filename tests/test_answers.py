"""No answer moved: labels and E of twelve tables by the five methods are those that were kept."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks.answers import KEPT, TABLES, answers, checksum, moved

ANSWERS = json.loads(KEPT.read_text(encoding="utf-8"))
KEEP = "Where an issue says that they may move: python -m tests.benchmarks.answers --keep"


@pytest.mark.parametrize("name", TABLES)
def test_no_answer_moved(name):
    said = moved(ANSWERS[name], answers(TABLES[name]()), name)
    assert not said, "\n".join([*said, KEEP])


def test_what_moved_is_told():
    kept = ANSWERS["few rows"]
    labels = kept["MAPDP"]["labels"]
    assert "1" in labels[1:]
    other = kept | {"MAPDP": {"E": 1.0, "labels": "1" + labels[1:].replace("0", "x")}}
    (sentence,) = moved(kept, other, "few rows")
    assert sentence.startswith("MAPDP on “few rows”: 1 of 60 rows is in another cluster")
    nearly = kept | {"MAPDP": kept["MAPDP"] | {"E": kept["MAPDP"]["E"] + 0.001}}
    assert moved(kept, nearly, "few rows")[0].startswith(
        "MAPDP on “few rows”: the same labels, but"
    )
    assert moved(kept, kept | {"cells": 0}, "few rows") == [
        "The table “few rows” itself is another one: its cells are not those that were kept."
    ]


def test_a_cell_that_changed_is_another_table():
    table = TABLES["few rows"]()
    table.X.loc[3, "visits"] += 1.0
    assert checksum(table) != ANSWERS["few rows"]["cells"]
