"""The sliders of the Teach page: which table is drawn, and what the algorithms are told."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import Schema
from core.comparing.comparison import (
    Results,
    Task,
    Truth,
    known_truth,
    suggested_penalty,
    tasks,
)
from core.comparing.projection import View, choose_view, closer_view
from core.methods.settings import Settings
from core.schema.encoded import Encoded
from demo_datasets import SCENARIOS, load_scenario_table
from pages.parts.compare.settings import (
    choose_clusters,
    choose_concentration,
    choose_penalty,
    nearest_penalty,
)

ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
START_ROWS = 4000
#: Keys of the sliders, which are also their names in the address.
N_ROWS, N_0, LAMBDA, K, BIC, SEED = "rows", "count", "penalty", "groups", "choose", "draw"
#: Steps of a knob over its range.
KNOB_STEPS = 70


@dataclass(frozen=True)
class Classroom:
    """A scenario as the sliders draw it, and what the algorithms are told.

    Parameters
    ----------
    key : str
        Of ``SCENARIOS``.
    drawn : dict of str to float
        Arguments of ``load_scenario`` beside the key: n, seed and the knob.
    frame, schema, encoded, truth, view
        The table, its types, its numbers, its true groups and where its rows lie.
    suggested : float
        Farthest-first penalty for the K of the settings, as the slider can show it.
    """

    key: str
    drawn: dict[str, float]
    frame: pd.DataFrame
    schema: Schema
    encoded: Encoded
    truth: Truth
    view: View
    settings: Settings
    suggested: float

    @property
    def digest(self) -> str:
        """Stands for the table."""
        return f"{self.key} {self.drawn}"

    @property
    def points(self) -> np.ndarray:
        """The rows in their own units, shape (N, 2)."""
        return self.encoded.values

    @property
    def tasks(self) -> dict[str, Task]:
        """The fit of each algorithm that belongs to the sliders."""
        return tasks(self.digest, self.schema, self.settings, len(self.frame))


def choose_settings(key: str, results: Results, columns: list[DeltaGenerator]) -> Classroom:
    """Draw the sliders and the table they ask for.

    Parameters
    ----------
    key : str
        Of ``SCENARIOS``.
    results : Results
        Keeps the table.
    """
    n_rows = _rows(columns[0])
    knob = _knob(columns[1], key)
    seed = _seed(columns[5])
    drawn = {"n": n_rows, "seed": seed, SCENARIOS[key].knob.name: knob}
    frame, schema, encoded, truth, view = results.latest(
        "table", (key, tuple(drawn.items())), lambda: _draw(key, drawn)
    )
    n_clusters, bic = choose_clusters(columns[4], K, BIC, bic=False)
    about = key, tuple(drawn.items()), n_clusters
    suggested = results.latest(
        "penalty", about, lambda: nearest_penalty(suggested_penalty(encoded, n_clusters))
    )
    penalty = _penalty(columns[3], suggested, n_clusters)
    concentration = choose_concentration(columns[2], N_0)
    settings = Settings(concentration, penalty, n_clusters, n_clusters, bic, 1, seed)
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested)


def _draw(key: str, drawn: dict[str, float]) -> tuple:
    frame, schema, _ = load_scenario_table(key, **drawn)
    encoded = schema.encode(frame)
    return frame, schema, encoded, known_truth(frame, schema), closer_view(choose_view(encoded))


def _rows(column: DeltaGenerator) -> int:
    with column.container(gap="xsmall"):
        n_rows = st.select_slider(
            "Rows N",
            ROWS,
            START_ROWS,
            format_func=lambda n: f"{n:,}",
            key=N_ROWS,
            bind="query-params",
            persist_state="session",
            help="How many rows are drawn. The shapes stay, the evidence grows.",
        )
        st.caption("Up: more evidence.")
    return n_rows


def _knob(column: DeltaGenerator, key: str) -> float:
    knob = SCENARIOS[key].knob
    step = round((knob.high - knob.low) / KNOB_STEPS, 2)
    with column.container(gap="xsmall"):
        value = st.slider(
            knob.label,
            knob.low,
            knob.high,
            knob.default,
            step,
            format="%g",
            key=knob.name,
            bind="query-params",
            persist_state="session",
            help=knob.help,
        )
        st.caption(f"Of this scenario; the paper's is {knob.default:g}.")
    return value


def _penalty(column: DeltaGenerator, suggested: float, n_clusters: int) -> float:
    """Lambda: follows the suggestion until it is moved; always in the address, as it was set."""
    state = st.session_state
    before = state.get("suggested_penalty")
    if LAMBDA not in state:
        state[LAMBDA] = _from_address() or suggested
    elif state[LAMBDA] == before:
        state[LAMBDA] = suggested
    state["suggested_penalty"] = suggested
    penalty = choose_penalty(column, LAMBDA, suggested, n_clusters)
    st.query_params[LAMBDA] = f"{penalty:g}"
    return penalty


def follow_suggestion() -> None:
    """Let lambda follow the suggestion again, as it does until it is moved."""
    st.session_state.pop(LAMBDA, None)
    st.query_params.pop(LAMBDA, None)


def _from_address() -> float | None:
    """The penalty that came with a link, as the slider can show it."""
    try:
        asked = float(st.query_params.get(LAMBDA, ""))
    except ValueError:
        return None
    return nearest_penalty(asked) if 0.0 < asked < math.inf else None


def _seed(column: DeltaGenerator) -> int:
    with column:
        return int(
            st.number_input(
                "Seed",
                0,
                999_999,
                0,
                key=SEED,
                bind="query-params",
                persist_state="session",
                help="Draws the rows and the random starts. The same seed gives the same picture.",
            )
        )
