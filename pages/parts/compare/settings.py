"""The sliders of Compare and Teach: what each is, how it is drawn and said in an address."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import ADDRESSES, K_MAX, Settings
from mapdp_studio.core.models.tolerance import LOWEST, N_POWERS
from mapdp_studio.core.plots.template import DRAGS
from mapdp_studio.core.teaching.drawing import read_points
from mapdp_studio.core.wording import in_digits
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.kit import (
    choose_one,
    follows,
    is_asked_anew,
    say_in_address,
    takes,
)

CONCENTRATIONS = [
    float(f"{step}e{power}") for power in range(-2, 3) for step in (1, 2, 3, 5, 7)
] + [1000.0]
# Sixty steps for every factor of ten.
PENALTIES = [float(f"{10.0 ** (step / 60):.3g}") for step in range(-120, 361)]
#: The weight of the evidence: from all of it to the least.
TOLERANCES = [float(f"{power:.2g}") for power in np.geomspace(1.0, LOWEST, N_POWERS)]
#: Panels of Compare at most, MAP-DP's among them.
MOST = 8
#: What Compare's address said when it was last read or written.
SAID = "compare_address"
#: The table and schema that lambda was set for.
_ABOUT = "lambda_about"


@dataclass(frozen=True)
class Control:
    """Where a control stands at first, and its ``options`` (words, positions) or ``bounds``."""

    default: Any
    label: str = ""
    help: str = ""
    options: Sequence[Any] | Mapping[str, str] = ()
    bounds: tuple[float, float] | None = None
    in_words: Callable[[Any], str] = lambda one: f"{one:{',' if isinstance(one, int) else 'g'}}"

    def read(self, text: str) -> Any:
        """What a text in an address stands for; ValueError where it stands for nothing."""
        if isinstance(self.default, bool):
            return text.casefold() in ("1", "true", "on", "yes")
        if self.bounds is not None:
            value = float(text.replace(",", ""))
            if not self.bounds[0] <= value <= self.bounds[1]:
                raise ValueError(text)
            return round(value) if isinstance(self.bounds[0], int) else value
        if not self.options:
            read_points(text)
            return text
        if isinstance(next(iter(self.options)), str):
            return one_of(self.options, text)
        return position(self.options, text)

    def slider(self, place: DeltaGenerator, **kwargs: Any) -> Any:
        kwargs = {"label": self.label, "help": self.help} | kwargs
        if self.bounds is not None:
            return place.slider(min_value=self.bounds[0], max_value=self.bounds[1], **kwargs)
        return place.select_slider(options=self.options, format_func=self.in_words, **kwargs)


_FIRST = METHODS.first.values()
_BOUGHT = ", ".join(method.restarts for method in _FIRST if method.restarts)
_NEEDLESS = ", ".join(method.title for method in _FIRST if not method.restarts)
#: By their names in addresses, which are the keys of Compare's widgets, too.
SLIDERS = {
    "n0": Control(
        3.0,
        "Concentration N₀",
        "Up: more clusters. The prior count of the Dirichlet process: how readily a row founds a "
        f"cluster of its own. Read by {METHODS.readers('concentration')} only.",
        CONCENTRATIONS,
    ),
    "lambda": Control(
        None,
        "Penalty λ",
        "Up: fewer clusters. What a cluster costs, as a squared distance between standardised "
        f"rows. Read by {METHODS.readers('penalty')} only.",
        PENALTIES,
        in_words={penalty: in_digits(penalty) for penalty in PENALTIES}.__getitem__,  # once
    ),
    "k": Control(
        3,
        "Clusters K",
        "Up: more groups. E-M has to be told K; K-means, too, unless BIC chooses for it.",
        bounds=(1, K_MAX),
    ),
    "tolerance": Control(
        1.0,
        "Tolerance for misfit",
        "The power of the likelihood. At 1 every deviation of a column from its model can make a "
        "group of its own; to the right the evidence counts less, and small deviations no longer "
        f"do. Read by {METHODS.readers('likelihood_power')} only.",
        TOLERANCES,
    ),
    "restarts": Control(
        1,
        "Restarts",
        f"Up: slower, less chance of a poor answer: {_BOUGHT}; fewer on large tables. One answer, "
        f"whatever the start: {_NEEDLESS}.",
        bounds=(1, 10),
    ),
    "seed": Control(0, "Seed of the random starts", bounds=(0, 999_999)),
    "bic": Control(
        True,
        "BIC chooses K for K-means",
        f"K-means runs for K = 1 to {K_MAX}; the K with the highest BIC is kept.",
    ),
}
#: The setting that each of them moves.
_MOVES = {name: setting for setting, name in ADDRESSES.items()}


def draw_sliders(
    studio: Session,
    places: Sequence[DeltaGenerator],
    suggest: Callable[[int], float] | None = None,
    key: Hashable = None,
) -> None:
    """Draw N_0, lambda and K in three places, the rest in a fourth, as the settings stand.

    ``suggest`` gives a penalty for a number of clusters, which is taken wherever lambda was set for
    another ``key``, of table and schema, or not at all.
    """
    *sliders, options = places
    suggested = suggest(studio.settings.n_clusters) if suggest else 10.0
    state = st.session_state
    if suggest:
        if studio.settings.penalty is None or state.get(_ABOUT, key) != key:
            studio.settings = replace(studio.settings, penalty=suggested)
        state[_ABOUT] = key
    settings = studio.settings
    stands = {name: getattr(settings, setting) for name, setting in _MOVES.items()}
    stands["lambda"] = stands["lambda"] or suggested
    left, right = options.columns(2, gap="medium")

    def move(name: str) -> Callable[[Any], None]:
        return lambda value: move_slider(**{name: value})

    names = ("n0", "lambda", "k", "tolerance", "restarts")
    for name, place in zip(names, (*sliders, left, right), strict=True):
        SLIDERS[name].slider(place, value=stands[name], **follows(name, stands[name], move(name)))
    # A toggle in a closed popover is told nothing and sends what it last held: set elsewhere, as
    # by K, it is another one.
    bic, seed = SLIDERS["bic"], SLIDERS["seed"]
    taken = takes(f"bic-{settings.bic}", move("bic"))
    left.toggle(bic.label, settings.bic, help=bic.help, **taken)
    taken = follows("seed", settings.seed, move("seed"))
    right.number_input(seed.label, *seed.bounds, settings.seed, **taken)


@in_visit
def move_slider(**to: Any) -> None:
    """Let sliders stand elsewhere, by their names."""
    told = {_MOVES[name]: value for name, value in to.items()}
    if "k" in to:  # K-means takes K instead of the one that BIC chooses
        told["bic"] = False
    session().settings = replace(session().settings, **told)


# ---- in the address


def follow_address(studio: Session) -> None:
    """Take over what the address says of sliders and of methods."""
    asked = _of_settings(st.query_params.to_dict())
    if not is_asked_anew(SAID, asked):
        return
    st.session_state[SAID] = asked
    names = asked.get("methods", "").split(",")
    known = [name for name in METHODS if name in names and name != JUDGE]
    if known:
        studio.compared = (JUDGE, *known[: MOST - 1])
    # BIC last, as K turns it off.
    for name in sorted(asked.keys() - {"methods"}, key=lambda name: name == "bic"):
        with suppress(ValueError):
            move_slider(**{name: SLIDERS[name].read(asked[name])})


def write_address(studio: Session) -> None:
    """Say in the address what stands otherwise than at first, and lambda, which the table sets."""
    said = {}
    if studio.compared != tuple(METHODS.first):
        said["methods"] = ",".join(studio.compared)
    for name, setting in _MOVES.items():
        value = getattr(studio.settings, setting)
        if value != SLIDERS[name].default:
            said[name] = in_address(value)
    say_in_address(SAID, _of_settings(st.query_params.to_dict()) | said, said)


def _of_settings(asked: Mapping[str, str]) -> dict[str, str]:
    names = {*SLIDERS, "methods"}
    return {name: text for name, text in asked.items() if name in names}


def in_address(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.10g}"


# ---- positions


def nearest_settings(settings: Settings) -> Settings:
    """Settings that the sliders can show: what lies between two positions goes to the nearer."""
    told = {
        setting: nearest(SLIDERS[name].options, value)
        for name, setting in _MOVES.items()
        if SLIDERS[name].options and (value := getattr(settings, setting)) is not None
    }
    return replace(settings, **told)


def keep_penalty() -> None:
    """Take lambda, as it stands now, for set for the table that is drawn next."""
    st.session_state.pop(_ABOUT, None)


def nearest(positions: Sequence[float], value: float) -> float:
    """The slider's position that stands for a positive number: the nearest by factor."""
    return min(positions, key=lambda position: abs(math.log(position / value)))


