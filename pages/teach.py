"""Teach: watch K-means fail on one data set after another, and see why others do not."""

from contextlib import suppress

import streamlit as st

from mapdp_studio.core.plots.panels import LETTERS
from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.shared.chart import page_width
from mapdp_studio.pages.parts.shared.kit import need_engine
from mapdp_studio.pages.parts.teach import bars
from mapdp_studio.pages.parts.teach.draw import draw
from mapdp_studio.pages.parts.teach.room import PROJECTOR, follow_address, get, write_address
from mapdp_studio.pages.parts.teach.steps import restaurant, small_variance, steps
from mapdp_studio.pages.parts.teach.watch import draw_strips, grid, numbers, strip_places

#: Steps of the page's width at which the layout changes, and letters on a projector from each on.
WIDE, LETTERS_OF = 1300, {0: 15, 760: 15, 1300: 17, 1500: 24}
#: Of the window, under the picture where its numbers are asked for, in pixels.
FOR_NUMBERS = 150
# What stands above the pictures is kept low.
STYLE = """
.stMainBlockContainer { padding: 3.9rem 2rem 0.5rem; }
.st-key-teach_page { margin-top: -0.9rem; gap: 0.45rem; }
.st-key-tab, .st-key-page_width, .st-key-teach_keys {
  position: absolute; width: 100%; pointer-events: none;
}
.st-key-teach_head h1 { font-size: 1.5rem; padding: 0; }
.st-key-teach_head, .st-key-teach_bar { gap: 0.4rem; }
.st-key-teach_head button { padding-inline: 0.6rem; min-height: 2rem; }
.st-key-teach_six [role="radiogroup"] { flex-wrap: wrap; }
.st-key-lesson-text [data-testid="stMarkdownContainer"] { margin: 0; }
.st-key-lesson-text p { margin: 0; font-size: 0.95rem; line-height: 1.35; }
.st-key-teach_bar { margin-bottom: -0.8rem; }
.st-key-teach_bar:has([class*="st-key-strip_"], .st-key-lesson-text) { margin-bottom: 0; }
[data-testid="stSliderTickBar"] { display: none; }
[class*="st-key-strip_"] { margin-top: -1.7rem; min-height: 46px; }
"""
# On a projector the page's own navigation is put away, and one bar is left.
BARE = """
[data-testid="stHeader"], .st-key-session_bar { display: none; }
.stMainBlockContainer { padding: 0.25rem 0.75rem; }
.st-key-teach_bar { max-height: 40px; gap: 0.4rem; margin: 0; }
.st-key-lesson-text { font-size: max(18px, 2.4vh); }
.st-key-lesson-text p, .st-key-lesson-text button p { font-size: max(18px, 2.4vh); }
"""


def main(width: int) -> None:
    """One view, for the place it is shown in."""
    is_bare, view = get(PROJECTOR) or st.context.is_embedded, get("view")
    st.html(f"<style>{STYLE}{BARE if is_bare else ''}</style>")
    buttons = None if is_bare else bars.draw_head(width >= WIDE)
    if is_bare and view in ("Draw", "Restaurant"):
        with st.container(horizontal=True, key="teach_bar"):
            bars.draw_ways(is_bare=True)
            bars.leave_projector()
    if view == "Restaurant":
        restaurant(bool(width))
        return
    if view == "Draw":
        draw(above="7rem" if is_bare else "12.5rem")
        return
    room, sliders = (bars.draw_bare_bar(), []) if is_bare else bars.draw_bar(buttons)
    if bars.current() is not None:
        bars.draw_lesson()
    letters = LETTERS_OF[width] if is_bare else LETTERS
    if view == "Step" and not bars.is_asking():
        steps(room, width, letters, is_bare)
    elif view == "From K-means":
        small_variance(room)
    else:
        has_numbers = get("numbers") and not is_bare
        ring = not bars.is_asking() or bars.current().asks_of_row
        below = FOR_NUMBERS if has_numbers else 6
        # A strip would tell the answers of a lesson.
        places = strip_places(sliders) if sliders and bars.current() is None else []
        fitting = grid(room, width, letters, below, bars.is_asking(), ring)
        if has_numbers and not bars.is_asking():
            numbers(room, fitting)
        if places:
            draw_strips(room, places, is_time=not fitting.jobs)


session()
follow_address()
with st.container(key="teach_page"), suppress(NotYet):
    width = page_width(LETTERS_OF, assumed=760)
    if get("view") != "Draw":
        need_engine("The clusterings appear here")
    main(width)
write_address()
