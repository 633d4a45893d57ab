"""The form of every step of Prepare: made of its annotations, but for three that ask for more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import pandas as pd
import streamlit as st

from mapdp_studio.core import TableError
from mapdp_studio.core.prepare import Join, MergeLevels, OneRowPer
from mapdp_studio.core.prepare.asked import PrepareError
from mapdp_studio.core.prepare.step import Step, in_words, word
from mapdp_studio.core.prepare.units import OF_NUMBERS, SHARE, SLOPE
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.data.controls import Draft, as_number, ask
from mapdp_studio.pages.parts.shared.loading import read_upload

_TABLES = ["csv", "tsv", "txt", "parquet", "feather", "json", "xlsx", "sav", "dta", "sas7bdat"]


def form(draft: Draft) -> Step | None:
    """Draw the form of a step; None until enough is chosen."""
    own = _OWN.get(draft.kind)
    if own is not None:
        return own(draft)
    ask(draft, draft.kind.asked())
    values = draft.values
    if None in values.values():
        return None
    if draft.step is not None:  # what nobody chooses stays as it was
        kept = {f.name for f in fields(draft.kind) if f.init} - {*values}  # type: ignore[arg-type]
        values |= {name: getattr(draft.step, name) for name in kept}
    return draft.kind(**values)


def _merged(draft: Draft) -> Step | None:
    ask(draft, draft.kind.asked())
    columns = draft.values["columns"]
    if columns is None:
        return None
    told = dict(draft.begun("pairs") or ())
    levels = draft.levels_of(columns)
    cells = pd.concat([in_words(draft.frame[name]) for name in columns]).value_counts()
    counts = {level: int(cells.get(word(level), 0)) for level in levels}
    key = f"{draft.key}-{'-'.join(columns)}"
    chosen, rare, right = st.columns([3, 2, 2])
    together = chosen.multiselect("Make one of", levels, format_func=word, key=f"{key}-together")
    fewest = rare.number_input("and rarer than (rows)", 1, value=None, key=f"{key}-rare")
    into = right.text_input("called", key=f"{key}-into").strip()
    together += [level for level in levels if fewest is not None and counts[level] < fewest]
    named = dict.fromkeys(together, into) if into else {}
    st.caption("Or write below what each level becomes: two that become the same are one.")
    edited = st.data_editor(
        pd.DataFrame(
            {
                "Level": [word(level) for level in levels],
                "Rows": list(counts.values()),
                "Becomes": [word((told | named).get(level, level)) for level in levels],
            }
        ),
        key=key,
        hide_index=True,
        disabled=["Level", "Rows"],
    )
    are_numbers = all(isinstance(level, int | float) for level in levels)
    becomes = {level: str(new) for level, new in zip(levels, edited["Becomes"], strict=True)}
    pairs = tuple(
        (level, as_number(new) if are_numbers else new.strip())
        for level, new in becomes.items()
        if new.strip() and new != word(level)
    )
    return MergeLevels(columns, pairs) if pairs else None


#: A column of more levels than this has no shares.
_MOST_SHARES = 12


def _unit_rows(draft: Draft) -> Step | None:
    ask(draft, draft.kind.asked())
    unit, order, form = (draft.values[name] for name in ("unit", "order", "order_format"))
    if unit is None:
        return None
    others = [name for name in draft.frame.columns if name not in (unit, order)]
    summaries = _summaries(draft, others, bool(order))
    count = st.checkbox(
        "Add the number of rows", bool(draft.begun("rows")), key=f"{draft.key}-rows"
    )
    rows = f"rows per {unit}" if count else ""
    if not summaries and not rows:
        return None
    return OneRowPer(unit, order, form or "", summaries, rows)


#: What is kept of the rows of a unit, as the form asks for it.
_ASKED = {
    "mean": "Mean of",
    "last": "Last value of",
    "first": "First value of",
    "min": "Minimum of",
    "max": "Maximum of",
    "sum": "Sum of",
    "count": "Number of filled cells of",
    "values": "Number of different values of",
    SLOPE: "Slope of",
}


def _summaries(draft: Draft, names: Sequence[str], is_ordered: bool) -> tuple[Any, ...]:
    """What is kept of every column: a list of columns for each summary, and shares of levels."""
    told = {(name, how) for name, how, *level in draft.begun("summaries") if not level}
    when = "last" if is_ordered else "first"
    every = f"every column: numbers on average, words as they were {when}"
    label = f"Begin with {every if draft.step is None else 'the columns as this step has them'}"
    keeps = st.toggle(label, draft.step is not None, key=f"{draft.key}-keeps")
    numbers = {name for name in names if name in draft.names("number")}
    if draft.step is None:
        ids = draft.schema.names("id")
        told = {(n, "mean" if n in numbers else when) for n in names if n not in ids}
    places, chosen = st.columns(3), set()
    hows = [how for how in _ASKED if how != SLOPE or is_ordered]
    for place, how in enumerate(hows):
        offered = [name for name in names if name in numbers or how not in OF_NUMBERS]
        picked = places[place % len(places)].multiselect(
            _ASKED[how],
            offered,
            [name for name in offered if keeps and (name, how) in told],
            key=f"{draft.key}-{how}-{is_ordered}-{keeps}",
            placeholder="Choose columns",
        )
        chosen |= {(name, how) for name in picked}
    summaries = [(name, how) for name in names for how in hows if (name, how) in chosen]
    return (*summaries, *_shares(draft, [name for name in names if name not in numbers]))


def _shares(draft: Draft, words: Sequence[str]) -> list[tuple[str, str, Any]]:
    """Levels whose share of the unit's rows is a column."""
    told = [(n, level) for n, how, *rest in draft.begun("summaries") for level in rest]
    offered = [name for name in words if draft.frame[name].nunique() <= _MOST_SHARES]
    if not offered:
        return []
    first = [name for name in dict.fromkeys(n for n, _ in told) if name in offered]
    columns = st.multiselect(
        "Share of the rows with some level of",
        offered,
        first,
        key=f"{draft.key}-share-columns",
        placeholder="Choose columns",
    )
    chosen = []
    for name in columns:
        levels = draft.levels(name)
        known = [level for n, level in told if n == name and level in levels]
        st.caption(f"Of {escaped(name)}, the share of")
        picked = st.multiselect(
            "these levels", levels, known, key=f"{draft.key}-share-{name}", format_func=word
        )
        chosen += [(name, SHARE, level) for level in picked]
    return chosen


