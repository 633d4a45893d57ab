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
from mapdp_studio.core.schema.facts import look_at
from mapdp_studio.core.schema.spec import TIME_TO_EVENT, ColumnSpec
from mapdp_studio.core.schema.transforms import TRANSFORMS
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.data.column_table import FAMILY_LABELS, detail_key
from mapdp_studio.pages.parts.data.forms import as_number, typed_list
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
    name = st.selectbox(
        "One column in full",
        _names(studio),
        index=None,
        key=key,
        filter_mode="contains",
        persist_state="session",
        placeholder="Its values, options, and what if",
    )
    if name is None:
        return
    spec, cells = studio.schema[name], studio.table.frame[name]
    order = spec.levels if spec.kind == RATING else None
    spread = studio.results.latest(
        "values",
        (studio.table.digest, name, order),
        lambda: distribution(column_of_table(cells, order), np.zeros(len(cells), np.int64)),
        most=50,
    )
    st.plotly_chart(
        distribution_figure(spread, [0], ["All rows"], [0]),
        config={"displayModeBar": False},
        alt=f"How often the values of {name} occur",
    )
    st.caption(
        f"{cells.nunique():,} distinct values, {int(cells.isna().sum()):,} missing cells of "
        f"{len(cells):,}. {spec.role}, {FAMILY_LABELS[spec.family]}. "
        f"{escaped(why(spec, studio.schema.chosen))}"
    )
    if spec.family is None and look_at(cells, name).kind == "date":
        st.caption("Steps of Prepare measure dates: a part of a date, the time between two.")
    if spec != studio.suggested[name]:
        st.button(
            "Back to the suggestion",
            key=f"back-{studio.table.digest}-{name}",
            icon=":material/undo:",
            on_click=in_visit(studio.take_suggestions),
            args=([name],),
        )
    _options(studio, spec)
    what_if_buttons(studio, name, "data")


def _options(studio: Session, spec: ColumnSpec) -> None:
    column = studio.table.frame[spec.name]
    with st.form(f"options-{studio.table.digest}-{hash(spec)}", border=False):
        changes: dict[str, Any] = {"missing_codes": _missing_codes(spec, column)}
        if spec.special:
            changes["special"] = _special(spec)
        if spec.reads("transform"):
            changes["transform"] = _transform(spec)
        if spec.kind == YES_NO and spec.levels is not None:
            changes["levels"] = _yes_level(spec.levels)
        elif spec.starts_at is not None:
            changes |= _steps(spec.starts_at, len(spec.levels) - 1)
        elif spec.kind == RATING and spec.levels is not None:
            changes["levels"] = _level_order(spec.levels)
        if spec.family == TIME_TO_EVENT:
            changes |= _event(studio, spec)
        if st.form_submit_button("Apply", icon=":material/check:"):
            studio.change({spec.name: changes})
            st.rerun()


def _missing_codes(spec: ColumnSpec, column: pd.Series) -> tuple[Any, ...]:
    text = st.text_input(
        "Codes that mean “missing”, separated by commas or semicolons",
        ", ".join(map(str, spec.missing_codes)),
        help="Values such as 0 or -9 that stand for a measurement nobody made.",
    )
    is_number = pd.api.types.is_numeric_dtype(column)
    return tuple(as_number(code) if is_number else code for code in typed_list(text))


def _special(spec: ColumnSpec) -> dict[str, Any]:
    """The special outcomes to keep beside the numbers; the others are numbers again."""
    kept = st.multiselect(
        "Kept beside the numbers",
        spec.special,
        spec.special,
        help="Such a cell has its own outcome and no number, as in a hurdle model. Taken off, it "
        "is a number like the others; name it a missing code if it stands for none.",
    )
    codes = zip(spec.special, spec.special_codes, strict=True)
    return {name: code for name, code in codes if name in kept}


def _transform(spec: ColumnSpec) -> str | None:
    return st.selectbox(
        "Taken first",
        (None, *TRANSFORMS),
        (None, *TRANSFORMS).index(spec.transform),
        format_func=lambda name: "nothing: the numbers" if name is None else TRANSFORMS[name].of,
        help="For a long tail to the right, such as many lab values: the logarithm where all are "
        "above 0, a root where some are 0.",
    )


def _yes_level(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    yes = st.selectbox("Which value means yes?", levels, index=1, format_func=str)
    return (levels[1 - levels.index(yes)], yes)


def _level_order(levels: tuple[Any, ...]) -> tuple[Any, ...]:
    known = {str(level): level for level in levels}
    text = st.text_area("Steps of the rating, the lowest first, one a line", "\n".join(known))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(known.get(line, line) for line in lines)


def _steps(lowest: int, above: int) -> dict[str, Any]:
    offset = st.number_input("Lowest possible value", value=lowest, step=1)
    trials = st.number_input(
        "Steps above it",
        value=above,
        min_value=1,
        step=1,
        help="A stage from 1 to 4 has 3 steps above the lowest.",
    )
    return {"offset": int(offset), "trials": int(trials)}


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
