"""The table that the Teach page draws, and what the algorithms are told: its sliders."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Schema, choose_model
from mapdp_studio.core.comparing.comparison import (
    Results,
    Task,
    Truth,
    clustered_part,
    known_truth,
    matched,
    numbering,
    suggestion,
    tasks,
)
from mapdp_studio.core.comparing.projection import View, choose_view
from mapdp_studio.core.families import FAMILIES
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import K_MAX, Settings
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.core.session.jobs import Job
from mapdp_studio.core.teaching.drawing import drawn_table, read_points
from mapdp_studio.demo_datasets import GENERATED, TAUGHT, load_taught
from mapdp_studio.pages import session
from mapdp_studio.pages.parts.compare.settings import PENALTIES
from mapdp_studio.pages.parts.shared.compute import get_result
from mapdp_studio.pages.parts.teach.controls import (
    DRAWN,
    SUGGESTED,
    controls,
    key_of,
    open_data,
    put,
    set_at,
    stand,
)

#: Stops and settings of which everything is kept; all lessons together have half as many. Their
#: tables are drawn or come with the app: nothing of a visitor's is in the store.
MOST = 64
#: Of a slider: kept from page to page, and in no address of Streamlit's making.
KEPT = {"persist_state": "session"}
KNOB_STEPS = 70


@dataclass(frozen=True)
class Classroom:
    """A data set as the sliders draw it, and what the algorithms are told.

    Parameters
    ----------
    key : str
        Of ``TITLES``.
    drawn : dict of str to float
        Arguments of ``load_taught`` beside the key: of a scenario n, seed and the knob.
    frame, schema, encoded, truth, view
        The table, its types, its numbers, its true groups, if known, and where its rows lie.
    suggested : float
        Penalty suggested for the K that the data set opens with, as the slider can show it.
    """

    key: str
    drawn: dict[str, float]
    frame: pd.DataFrame
    schema: Schema
    encoded: Encoded
    truth: Truth | None
    view: View
    settings: Settings
    suggested: float

    @property
    def digest(self) -> str:
        """Stands for the table."""
        return f"{self.key} {self.drawn}"

    @property
    def about(self) -> Hashable:
        """Stands for the table and what is taken of it: for ``encoded`` and ``view``."""
        return self.digest, clustered_part(self.schema)

    @property
    def points(self) -> np.ndarray:
        """The rows in their own units, shape (N, P)."""
        return self.encoded.values

    @property
    def is_plane(self) -> bool:
        """Whether there are two columns of numbers and no hole: what can be walked step by step."""
        kinds = {FAMILIES[unit.family].is_real for unit in self.encoded.units}
        return kinds == {True} and len(self.points.T) == 2 and not np.isnan(self.points).any()

    def numbers(self, model: ClusterEstimator) -> dict[int, int]:
        """Number of every cluster of a fit by its label in a panel, after the true groups."""
        return numbering(matched(self.truth.classes, model.labels_), len(self.truth.names))

    @property
    def tasks(self) -> dict[str, Task]:
        """The fit of each algorithm that belongs to the sliders."""
        return tasks(self.digest, self.schema, self.settings, len(self.frame), self.methods)

    @property
    def methods(self) -> tuple[str, ...]:
        """The five, and those that the lesson on these data shows beside them."""
        return (*METHODS.first, *(TAUGHT[self.key].beside if self.key in TAUGHT else ()))


@st.cache_resource(show_spinner=False)
def shared_results() -> Results:
    """Fits, and what follows from them: a whole class that asks at once waits for one of it."""
    return Results(models=MOST, most=MOST)


def results_of(key: str) -> Results:
    """Where what is found on a data set is kept: what somebody drew is his own."""
    return session().teaching if key == DRAWN else shared_results()


def room_now(key: str) -> Classroom:
    """A data set as the controls stand."""
    results, drawn = results_of(key), _drawn(key)
    digest = f"{key} {drawn}"
    frame, schema, encoded, truth, view = results.latest(
        "table", digest, lambda: _table(key, drawn)
    )
    if stand("chosen") and not schema.blocks:
        found = _chosen(results, digest, frame, schema)
        schema, encoded, view = found or (schema, encoded, view)
    hint = set_at(key, stand("lesson"))["k"] if key in TAUGHT else stand("k")
    about = digest, clustered_part(schema), hint
    suggested = results.latest("penalty", about, lambda: suggestion(encoded, hint, PENALTIES))
    _follow(suggested.penalty)
    settings = Settings(
        concentration=stand("n0"),
        penalty=stand("lambda"),
        penalty_hint=hint,
        n_clusters=stand("k"),
        bic=stand("bic"),
        effort=stand("restarts"),
        seed=stand("seed"),
        likelihood_power=stand("tolerance"),
    )
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested.penalty)


def _follow(suggested: float) -> None:
    """Lambda follows what the data suggest until it is moved, or comes with the address."""
    state = st.session_state
    if stand("lambda") in (None, state.get(SUGGESTED)):
        put(**{"lambda": suggested})
    state[SUGGESTED] = suggested


def draw_sliders(places: Sequence[DeltaGenerator], is_bare: bool = False) -> None:
    """K, N_0 and lambda; bare, with their names beside them."""
    look = {"label_visibility": "collapsed" if is_bare else "visible"}
    if is_bare:
        for place, name in zip(places, ("K", "N₀", "λ"), strict=True):
            place.markdown(f":small[{name}]", width="content")
    places[0].slider(
        "Clusters K",
        1,
        K_MAX,
        key=key_of("k"),
        help="Up: more groups. E-M has to be told K; K-means, too, unless BIC chooses for it.",
        **KEPT,
        **look,
    )
    choose_position(
        places[1],
        "n0",
        "Concentration N₀",
        "Up: more clusters. The prior count of the Dirichlet process: how readily a row founds a "
        f"cluster of its own. Read by {METHODS.readers('concentration')} only.",
        **look,
    )
    choose_position(
        places[2],
        "lambda",
        "Penalty λ",
        "Up: fewer clusters. What a cluster costs DP-means, as a squared distance between "
        "standardised rows; at first what gives the K that the data set opens with. Read by "
        f"{METHODS.readers('penalty')} only.",
        **look,
    )


def choose_position(
    place: DeltaGenerator, name: str, label: str, text: str, form: str = "{:g}", **look: Any
) -> Any:
    """The slider of a control that has positions, with a text of help."""
    look = {"format_func": form.format, "help": text, **KEPT} | look
    return place.select_slider(label, controls()[name].options, key=key_of(name), **look)


def draw_options(room: Classroom) -> None:
    """The table's own settings, what else the algorithms are told, and what the picture shows."""
    _table_options(room)
    choose_position(
        st,
        "tolerance",
        "Tolerance for misfit",
        "At 1 every row counts fully; to the right, small deviations from the model count less.",
    )
    st.slider("Restarts", 1, 10, key=key_of("restarts"), **KEPT)
    bounds = controls()["seed"].bounds
    st.number_input("Seed of data and random starts", *bounds, key=key_of("seed"), **KEPT)
    _switch("bic", "BIC chooses K for K-means", f"K-means runs for K = 1 to {K_MAX}.")
    _switch(
        "cells",
        "Cells of K-means",
        "The part of the plane that is nearest to each centre (Voronoi cells), and the centres as "
        "crosses: one that lies far outside stands at the edge, with an arrow.",
    )
    _switch("lit", "Wrong rows", "Lights rows whose cluster is not the one of their true group.")
    kept = {"points": stand("points"), "view": stand("view")}
    st.button(
        "All as at first",
        icon=":material/restart_alt:",
        on_click=open_data,
        args=(room.key, stand("lesson")),
        kwargs=kept,
    )


