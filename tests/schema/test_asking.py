"""What a question says of the rows it is about, and what is left aside while nobody answers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema


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


def test_what_surely_numbers_rows_or_was_predicted_is_left_aside_and_asked_about_once():
    r = np.random.default_rng(4)
    frame = pd.DataFrame(r.normal(50, 9, (300, 3)).round(1), columns=["iron", "zinc", "lead"])
    frame["batch"] = 160_000_000 + r.permutation(300) * 1009
    frame.loc[:1, "batch"] = [159_000_001, 158_900_007]
    frame["income"] = r.permutation(np.arange(20_003, 50_003, 100))
    frame["Naive_Bayes_Classifier_2"] = r.beta(2, 5, 300)
    schema = infer_schema(frame)
    first = schema
    assert {n for n in first if first[n].role != "cluster"} == {"batch", frame.columns[-1]}
    asked = [n for question in schema.questions for n in question.columns]
    assert sorted(asked) == sorted({"batch", frame.columns[-1]})
    (question,) = [q for q in schema.questions if "batch" in q.columns]
    assert question.answers[1](schema)["batch"].role == "cluster"


def test_an_order_says_what_it_would_leave_without_a_place():
    words = ["Very hard", "Somewhat hard", "Somewhat easy", "Very easy"] * 50
    for unknown, first in (
        (3, "In this order; 3 cells with other words become missing"),
        (90, "No"),
    ):
        frame = pd.DataFrame(
            {"leave": words + ["I don't know"] * unknown, "n": range(200 + unknown)}
        )
        (question,) = about(infer_schema(frame), "order")
        assert question.answers[0].text.startswith(first)


def test_a_table_of_made_columns_alone_is_typed():
    """After a step such as one row per patient no column may be as it came."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 6))).add_prefix("c")
    frame.attrs["made"] = dict.fromkeys(frame, ("gone",))
    assert infer_schema(frame).names("cluster") == tuple(frame)
