"""Step: runs under one clock. Where the model comes from: a restaurant, small variances."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import streamlit as st

from mapdp_studio.core.comparing.comparison import FitError, Results, matched, numbering
from mapdp_studio.core.comparing.panels import RADIUS, Panel, labels_panel, method_panel
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.priors import EMPIRICAL_SCALE
from mapdp_studio.core.plots.panels import panels_figure
from mapdp_studio.core.plots.steps import steps_figure
from mapdp_studio.core.plots.teaching import restaurant_figure, stick_figure
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.prior import draw_mixture, seat, stick_breaking
from mapdp_studio.core.teaching.small_variance import Shrunk, spherical_fit
from mapdp_studio.core.teaching.steps import Walk, procedures, walk
from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.shared.chart import chart, player, saving
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_from_list, colours, halves, picture
from mapdp_studio.pages.parts.teach.room import (
    ALONE,
    Classroom,
    get,
    key_of,
    put,
    results_of,
    shared_results,
    slider,
)

FIGURE, RESTAURANT = "steps", "restaurant"
#: Pieces of the stick, and rows of a mixture, that are drawn.
N_STICKS, MOST_DRAWN = 30, 1_000
OTHERS = ("DPMeans", "KMeansBIC")
#: The figure drawn last and its words, which stay until another has been walked.
_LAST = "steps_shown"
_FAINT = f"<style>.st-key-{FIGURE} .js-plotly-plot {{ opacity: 0.4; }}</style>"
KEYS = (
    "A row keeps its colour as long as its cluster lives; at the end the colours are those of the "
    "true groups. Keys: space plays and pauses, ← and → step, Home rewinds."
)


def steps(room: Classroom, width: int, letters: int, is_bare: bool) -> None:
    if not room.is_plane:
        st.info("This view needs two columns of numbers without holes: **Watch** does not.")
        return
    names, results, state = _chosen(room), results_of(room.key), st.session_state
    place, key = st.container(key=FIGURE), (room.data_key, room.settings, *names)

    def work(job: Job) -> list[Walk]:
        return [_walked(room, results, name) for name in names]

    walks = None
    with suppress(NotYet):
        walks = get_result(session(), "Walking", key, work, results)
        kwargs = {"is_wide": bool(width), "letters": letters, "ink": colours()["ink"]}

        classes = room.truth and room.truth.classes
        figure = results.cached(
            "walk's figure",
            (*key, *kwargs.values()),
            lambda: steps_figure(walks, classes, **kwargs),
        )
        ends = ((run.title, run.steps) for run in walks)
        texts = (f"{one}: after {len(of)} steps K = {of[-1].n_clusters}" for one, of in ends)
        state[_LAST] = figure, "; ".join(texts)
    if _LAST in state:
        with place:
            figure, text = state[_LAST]
            chart(figure, "walk-chart", text, saving("steps"), below=8 if width else None)
    if walks is None:
        place.html(_FAINT)
    elif not is_bare:
        texts = [procedures()[names[0]].watch_for] if len(names) == 1 else []
        texts += dict.fromkeys(run.note for run in walks if run.note)
        st.caption(" ".join([*texts, KEYS]))


def _chosen(room: Classroom) -> list[str]:
    offered = procedures()
    names = [name for name, one in offered.items() if not (one.needs_truth and room.truth is None)]
    titles = {name: offered[name].title for name in names}
    if get("walk") not in names:
        put(walk=names[0])
    if get("beside") not in (ALONE, *names):
        put(beside=ALONE)
    with st.container(horizontal=True, vertical_alignment="center"):
        kwargs = {"width": 300, "label_visibility": "collapsed"}
        choose_from_list(
            "Algorithm", names, key_of("walk"), format_func=titles.__getitem__, **kwargs
        )
        kwargs["format_func"] = lambda name: f"beside: {titles.get(name, ALONE)}"
        choose_from_list("Beside it, under one clock", [ALONE, *names], key_of("beside"), **kwargs)
        player(FIGURE)
    return [name for name in (get("walk"), get("beside")) if name != ALONE]


def _walked(room: Classroom, results: Results, name: str) -> Walk:
    """One of ``procedures()``, step by step; all rows are one true group where none is known."""
    model = results.fit(room.tasks[JUDGE], room.frame, room.schema)
    scale = EMPIRICAL_SCALE if isinstance(model, FitError) else model.prior_scale_
    one = np.zeros(len(room.frame), dtype=np.int64)
    classes = one if room.truth is None else room.truth.classes
    return results.cached(
        "walk",
        (room.data_key, room.settings, name, scale),
        lambda: walk(name, room.encoded, room.view, classes, room.settings, scale),
    )


def restaurant(is_wide: bool) -> None:
    """The restaurant, its number of tables against the expectation, and draws from the prior."""
    st.markdown(
        "Before any data is seen, MAP-DP and Gibbs expect clusters as a restaurant fills its "
        "tables: a newcomer sits down at a table in proportion to how many sit there, or opens a "
        "new one as if N₀ sat there. So large tables grow larger, and K grows with the logarithm "
        "of the number of rows."
    )
    one, two, three = st.columns(3, gap="medium")
    slider("n0", one, help="As if so many sat at a new table.")
    slider("guests", two)
    slider("seed", three, label="Evening (seed)")
    guests, n_0, seed = get("guests"), get("n0"), int(get("seed"))
    results = shared_results()
    seating = results.cached("seating", (guests, n_0, seed), lambda: seat(guests, n_0, seed))
    text = (
        f"After {guests:,} rows: {seating.n_tables[-1]:,} tables this evening, "
        f"{seating.expected[-1]:.2f} ± {seating.deviation[-1]:.1f} expected exactly, "
        f"{seating.rule[-1]:.2f} by the rule N₀ ln n, which holds for many rows."
    )
    player(RESTAURANT)
    with st.container(key=RESTAURANT):
        figure = restaurant_figure(seating, is_wide, colours()["ink"])
        chart(figure, "restaurant-chart", text, saving("restaurant"))
    st.caption(text)
    left, right = halves()
    weights = stick_breaking(n_0, N_STICKS, seed)
    with left:
        st.markdown(
            "**All weights at once: a stick is broken.** Of what is left a share is broken off, "
            f"again and again, {100 / (1 + n_0):.0f} % on average."
        )
        text = f"A stick broken into pieces; the {N_STICKS} drawn are {weights.sum():.1%} of it"
        picture(stick_figure(weights), "stick-breaking", text)
    n = min(guests, MOST_DRAWN)
    rows, labels = results.cached("mixture", (n, n_0, seed), lambda: draw_mixture(n, n_0, seed))
    with right:
        k = int(labels.max()) + 1
        text = f"{n:,} rows in {k} clusters"
        st.markdown(f"**A data set that the prior could have made:** {text}, of the same evening.")
        view = choose_view(Encoded.from_array(rows, "normal"))
        panel = labels_panel(view, "A draw from the prior", labels, range(k))
        picture(panels_figure(view, [panel], 1, **colours()), "mixture-draw", text)


def small_variance(room: Classroom) -> None:
    """The slider, and three panels side by side."""
    if not room.is_plane or room.truth is None:
        st.info("This view needs two columns of numbers, and known groups.")
        return
    st.markdown(
        "Take MAP-DP with round clusters of one known width σ, and tie N₀ to λ so that a new "
        "cluster always costs the same. As σ shrinks, the count term and the prior fade beside the "
        "squared distance: what is left is DP-means, and with K fixed, K-means."
    )
    slider("sigma")
    sd, penalty, results = get("sigma"), room.settings.penalty, results_of(room.key)

    def shrink(job: Job) -> Shrunk:
        for name in OTHERS:
            results.fit(room.tasks[name], room.frame, room.schema)
        return spherical_fit(room.encoded, penalty, sd)

    key = room.tasks["KMeansBIC"], room.data_key, penalty, sd
    shrunk = get_result(session(), "Shrinking the clusters", key, shrink, results)
    args = room.view, results, room.tasks, room.tasks, room.truth
    panels = [_spherical(room, shrunk), *(method_panel(name, *args) for name in OTHERS)]
    text = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
    figure = panels_figure(room.view, panels, 3, panel_height=280, **colours())
    picture(figure, "sigma", text)


def _spherical(room: Classroom, shrunk: Shrunk) -> Panel:
    labels = matched(room.truth.classes, shrunk.labels)
    title = f"MAP-DP, round, K = {shrunk.n_clusters:,}"
    numbers = numbering(np.unique(labels), len(room.truth.names))
    panel = labels_panel(room.view, title, labels, range(labels.max() + 1), numbers)
    angles = np.linspace(0.0, 2.0 * np.pi, 73)
    circle = RADIUS * shrunk.sd * np.column_stack([np.cos(angles), np.sin(angles)])
    circle *= room.points.std(axis=0)
    curves = tuple(
        (k, (room.points[labels == k].mean(axis=0) + circle).astype(np.float32))
        for k in np.unique(panel.labels[panel.labels >= 0]).tolist()
    )
    return replace(panel, remark=f"σ = {shrunk.sd:.3g}, N₀ tied to λ", outlines=curves)
