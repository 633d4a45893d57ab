"""No answer moved: labels and E of twelve tables by the five methods are those that were kept."""

import json

import pytest

from tests.benchmarks.answers import KEPT, TABLES, answers, moved

ANSWERS = json.loads(KEPT.read_text(encoding="utf-8"))
KEEP = "Where an issue says that they may move: python -m tests.benchmarks.answers --keep"


@pytest.mark.parametrize("name", TABLES)
def test_no_answer_moved(name):
    said = moved(ANSWERS[name], answers(TABLES[name]()), name)
    assert not said, "\n".join([*said, KEEP])