def _joined(draft: Draft) -> Step | None:
    told, name, other = draft.step, draft.begun("other_name"), draft.begun("other")
    file = st.file_uploader("The second table", type=_TABLES, key=f"{draft.key}-file")
    if file is not None:
        try:
            with st.spinner("Reading the second table"):
                other = session().results.latest(
                    "second table",
                    file.file_id,
                    lambda: read_upload(file.name, file.getvalue()),
                )
        except TableError as error:
            raise PrepareError(str(error)) from None
        name = file.name
    if other is None:
        return None
    shared = next((column for column in draft.frame if column in other), None)
    places = st.columns(3)
    own, theirs = list(draft.frame.columns), list(other.columns)

    def key_column(place: int, label: str, names: list[str], begun: str | None, key: str) -> str:
        first = names.index(begun) if begun in names else 0
        return places[place].selectbox(label, names, index=first, key=f"{draft.key}-{key}")

    begun = (shared, shared) if told is None else (told.own_key, told.other_key)
    own_key = key_column(0, "Rows belong together where", own, begun[0], "own")
    label = "equals, in the second table,"
    other_key = key_column(1, label, theirs, begun[1], f"other-{name}")
    offered = [column for column in theirs if column != other_key]
    with places[2]:
        taken = offered if told is None else told.columns
        chosen = st.multiselect(
            "Take",
            offered,
            [column for column in taken if column in offered],
            key=f"{draft.key}-take-{name}-{other_key}",
        )
    return Join(name, own_key, other_key, tuple(chosen), other=other) if chosen else None


#: Steps that ask for more than a field can say.
_OWN: dict[type[Step], Callable[[Draft], Step | None]] = {
    MergeLevels: _merged,
    OneRowPer: _unit_rows,
    Join: _joined,
}
