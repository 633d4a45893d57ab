"""The year in which a table was written, by which births are judged."""

import numpy as np
import pandas as pd

from core import infer_schema


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
