"""Compare's sliders, which the visit's settings hold, and what else stands in its head."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.plots.template import DRAGS
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.controls import (
    SLIDERS,
    Control,
    asked_in_address,
    in_address,
    say_in_address,
)
from mapdp_studio.pages.parts.shared.kit import choose_one, follows, takes

#: Panels of Compare at most, MAP-DP's among them.
MOST = 8
#: What Compare's address said when it was last read or written.
SAID = "compare_address"


def _methods(text: str) -> tuple[str, ...]:
    known = [name for name in METHODS if name in text.split(",") and name != JUDGE]
    if not known:
        raise ValueError(text)
    return JUDGE, *known[: MOST - 1]


#: All that its address holds.
_CONTROLS = {"methods": Control(tuple(METHODS.first), reads=_methods), **SLIDERS}


def draw_sliders(
    studio: Session,
    places: Sequence[DeltaGenerator],
    suggest: Callable[[int], float] | None = None,
    key: Hashable = None,
) -> None:
    """Draw N_0, lambda and K in three places, the rest in a fourth, as the settings stand.

    ``suggest`` gives a penalty for a number of clusters, which is taken wherever lambda was set for
    another ``key``, of table and schema, or not at all.
    """
    *sliders, options = places
    suggested = suggest(studio.settings.n_clusters) if suggest else 10.0
    if suggest:
        if studio.settings.penalty is None or studio.penalty_key not in (None, key):
            studio.settings = replace(studio.settings, penalty=suggested)
        studio.penalty_key = key
    stands = _stands(studio)
    stands["lambda"] = stands["lambda"] or suggested
    left, right = options.columns(2, gap="medium")

    def move(name: str) -> Callable[[Any], None]:
        return lambda value: move_slider(**{name: value})

    names = ("n0", "lambda", "k", "tolerance", "restarts", "seed")
    for name, place in zip(names, (*sliders, left, right, right), strict=True):
        SLIDERS[name].draw(place, value=stands[name], **follows(name, stands[name], move(name)))
    # A toggle in a closed popover is told nothing and sends what it last held: set elsewhere, as
    # by K, it is another one.
    bic = stands["bic"]
    SLIDERS["bic"].draw(left, value=bic, **takes(f"bic-{bic}", move("bic")))


def _stands(studio: Session) -> dict[str, Any]:
    """Where the sliders stand, by their names."""
    return {name: getattr(studio.settings, one.setting) for name, one in SLIDERS.items()}


@in_visit
def move_slider(**to: Any) -> None:
    """Let sliders stand elsewhere, by their names."""
    # K-means takes K instead of the one that BIC chooses, unless both were asked for.
    moved = {"bic": False} | to if "k" in to else to
    told = {SLIDERS[name].setting: value for name, value in moved.items()}
    session().settings = replace(session().settings, **told)


def follow_address(studio: Session) -> None:
    """Take over what the address says of sliders and of methods."""
    asked, said = asked_in_address(SAID, _CONTROLS) or {}, st.query_params
    studio.compared = asked.pop("methods", studio.compared)
    stands = {n: in_address(value) for n, value in _stands(studio).items() if value is not None}
    # What stands so already may stand between two positions.
    move_slider(**{name: asked[name] for name in asked if said[name] != stands.get(name)})


def write_address(studio: Session) -> None:
    """Say in the address what stands otherwise than at first, and lambda, which the table sets."""
    opens = {name: control.default for name, control in _CONTROLS.items()}
    say_in_address(SAID, {"methods": studio.compared, **_stands(studio)}, opens)


# ---- behind Compare's Options: which methods, axes and marking


def choose_look(studio: Session, names: tuple[str, ...]) -> tuple[tuple[str, str] | None, str]:
    """Columns on the axes, or None for all in one plane; and what dragging over panels does."""
    _choose_methods(studio)
    pair = st.multiselect(
        "Axes of all panels: two columns",
        names,
        key=f"axes-{studio.table.digest}",
        persist_state="session",
        max_selections=2,
        placeholder="All columns in one plane: its first two principal components",
    )
    drag = choose_one(
        "Dragging over a panel",
        list(DRAGS),
        "drag",
        format_func=DRAGS.get,
        default="select",
        help="A box or a lasso marks rows: they stand out in all panels. With “Click or zoom” a "
        "click marks one row, dragging zooms into all panels, and a double click leads back.",
    )
    return (tuple(pair) if len(pair) == 2 else None), drag


def _choose_methods(studio: Session) -> None:
    """Which methods stand beside MAP-DP; what the page says of them is the session's own."""
    beside = [name for name in studio.compared if name != JUDGE]

    def take(wanted: list[str]) -> None:  # in the list's order, not that of the clicks
        studio.compared = (JUDGE, *(name for name in METHODS if name in wanted))

    has_data_sets = bool(studio.schema.names("group"))
    offered = [
        name
        for name in METHODS
        if name != JUDGE
        and (has_data_sets or not METHODS[name].shares_clusters or name in studio.compared)
    ]
    chosen = st.multiselect(
        f"Methods beside {METHODS[JUDGE].title}",
        offered,
        beside,
        format_func=lambda name: METHODS[name].glossary[0],
        max_selections=MOST - 1,
        **follows("methods beside", beside, take),
    )
    for name in chosen:
        if name not in METHODS.first:
            st.caption(_about(name))


def _about(name: str) -> str:
    """What a method does, and which sliders it reads."""
    method = METHODS[name]
    said = f"**{method.glossary[0]}.** {method.glossary[1]}"
    sliders = map(SLIDERS.__getitem__, ("n0", "lambda", "k"))
    read = [one.label.split()[-1] for one in sliders if one.setting in method.reads]
    return said + f" It reads {' and '.join(read)}." * bool(read)