def position(positions: Sequence[float], text: str) -> float:
    """The position that stands for a number in an address; ValueError if it is none above 0."""
    value = float(text.replace(",", ""))
    if not 0.0 < value < math.inf:
        raise ValueError(f"{text} is no number above 0.")
    return nearest(positions, value)


def one_of(options: Sequence[str] | Mapping[str, str], text: str) -> str:
    """The word that a text is, or the title of, whatever the case of its letters; ValueError."""
    titles = options if isinstance(options, Mapping) else {}
    for key in options:
        if text.casefold() in (key.casefold(), titles.get(key, key).casefold()):
            return key
    raise ValueError(text)


# ---- behind Compare's Options: which methods, axes and marking


def choose_look(studio: Session, names: tuple[str, ...]) -> tuple[tuple[str, str] | None, str]:
    """Columns on the axes, or None for all in one plane; and what dragging over panels does."""
    _choose_methods(studio)
    pair = st.multiselect(
        "Axes of all panels: two columns",
        names,
        key=f"axes-{studio.table.digest}",
        persist_state="session",
        max_selections=2,
        placeholder="All columns in one plane: its first two principal components",
    )
    drag = choose_one(
        "Dragging over a panel",
        list(DRAGS),
        "drag",
        format_func=DRAGS.get,
        default="select",
        help="A box or a lasso marks rows: they stand out in all panels. With “Click or zoom” a "
        "click marks one row, dragging zooms into all panels, and a double click leads back.",
    )
    return (tuple(pair) if len(pair) == 2 else None), drag


