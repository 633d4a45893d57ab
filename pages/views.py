"""Views: several groupings of the same rows, each told by other columns."""

from functools import partial

import streamlit as st

from mapdp_studio.core.comparing.comparison import FitError, Results, clustered_part
from mapdp_studio.core.models.biclusters import Biclusters
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.plots.heat_maps import FULL_COLOUR, blocks_figure, dependence_figure
from mapdp_studio.core.profiling.blocks import Blocks
from mapdp_studio.core.profiling.cards import NOTHING
from mapdp_studio.core.profiling.view_results import ShownView, ViewsFound, find_views
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import need_model
from mapdp_studio.pages.parts.shared.compute import get_result

MOST_COLUMNS, MOST_GROUPS, MOST_TRAITS = 10, 6, 2
WAYS = {
    "Look at its groups": (":material/bubble_chart:", "pages/clusters.py"),
    "Test its groups": (":material/clinical_notes:", "pages/clinical.py"),
}


def card(visit: Session, view: ShownView, number: int) -> None:
    """One view: its columns, its groups and the ways into it."""
    n_columns, n_groups = len(view.columns), view.model.n_clusters_
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**View {number}**", width="content")
        text = f"{counted(n_columns, 'column')}, {counted(n_groups, 'cluster')}"
        st.caption(text, text_alignment="right")
    st.markdown(f"**Told by** {escaped(listed(view.columns, MOST_COLUMNS))}")
    for k, one in enumerate(view.cards[:MOST_GROUPS]):
        traits = (f"{trait.what} {trait.word} ({trait.here})" for trait in one.traits[:MOST_TRAITS])
        text = escaped("; ".join(traits) or NOTHING)
        st.caption(f"**Cluster {k + 1}**, {counted(one.size, 'row')}: {text}")
    if n_groups > MOST_GROUPS:
        st.caption(f"{counted(n_groups - MOST_GROUPS, 'smaller cluster')} more.")
    tip = "Its columns alone make the groups then: **Undo**, on top of every page, leads back."
    is_locked = visit.study.lock is not None
    with st.container(horizontal=True):
        for label, (icon, page) in WAYS.items():
            kwargs = {"icon": icon, "type": "tertiary", "disabled": is_locked}
            if st.button(label, f"{page} {number}", tip, **kwargs):
                visit.replace_schema(view.schema)
                visit.results.keep(view.task, view.model)
                visit.naming[view.task] = Naming()  # none of its groups put together
                st.switch_page(page)


def together(result: ViewsFound) -> None:
    figure = dependence_figure(result.dependence, result.names, result.ends, kit.colours()["paper"])
    text = "How strongly any two columns depend on each other, view by view"
    kit.picture(figure, "columns-that-belong-together", text)
    st.caption(
        "How much better two columns are described together than each by itself, in log units: "
        f"white is nothing, full colour {FULL_COLOUR:g} and more. Lines part the views, which are "
        "decided by all columns at once."
    )


def blocks(visit: Session) -> None:
    table, schema, results = visit.table, visit.schema, visit.results
    task = visit.project.tasks((Biclusters.__name__,))[Biclusters.__name__]

    def find(job: Job) -> ClusterEstimator | FitError:
        return results.get(task) or Results().fit(task, table.frame, schema, job)

    model = get_result(visit, "Looking for blocks", task, find)
    results.keep(task, model)
    if isinstance(model, FitError):
        st.info(f"There are no blocks of this table. {escaped(model.reason)}")
        return
    in_order = results.cached(
        "blocks in order", task, lambda: Blocks.of(model, schema.encode(table.frame))
    )
    n_rows, n_columns = len(in_order.row_ends), len(in_order.column_ends)
    text = f"{counted(n_rows, 'cluster')} of rows and {counted(n_columns, 'cluster')} of columns"
    st.markdown(f"**{text}.**")
    alt = f"The cells of the table, sorted into {text}"
    figure = blocks_figure(in_order, kit.colours()["ink"])
    kit.picture(figure, "blocks-of-rows-and-columns", alt)
    st.caption(
        "Every block, outlined, is one cluster of rows crossed with one of columns: its cells have "
        f"one distribution. Colour is a cell's value; missing cells are grey. {in_order.note}"
    )


visit = session()
kit.heading("Views", visit)
st.caption("The columns are divided into views, and every view groups the rows anew.")
need_model(visit)
settings, schema, table = visit.settings, visit.schema, visit.table
read = settings.concentration, settings.likelihood_power, settings.effort, settings.seed
key = table.digest, clustered_part(schema), read
work = partial(find_views, table.frame, schema, settings, table.digest)
result = get_result(visit, "Looking for views", key, work)
st.markdown(f"**{result.sentence}** {result.against_one}")
grid = st.grid(3, min_column_width=kit.CARD_WIDTH, border=True)
for number, view in enumerate(result.telling, 1):
    with grid.cell():
        card(visit, view, number)
if result.silent:
    st.caption(f"**Columns that tell no groups**: {escaped(', '.join(result.silent))}.")
tabs = {
    "Columns that belong together": together,
    "Blocks of rows and columns": lambda result: blocks(visit),
}
kit.draw_tabs("views_tab", tabs, result)
