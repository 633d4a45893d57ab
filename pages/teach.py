"""Teach: watch K-means fail on six data sets, and see why the others do not."""

from __future__ import annotations

import streamlit as st

from demo_datasets import SCENARIOS
from pages import Session, session
from pages.parts.shared.address import take_address
from pages.parts.shared.kit import choose_one, has_engine
from pages.parts.shared.width import page_width
from pages.parts.teach.lesson import begin_lesson, leave_lesson, lesson
from pages.parts.teach.restaurant import restaurant
from pages.parts.teach.settings import IN_ADDRESS, SCENARIO, choose_settings
from pages.parts.teach.sigma import sigma
from pages.parts.teach.steps import steps
from pages.parts.teach.strips import strips
from pages.parts.teach.tables import tables
from pages.parts.teach.watch import watch

VIEWS = ("Watch", "Step", "Strips", "Tables", "From K-means", "Restaurant")
# Steps of the page's width at which the layout changes.
STEPS = (640, 1200)


def choose_scenario(is_wide: bool) -> str:
    with st.container(horizontal=is_wide, vertical_alignment="center"):
        key = choose_one(
            "Data set",
            list(SCENARIOS),
            SCENARIO,
            format_func=lambda key: SCENARIOS[key].title,
            on_change=leave_lesson,
            label_visibility="collapsed",
        )
        begin_lesson(key)
    st.markdown(SCENARIOS[key].text)
    return key


def main(studio: Session, view: str) -> None:
    width = page_width(STEPS, assumed=STEPS[-1])
    is_wide = width == STEPS[-1]
    if view == "Tables":
        tables(studio, is_wide)
        return
    if view == "Restaurant":
        restaurant(studio.teaching, is_wide)
        return
    take_address(IN_ADDRESS)
    key = choose_scenario(is_wide)
    lesson(key)
    columns = st.columns(6, gap="medium") if is_wide else [*st.columns(3), *st.columns(3)]
    room = choose_settings(key, studio.teaching, columns)
    if view == "Watch":
        watch(room, studio.teaching, is_wide)
    elif view == "Step":
        steps(room, studio.teaching, is_wide)
    elif view == "Strips":
        strips(room, studio)
    elif view == "From K-means":
        sigma(room, studio.teaching, 3 if width else 1)


studio = session()
heading = st.container(horizontal=True, vertical_alignment="center")
heading.title("Teach", anchor=False)
with heading:
    view = choose_one("View", VIEWS, "view", bind="query-params", label_visibility="collapsed")
if has_engine("The clusterings appear here"):
    main(studio, view)
