"""Where the Teach page is shown: at a desk, on a projector, in the frame of a slide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.comparing.projection import View
from mapdp_studio.core.plots.steps import HEIGHT
from mapdp_studio.pages.parts.shared.kit import choose_from_list, choose_one

# The picture begins as high as it can, also below what is in the page unseen.
_HIGH = """<style>
[data-testid="stMainBlockContainer"] { padding-top: 4.25rem; }
</style>"""
# A room reads letters that fill a third more of the screen, also of one with many pixels. Beside
# the picture, they leave room for what is said in a narrow column.
_LARGE = """<style>
html { font-size: max(20px, 2.6vh); }
@media (min-width: 820px) { html { font-size: max(17px, min(max(20px, 2.6vh), 1.75vw)); } }
/* Back and Next stand in one line with the stops. */
[data-has-shortcut] kbd { display: none; }
.st-key-lesson-way { gap: 0.5rem; }
.st-key-lesson-way button { padding-inline: 0.65rem; }
</style>"""
_BARE = """<style>
[data-testid="stHeader"], [data-testid="stToolbar"], .st-key-session_bar { display: none; }
[data-testid="stMainBlockContainer"] { padding: 0.5rem 1rem; }
.st-key-tab, .st-key-page_width { position: absolute; width: 100%; }
[data-testid="stLayoutWrapper"]:has(> .st-key-session_bar) { display: none; }
</style>"""
# What drives the picture stands below the window, also where panels of one unit are low.
_ALONE = """<style>
.st-key-panels, .st-key-panels-data { min-height: 95vh; }
</style>"""
# Streamlit cuts what does not fit a line of its buttons: an answer to choose has to be read whole.
# And it scrolls a long row of them sideways: data sets that stand outside are not found.
_WHOLE = """<style>
.st-key-scenario [role="radiogroup"], .st-key-walk [role="radiogroup"] {
    flex-wrap: wrap; row-gap: 0.25rem;
}
.st-key-lesson-said [role="radiogroup"] button, .st-key-lesson-said [role="radiogroup"] button * {
    white-space: normal; height: auto; text-align: left;
}
.st-key-lesson-said [role="radiogroup"] button { padding-block: 0.3rem; }
</style>"""
#: Share of a window's height that the picture has on a projector: with the text beside it, where
#: there is room, or below it; and in a frame, with what drives it below.
BESIDE, ABOVE, IN_FRAME = 0.95, 0.66, 0.76

#: Of a list to choose from, in pixels: at a desk, and in a projector's letters.
LIST_WIDTH, PROJECTED_LIST = 240, 380


@dataclass(frozen=True)
class Stage:
    """The place.

    Parameters
    ----------
    width : int
        Step of the page's width, in pixels.
    is_projected : bool
        To be read from the last row of a lecture hall.
    is_embedded : bool
        In another page's frame: the picture, and what drives it folded away.
    """

    width: int
    is_projected: bool = False
    is_embedded: bool = False

    @property
    def is_wide(self) -> bool:
        """Whether six sliders, or five texts, stand side by side."""
        return self.width >= 1200 and not self.is_projected

    def choose(self, label: str, options: Sequence[Any], key: str, **looks: Any) -> Any:
        """One of several: side by side, or from a list where there is no room."""
        state = st.session_state
        if key in state:  # or the choice would be lost when the one takes over from the other
            state[key] = state[key]
        if self.is_wide and not self.is_embedded:
            return choose_one(label, options, key, **looks)
        return choose_from_list(label, options, key, width=self.list_width, **looks)

    @property
    def panels_in_a_row(self) -> bool:
        """Whether all panels stand in one row."""
        return self.width >= 820

    def halves(self, has_walk: bool) -> list[int]:
        """Shares of the picture and of what stands beside it; a walk's buttons stand there, too."""
        return [5, 4] if has_walk and self.width >= 1200 else [5, 3]

    @property
    def list_width(self) -> int:
        """Of a list to choose from, in pixels: what is chosen is read whole."""
        return PROJECTED_LIST if self.is_projected else LIST_WIDTH

    @property
    def is_folded(self) -> bool:
        """Whether what drives the picture is folded away, and the picture fits the window."""
        return self.is_projected or self.is_embedded

    @property
    def is_picture_first(self) -> bool:
        """Whether the picture has most of the window, and its navigation is put away."""
        return self.is_projected and not self.is_embedded

    @property
    def is_narrow(self) -> bool:
        """Whether a panel has no room for all that its title says."""
        return not self.is_wide or self.is_embedded

    def share(self, n_rows: int = 1) -> float | None:
        """Share of the window's height for one of so many rows of charts, where that is fixed."""
        if not self.is_folded:
            return None
        if self.is_embedded:
            return IN_FRAME / n_rows
        return (BESIDE if self.panels_in_a_row else ABOVE) / n_rows

    def has_axes(self, view: View) -> bool:
        """Whether panels have numbers and names at their axes; where those differ, always."""
        return not self.is_folded or not view.has_one_unit

    @property
    def walk_height(self) -> int:
        """Height of the plots of a walk, in pixels: they fit the first screen with its buttons."""
        return 280 if self.panels_in_a_row else HEIGHT

    @property
    def letters(self) -> int:
        """Size of a panel's heading, in pixels; it grows with a window that the picture fits."""
        least = 1200 if self.is_embedded else 820  # a small frame is shown enlarged
        if self.is_folded and self.width >= least:
            return 26 if self.width >= 1600 else 17
        return 12 if self.is_wide and self.width < 1500 else 13  # six whole titles in a row


def is_embedded() -> bool:
    """Whether the address asks for the picture alone: ``embed=1``, which Streamlit hides."""
    context = get_script_run_ctx()
    asked = parse_qs("" if context is None else context.query_string)
    return asked.get("embed", [""])[-1].casefold() in ("1", "true")


def stage_styles(stage: Stage) -> None:
    """Set the letters' size and the room around the page."""
    st.html(_WHOLE + (_LARGE if stage.is_projected else _HIGH))
    if stage.is_folded:
        st.html(_BARE)
    if stage.is_picture_first and stage.panels_in_a_row:
        st.html(_ALONE)
