"""What a question says of the rows it is about, and what is left aside while nobody answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from core import infer_schema


def about(schema, what):
    return [question for question in schema.questions if question.about == what]


def test_rows_with_a_code_in_two_columns_count_once():
    r = np.random.default_rng(2)
    frame = pd.DataFrame(r.integers(1, 6, (200, 2)), columns=["calm", "glad"])
    words = pd.DataFrame(r.choice(["red", "blue", "green"], (200, 2)), columns=["coat", "eyes"])
    frame.iloc[:8], words.iloc[:8] = 99, "Unknown"
    frame.iloc[8, 0] = 99
    for table, rows in ((frame, "(9 rows)"), (words, "(8 rows)")):
        (question,) = about(infer_schema(table), "missing")
        assert len(question.columns) == 2
        assert rows in question.text
