"""Missing values: what is missing together, and what the model makes of it."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mapdp_studio.core.exports.tables import as_csv, file_stem
from mapdp_studio.core.plots.heat_maps import share_figure
from mapdp_studio.core.plots.profiles import missing_cells
from mapdp_studio.core.profiling.missing import fill_table, missing_by_group, missingness
from mapdp_studio.core.wording import listed
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import Chosen, choose_result
from mapdp_studio.pages.parts.shared.compute import get_result, wait_until_asked

MOST_CELLS, MOST_NAMES = 300, 6
CALLED = {"n_filled": "Cells filled", "row": "Row", "value": "Filled with"}
CALLED["spread"] = st.column_config.NumberColumn("Spread", format="%.3g")


def together(visit: Session, chosen: Chosen) -> None:
    """The missing cells, and which columns share them."""
    encoded, groups = chosen.partition.columns_.encoded, chosen.groups

    def look(job):
        cells = pd.DataFrame(encoded.is_missing, columns=list(encoded.columns))
        return missingness(cells), missing_by_group(encoded, groups.labels)

    missing, by_group = get_result(visit, "Looking at the missing cells", chosen.key, look)
    st.markdown(
        f"**{missing.n_missing:,} of {missing.n_cells:,} cells are missing**; "
        f"{missing.n_complete:,} of {len(encoded.values):,} rows are complete."
    )
    left, right = kit.halves()
    with left:
        text = "The share of each column, and the rows: those that lack the same stand together."
        _figure("Which cells", missing_cells(missing), "Missing cells, column by column", text)
    with right:
        if groups.n_groups > 1:
            figure = share_figure(by_group, groups.titles, kit.colours()["paper"])
            text = "Where one group lacks far more than the others, ask why before naming it."
            _figure("% missing in each group", figure, "Share of missing cells, by group", text)
        st.subheader("Commonest combinations", anchor=False)
        names = [listed(one, MOST_NAMES) or "nothing" for one in missing.patterns["columns"]]
        rows = {"Rows": missing.patterns["n"], "Missing": names}
        kit.listing(rows, "Columns missing in the same rows")


def _figure(title: str, figure: go.Figure, alt: str, text: str) -> None:
    st.subheader(title, anchor=False)
    kit.picture(figure, title.lower().replace(" ", "-"), alt)
    st.caption(text)


def filled(visit: Session, chosen: Chosen) -> None:
    """On request, what the model would put into the missing cells."""
    st.write(
        "The groups need no hole filled; for tools that need whole rows, the most probable value "
        "in the row's group:"
    )
    wait_until_asked(("fill", chosen.key), "Fill the missing cells")
    work = partial(fill_table, chosen.partition, visit.table.frame, "mode")
    result = get_result(visit, "Filling the missing cells", chosen.key, lambda job: work())
    by_column = result.by_column()
    left, right = kit.halves()
    with left:
        st.subheader("Column by column", anchor=False)
        st.dataframe(by_column, column_config=CALLED, alt="Cells filled in each column")
        name = f"{file_stem(visit.table.name)}-filled.csv"
        kit.download("Filled table (CSV)", partial(as_csv, result.table), name)
    with right:
        st.subheader("Cell by cell", anchor=False)
        name = st.selectbox("Column", [*by_column.index], key=f"filled-{visit.table.digest}")
        cells = result.cells(name).head(MOST_CELLS)
        kit.listing(cells, f"Filled cells of {name}", column_config=CALLED, height=320)
    st.caption(
        "Spread: the standard deviation of what the model expects, in the column's own units; for "
        "categories and yes/no, the probability that another level is true. Filled cells are "
        "guesses: never test them as if somebody had measured them."
    )


visit = session()
chosen = choose_result(visit, kit.heading("Missing values", visit))
if not chosen.judge.columns_.encoded.is_missing.any():
    st.info("No cell of the columns clustered on is missing.", icon=":material/check:")
else:
    views = {"Missing together": together, "Filled in": filled}
    kit.draw_tabs("missing_tab", views, visit, chosen)
