"""Views: several groupings of the same rows, each told by other columns."""

from functools import partial

import streamlit as st

from mapdp_studio.core.comparing.comparison import clustered_part
from mapdp_studio.core.partitions.naming import Naming
from mapdp_studio.core.profiling.cards import NOTHING
from mapdp_studio.core.profiling.view_results import ShownView, find_views
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
