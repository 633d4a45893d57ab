"""The columns as cards, one below the other: where a table would have to scroll sideways."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.schema.chosen import why
from mapdp_studio.core.schema.spec import ROLES, ColumnSpec
from mapdp_studio.core.wording import escaped
from mapdp_studio.pages import Session, in_visit
from mapdp_studio.pages.parts.data.column_table import (
    FAMILY_KEYS,
    FAMILY_LABELS,
    ROLES_HELP,
    in_sight,
    take_edit,
    way_back,
)
from mapdp_studio.pages.parts.data.described import described
from mapdp_studio.pages.parts.shared.kit import show_refused

A_PAGE = 20


def column_cards(studio: Session) -> None:
    """Draw a card for each column: its name, role, likelihood, values and the whole reason."""
    show_refused(studio)
    names = list(studio.schema)
    first = 0
    if len(names) > A_PAGE:
        pages = -(-len(names) // A_PAGE)
        first = A_PAGE * (
            st.number_input(f"Page of {pages:,}", 1, pages, key=f"cards-{studio.table.digest}") - 1
        )
    told = described(studio)
    for name in names[first : first + A_PAGE]:
        _card(studio, studio.schema[name], told[name])


def _card(studio: Session, spec: ColumnSpec, told: tuple[str, float]) -> None:
    # A card would go on showing an edit that was refused or undone: then it is made anew.
    key = f"{studio.table.digest}-{studio.renewals}-{spec.name}"
    with st.container(border=True, gap="small"):
        places = st.columns([4, 3, 4])
        places[0].text_input(
            "Column",
            spec.name,
            key=f"name-{key}",
            on_change=_edit,
            args=(spec.name, "Column", f"name-{key}"),
        )
        places[1].selectbox(
            "Role",
            ROLES,
            ROLES.index(spec.role),
            key=f"role-{key}",
            on_change=_edit,
            args=(spec.name, "Role", f"role-{key}"),
            help=ROLES_HELP,
        )
        labels = list(FAMILY_KEYS)
        places[2].selectbox(
            "Likelihood",
            labels,
            labels.index(FAMILY_LABELS[spec.family]),
            key=f"family-{key}",
            on_change=_edit,
            args=(spec.name, "Likelihood", f"family-{key}"),
        )
        said = f"{in_sight(spec, told[0])}; {100 * told[1]:.1f} % missing. "
        said += why(spec, studio.schema.chosen)
        st.caption(escaped(said))
        way_back(studio, spec)


@in_visit
def _edit(name: str, what: str, key: str) -> None:
    take_edit(name, {what: st.session_state[key]})
