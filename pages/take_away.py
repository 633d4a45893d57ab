"""Take away: the chosen result as files, and everything needed to get it again."""

from __future__ import annotations

import streamlit as st

from core.wording import escaped
from pages import session
from pages.parts.shared.chosen import choose_result
from pages.parts.take_away.again import again
from pages.parts.take_away.files import model_file, report_file, summary_file, table_files

studio = session()
heading = st.container(horizontal=True, vertical_alignment="center")
heading.title("Take away", anchor=False)
if studio.table is not None:
    heading.caption(f"**{escaped(studio.table.name)}**", text_alignment="right")
chosen = choose_result(studio)
if chosen is not None:
    left, right = st.columns(2, gap="medium")
    with left:
        table_files(studio, chosen)
        summary_file(studio, chosen)
        model_file(studio, chosen)
    with right:
        report_file(studio, chosen)
        again(studio, chosen)