def _table_options(room: Classroom) -> None:
    """Rows and knob of what is drawn, and whether the table chooses its model."""
    if room.key in GENERATED:
        text = "How many rows are drawn. The shapes stay, the evidence grows."
        choose_position(st, "rows", "Rows N", text, "{:,}")
        knob = GENERATED[room.key].knob
        step = round((knob.high - knob.low) / KNOB_STEPS, 2)
        look = {"step": step, "format": "%g", "key": key_of(knob.name), "help": knob.help}
        st.slider(knob.label, knob.low, knob.high, **look, **KEPT)
    if stand("chosen") or not room.schema.blocks:
        _switch(
            "chosen",
            "The table chooses its model",
            "Likelihoods, logarithms and which columns vary together within the groups, chosen "
            "with the groups by E. Otherwise every column stands alone.",
        )


def _switch(name: str, label: str, text: str) -> None:
    st.toggle(label, key=key_of(name), help=text, **KEPT)


# ---- the table


def _drawn(key: str) -> dict[str, Any]:
    """How a scenario is to be drawn: rows, seed and its knob; nothing of a real table."""
    if key == DRAWN:
        return {"points": stand("points")}
    if key not in GENERATED:
        return {}
    knob = GENERATED[key].knob.name
    return {"n": stand("rows"), "seed": stand("seed"), knob: stand(knob)}


def _table(key: str, drawn: dict[str, float]) -> tuple:
    if key == DRAWN:
        frame, schema = drawn_table(read_points(drawn["points"]))
        truth = None
    else:
        frame, schema, _ = load_taught(key, **drawn)
        truth = _as_numbered(known_truth(frame, schema))
    encoded = schema.encode(frame)
    return frame, schema, encoded, truth, choose_view(encoded)


def _as_numbered(truth: Truth) -> Truth:
    """Groups whose names only count them, counted as the panels do: by size."""
    names = (
        f"cluster {k}" if name.startswith("cluster ") else name
        for k, name in enumerate(truth.names, start=1)
    )
    return replace(truth, names=tuple(names))


def _chosen(
    results: Results, digest: str, frame: pd.DataFrame, schema: Schema
) -> tuple[Schema, Encoded, View] | None:
    """The model that the table chooses, once it has."""

    def choose(job: Job) -> tuple[Schema, Encoded, View]:
        chosen = choose_model(frame, schema, callback=job).schema
        encoded = chosen.encode(frame)
        return chosen, encoded, choose_view(encoded)

    return get_result(
        session(),
        "model",
        digest,
        "The table chooses its model",
        lambda job: results.latest("chosen", digest, lambda: choose(job)),
        results,
    )
