"""One column: how its values are spread, and the options its likelihood reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core.families.family import RATING, YES_NO
from mapdp_studio.core.plots.profiles import distribution_figure
from mapdp_studio.core.profiling.profiles import column_of_table, distribution
from mapdp_studio.core.schema.chosen import why
from mapdp_studio.core.schema.spec import TIME_TO_EVENT, ColumnSpec
from mapdp_studio.core.schema.transforms import TRANSFORMS
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.data.column_table import detail_key
from mapdp_studio.pages.parts.data.forms import as_number, typed_list
from mapdp_studio.pages.parts.shared.kit import choose_from_list
from mapdp_studio.pages.parts.shared.what_if import what_if_buttons


def is_open(studio: Session) -> bool:
    """Whether a column is shown in full."""
    return st.session_state.get(detail_key(studio)) in _names(studio)


def _names(studio: Session) -> list[str]:
    return [name for name, spec in studio.schema.items() if spec.role != "id"]


def one_column(studio: Session) -> None:
    """The column that was opened: its values, its options, and what it does to the groups."""
    key = detail_key(studio)
    if not is_open(studio):  # also where it was renamed, or is gone
        st.session_state[key] = None
    looks = {"filter_mode": "contains", "placeholder": "Its values, options, and what if"}
    name = choose_from_list("One column in full", _names(studio), key, index=None, **looks)
    if name is None:
        return
    spec, cells = studio.schema[name], studio.table.frame[name]
    order = spec.levels if spec.kind == RATING else None
    spread = studio.results.latest(
        "values",
        (studio.table.digest, name, order),
        lambda: distribution(column_of_table(cells, order), np.zeros(len(cells), np.int64)),
    )
    st.plotly_chart(
        distribution_figure(spread, [0], ["All rows"], [0]),
        config={"displayModeBar": False},
        alt=f"How often the values of {name} occur",
    )
    reason = escaped(why(spec, studio.schema.chosen))
    st.caption(f"{cells.nunique():,} distinct values, {cells.isna().sum():,} missing. {reason}")
    if spec != studio.suggested[name]:
        st.button(
            "Back to the suggestion",
            key=f"back-{studio.table.digest}-{name}",
            icon=":material/undo:",
            on_click=in_visit(studio.take_suggestions),
            args=([name],),
        )
    with st.form(f"options-{studio.table.digest}-{hash(spec)}", border=False):
        changes = _options(spec, cells)
        if spec.family == TIME_TO_EVENT:
            changes |= _event(studio, spec)
        if st.form_submit_button("Apply", icon=":material/check:"):
            studio.change({name: changes})
            st.rerun()
    what_if_buttons(studio, name, "data")


def _options(spec: ColumnSpec, cells: pd.Series) -> dict[str, Any]:
    """What can be said of the column; what its likelihood does not read is not asked for."""
    text = st.text_input(
        "Codes that mean “missing”, separated by commas or semicolons",
        ", ".join(map(str, spec.missing_codes)),
        help="Values such as 0 or -9 that stand for a measurement nobody made.",
    )
    taken = as_number if pd.api.types.is_numeric_dtype(cells) else str
    changes: dict[str, Any] = {"missing_codes": tuple(map(taken, typed_list(text)))}
    if spec.special:
        kept = st.multiselect(
            "Kept beside the numbers",
            spec.special,
            spec.special,
            help="Such a cell has its own outcome and no number, as in a hurdle model. Taken off, "
            "it is a number like the others; name it a missing code if it stands for none.",
        )
        codes = dict(zip(spec.special, spec.special_codes, strict=True))
        changes["special"] = {name: codes[name] for name in kept}
    if spec.reads("transform"):
        names = {None: "nothing: the numbers"} | {key: one.of for key, one in TRANSFORMS.items()}
        place = list(names).index(spec.transform)
        changes["transform"] = st.selectbox(
            "Taken first, for a long tail", list(names), place, format_func=names.get
        )
    if spec.starts_at is not None:
        lowest = st.number_input("Lowest possible value", value=spec.starts_at, step=1)
        steps = st.number_input("Steps above it", 1, value=len(spec.levels) - 1, step=1)
        changes |= {"offset": int(lowest), "trials": int(steps)}
    elif spec.kind == YES_NO and spec.levels is not None:
        yes = st.selectbox("Which value means yes?", spec.levels, index=1, format_func=str)
        changes["levels"] = (spec.levels[1 - spec.levels.index(yes)], yes)
    elif spec.kind == RATING and spec.levels is not None:
        known = {str(level): level for level in spec.levels}
        label = "Steps of the rating, the lowest first, one a line"
        lines = map(str.strip, st.text_area(label, "\n".join(known)).splitlines())
        changes["levels"] = tuple(known.get(line, line) for line in lines if line)
    return changes


def _event(studio: Session, spec: ColumnSpec) -> dict[str, Any]:
    others = [name for name in studio.schema if name != spec.name]
    index = others.index(spec.event) if spec.event in others else None
    event = st.selectbox("Column that tells whether the event happened", others, index=index)
    if event is None:
        return {}
    values = sorted(studio.table.frame[event].dropna().unique().tolist(), key=str)[:50]
    chosen = [code for code in spec.event_codes or () if code in values]
    codes = st.multiselect("Values of it that mean it did", values, chosen, format_func=str)
    return {"event": event, "event_codes": tuple(codes) or None}
