"""The sliders of the comparison and its further options; together they are one ``Settings``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import K_MAX, Settings
from mapdp_studio.core.models.tolerance import LOWEST, N_POWERS
from mapdp_studio.core.wording import in_digits
from mapdp_studio.pages.parts.shared.kit import say_in_address

CONCENTRATIONS = [
    float(f"{step}e{power}") for power in range(-2, 3) for step in (1, 2, 3, 5, 7)
] + [1000.0]
# Sixty steps for every factor of ten.
PENALTIES = [float(f"{10.0 ** (step / 60):.3g}") for step in range(-120, 361)]
# Written once: a slider asks for the words of all its steps whenever it is drawn.
_PENALTIES_IN_WORDS = {penalty: in_digits(penalty) for penalty in PENALTIES}
#: The weight of the evidence: from all of it to the least.
TOLERANCES = [float(f"{power:.2g}") for power in np.geomspace(1.0, LOWEST, N_POWERS)]
#: The slider that moves the last, by its name in the address.
TOLERANCE = "tolerance"
#: What the sliders are about while there is no table yet.
NO_TABLE = "no table"


def comparison_settings(
    places: Sequence[DeltaGenerator],
    suggest: Callable[[int], tuple[float, bool]] | None,
    key: Hashable,
    own: tuple[tuple[str, str, float | str], ...] = (),
) -> Settings:
    """Draw N_0, lambda and K in three places and the rest in a fourth, and read them all.

    Their keys are their names in the address. ``suggest`` gives a penalty for a number of clusters;
    with another ``key``, of table and schema, the penalty starts anew. ``own`` is what single
    methods are told.
    """
    start, bound, readers = Settings(), {"bind": "query-params"}, METHODS.readers
    one, two, three, options = places
    k = three.slider(
        "Clusters K",
        1,
        K_MAX,
        start.n_clusters,
        key="k",
        **bound,
        on_change=_set_bic,  # K-means takes K instead of the one that BIC chooses
        args=(False,),
        help="Up: more groups. E-M has to be told K, and so has K-means, unless BIC chooses for "
        "it.",
    )
    penalty = _choose_penalty(two, options, suggest and suggest(k), key, k)
    left, right = options.columns(2, gap="medium")
    slide = partial(st.select_slider, format_func=lambda value: f"{value:g}", **bound)
    with one:
        concentration = slide(
            "Concentration N₀",
            CONCENTRATIONS,
            start.concentration,
            key="n0",
            help="Up: more clusters. The prior count of the Dirichlet process: how readily a row "
            f"founds a cluster of its own. Read by {readers('concentration')} only.",
        )
    with left:
        power = slide(
            "Tolerance for misfit",
            TOLERANCES,
            start.likelihood_power,
            key=TOLERANCE,
            help="The power of the likelihood. At 1 every deviation of a column from its model can "
            "make a group of its own; to the right the evidence counts less, and small deviations "
            f"no longer do. Read by {readers('likelihood_power')} only.",
        )
        bic = _choose_bic(start.bic)
    shown = METHODS.first.values()
    bought = ", ".join(method.restarts for method in shown if method.restarts)
    needless = ", ".join(method.title for method in shown if not method.restarts)
    with right:
        effort = st.slider(
            "Restarts",
            1,
            10,
            start.effort,
            key="restarts",
            **bound,
            help=f"Up: slower, less chance of a poor answer: {bought}; fewer on large tables. One "
            f"answer, whatever the start: {needless}.",
        )
        seed = st.number_input(
            "Seed of the random starts", 0, 999_999, start.seed, key="seed", **bound
        )
    return Settings(concentration, penalty, k, k, bic, effort, int(seed), power, own=own)


def _choose_bic(start: bool) -> bool:
    """Whether BIC chooses K for K-means.

    A toggle in a closed popover is told nothing and sends what it last held, so whoever else sets
    it has it replaced by another one.
    """
    state = st.session_state
    if "bic" not in state:
        _set_bic(st.query_params.get("bic", str(start).lower()) == "true")
    state["bic"] = st.toggle(
        "BIC chooses K",
        state["bic"],
        key=f"bic, set {state['bic_set']} times",
        help=f"K-means runs for K = 1 to {K_MAX}; the K with the highest BIC is kept.",
    )
    say_in_address("bic", None if state["bic"] == start else str(state["bic"]).lower())
    return state["bic"]


def _set_bic(bic: bool) -> None:
    st.session_state.update({"bic": bic, "bic_set": st.session_state.get("bic_set", 0) + 1})


def _choose_penalty(
    place: DeltaGenerator,
    options: DeltaGenerator,
    suggestion: tuple[float, bool] | None,
    key: Hashable,
    k: int,
) -> float | None:
    """Lambda, and among the options a button that takes the one suggested for so many clusters.

    It starts from the table, so the address cannot be bound to it. None without a suggestion yet.
    """
    state = st.session_state
    suggested, is_exact = suggestion or (10.0, False)
    if state.get("lambda_about") != key:
        _start_penalty(suggested, key)
    penalty = place.select_slider(
        "Penalty λ",
        PENALTIES,
        format_func=_PENALTIES_IN_WORDS.__getitem__,
        key="lambda",
        persist_state="session",
        help="Up: fewer clusters. What a cluster costs DP-means, as a squared distance between "
        f"standardised rows. Read by {METHODS.readers('penalty')} only.",
    )
    if suggestion is None:
        return None
    say_in_address("lambda", f"{penalty:g}")
    options.button(
        f"{'' if is_exact else 'About '}K = {k}: λ = {in_digits(suggested)}",
        key="lambda as suggested",
        type="tertiary",
        icon=":material/straighten:",
        on_click=state.update,
        args=({"lambda": suggested},),
        disabled=penalty == suggested,
        help="A step at which DP-means finds so many clusters; “about”, where none was found: the "
        "squared distance of the K-th row chosen, each as far as can be from those before it.",
    )
    return penalty


def _start_penalty(suggested: float, key: Hashable) -> None:
    """With another table or schema: as a link or a settings file said for it, else as suggested."""
    state = st.session_state
    if "lambda_about" not in state:
        try:
            state["lambda_kept"] = position(PENALTIES, st.query_params.get("lambda", ""))
        except ValueError:
            state["lambda_kept"] = None
    state.update({"lambda": state["lambda_kept"] or suggested, "lambda_about": key})
    if key != NO_TABLE:
        state["lambda_kept"] = None


def nearest_settings(settings: Settings) -> Settings:
    """Settings that the sliders can show: what lies between two positions goes to the nearer."""
    penalty = settings.penalty
    return replace(
        settings,
        concentration=nearest(CONCENTRATIONS, settings.concentration),
        penalty=None if penalty is None else nearest(PENALTIES, max(penalty, PENALTIES[0])),
        penalty_hint=settings.n_clusters,
        likelihood_power=nearest(TOLERANCES, settings.likelihood_power),
    )


def show_settings(settings: Settings, key: Hashable = None) -> None:
    """Let the sliders stand like this, as far as they can, when they are drawn next.

    ``key`` is the table and schema that the penalty was set for; None for whichever comes next.
    """
    state = st.session_state
    _set_bic(settings.bic)
    state.update({"n0": settings.concentration, "k": settings.n_clusters})
    state.update({"restarts": settings.effort, "seed": settings.seed})
    state[TOLERANCE] = settings.likelihood_power
    if settings.penalty is not None:
        kept = settings.penalty if key is None else None
        state.update({"lambda": settings.penalty, "lambda_about": key, "lambda_kept": kept})


def nearest(positions: Sequence[float], value: float) -> float:
    """The slider's position that stands for a positive number: the nearest by factor."""
    return min(positions, key=lambda position: abs(math.log(position / value)))


def position(positions: Sequence[float], text: str) -> float:
    """The position that stands for a number in an address; ValueError if it is none above 0."""
    value = float(text.replace(",", ""))
    if not 0.0 < value < math.inf:
        raise ValueError(f"{text} is no number above 0.")
    return nearest(positions, value)
