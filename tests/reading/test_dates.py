"""Dates and clock times as people write them."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core import infer_schema
from mapdp_studio.core.reading.dates import are_dates, read_dates, read_hours, reading_of_days
from mapdp_studio.core.schema.schema import SchemaError


@pytest.mark.parametrize(
    "cell",
    [
        *("2020-03-04", "2020/3/4", "4.3.2020", "04/03/2020", "4 Mar 2020", "March 4, 2020"),
        *("4-Mar-20", "2020-03-04T12:30:00Z", "Wed, 4 Mar 2020", "March 4th, 2020"),
    ],
)
def test_a_date_is_read_in_many_hands(cell):
    assert read_dates([cell]) == [date(2020, 3, 4)]


def test_the_month_stands_first_where_the_cells_say_so():
    cells = ["3/4/2020", "3/25/2020"]
    assert reading_of_days(cells) == "days since 2020-03-04, month first"
    assert reading_of_days(["3/4/2020", "25/3/2020"]) == "days since 2020-03-25"
    assert not are_dates(["2020-13-01", "1.2.3", "12-34-5678"])


def test_clock_times_and_durations_are_hours():
    cells = ["12:30", "8:15 pm", "1:02:03", "1h 30m", "2d 4h"]
    hours = [read_hours(cell) for cell in cells]
    np.testing.assert_allclose(hours, [12.5, 20.25, 1 + 2 / 60 + 3 / 3600, 1.5, 52.0])
    assert np.isnan(read_hours("5 h"))  # a number with a unit, left to the numerals


def test_dates_are_left_out_and_can_be_measured():
    days = pd.date_range("2020-01-01", periods=90, freq="D")
    for column in (days, days.strftime("%d.%m.%Y"), days.strftime("%m/%d/%Y")):
        frame = pd.DataFrame({"day": column, "x": np.arange(90.0)})
        schema = infer_schema(frame)
        assert (schema["day"].family, schema["day"].role) == (None, "ignore")
        reading = reading_of_days([str(cell) for cell in frame["day"]])
        schema = schema.with_column("day", family="normal", role="cluster", reading=reading)
        np.testing.assert_array_equal(schema.encode(frame).values[:, 0], np.arange(90))
        weekday = reading.replace("days since 2020-01-01", "weekday")
        schema = schema.with_column("day", family="categorical", reading=weekday)
        assert len(schema.completed(frame)["day"].levels) == 7
    with pytest.raises(SchemaError, match="no reading"):
        schema.with_column("day", reading="years")
