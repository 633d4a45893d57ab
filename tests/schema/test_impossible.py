"""What is judged by other columns: births by the year of the table, a slip by like items."""

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema


def test_births_are_judged_by_the_dates_of_their_table():
    random = np.random.default_rng(0)
    born = [1899, 1900, *random.integers(1940, 1990, 298)]
    joined = pd.Timestamp("2012-07-30") + pd.to_timedelta(random.integers(0, 699, 300), "D")
    days = joined.strftime("%d-%m-%Y").to_numpy(dtype=object)
    days[7] = "01-01-2099"  # a slip is not the year of the table
    frame = pd.DataFrame({"birth year": born, "joined": days, "m": random.normal(size=300)})
    (question,) = (q for q in infer_schema(frame).questions if q.columns == ("birth year",))
    assert "over 100 years before 2014" in question.text
    assert "(1899 and 1900)" in question.text
    alone = infer_schema(frame.drop(columns="joined"))
    assert not any("birth year" in q.columns for q in alone.questions)


def test_one_answer_outside_the_scale_of_like_items_is_asked_about():
    random = np.random.default_rng(1)
    items = {f"q{k}": random.integers(1, 5, 300) for k in range(7)}
    items["q3"][8] = 5
    frame = pd.DataFrame({**items, "m": random.normal(size=300)})
    schema = infer_schema(frame)
    (question,) = (q for q in schema.questions if q.about == "missing")
    assert question.columns == ("q3",)
    assert "outside the 1 to 4 of the columns beside it" in question.text
    no, yes = question.answers
    assert question.primary is no
    assert (yes(schema)["q3"].trials, yes(schema)["q3"].missing_codes) == (3, (5.0,))
    thin = frame.assign(**{f"q{k}": np.minimum(frame[f"q{k}"], 3) for k in range(7) if k != 3})
    assert not any(q.about == "missing" for q in infer_schema(thin).questions)


def test_a_battery_of_items_is_held_against_itself_whatever_stands_beside_it():
    random = np.random.default_rng(2)
    columns = {f"op{k}": random.integers(1, 6, 300) for k in range(1, 9)}
    columns |= {f"mast{k}": random.integers(1, 5, 300) for k in range(1, 8)}
    columns["mast2"][8] = 5
    frame = pd.DataFrame({**columns, **{f"pn{k}": random.integers(1, 6, 300) for k in range(9)}})
    (question,) = (q for q in infer_schema(frame).questions if q.about == "missing")
    assert question.columns == ("mast2",)
    assert "(5)" in question.text
