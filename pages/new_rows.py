"""New rows: put the rows of a second file into the groups of a fitted model."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import load_model
from mapdp_studio.core.exports.tables import as_csv, file_stem, with_labels
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.profiling.judged import RowAssignments, row_assignments
from mapdp_studio.core.schema.rows import HAS_LIMITS, HAS_UNKNOWN, aligned, match_columns
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.wording import RefusedError, counted, escaped, listed
from mapdp_studio.pages import NotYet, Session, session
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.groups.rows import SHOWN, standings
from mapdp_studio.pages.parts.shared import kit
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.loading import read_once

THIS, SAVED = "The result of my table", "A saved model (JSON)"
NONE = "none of these"
MOST_ROWS, MOST_NAMES, MOST_BARS = 500, 12, 24


def choose_model(visit: Session) -> tuple[Any, tuple[str, ...], Any, Recipe]:
    """A partition, its titles, what it depends on, and the steps that prepared its table."""
    default = THIS if visit.table is not None else SAVED  # a reload finds the table a run later
    if kit.choose_one("Model", [THIS, SAVED], f"model_place {default}", default=default) == THIS:
        chosen = choose_result(visit, st.container(horizontal=True, vertical_alignment="center"))
        return chosen.partition, chosen.groups.titles, chosen.key, visit.table.recipe
    file = st.file_uploader("Model file, as saved on the Take away page", type=["json"])
    if file is None:
        raise NotYet
    kit.need_engine("The model is read")
    content = file.getvalue()
    model = visit.results.cached("read model", file.file_id, lambda: load_model(content))
    if model.schema_ is None:
        st.error("This model was fitted to bare numbers without column names: use it from Python.")
        raise NotYet
    if not hasattr(model, "clusters_"):
        text = f"This is a saved {model.algorithm}; rows are placed by a MAPDP or CollapsedGibbs"
        st.error(f"{text}: give one of these, or use it from Python.")
        raise NotYet
    titles = tuple(f"Cluster {k + 1}" for k in range(model.n_clusters_))
    st.markdown(f"**K = {len(titles):,}** &nbsp; {escaped(file.name)}")
    return model, titles, content, Recipe()


def place(visit: Session, file: Any, partition: Any, titles: Any, key: Any, recipe: Any) -> None:
    """Hold a file against the model, then place its rows."""
    frame = read_once(visit, file)
    st.subheader(f"{escaped(file.name)}: {len(frame):,} rows", anchor=False)
    prepared, columns = recipe.apply(frame), partition.schema_.names("cluster")
    match = match_columns(prepared.frame, partition.schema_)
    if not match.found:
        text = f"No column of this file is one of the model's, which are: {_names(columns)}."
        st.error(text, icon=":material/error:")
        return
    n_done = sum(record.is_done for record in prepared.records)
    text = f"{len(match.found):,} of the {len(columns):,} columns of the model are there."
    text += f" Prepared as your table was: {counted(n_done, 'step')}." * bool(n_done)
    text += f" Not in the model, so not used: {_names(match.unused)}." * bool(match.unused)
    st.caption(text)
    for record in prepared.records:
        if record.problem:
            text = f"{record.entry.step.sentence}: not done here. {record.problem}"
            st.info(escaped(text), icon=":material/info:")
    absent = f"Not in this file, so treated as missing: {_names(match.absent)}."
    warnings = [absent] * bool(match.absent)
    warnings += [f"“{escaped(a)}” is taken for “{escaped(b)}”." for a, b in match.renamed.items()]
    warnings += [f"“{escaped(n)}” {HAS_UNKNOWN}: {_names(of)}." for n, of in match.unknown.items()]
    warnings += [f"“{escaped(n)}” {HAS_LIMITS} ({_names(of)})." for n, of in match.limits.items()]
    for warning in warnings:
        st.warning(warning, icon=":material/warning:")

    def work(job: Job) -> RowAssignments:
        return row_assignments(partition, job, aligned(prepared.frame, match))

    rows_key = key, file.file_id, recipe
    assigned = get_result(visit, "Placing the rows", rows_key, work)
    show(file.name, prepared.frame, titles, assigned)


def _names(names: Any) -> str:
    return listed(map(escaped, names), MOST_NAMES)


def show(name: str, frame: pd.DataFrame, titles: tuple[str, ...], assigned: RowAssignments) -> None:
    """How many rows went where, the rows, and the file to take away."""
    names = np.array([*titles, NONE], dtype=object)
    groups, none = names[assigned.labels], assigned.none_of_these
    left, right = kit.halves()
    with left:
        st.subheader("Rows in each group", anchor=False)
        counts = pd.Series(groups).value_counts()
        figure = bars_figure(counts.index[:MOST_BARS], counts[:MOST_BARS], "rows")
        kit.picture(figure, "new-rows-by-group", "New rows in each group")
        of = f"{counts.get(NONE, 0):,} of {len(groups):,} rows"
        st.caption(f"Most probably in none of these groups: {of}.")
    with right:
        st.subheader("Row by row, those least like any group first", anchor=False)
        rows = np.argsort(-none, kind="stable")[:MOST_ROWS]
        order = ["Row", "Group", "Sure", "None of these", "Else", "Density", "Has"]
        shown = standings(assigned, rows, titles, NONE) | {"None of these": 100.0 * none[rows]}
        kwargs = {"column_config": SHOWN, "column_order": order}
        kit.listing(shown, "New rows with their groups", **kwargs)
    columns = {
        "group": groups,
        "probability": assigned.probability,
        "none of these": none,
        "second choice": names[assigned.second],
        "log density": assigned.log_density,
        "columns used": assigned.n_observed,
    }
    label, table = "File with groups and probabilities (CSV)", with_labels(frame, columns)
    kit.download(label, lambda: as_csv(table), f"{file_stem(name)}-groups.csv")


visit = session()
kit.heading("New rows", visit)
st.caption("Puts the rows of another file into groups that were found before, which stay.")
try:
    model = choose_model(visit)
    label = "File with the new rows: the same columns, in any order"
    if file := st.file_uploader(label, type=FILE_TYPES, key="new_rows"):
        place(visit, file, *model)
except RefusedError as error:
    st.error(escaped(error), icon=":material/error:")
