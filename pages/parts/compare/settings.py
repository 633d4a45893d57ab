"""The sliders of the comparison and its further options; together they are one ``Settings``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.comparing.comparison import Suggestion
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.methods.settings import K_MAX, Settings
from mapdp_studio.core.wording import in_digits
from mapdp_studio.pages.parts.compare.tolerance import KEY as TOLERANCE
from mapdp_studio.pages.parts.compare.tolerance import (
    choose_tolerance,
    nearest,
    nearest_tolerance,
    take_asked_tolerance,
)
from mapdp_studio.pages.parts.shared.kit import say_in_address

CONCENTRATIONS = [
    float(f"{step}e{power}") for power in range(-2, 3) for step in (1, 2, 3, 5, 7)
] + [1000.0]
# Sixty steps for every factor of ten.
PENALTIES = [float(f"{10.0 ** (step / 60):.3g}") for step in range(-120, 361)]
# Written once: a slider asks for the words of all its steps whenever it is drawn.
_PENALTIES_IN_WORDS = {penalty: in_digits(penalty) for penalty in PENALTIES}
START = Settings()
#: Their keys are their names in the address.
IN_ADDRESS = {"bind": "query-params"}
#: Kept from page to page, and in no address of Streamlit's making.
IN_SESSION = {"persist_state": "session"}
#: What the sliders are about while there is no table yet.
NO_TABLE = "no table"


def comparison_settings(
    places: Sequence[DeltaGenerator],
    suggest: Callable[[int], Suggestion] | None,
    key: Hashable,
    own: tuple[tuple[str, str, float | str], ...] = (),
) -> Settings:
    """Draw N_0, lambda and K in three places and the rest in a fourth, and read them all.

    ``suggest`` gives a penalty for a number of clusters, None while that is not known; ``key``
    stands for the table and its schema: with another one the penalty starts anew. ``own`` is what
    single methods are told, which has no slider here.
    """
    concentration = choose_concentration(places[0], "n0", **IN_ADDRESS)
    n_clusters = choose_clusters(places[2], "k", **IN_ADDRESS, on_change=_tell_k_means)
    suggested = None if suggest is None else suggest(n_clusters)
    if st.session_state.get("lambda_about") != key:
        _start_penalty(10.0 if suggested is None else suggested.penalty, key)
    penalty = choose_penalty(places[1], places[3], "lambda", suggested, n_clusters)
    if suggested is None:
        penalty = None
    else:
        say_in_address("lambda", f"{penalty:g}")
    take_asked_tolerance()
    left, right = places[3].columns(2, gap="medium")
    power = choose_tolerance(left, TOLERANCE, **IN_ADDRESS)
    effort = choose_restarts(right, "restarts", **IN_ADDRESS)
    bic = choose_bic(left, "bic", START.bic, **IN_ADDRESS)
    seed = choose_seed(right, "seed", **IN_ADDRESS)
    told = concentration, penalty, n_clusters, n_clusters, bic, effort, seed, power
    return Settings(*told, own=own)


def _tell_k_means() -> None:
    """Who moves K means it: K-means takes it instead of the one that BIC chooses."""
    st.session_state["bic"] = False


def nearest_settings(settings: Settings) -> Settings:
    """Settings that the sliders can show: what lies between two positions goes to the nearer."""
    penalty = None if settings.penalty is None else nearest_penalty(settings.penalty)
    return replace(
        settings,
        concentration=nearest(CONCENTRATIONS, settings.concentration),
        penalty=penalty,
        penalty_hint=settings.n_clusters,
        likelihood_power=nearest_tolerance(settings.likelihood_power),
    )


def show_settings(settings: Settings, key: Hashable = None) -> None:
    """Let the sliders stand like this, as far as they can, when they are drawn next.

    ``key`` is the table and schema that the penalty was set for; None for whichever comes next.
    """
    state = st.session_state
    state.update({"n0": settings.concentration, "k": settings.n_clusters, "bic": settings.bic})
    state.update({"restarts": settings.effort, "seed": settings.seed})
    state[TOLERANCE] = settings.likelihood_power
    if settings.penalty is not None:
        kept = settings.penalty if key is None else None
        state.update({"lambda": settings.penalty, "lambda_about": key, "lambda_kept": kept})


def _start_penalty(suggested: float, key: Hashable) -> None:
    """With another table or schema: as a link or a settings file said for it, else as suggested."""
    state = st.session_state
    if "lambda_about" not in state:
        state["lambda_kept"] = _linked_penalty()
    state.update({"lambda": state["lambda_kept"] or suggested, "lambda_about": key})
    if key != NO_TABLE:
        state["lambda_kept"] = None


def _linked_penalty() -> float | None:
    """The penalty that came with a link."""
    try:
        return position(PENALTIES, st.query_params.get("lambda", ""))
    except ValueError:
        return None


def choose_concentration(column: DeltaGenerator, key: str, **kept: str) -> float:
    """N_0, kept as Streamlit's ``bind`` or ``persist_state`` says."""
    return column.select_slider(
        "Concentration N₀",
        CONCENTRATIONS,
        START.concentration,
        format_func=lambda value: f"{value:g}",
        key=key,
        **kept,
        help="Up: more clusters. The prior count of the Dirichlet process: how readily a row "
        f"founds a cluster of its own. Read by {METHODS.readers('concentration')} only.",
    )


