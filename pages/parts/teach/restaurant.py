"""Restaurant: rows seated one by one, and what N₀ makes of them."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.plots.restaurant import (
    mixture_figure,
    posterior_figure,
    restaurant_figure,
    stick_figure,
)
from mapdp_studio.core.teaching.posterior_of_k import posterior_of_k
from mapdp_studio.core.teaching.prior_draws import MixtureDraw, draw_mixture, stick_breaking
from mapdp_studio.core.teaching.restaurant import seat
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.shared.chart import chart, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import halves
from mapdp_studio.pages.parts.shared.picture import picture
from mapdp_studio.pages.parts.shared.player import player
from mapdp_studio.pages.parts.shared.theme import colours
from mapdp_studio.pages.parts.teach.bars import KEPT, choose_position
from mapdp_studio.pages.parts.teach.controls import MOST_SEED, key_of, stand
from mapdp_studio.pages.parts.teach.room import shared_results

FIGURE = "restaurant"
#: Pieces of the stick, and rows of a mixture, that are drawn.
N_STICKS, MOST_DRAWN = 30, 1_000
#: Rows that Gibbs sampling runs on: a second's work.
MOST_SAMPLED = 300


def restaurant(is_wide: bool) -> None:
    """The restaurant with its sliders, its number of tables against the expectation; draws."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    guests, told = _choices()
    n_0, _, discount = told
    seating = shared_results().latest("seating", (guests, told), lambda: seat(guests, *told))
    final, expected = int(seating.n_tables[-1]), float(seating.expected[-1])
    player(FIGURE)
    with st.container(key=FIGURE):
        chart(
            restaurant_figure(seating, is_wide, colours()["ink"]).to_json(),
            "restaurant-chart",
            f"{guests:,} rows seated one by one under N₀ = {n_0:g}, d = {discount:g}: {final} "
            f"tables in the end, {expected:.1f} expected, {seating.rule[-1]:.1f} by N₀ ln n.",
            saving("restaurant"),
        )
    way = "N₀ times the difference of two digamma values" if not discount else "row by row"
    rule = "holds for many rows" if not discount else "is for d = 0"
    st.caption(
        f"After {guests:,} rows: {final:,} tables this evening. {expected:.2f} are expected "
        f"(exactly: {way}), with a standard deviation of {seating.deviation[-1]:.1f} from evening "
        f"to evening; {seating.rule[-1]:.2f} by the rule N₀ ln n, which {rule}."
    )
    _draws(guests, told)


def _choices() -> tuple[int, tuple[float, int, float]]:
    """How many rows are to be seated; and N₀, the seed and the discount."""
    columns = st.columns(4, gap="medium")
    choose_position(columns[0], "n0", "Concentration N₀", "As if so many sat at a new table.")
    choose_position(columns[1], "guests", "Rows to seat", "How many come this evening.", "{:,}")
    choose_position(
        columns[2],
        "discount",
        "Discount d",
        "0 is the Dirichlet process of this app. Above 0, a Pitman-Yor process: every table counts "
        "d less than sit there, a new one d more for each that is open. So there are many small "
        "tables, and K grows as a power of the number of rows.",
    )
    text = "Another evening, other guests: other tables, and another number of them."
    columns[3].number_input("Evening (seed)", 0, MOST_SEED, key=key_of("seed"), help=text, **KEPT)
    return stand("guests"), (stand("n0"), int(stand("seed")), stand("discount"))


def _draws(guests: int, told: tuple[float, int, float]) -> None:
    """The same process seen otherwise: weights all at once, and rows of such clusters."""
    n_0, seed, discount = told
    left, right = halves()
    weights = stick_breaking(n_0, N_STICKS, seed, discount)
    with left:
        st.markdown(
            "**All weights at once: a stick is broken.** Of what is left a share is broken off, "
            f"again and again, the first time {100 * (1 - discount) / (1 + n_0):.0f} % on average."
        )
        said = f"A stick broken into pieces; the {N_STICKS} drawn are {weights.sum():.1%} of it"
        picture(stick_figure(weights), "sticks", said, "stick-breaking")
        st.caption(f"{said}.")
    n = min(guests, MOST_DRAWN)
    draw = shared_results().latest(
        "mixture", (n, told), lambda: draw_mixture(n, n_0, seed, discount)
    )
    with right:
        said = f"{n:,} rows in {int(draw.labels.max()) + 1} clusters"
        st.markdown(f"**A data set that the prior could have made:** {said}, of the same evening.")
        picture(mixture_figure(draw), "mixture", said, "mixture-draw")
    with left:
        _posterior(draw.first(MOST_SAMPLED), told)


def _posterior(draw: MixtureDraw, told: tuple[float, int, float]) -> None:
    """And back: what Gibbs sampling makes of K, given these rows alone."""
    n_0, seed, discount = told
    n, true_k, results = len(draw.rows), int(draw.labels.max()) + 1, shared_results()
    st.markdown(
        f"**Back to K, from {n:,} rows alone.** Gibbs sampling starts from one cluster and "
        "settles; dashed is their true K."
    )
    key = n, told
    shares = get_result(
        session(),
        "posterior of K",
        key,
        "Sampling",
        lambda job: results.latest("sampled K", key, lambda: posterior_of_k(draw, n_0, seed)),
        results,
    )
    if shares is None:
        return
    likely = ", ".join(f"{int(shares[n].idxmax())} after {n}" for n in shares.columns)
    said = f"Most frequent: {likely} sweeps, of which the second half counts. True: {true_k:,}."
    picture(posterior_figure(shares, true_k), "posterior", said, "posterior-of-k")
    st.caption(said + (" The sampler's own prior has d = 0." if discount else ""))
