"""Restaurant: rows seated one by one, and what N₀ makes of them."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from mapdp_studio.core.comparing.comparison import Results
from mapdp_studio.core.plots.restaurant import (
    mixture_figure,
    posterior_figure,
    restaurant_figure,
    stick_figure,
)
from mapdp_studio.core.teaching.posterior_of_k import posterior_of_k
from mapdp_studio.core.teaching.prior_draws import MixtureDraw, draw_mixture, stick_breaking
from mapdp_studio.core.teaching.restaurant import Seating, seat
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.compare.settings import IN_SESSION, choose_concentration
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.player import player
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.controls import (
    DISCOUNT,
    GUESTS,
    MOST_SEED,
    N_0,
    SEED,
    choose_position,
)

FIGURE = "restaurant"
#: Pieces of the stick, and rows of a mixture, that are drawn.
N_STICKS, MOST_DRAWN = 30, 1_000
#: Rows that Gibbs sampling runs on: a second's work.
MOST_SAMPLED = 300


def restaurant(results: Results, is_wide: bool) -> None:
    """The restaurant, its sliders, and the number of tables against the expectation."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    place = st.container()
    guests, told = _choices()
    concentration, _, discount = told
    seating = results.latest("seating", (guests, told), lambda: seat(guests, *told))
    final, expected = int(seating.n_tables[-1]), float(seating.expected[-1])
    with place:
        with st.container(horizontal=True, vertical_alignment="center"):
            player(FIGURE)
        with st.container(key=FIGURE):
            chart(
                restaurant_figure(seating, is_wide, colours()["ink"]).to_json(),
                "restaurant-chart",
                f"{guests:,} rows seated one by one under N₀ = {concentration:g}, d = "
                f"{discount:g}: {final} tables in the end, {expected:.1f} expected, "
                f"{seating.rule[-1]:.1f} by N₀ ln n.",
                saving("restaurant"),
            )
    way = "N₀ times the difference of two digamma values" if not discount else "row by row"
    rule = "holds for many rows" if not discount else "is for d = 0"
    st.caption(
        f"After {guests:,} rows: {final:,} tables this evening. {expected:.2f} are expected "
        f"(exactly: {way}), with a standard deviation of {seating.deviation[-1]:.1f} from evening "
        f"to evening; {seating.rule[-1]:.2f} by the rule N₀ ln n, which {rule}. The first dozen "
        "are seated one by one, then faster."
    )
    _draws(results, guests, told, is_wide)
    with st.expander("The steps as a table"):
        st.dataframe(_table(seating), hide_index=True, alt="Tables by number of rows")


def _choices() -> tuple[int, tuple[float, int, float]]:
    """How many rows are to be seated; and N₀, the seed and the discount."""
    columns = st.columns(4, gap="medium")
    concentration = choose_concentration(columns[0], N_0, **IN_SESSION)
    guests = choose_position(columns[1], GUESTS, "Rows to seat", form="{:,}")
    discount = choose_position(
        columns[2],
        DISCOUNT,
        "Discount d",
        "0 is the Dirichlet process of this app. Above 0, a Pitman-Yor process: every table counts "
        "d less than sit there, a new one d more for each that is open. So there are many small "
        "tables, and K grows as a power of the number of rows.",
    )
    text = "Another evening, other guests: other tables, and another number of them."
    seed = columns[3].number_input(
        "Evening (seed)", 0, MOST_SEED, 0, key=SEED, help=text, **IN_SESSION
    )
    return guests, (concentration, int(seed), discount)


def _draws(results: Results, guests: int, told: tuple[float, int, float], is_wide: bool) -> None:
    """The same process seen otherwise: weights all at once, and rows of such clusters."""
    concentration, seed, discount = told
    left, right = st.columns(2, gap="large") if is_wide else (st.container(), st.container())
    weights = stick_breaking(concentration, N_STICKS, seed, discount)
    with left:
        st.markdown(
            "**All weights at once: a stick is broken.** Of what is left a share is broken off, "
            "again and again, the first time "
            f"{100 * (1 - discount) / (1 + concentration):.0f} % on average. The pieces are what "
            "the tables' shares become when ever more rows are seated."
        )
        picture(
            stick_figure(weights),
            "sticks",
            f"A stick broken into pieces; the {N_STICKS} drawn are {weights.sum():.0%} of it",
            "stick-breaking",
        )
        st.caption(
            f"The first {N_STICKS} pieces are {100 * weights.sum():.1f} % of the stick; the rest "
            "is in smaller ones."
        )
    n = min(guests, MOST_DRAWN)
    draw = results.latest(
        "mixture", (n, told), lambda: draw_mixture(n, concentration, seed, discount)
    )
    with right:
        st.markdown(
            f"**A data set that the prior could have made:** {n:,} rows of the same evening, every "
            "table with a centre and a shape drawn for it."
        )
        picture(
            mixture_figure(draw),
            "mixture",
            f"{n:,} rows drawn in {int(draw.labels.max()) + 1} clusters",
            "mixture-draw",
        )
    with left:
        _posterior(results, draw.first(MOST_SAMPLED), told)


def _posterior(results: Results, draw: MixtureDraw, told: tuple[float, int, float]) -> None:
    """And back: what Gibbs sampling makes of K, given these rows alone."""
    concentration, seed, discount = told
    n, true_k = len(draw.rows), int(draw.labels.max()) + 1
    st.markdown(
        f"**Back to K, from the rows alone.** Gibbs sampling starts from one cluster of these rows"
        f"{'' if n < MOST_SAMPLED else f', the first {n:,}'} and settles; dashed is their true K."
    )
    key = n, told
    shares = get_result(
        session(),
        "posterior of K",
        key,
        "Sampling",
        lambda job: results.latest(
            "sampled K", key, lambda: posterior_of_k(draw, concentration, seed)
        ),
        results,
    )
    if shares is None:
        return
    likely = ", ".join(f"{int(shares[n].idxmax())} after {n}" for n in shares.columns)
    picture(
        posterior_figure(shares, true_k),
        "posterior",
        f"Share of sweeps by K; the most frequent K is {likely} sweeps; true is {true_k}.",
        "posterior-of-k",
    )
    st.caption(
        f"Most frequent: {likely} sweeps, of which the second half counts. True: {true_k:,}. "
        + ("" if not discount else "The sampler's own prior has d = 0.")
    )


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
