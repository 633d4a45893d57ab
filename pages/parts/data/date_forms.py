"""Forms of the steps that measure dates."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.prepare.date_formats import DATE_FORMATS, likely_format
from mapdp_studio.core.prepare.dates import PARTS, UNITS, DatePart, TimeBetween
from mapdp_studio.core.prepare.step import Step
from mapdp_studio.pages.parts.data.step_draft import Draft


def date_format(draft: Draft, field: str, column: str) -> str:
    """How the dates of a column are written."""
    cells = draft.frame[column]
    if column in draft.as_read and cells.isna().all():  # as they are written elsewhere
        cells = draft.as_read[column]
    guessed = likely_format(cells)
    told = draft.told(field, guessed)
    formats = [*DATE_FORMATS, *({told} - {*DATE_FORMATS})]
    return st.selectbox(
        "Written as",
        formats,
        index=formats.index(told),
        format_func=lambda form: DATE_FORMATS.get(form, form),
        key=f"{draft.key}-{field}-{column}",
    )


def date_part(draft: Draft) -> Step | None:
    places = st.columns([3, 3, 3, 3])
    with places[0]:
        column = draft.column("Date", "column")
    if column is None:
        return None
    with places[1]:
        form = date_format(draft, "format", column)
    with places[2]:
        part = draft.one_of("Take its", "part", list(PARTS))
    with places[3]:
        into = draft.text("Called", "into", f"{column}, {part}")
    return DatePart(column, form, part, into)


_DAY = "a day that I name"


def between(draft: Draft) -> Step | None:
    places = st.columns(3)
    with places[0]:
        start = draft.column("From", "start")
        if start is None:
            return None
        start_format = date_format(draft, "start_format", start)
    with places[1]:
        ends = [_DAY, *draft.frame.columns]
        told = draft.told("end", "") or _DAY
        end = st.selectbox("To", ends, index=ends.index(told), key=f"{draft.key}-end")
        on = draft.text("Day (year-month-day)", "on_day", "2020-12-31") if end == _DAY else ""
        end_format = "" if end == _DAY else date_format(draft, "end_format", end)
    with places[2]:
        unit = draft.one_of("In", "unit", list(UNITS))
        until = on if end == _DAY else end
        into = draft.text("Called", "into", f"{unit} from {start} to {until}")
    end = "" if end == _DAY else end
    return TimeBetween(start, start_format, end, end_format, on, unit, into)