def _choose_methods(studio: Session) -> None:
    """Which methods stand beside MAP-DP; what the page says of them is the session's own."""
    beside = [name for name in studio.compared if name != JUDGE]

    def take(wanted: list[str]) -> None:  # in the list's order, not that of the clicks
        studio.compared = (JUDGE, *(name for name in METHODS if name in wanted))

    has_data_sets = bool(studio.schema.names("group"))
    offered = [
        name
        for name in METHODS
        if name != JUDGE
        and (has_data_sets or not METHODS[name].shares_clusters or name in studio.compared)
    ]
    chosen = st.multiselect(
        f"Methods beside {METHODS[JUDGE].title}",
        offered,
        beside,
        format_func=lambda name: METHODS[name].glossary[0],
        max_selections=MOST - 1,
        **follows("methods beside", beside, take),
    )
    for name in chosen:
        if name not in METHODS.first:
            st.caption(_about(name, len(studio.table.frame)))


def _about(name: str, n_rows: int) -> str:
    """What a method does, which sliders it reads, and its limit."""
    method = METHODS[name]
    said = f"**{method.glossary[0]}.** {method.glossary[1]}"
    read = [SLIDERS[name] for name in ("n0", "lambda", "k") if _MOVES[name] in method.reads]
    said += f" It reads {' and '.join(one.label.split()[-1] for one in read)}." * bool(read)
    if method.is_beyond(n_rows):
        said += (
            f" It takes up to {method.most_rows:,} rows: of this table's {n_rows:,} it shows what"
            " it makes of a sample."
        )
    return said