def choose_clusters(column: DeltaGenerator, key: str, **kwargs: object) -> int:
    """K, kept like N_0."""
    return column.slider(
        "Clusters K",
        1,
        K_MAX,
        START.n_clusters,
        key=key,
        **kwargs,
        help="Up: more groups. E-M has to be told K, and so has K-means, unless BIC chooses for "
        "it.",
    )


def choose_bic(place: DeltaGenerator, key: str, bic: bool, **kept: str) -> bool:
    """Whether BIC chooses K for K-means, at first as ``bic`` says; kept like N_0."""
    return place.toggle(
        "BIC chooses K",
        bic,
        key=key,
        **kept,
        help=f"K-means runs for K = 1 to {K_MAX}; the K with the highest BIC is kept.",
    )


def choose_restarts(place: DeltaGenerator, key: str, **kept: str) -> int:
    """Restarts, kept like N_0."""
    shown = METHODS.first.values()
    bought = ", ".join(method.restarts for method in shown if method.restarts)
    needless = ", ".join(method.title for method in shown if not method.restarts)
    return place.slider(
        "Restarts",
        1,
        10,
        START.effort,
        key=key,
        **kept,
        help=f"Up: slower, less chance of a poor answer. {bought[0].upper()}{bought[1:]}; fewer on "
        f"large tables. One answer, whatever the start: {needless}.",
    )


def choose_seed(place: DeltaGenerator, key: str, **kept: str) -> int:
    """Seed of the random starts, kept like N_0."""
    seed = place.number_input(
        "Seed of the random starts",
        0,
        999_999,
        START.seed,
        key=key,
        **kept,
        help="The same seed gives the same answer, another one starts elsewhere.",
    )
    return int(seed)


def choose_effort(
    column: DeltaGenerator, place: DeltaGenerator, key: str, seed_key: str, **kept: str
) -> tuple[int, int]:
    """Restarts, and, folded away in the place, the seed."""
    effort = choose_restarts(column, key, **kept)
    seed = st.session_state.get(seed_key, START.seed)
    folded = place.popover(f"Seed {seed:,}", type="tertiary", icon=":material/casino:")
    return effort, choose_seed(folded, seed_key, **kept)


def choose_penalty(
    column: DeltaGenerator,
    row: DeltaGenerator,
    key: str,
    suggested: Suggestion | None,
    n_clusters: int,
) -> float:
    """Lambda: its slider stands where the session's state of that key says.

    It starts from the table, not from a fixed value, so the address cannot be bound to it.
    Without a suggestion yet, the place of the button that takes it is kept.
    """
    penalty = column.select_slider(
        "Penalty λ",
        PENALTIES,
        format_func=_PENALTIES_IN_WORDS.__getitem__,
        key=key,
        persist_state="session",
        help="Up: fewer clusters. What a cluster costs DP-means, as a squared distance between "
        f"standardised rows. Read by {METHODS.readers('penalty')} only.",
    )
    tool = {"key": f"{key} as suggested", "type": "tertiary", "icon": ":material/straighten:"}
    if suggested is None:
        row.button(f"About K = {n_clusters}: …", **tool, disabled=True)
        return penalty
    words = in_digits(suggested.penalty)
    row.button(
        f"K = {n_clusters} suggests λ = {words}"
        if suggested.is_exact
        else f"About K = {n_clusters}: λ = {words}",
        **tool,
        on_click=st.session_state.update,
        args=({key: suggested.penalty},),
        disabled=penalty == suggested.penalty,
        help=f"DP-means finds {n_clusters} clusters at this step of the slider."
        if suggested.is_exact
        else f"No step of the slider that was tried gives K = {n_clusters}. This one is "
        "farthest-first: the squared distance of the K-th row chosen, each as far as can be from "
        "those before it.",
    )
    return penalty


def nearest_penalty(penalty: float) -> float:
    """The slider's position that stands for a penalty."""
    return nearest(PENALTIES, max(penalty, PENALTIES[0]))


def position(positions: Sequence[float], text: str) -> float:
    """The position that stands for a number in an address; ValueError if it is none above 0."""
    value = float(text.replace(",", ""))
    if not 0.0 < value < math.inf:
        raise ValueError(f"{text} is no number above 0.")
    return nearest(positions, value)
