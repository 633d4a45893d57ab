"""The columns that take no part, each with its reason, folded into one line."""

from __future__ import annotations

import re
from collections.abc import Mapping

import streamlit as st

from mapdp_studio.core.schema.spec import ColumnSpec
from mapdp_studio.core.wording import cut, escaped
from mapdp_studio.pages import Session

_MOST = 100
_MOST_LETTERS = 90


def columns_aside(studio: Session) -> None:
    """Draw the line; nothing where every column takes part or is kept for something."""
    aside = set_aside(studio.schema)
    if not aside:
        return
    with st.popover(
        f"{len(aside):,} left aside",
        help="Columns that take no part, and why",
        icon=":material/remove_selection:",
        type="tertiary",
        width="content",
    ):
        st.markdown(
            "\n".join(
                f"- **{escaped(name)}**: {escaped(why)}"
                for name, why in list(aside.items())[:_MOST]
            )
        )
        if len(aside) > _MOST:
            st.caption(f"{len(aside) - _MOST:,} more in the table of columns.")


def set_aside(specs: Mapping[str, ColumnSpec]) -> dict[str, str]:
    """Columns that take no part in the groups and are not kept for anything else, with the reason.

    Parameters
    ----------
    specs : Schema, or mapping of str to ColumnSpec

    Returns
    -------
    dict of str to str
        By name, in the table's order: the first thing that is said of the column.
    """
    return {
        name: _short(spec.reason) for name, spec in specs.items() if spec.role in ("ignore", "id")
    }


def _short(reason: str) -> str:
    """The first sentence of a reason, up to a colon; what the file calls the column goes before."""
    plain = re.sub(r"^\u201c[^\u201d]*\u201d\. ", "", reason)
    first = re.split(r"(?<=\w[)\u201d\w])[.:]\s|\.$", plain, maxsplit=1)[0].strip()
    return cut(first, _MOST_LETTERS)
