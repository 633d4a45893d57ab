"""Restaurant: rows seated one by one, and what N₀ makes of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.comparing.comparison import Results
from core.plots.restaurant import restaurant_figure
from core.teaching.restaurant import Seating, seat
from pages.parts.compare.settings import IN_SESSION, choose_concentration
from pages.parts.shared.figure_tools import STILL, save_buttons, step_buttons
from pages.parts.shared.lasting_chart import lasting_chart, load_plotly
from pages.parts.shared.theme import colours
from pages.parts.teach.controls import GUESTS, N_0, N_GUESTS, SEED

FIGURE = "restaurant"


def restaurant(results: Results, is_wide: bool) -> None:
    """The restaurant, its sliders, and the number of tables against the expectation."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    picture, columns = st.container(), st.columns(3, gap="medium")
    concentration = choose_concentration(columns[0], N_0, **IN_SESSION)
    with columns[1]:
        guests = st.select_slider(
            "Rows to seat",
            N_GUESTS,
            N_GUESTS[2],
            format_func=lambda n: f"{n:,}",
            key=GUESTS,
            persist_state="session",
        )
    with columns[2]:
        seed = st.number_input(
            "Evening (seed)",
            0,
            999_999,
            0,
            key=SEED,
            persist_state="session",
            help="Another evening, other guests: other tables, and another number of them.",
        )
    about = guests, concentration, seed
    seating = results.latest("seating", about, lambda: seat(guests, concentration, int(seed)))
    final, expected = int(seating.n_tables[-1]), float(seating.expected[-1])
    load_plotly()
    with picture:
        with st.container(horizontal=True, vertical_alignment="center"):
            step_buttons(FIGURE)
            save_buttons(FIGURE, "restaurant")
        with st.container(key=FIGURE):
            lasting_chart(
                restaurant_figure(seating, is_wide, colours()["ink"]),
                "restaurant-chart",
                f"{guests:,} rows seated one by one under N₀ = {concentration:g}: {final} tables "
                f"in the end, {expected:.1f} expected, {seating.rule[-1]:.1f} by N₀ ln n.",
                STILL,
            )
    st.caption(
        f"After {guests:,} rows: {final:,} tables this evening. {expected:.2f} are expected "
        "(exactly: N₀ times the difference of two digamma values), with a standard deviation of "
        f"{seating.deviation[-1]:.1f} from evening to evening; {seating.rule[-1]:.2f} by the rule "
        "N₀ ln n, which holds for many rows. The first dozen are seated one by one, then faster."
    )
    with st.expander("The steps as a table"):
        st.dataframe(_table(seating), hide_index=True, alt="Tables by number of rows")


def _table(seating: Seating) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Rows": seating.numbers,
            "Tables": seating.n_tables[seating.numbers - 1],
            "Expected": seating.expected.round(2),
            "SD": seating.deviation.round(2),
            "N₀ ln n": seating.rule.round(2),
        }
    )
