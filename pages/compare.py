"""Compare: clusterings of the table side by side, and the sliders that drive them."""

from contextlib import suppress
from dataclasses import replace
from functools import partial

import streamlit as st

from mapdp_studio.core.comparing.comparison import clustered_part, known_truth, suggestion
from mapdp_studio.core.comparing.panels import FirstLook, is_long
from mapdp_studio.core.comparing.projection import choose_view
from mapdp_studio.core.methods import JUDGE
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.pages import NotYet, session
from mapdp_studio.pages.parts.compare import answers as views
from mapdp_studio.pages.parts.compare.panels import (
    ComparedPanels,
    choose_look,
    draw_legend,
    place_sliders,
)
from mapdp_studio.pages.parts.compare.strips import table_strips
from mapdp_studio.pages.parts.shared import chosen, controls
from mapdp_studio.pages.parts.shared.compute import fits, job_state
from mapdp_studio.pages.parts.shared.kit import draw_tabs, need_engine, need_table

visit = session()
places = place_sliders()
controls.follow_address(visit)
need_table(visit)
need_engine("The clusterings appear here")
choice = chosen.running_choice(visit)
table, schema, results = visit.table, visit.schema, visit.results
key = table.digest, clustered_part(schema)
encoded = chosen.need_encoded(visit)
truth_key = table.digest, schema.label_column and schema[schema.label_column]
truth = results.cached("truth", truth_key, lambda: known_truth(table.frame, schema))


def suggest(k: int):
    """A penalty for so many clusters."""
    return results.cached("penalty", (key, k), lambda: suggestion(encoded, k, controls.PENALTIES))


controls.draw_sliders(visit, places, suggest if choice is None else None, key)
controls.write_address(visit)
with places[3]:
    pair, drag = choose_look(visit, encoded.columns)
with st.spinner("Looking for the plane to draw"):
    view = results.cached("view", (key, pair), lambda: choose_view(encoded, pair))
tasks = visit.project.tasks(visit.compared)
panels = ComparedPanels(visit, tasks, view, truth, (key, pair, truth_key))
place, line = st.container(key="panels"), st.container()
if choice is not None:
    with line:
        job_state(choice, chosen.CHOOSING)
    st.caption(chosen.WHY_CHOSEN)
    with place:
        look = choice.partial[1] if pair is None and choice.partial else None
        panels.draw(None, look, drag)
    raise NotYet
first = None
if is_long(*encoded.values.shape):
    completed = results.cached("completed", key, lambda: schema.completed(table.frame))
    first = results.cached(
        "first look",
        (key, pair, truth_key),
        lambda: FirstLook.of(table.frame, completed, view, truth),
    )
fitting = fits(visit, results, (table.frame, schema), tasks, line, first)
judge = results.get(tasks[JUDGE])
if isinstance(judge, ClusterEstimator):
    chosen.begin_number(visit, tasks[JUDGE], judge)
    if not fitting.running:
        with line, suppress(NotYet):
            chosen.need_number(visit, tasks[JUDGE], judge)
seen = chosen.look_while_choosing(visit) if pair is None and first is None else None
with place:
    if seen is None or JUDGE in fitting.shown:
        panels.draw(fitting, first, drag)
    else:  # what stood there while the table chose, until MAP-DP has more
        then, look, own = seen
        replace(panels, view=then, tasks=tasks | own).draw(None, look, drag)
st.markdown(views.which_answer(visit, tasks, bool(fitting.running)))
draw_legend(visit, len(encoded.columns), truth, view.note)
answers = views.Answers.of(visit, tasks)
tabs = {
    "Scores": partial(views.scores, visit, tasks, truth, answers),
    "Marked rows": partial(views.marked_rows, visit, answers.labels),
    "Two methods": partial(views.two_methods, answers.with_truth(truth)),
    "Consensus": partial(views.consensus, visit, view, answers),
    "Tree": partial(views.trees, visit, tasks, view, answers),
    "K against a setting": lambda: table_strips(
        visit, encoded, truth, suggest(visit.settings.n_clusters)
    ),
}
draw_tabs("compare_tab", tabs)
