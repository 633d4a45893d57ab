"""Dates and clock times as people write them."""

import numpy as np
import pandas as pd
import pytest

from mapdp_studio.core.reading.dates import (
    DATE_FORMS,
    are_dates,
    are_hours,
    likely_form,
    read_days,
    read_hours,
)


@pytest.mark.parametrize(
    "cell",
    [
        *("2020-03-04", "2020/3/4", "4.3.2020", "04/03/2020", "4 Mar 2020", "March 4, 2020"),
        *("4-Mar-20", "2020-03-04T12:30:00Z", "Wed, 4 Mar 2020", "March 4th, 2020"),
        *("04MAR2020", "Mar-20"),
    ],
)
def test_a_date_is_known_in_many_hands(cell):
    assert are_dates([cell])
    assert are_dates([cell] * 19 + ["soon"])
    assert not are_dates([cell] * 18 + ["soon"])
    assert are_dates([cell] * 16 + ["43894", "43895", "38412"])  # of a workbook, some unread
    assert not are_dates([cell] * 16 + ["43894", "438", "4389"])
    assert not are_dates([cell] * 8 + ["43894"] * 10)


@pytest.mark.parametrize("form", DATE_FORMS)
def test_one_reader_reads_every_form_and_finds_it(form):
    days = pd.to_datetime(pd.Series(["1998-12-31", "2020-01-31", "2019-10-02"]))
    cells = days.dt.strftime(form or "%Y-%m-%d")
    read = read_days(pd.concat([cells, pd.Series(["soon", None])], ignore_index=True), form)
    expected = days if "%d" in form or not form else pd.to_datetime(cells, format=form)
    assert read[:3].tolist() == expected.tolist()
    assert read[3:].isna().all()
    found = likely_form(cells)  # ISO reads 2020/01/31 and 20200131, too
    assert found == ("" if form in ("%Y/%m/%d", "%Y%m%d") else form)
    assert read_days(cells, found).tolist() == expected.tolist()


@pytest.mark.parametrize("form", ["%Q", "mixed", "%Y-%"])
def test_what_is_no_form_is_said(form):
    with pytest.raises(ValueError, match=f"'{form}' is no way to write a date"):
        read_days(pd.Series(["2020-01-31"]), form)


def test_two_digits_and_other_time_zones():
    cells = pd.Series(["31/01/26", "31/01/27"])
    assert read_days(cells, "%d/%m/%y", 2026).dt.year.tolist() == [2026, 1927]
    assert read_days(cells, "%d/%m/%y").dt.year.tolist() == [2026, 2027]
    day = read_days(pd.Series(["2020-01-31T23:30:00-02:00"]))[0]
    assert day == pd.Timestamp("2020-02-01 01:30")


def test_months_quarters_and_weeks_are_dates_and_versions_are_not():
    assert are_dates(["3/4/2020", "3/25/2020"])
    assert are_dates(["11/2020", "5/2011"])
    assert are_dates(["2020Q3", "2011-Q4"])
    assert are_dates(["2020-W13"])
    assert not are_dates(["2020-13-01", "1.2.3", "12-34-5678"])


@pytest.mark.parametrize(
    ("cell", "hours"),
    [
        *(("12:30", 12.5), ("8:15 pm", 20.25), ("1:02:03", 1 + 2 / 60 + 3 / 3600), ("1h 30m", 1.5)),
        *(("2d 4h", 52), ("38w2d", 6432), ("1 week 1 day", 192)),
        *(("2y 6m", 21915), ("6h45", 6.75), ("0 days 01:30:00", 1.5), ("2 days, 3:00:00", 51)),
        *(("36 min", 0.6), ("18 Monate", 13149), ("5 m", np.nan), ("", np.nan)),
        *(("5 km", np.nan), ("2 days 3 years", np.nan), ("2 h?", np.nan)),
        *(("2 ans et 3 mois", 19723.5), ("1" * 300_000, np.nan)),  # in no time
    ],
)
def test_clock_times_and_durations_are_hours(cell, hours):
    np.testing.assert_allclose(read_hours(cell), hours)


def test_numbers_with_one_unit_are_no_durations():
    for cells in (["5 h", "7 h"], ["1 day", "12 days"], ["5 km", "7 m"], ["5 h", "long"]):
        assert not are_hours(cells)
    for cells in (["36 min", "1 h 5 min"], ["6 months", "2 years"], ["3h", "2h 5m"]):
        assert are_hours(cells)
