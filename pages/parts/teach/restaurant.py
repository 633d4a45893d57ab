"""Restaurant: rows seated one by one, and what N₀ makes of them."""

from __future__ import annotations

import streamlit as st

from mapdp_studio.core.comparing.panels import labels_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.teaching import (
    posterior_figure,
    restaurant_figure,
    stick_figure,
)
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.teaching.prior import draw_mixture, posterior_of_k, seat, stick_breaking
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
#: Pieces of the stick, rows of a mixture that are drawn, and that Gibbs sampling runs on.
N_STICKS, MOST_DRAWN, MOST_SAMPLED = 30, 1_000, 300


def restaurant(is_wide: bool) -> None:
    """The restaurant with its sliders, its number of tables against the expectation; draws."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    columns = st.columns(3, gap="medium")
    choose_position(columns[0], "n0", "Concentration N₀", "As if so many sat at a new table.")
    choose_position(columns[1], "guests", "Rows to seat", "How many come this evening.", "{:,}")
    text = "Another evening, other guests: other tables, and another number of them."
    columns[2].number_input("Evening (seed)", 0, MOST_SEED, key=key_of("seed"), help=text, **KEPT)
    guests, n_0, seed = stand("guests"), stand("n0"), int(stand("seed"))
    results = shared_results()
    seating = results.latest("seating", (guests, n_0, seed), lambda: seat(guests, n_0, seed))
    said = (
        f"After {guests:,} rows: {seating.n_tables[-1]:,} tables this evening, "
        f"{seating.expected[-1]:.2f} ± {seating.deviation[-1]:.1f} expected exactly, "
        f"{seating.rule[-1]:.2f} by the rule N₀ ln n, which holds for many rows."
    )
    player(FIGURE)
    with st.container(key=FIGURE):
        chart(
            restaurant_figure(seating, is_wide, colours()["ink"]).to_json(),
            "restaurant-chart",
            said,
            saving("restaurant"),
        )
    st.caption(said)
    _draws(guests, n_0, seed)


def _draws(guests: int, n_0: float, seed: int) -> None:
    """The same process seen otherwise: weights all at once, rows of such clusters, back to K."""
    left, right = halves()
    weights = stick_breaking(n_0, N_STICKS, seed)
    with left:
        st.markdown(
            "**All weights at once: a stick is broken.** Of what is left a share is broken off, "
            f"again and again, {100 / (1 + n_0):.0f} % on average."
        )
        said = f"A stick broken into pieces; the {N_STICKS} drawn are {weights.sum():.1%} of it"
        picture(stick_figure(weights), "sticks", said, "stick-breaking")
        st.caption(f"{said}.")
    n, results = min(guests, MOST_DRAWN), shared_results()
    whole = results.latest("mixture", (n, n_0, seed), lambda: draw_mixture(n, n_0, seed))
    with right:
        k = int(whole.labels.max()) + 1
        said = f"{n:,} rows in {k} clusters"
        st.markdown(f"**A data set that the prior could have made:** {said}, of the same evening.")
        view = choose_view(Encoded.from_array(whole.rows, "normal"))
        panel = labels_panel(view, "A draw from the prior", whole.labels, range(k))
        picture(panels_figure(view, [panel], 1, **colours()), "mixture", said, "mixture-draw")
    rows, labels = (one[:MOST_SAMPLED] for one in whole)
    with left:
        n, true_k = len(rows), int(labels.max()) + 1
        st.markdown(
            f"**Back to K, from {n:,} rows alone.** Gibbs sampling starts from one cluster and "
            "settles; dashed is their true K."
        )
        shares = get_result(
            session(),
            "posterior of K",
            (n, n_0, seed),
            "Sampling",
            lambda job: posterior_of_k(rows, n_0, seed),
            results,
        )
        if shares is not None:
            likely = ", ".join(f"{int(shares[n].idxmax())} after {n}" for n in shares.columns)
            said = f"Most frequent: {likely} sweeps, of which the second half counts."
            picture(posterior_figure(shares, true_k), "posterior", said, "posterior-of-k")
            st.caption(said)
