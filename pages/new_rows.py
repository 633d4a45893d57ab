"""New rows: put the rows of a second file into the groups of a fitted model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from mapdp_studio.core import ModelFileError, SchemaError, TableError, load_model
from mapdp_studio.core.exports.tables import as_csv, with_labels
from mapdp_studio.core.exports.take_away import file_stem
from mapdp_studio.core.plots.profiles import bars_figure
from mapdp_studio.core.prepare.recipe import Prepared, Recipe
from mapdp_studio.core.profiling.judged import RowAssignments, row_assignments
from mapdp_studio.core.schema.rows import Match, aligned, match_columns
from mapdp_studio.core.wording import counted, escaped, listed
from mapdp_studio.pages import Session, session
from mapdp_studio.pages.parts.data.source import FILE_TYPES
from mapdp_studio.pages.parts.shared.chosen import choose_result
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.shared.kit import choose_one, download, halves, has_engine
from mapdp_studio.pages.parts.shared.loading import read_upload
from mapdp_studio.pages.parts.shared.picture import picture

THIS, SAVED = "The result of my table", "A saved model (JSON)"
NONE = "none of these"
MOST_ROWS, MOST_NAMES, MOST_BARS = 500, 12, 24


@dataclass(frozen=True)
class Model:
    """A model to score rows with."""

    partition: Any
    #: Of its groups.
    titles: tuple[str, ...]
    #: Stands for it.
    about: Any
    #: The steps that prepared its table: a new file takes the same.
    recipe: Recipe = field(default_factory=Recipe)


def choose_model(studio: Session) -> Model | None:
    """The chosen result of the current table, or a model from a file."""
    default = THIS if studio.table is not None else SAVED
    place = choose_one("Model", [THIS, SAVED], "model_place", default=default)
    if place == THIS:
        chosen = choose_result(studio, st.container(horizontal=True, vertical_alignment="center"))
        if chosen is None:
            return None
        return Model(chosen.partition, chosen.groups.titles, chosen.about, studio.table.recipe)
    file = st.file_uploader("Model file, as saved on the Take away page", type=["json"])
    if file is None:
        return None
    content = file.getvalue()
    if not has_engine("The model is read"):
        return None
    try:
        with st.spinner("Reading the model"):
            model = studio.results.latest("read model", file.file_id, lambda: load_model(content))
    except ModelFileError as error:
        st.error(escaped(error), icon=":material/error:")
        return None
    if model.schema_ is None:
        st.error("This model was fitted to bare numbers without column names: use it from Python.")
        return None
    titles = tuple(f"Cluster {k + 1}" for k in range(model.n_clusters_))
    st.markdown(f"**K = {len(titles):,}** &nbsp; {escaped(file.name)}")
    return Model(model, titles, content)


def choose_rows(studio: Session) -> tuple[str, pd.DataFrame, str] | None:
    """Name, rows and identity of the second file."""
    file = st.file_uploader(
        "File with the new rows: the same columns, in any order", type=FILE_TYPES, key="new_rows"
    )
    if file is None:
        return None
    try:
        with st.spinner("Reading the file"):
            frame = studio.results.latest(
                "read rows", file.file_id, lambda: read_upload(file.name, file.getvalue())
            )
        return file.name, frame, file.file_id
    except TableError as error:
        st.error(escaped(error), icon=":material/error:")
        return None


def tell(match: Match, schema_size: int) -> None:
    """Name the columns that do not match."""
    st.caption(f"{len(match.found):,} of the {schema_size:,} columns of the model are there.")
    if match.absent:
        st.warning(
            f"Not in this file, so treated as missing: "
            f"{listed(map(escaped, match.absent), MOST_NAMES)}. Rows are placed by "
            "the other columns.",
            icon=":material/warning:",
        )
    for own, name in match.renamed.items():
        st.info(f"“{escaped(own)}” is taken for “{escaped(name)}”.", icon=":material/info:")
    for name, levels in match.unknown.items():
        st.warning(
            f"“{escaped(name)}” has values the model never met, treated as missing: "
            f"{listed(map(escaped, levels), MOST_NAMES)}.",
            icon=":material/warning:",
        )
    for name, cells in match.limits.items():
        st.warning(
            f"“{escaped(name)}” has limits where the model has numbers: below one, half of it is "
            f"taken, above one the limit itself ({listed(map(escaped, cells), MOST_NAMES)}).",
            icon=":material/warning:",
        )
    if match.unused:
        st.caption(
            f"Not in the model, so not used: {listed(map(escaped, match.unused), MOST_NAMES)}."
        )


def tell_preparation(prepared: Prepared) -> None:
    """Which steps of the table the new rows went through, and which they could not."""
    done = [record for record in prepared.records if record.is_done]
    if done:
        st.caption(f"Prepared as your table was: {counted(len(done), 'step')}.")
    for record in prepared.records:
        if record.problem:
            st.info(
                f"{escaped(record.entry.step.sentence)}: not done here. {escaped(record.problem)}",
                icon=":material/info:",
            )


def show(name: str, frame: pd.DataFrame, model: Model, stand: RowAssignments) -> None:
    """How many rows went where, the rows, and the file to take away."""
    titles = np.array([*model.titles, NONE], dtype=object)
    counts = np.bincount(stand.labels, minlength=titles.size)
    left, right = halves()
    with left:
        st.subheader("Rows in each group", anchor=False)
        shown = [*np.argsort(-counts[:-1], kind="stable")[:MOST_BARS], titles.size - 1]
        picture(
            bars_figure(titles[shown].tolist(), counts[shown].tolist(), "rows"),
            "new-counts",
            "New rows in each group",
            "new-rows-by-group",
        )
        st.caption(
            f"Most probably in none of these groups: {counts[-1]:,} of {stand.labels.size:,} rows. "
            "Each row's probability of that is in the table."
        )
    columns = {
        "group": titles[stand.labels],
        "probability": stand.probability,
        "none of these": stand.none_of_these,
        "second choice": titles[stand.second],
        "log density": stand.log_density,
        "columns used": stand.n_observed,
    }
    with right:
        st.subheader("Row by row", anchor=False)
        rows = np.argsort(-stand.none_of_these, kind="stable")[:MOST_ROWS]
        st.dataframe(
            {
                "Row": rows + 1,
                "Group": columns["group"][rows],
                "Sure": 100.0 * stand.probability[rows],
                "None of these": 100.0 * stand.none_of_these[rows],
                "Else": columns["second choice"][rows],
                "Density": stand.log_density[rows],
                "Has": [f"{n} of {stand.n_columns}" for n in stand.n_observed[rows]],
            },
            hide_index=True,
            column_config={
                "Sure": st.column_config.ProgressColumn(
                    format="%.1f %%", min_value=0, max_value=100, help="Probability of its group."
                ),
                "None of these": st.column_config.NumberColumn(format="%.2f %%"),
                "Density": st.column_config.NumberColumn(
                    format="%.1f",
                    help="Natural log of the density: low for unusual rows.",
                ),
            },
            alt="New rows with their groups",
        )
        shown = f"the {MOST_ROWS:,}" if stand.labels.size > MOST_ROWS else "all, those"
        st.caption(f"Listed: {shown} least like any group first. The download has them in order.")
    download(
        "File with groups and probabilities (CSV)",
        lambda: as_csv(with_labels(frame, columns)),
        f"{file_stem(name)}-groups.csv",
        "text/csv",
    )


def score(studio: Session, model: Model, name: str, frame: pd.DataFrame, file_id: str) -> None:
    """Hold the file against the model, then score its rows."""
    schema = model.partition.schema_
    prepared = model.recipe.apply(frame)
    frame = prepared.frame
    match = match_columns(frame, schema)
    st.subheader(f"{escaped(name)}: {len(frame):,} rows", anchor=False)
    tell_preparation(prepared)
    if not match.found:
        st.error(
            "No column of this file is one of the model's, which are: "
            f"{listed(map(escaped, schema.names('cluster')), MOST_NAMES)}.",
            icon=":material/error:",
        )
        return
    tell(match, len(schema.names("cluster")))

    stand = get_result(
        studio,
        "new rows",
        (model.about, file_id, model.recipe),
        "Placing the rows",
        lambda job: row_assignments(model.partition, job, aligned(frame, match)),
    )
    if stand is not None:
        show(name, frame, model, stand)


studio = session()
st.title("New rows", anchor=False)
st.caption(
    "Places the rows of another file in groups that were found before, without changing them: the "
    "group of each row, how probable it is, and how probable it is that the row belongs to none."
)
model = choose_model(studio)
if model is not None:
    given = choose_rows(studio)
    if given is not None:
        try:
            score(studio, model, *given)
        except SchemaError as error:
            st.error(escaped(error), icon=":material/error:")
