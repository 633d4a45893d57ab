"""Watch: every clustering in one picture that fills the window, strips above, numbers below."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing import strips
from mapdp_studio.core.comparing.comparison import scoreboard
from mapdp_studio.core.comparing.panels import (
    Panel,
    cells,
    centres_in_view,
    method_panel,
    truth_panel,
)
from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import K_MAX
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.plots.panels import fill_places, narrow_panel, panels_figure
from mapdp_studio.core.plots.settings import MOST, slider_figure
from mapdp_studio.core.plots.teaching import costs_figure, posterior_figure
from mapdp_studio.core.profiling.profiles import natural_columns
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.prior import fitted_posterior_of_k, posterior_sentence
from mapdp_studio.core.teaching.steps import row_costs
from mapdp_studio.core.wording import listed
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.compare.answers import draw_scores
from mapdp_studio.pages.parts.shared.chart import BARE, chart
from mapdp_studio.pages.parts.shared.compute import Fits, begin_fits, fits, run_again_when, so_far
from mapdp_studio.pages.parts.shared.controls import CONCENTRATIONS, PENALTIES
from mapdp_studio.pages.parts.shared.kit import KEPT, colours, draw_tabs, halves, picture
from mapdp_studio.pages.parts.teach.room import Classroom, get, key_of, put, results_of

FIGURE, K_MEANS = "panels", "KMeansBIC"
#: Of a panel, by the page's width, and at least, in pixels: it is as high as the window allows.
HIGH, LEAST = {0: 290, 760: 200, 1300: 290, 1500: 380}, 150
#: What a method's panel says while a class predicts.
ASKED = "predict first"
TAB = "teach_tab"
LEGEND = (
    "Colours name the same groups in every panel, numbers those that a cluster was matched with; "
    "strong colours are rows placed otherwise than the truth. Ellipses hold 95 % of a cluster; "
    "grey rings are those too small for a colour. A click on a point asks about its row."
)
MOST_CELLS = 8
STRIPS = "strips"
SLIDERS = {"k": range(1, K_MAX + 1), "n0": CONCENTRATIONS, "lambda": PENALTIES}


def grid(room: Classroom, width: int, letters: int, below: int, hides: bool, ring: bool) -> Fits:
    """Draw the panels, ``below`` pixels free under them; ``hides`` shows the truth alone."""
    place, line = st.container(key=FIGURE), st.container()
    table, results = (room.frame, room.schema), results_of(room.key)
    if hides:
        begin_fits(session(), results, table, room.tasks)
        fitting = Fits(results, room.tasks, {}, {})
    else:
        fitting = fits(session(), results, table, room.tasks, line)
    row = get("row")
    kwargs = {
        "n_columns": 2 if not width else 3 if len(room.methods) < 6 else 5,
        "is_lit": get("lit") and not hides,
        "marked": row - 1 if row and ring and row <= len(room.frame) else None,
        "letters": letters,
        "panel_height": HIGH[width],
        "has_axes": not room.view.has_one_unit,
        "is_low": bool(width) and len(room.methods) < 6,
        **colours(),
    }

    def drawn() -> tuple[str, str]:
        panels = panels_of(room, fitting, hides)
        figure = panels_figure(room.view, [narrow_panel(one) for one in panels], **kwargs)
        figure.layout.dragmode = False
        if width:
            figure.layout.height *= LEAST / HIGH[width]
        if room.view.has_one_unit:
            fill_places(figure, len(panels))
        titles = "; ".join(f"{panel.title} ({panel.remark})" for panel in panels)
        return figure.to_json(), f"The same {len(room.frame):,} rows in every panel. {titles}."

    if hides or all(results.get(task) is not None for task in fitting.tasks.values()):
        # Drawn once for all visitors.
        key = room.data_key, *fitting.tasks.values(), hides, get("cells"), *kwargs.values()
        figure, text = results.cached("panels", key, drawn)
    else:
        figure, text = drawn()
    with place:
        chart(figure, "panels-chart", text, BARE, _ask, below if width else None)
    return fitting


def panels_of(room: Classroom, fitting: Fits, hides: bool = False) -> list[Panel]:
    """The truth, if it is known, and what every algorithm found."""
    truth = [] if room.truth is None else [truth_panel(room.view, room.truth)]
    names = sorted(room.methods, key=lambda name: name != K_MEANS)  # beside what it gets wrong
    if hides:
        return truth + [Panel(METHODS[name].title, ASKED) for name in names]
    return truth + [_panel(name, room, fitting) for name in names]


def _panel(name: str, room: Classroom, fitting: Fits) -> Panel:
    panel = method_panel(name, room.view, fitting.results, fitting.tasks, fitting.shown, room.truth)
    model = fitting.results.get(fitting.tasks[name])
    has_cells = name == K_MEANS and room.is_plane and get("cells")
    if not has_cells or not isinstance(model, ClusterEstimator):
        return panel
    centres, arrows = centres_in_view(model, room.view)
    return replace(panel, borders=tuple(cells(model)), centres=centres, arrows=arrows)


def _ask(rows: list[int]) -> None:
    if rows:
        put(row=rows[0], numbers=True)
        st.session_state[TAB] = "Row"


def strip_places(sliders: Sequence[DeltaGenerator]) -> list[DeltaGenerator]:
    """Keep a place under each slider, so that the picture stays where it is when strips come."""
    places = zip(sliders, SLIDERS, strict=True)
    return [place.container(key=f"strip_{name}").empty() for place, name in places]


def draw_strips(room: Classroom, places: Sequence[DeltaGenerator], is_time: bool) -> None:
    """Draw what is known of the strips in three places; the page runs again when there is more."""
    visit, results = session(), results_of(room.key)
    key = room.data_key, strips.unvaried(room.settings), room.suggested

    def measure(job: Job) -> dict[str, strips.Strip]:  # once for a whole class
        return results.cached(STRIPS, key, lambda: _measure(room, job))

    known, job = results.peek(STRIPS, key), None
    if known is None and (is_time or visit.jobs.get(STRIPS, key)):
        known, job = so_far(visit, STRIPS, key, measure, results=results)
    known = known or {}
    for place, name in zip(places, SLIDERS, strict=True):
        if name in known:
            with place:
                _draw_strip(room, name, known[name])
    if job is not None and job.running:
        run_again_when(lambda: not job.running or len(job.partial or {}) > len(known))


def _measure(room: Classroom, job: Job) -> dict[str, strips.Strip]:
    classes = None if room.truth is None else room.truth.classes
    data = room.encoded, room.schema, strips.unvaried(room.settings), classes, job
    values_of_k = range(1, min(K_MAX, len(room.frame)) + 1)
    known = {"k": strips.measure_strip(strips.CLUSTERS, values_of_k, *data)}  # the shortest first
    job.share(dict(known))
    known["lambda"] = strips.measure_strip(strips.PENALTY, strips.penalties(room.suggested), *data)
    job.share(dict(known))
    known["n0"] = strips.measure_strip(strips.CONCENTRATION, CONCENTRATIONS, *data, most=MOST)
    return known


def _draw_strip(room: Classroom, name: str, strip: strips.Strip) -> None:
    positions, current = SLIDERS[name], SLIDERS[name].index(get(name))
    places = np.abs(np.log(strip.values)[:, None] - np.log(positions)).argmin(axis=1).tolist()

    def drawn() -> str:
        return slider_figure(strip, places, len(positions), current, room.true_k).to_json()

    figure = results_of(room.key).cached(f"strip of {name}", (strip, current), drawn)

    def move(clicked: list[int]) -> None:
        if clicked:
            put(**{name: positions[clicked[0]]})

    chart(figure, f"strip-{name}", strip.in_words(room.true_k), BARE, move)


def numbers(room: Classroom, fitting: Fits) -> None:
    """One thing at a time about the panels."""
    views = {
        "Scores": partial(_scores, room, fitting),
        "Row": partial(_row, room),
        "How sure is K?": partial(_how_sure, room),
    }
    draw_tabs(TAB, views)
    st.caption(f"{LEGEND} {room.view.note}")


def _scores(room: Classroom, fitting: Fits) -> None:
    title = None if room.truth is None else room.truth.title
    scores = scoreboard(fitting.results, fitting.tasks, room.truth)
    draw_scores(scores, room.settings.concentration, title)


def _row(room: Classroom) -> None:
    n_rows, key = len(room.frame), key_of("row")
    if (get("row") or 0) > n_rows:
        st.session_state[key] = None
    kwargs = {"placeholder": "click one in a panel", "width": 200, **KEPT}
    number = st.number_input("Row to explain", 1, n_rows, key=key, **kwargs)
    if number is None:
        return
    row, results = int(number) - 1, results_of(room.key)
    cells = natural_columns(room.encoded.rows(np.array([row])))
    text = listed((f"{cell.name} = {cell.text(0) or 'missing'}" for cell in cells), MOST_CELLS)
    st.caption(f"What do they weigh for row {row + 1:,}? Its cells: {text}.")
    judge = results.get(room.tasks[JUDGE])
    reference = getattr(judge, "labels_", None) if room.truth is None else room.truth.classes
    if reference is None:
        return
    costs = row_costs(results, room.tasks, room.encoded, row, reference)
    if costs:
        words = " ".join(one.words for one in costs)
        drawn = costs_figure(costs, colours()["ink"])
        picture(drawn, "costs-of-a-row", f"Costs of every cluster for one row. {words}")
    side_by_side = st.grid(max(len(costs), 1), min_column_width=200)
    for one in costs:
        side_by_side.caption(f"**{one.title}.** {one.words}")


def _how_sure(room: Classroom) -> None:
    """The posterior of K with MAP-DP's marked, once both have run."""
    results = results_of(room.key)
    judge, gibbs = (results.get(room.tasks[name]) for name in (JUDGE, "CollapsedGibbs"))
    if not isinstance(judge, ClusterEstimator) or not isinstance(gibbs, ClusterEstimator):
        return
    shares = fitted_posterior_of_k(gibbs)
    text = posterior_sentence(shares, judge.n_clusters_)
    figure, words = halves()
    with figure:
        picture(posterior_figure(shares, judge.n_clusters_), "posterior-of-k", text)
    words.caption(f"{text} Dashed is MAP-DP's.")
