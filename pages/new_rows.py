"""New rows: put the rows of a second file into the groups of a fitted model."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import ModelFileError, SchemaError, TableError, load_model
from mapdp_studio.core.exports.tables import as_csv, file_stem, with_labels
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.profiling.judged import RowAssignments, row_assignments
from mapdp_studio.core.schema.rows import Match, aligned, match_columns
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.groups.rows import SHOWN, standings
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, download, halves, has_engine
from mapdp_studio.pages.parts.shared.loading import read_upload
from mapdp_studio.pages.parts.shared.picture import picture

THIS, SAVED = "The result of my table", "A saved model (JSON)"
NONE = "none of these"
MOST_ROWS, MOST_NAMES, MOST_BARS = 500, 12, 24


class Model(NamedTuple):
    """A model to place rows with."""

    partition: Any
    titles: tuple[str, ...]
    key: Any
    #: The steps that prepared its table: a new file takes the same.
    recipe: Recipe


def choose_model(studio: Session) -> Model | None:
    """The chosen result of the current table, or a model from a file."""
    default = THIS if studio.table is not None else SAVED
    if choose_one("Model", [THIS, SAVED], "model_place", default=default) == THIS:
        chosen = choose_result(studio, st.container(horizontal=True, vertical_alignment="center"))
        if chosen is None:
            return None
        return Model(chosen.partition, chosen.groups.titles, chosen.about, studio.table.recipe)
    file = st.file_uploader("Model file, as saved on the Take away page", type=["json"])
    if file is None or not has_engine("The model is read"):
        return None
    content = file.getvalue()
    with st.spinner("Reading the model"):
        model = studio.results.latest("read model", file.file_id, lambda: load_model(content))
    if model.schema_ is None:
        st.error("This model was fitted to bare numbers without column names: use it from Python.")
        return None
    titles = tuple(f"Cluster {k + 1}" for k in range(model.n_clusters_))
    st.markdown(f"**K = {len(titles):,}** &nbsp; {escaped(file.name)}")
    return Model(model, titles, content, Recipe())


def place(studio: Session, model: Model, file: Any) -> None:
    """Hold a file against the model, then place its rows."""
    with st.spinner("Reading the file"):
        frame = studio.results.latest(
            "read rows", file.file_id, lambda: read_upload(file.name, file.getvalue())
        )
    st.subheader(f"{escaped(file.name)}: {len(frame):,} rows", anchor=False)
    prepared, schema = model.recipe.apply(frame), model.partition.schema_
    n_done = sum(record.is_done for record in prepared.records)
    if n_done:
        st.caption(f"Prepared as your table was: {counted(n_done, 'step')}.")
    for record in prepared.records:
        if record.problem:
            said = f"{escaped(record.entry.step.sentence)}: not done here."
            st.info(f"{said} {escaped(record.problem)}", icon=":material/info:")
    match = match_columns(prepared.frame, schema)
    if not match.found:
        names = _names(schema.names("cluster"))
        said = f"No column of this file is one of the model's, which are: {names}."
        st.error(said, icon=":material/error:")
        return
    say_match(match, len(schema.names("cluster")))
    stand = get_result(
        studio,
        "new rows",
        (model.key, file.file_id, model.recipe),
        "Placing the rows",
        lambda job: row_assignments(model.partition, job, aligned(prepared.frame, match)),
    )
    if stand is not None:
        show(file.name, prepared.frame, model, stand)


def _names(names: Any) -> str:
    return listed(map(escaped, names), MOST_NAMES)


def say_match(match: Match, n_columns: int) -> None:
    """Name the columns and values that do not match."""
    unused = f" Not in the model, so not used: {_names(match.unused)}." if match.unused else ""
    said = f"{len(match.found):,} of the {n_columns:,} columns of the model are there."
    st.caption(said + unused)
    warnings = []
    if match.absent:
        warnings.append(
            f"Not in this file, so treated as missing: {_names(match.absent)}. Rows are placed by "
            "the other columns."
        )
    warnings += [
        f"“{escaped(name)}” has values the model never met, treated as missing: {_names(levels)}."
        for name, levels in match.unknown.items()
    ]
    warnings += [
        f"“{escaped(name)}” has limits where the model has numbers: below one, half of it is "
        f"taken, above one the limit itself ({_names(cells)})."
        for name, cells in match.limits.items()
    ]
    for own, name in match.renamed.items():
        st.info(f"“{escaped(own)}” is taken for “{escaped(name)}”.", icon=":material/info:")
    for warning in warnings:
        st.warning(warning, icon=":material/warning:")


def show(name: str, frame: pd.DataFrame, model: Model, stand: RowAssignments) -> None:
    """How many rows went where, the rows, and the file to take away."""
    titles = np.array([*model.titles, NONE], dtype=object)
    counts = np.bincount(stand.labels, minlength=titles.size)
    left, right = halves()
    with left:
        st.subheader("Rows in each group", anchor=False)
        shown = [*np.argsort(-counts[:-1], kind="stable")[:MOST_BARS], titles.size - 1]
        bars = titles[shown].tolist(), counts[shown].tolist()
        said = "New rows in each group"
        picture(bars_figure(*bars, "rows"), "new-counts", said, "new-rows-by-group")
        st.caption(
            f"Most probably in none of these groups: {counts[-1]:,} of {stand.labels.size:,} rows. "
            "Each row's probability of that is in the table."
        )
    with right:
        st.subheader("Row by row", anchor=False)
        rows = np.argsort(-stand.none_of_these, kind="stable")[:MOST_ROWS]
        st.dataframe(
            standings(stand, rows, model.titles, NONE)
            | {"None of these": 100.0 * stand.none_of_these[rows]},
            hide_index=True,
            column_config=SHOWN,
            column_order=["Row", "Group", "Sure", "None of these", "Else", "Density", "Has"],
            alt="New rows with their groups",
        )
        which = f"the {MOST_ROWS:,}" if stand.labels.size > MOST_ROWS else "all, those"
        st.caption(f"Listed: {which} least like any group first. The download has them in order.")
    columns = {
        "group": titles[stand.labels],
        "probability": stand.probability,
        "none of these": stand.none_of_these,
        "second choice": titles[stand.second],
        "log density": stand.log_density,
        "columns used": stand.n_observed,
    }
    download(
        "File with groups and probabilities (CSV)",
        lambda: as_csv(with_labels(frame, columns)),
        f"{file_stem(name)}-groups.csv",
        "text/csv",
    )


studio = session()
st.title("New rows", anchor=False)
st.caption(
    "Places the rows of another file in groups that were found before, without changing them: the "
    "group of each row, how probable it is, and how probable it is that the row belongs to none."
)
try:
    model = choose_model(studio)
    label = "File with the new rows: the same columns, in any order"
    if model is not None and (file := st.file_uploader(label, type=FILE_TYPES, key="new_rows")):
        place(studio, model, file)
except (ModelFileError, SchemaError, TableError) as error:
    st.error(escaped(error), icon=":material/error:")
