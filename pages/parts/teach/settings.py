"""The sliders of the Teach page: which table is drawn, and what the algorithms are told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import Schema
from core.comparing.comparison import (
    Results,
    Suggestion,
    Task,
    Truth,
    known_truth,
    suggestion,
    tasks,
)
from core.comparing.projection import View, choose_view
from core.methods.settings import ADDRESSES, K_MAX, Settings
from core.schema.encoded import Encoded
from demo_datasets import SCENARIOS, load_scenario_table
from pages.parts.compare.settings import (
    CONCENTRATIONS,
    PENALTIES,
    choose_bic,
    choose_clusters,
    choose_concentration,
    choose_penalty,
    position,
)
from pages.parts.shared.address import Parameter, write_address

ROWS = [150, 300, 600, 1000, 2000, 4000, 6000, 10_000]
START_ROWS = 4000
#: Keys of the sliders: those of Compare are others, so that a lesson leaves them alone.
N_ROWS, N_0, LAMBDA, K, BIC, SEED = (
    f"taught {name}" for name in ("rows", "N_0", "lambda", "K", "bic", "seed")
)
SCENARIO = "scenario"
KEPT = {"persist_state": "session"}
#: Steps of a knob over its range.
KNOB_STEPS = 70


def _whole(low: int, high: int, text: str) -> int:
    value = int(text)
    if not low <= value <= high:
        raise ValueError(f"{text} is not from {low} to {high}.")
    return value


def _one_of(values: Mapping[str, Any], text: str) -> Any:
    if text not in values:
        raise ValueError(f"{text} is none of {', '.join(values)}.")
    return values[text]


_SCENARIOS = {title: key for key, one in SCENARIOS.items() for title in (key, one.title)}
#: The sliders in the address, by the names that Compare has for them; then those of old links.
IN_ADDRESS = (
    Parameter("scenario", SCENARIO, next(iter(SCENARIOS)), partial(_one_of, _SCENARIOS), write=str),
    Parameter("rows", N_ROWS, START_ROWS, partial(position, ROWS)),
    Parameter(
        ADDRESSES["concentration"],
        N_0,
        Settings().concentration,
        partial(position, CONCENTRATIONS),
        "count",
    ),
    Parameter(ADDRESSES["penalty"], LAMBDA, None, partial(position, PENALTIES), "penalty"),
    Parameter(
        ADDRESSES["n_clusters"], K, Settings().n_clusters, partial(_whole, 1, K_MAX), "groups"
    ),
    Parameter(
        ADDRESSES["bic"],
        BIC,
        False,
        partial(_one_of, {"true": True, "false": False}),
        "choose",
        lambda bic: str(bic).lower(),
    ),
    Parameter(ADDRESSES["seed"], SEED, 0, partial(_whole, 0, 999_999), "draw"),
)


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
        Penalty suggested for the K of the settings, as the slider can show it.
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
    """Draw the sliders of a scenario and the table they ask for, which the results keep."""
    n_rows = _rows(columns[0])
    knob = _knob(columns[1], key)
    seed = _seed(columns[5])
    drawn = {"n": n_rows, "seed": seed, SCENARIOS[key].knob.name: knob}
    frame, schema, encoded, truth, view = results.latest(
        "table", (key, tuple(drawn.items())), lambda: _draw(key, drawn)
    )
    n_clusters = choose_clusters(columns[4], K, **KEPT)
    bic = choose_bic(columns[4], BIC, bic=False, **KEPT)
    about = key, tuple(drawn.items()), n_clusters
    suggested = results.latest("penalty", about, lambda: suggestion(encoded, n_clusters, PENALTIES))
    penalty = _penalty(columns[3], suggested, n_clusters)
    concentration = choose_concentration(columns[2], N_0, **KEPT)
    write_address(IN_ADDRESS)
    settings = Settings(concentration, penalty, n_clusters, n_clusters, bic, 1, seed)
    return Classroom(key, drawn, frame, schema, encoded, truth, view, settings, suggested.penalty)


def _draw(key: str, drawn: dict[str, float]) -> tuple:
    frame, schema, _ = load_scenario_table(key, **drawn)
    encoded = schema.encode(frame)
    return frame, schema, encoded, known_truth(frame, schema), choose_view(encoded)


def _rows(column: DeltaGenerator) -> int:
    return column.select_slider(
        "Rows N",
        ROWS,
        START_ROWS,
        format_func=lambda n: f"{n:,}",
        key=N_ROWS,
        persist_state="session",
        help="How many rows are drawn. The shapes stay, the evidence grows.",
    )


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


def _penalty(column: DeltaGenerator, suggested: Suggestion, n_clusters: int) -> float:
    """Lambda: follows the suggestion until it is moved; always in the address, as it was set."""
    state = st.session_state
    if state.get(LAMBDA) in (None, state.get("suggested_penalty")):
        state[LAMBDA] = suggested.penalty
    state["suggested_penalty"] = suggested.penalty
    return choose_penalty(column, column, LAMBDA, suggested, n_clusters)


def follow_suggestion() -> None:
    """Let lambda follow the suggestion again, as it does until it is moved."""
    st.session_state.pop(LAMBDA, None)


def _seed(column: DeltaGenerator) -> int:
    with column:
        return int(
            st.number_input(
                "Seed",
                0,
                999_999,
                0,
                key=SEED,
                persist_state="session",
                help="Draws the rows and the random starts. The same seed gives the same picture.",
            )
        )
