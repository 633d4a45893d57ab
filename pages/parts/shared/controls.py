"""Controls that a page's address holds: what each is, how it is drawn, read and written."""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from sys import float_info
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from mapdp_studio.core.methods import JUDGE, METHODS
from mapdp_studio.core.methods.settings import K_MAX, Settings
from mapdp_studio.core.models.tolerance import LOWEST, N_POWERS
from mapdp_studio.core.wording import in_digits
from mapdp_studio.pages import Session, in_visit, session
from mapdp_studio.pages.parts.shared.kit import BEFORE, PAGE, follows, takes

CONCENTRATIONS = [
    float(f"{step}e{power}") for power in range(-2, 3) for step in (1, 2, 3, 5, 7)
] + [1000.0]
# Sixty steps for every factor of ten.
PENALTIES = [float(f"{10.0 ** (step / 60):.3g}") for step in range(-120, 361)]
#: The weight of the evidence: from all of it to the least.
TOLERANCES = [float(f"{power:.2g}") for power in np.geomspace(1.0, LOWEST, N_POWERS)]
#: A number between bounds further apart is typed.
_TYPED = 1000


@dataclass(frozen=True)
class Control:
    """A control's default value, and its ``options`` (words, positions) or ``bounds``."""

    default: Any
    label: str = ""
    help: str | None = None
    options: Sequence[Any] = ()
    bounds: tuple[float, float] | None = None
    in_words: Callable[[Any], str] = lambda one: f"{one:{',' if isinstance(one, int) else 'g'}}"
    #: What another text in an address stands for; a ValueError where it stands for nothing.
    reads: Callable[[str], Any] | None = None
    #: Of the methods' ``Settings``, the one that it moves.
    setting: str | None = None

    def read(self, text: str) -> Any:
        """What a text in an address stands for; ValueError where it stands for nothing."""
        if self.reads is not None:
            return self.reads(text)
        if isinstance(self.default, bool):
            return text.casefold() in ("1", "true", "on", "yes")
        if self.bounds is None and isinstance(self.options[0], str):
            return self.options[self.options.index(text)]
        value, positive = float(text.replace(",", "")), (float_info.min, float_info.max)
        low, high = self.bounds or positive
        if not low <= value <= high:
            raise ValueError(text)
        if self.bounds is None:
            return nearest(self.options, value)
        return round(value) if isinstance(low, int) else value

    def draw(self, place: Any, **kwargs: Any) -> Any:
        """Draw it as a switch, a slider, or a field for a number of many digits."""
        kwargs = {"label": self.label, "help": self.help} | kwargs
        if isinstance(self.default, bool):
            return place.toggle(**kwargs)
        if self.bounds is None:
            options, value = self.options, kwargs.get("value", self.options[0])
            if value not in options:  # but in a file of settings
                options = sorted((*options, value), reverse=options[0] > options[-1])
            return place.select_slider(options=options, format_func=self.in_words, **kwargs)
        low, high = self.bounds
        draw = place.number_input if high - low > _TYPED else place.slider
        return draw(min_value=low, max_value=high, **kwargs)


def nearest(positions: Sequence[float], value: float) -> float:
    """The slider's position that stands for a positive number: the nearest by factor."""
    return min(positions, key=lambda position: abs(math.log(position / value)))


def _slider(setting: str, label: str, tip: str | None = None, **how: Any) -> Control:
    """A control of one of ``Settings``, which knows its default and bounds."""
    (described,) = (one for one in fields(Settings) if one.name == setting)
    bounds = None if "options" in how else described.metadata["bounds"]
    return Control(described.default, label, tip, bounds=bounds, setting=setting, **how)


_FIRST = METHODS.first.values()
_BOUGHT = ", ".join(method.restarts for method in _FIRST if method.restarts)
_NEEDLESS = ", ".join(method.title for method in _FIRST if not method.restarts)
#: Of the methods, by their names in addresses, which are the keys of Compare's widgets, too.
SLIDERS = {
    "n0": _slider(
        "concentration",
        "Concentration N₀",
        "Up: more clusters. The prior count of the Dirichlet process: how readily a row founds a "
        f"cluster of its own. Read by {METHODS.readers('concentration')} only.",
        options=CONCENTRATIONS,
    ),
    "lambda": _slider(
        "penalty",
        "Penalty λ",
        "Up: fewer clusters. What a cluster costs, as a squared distance between standardised "
        f"rows. Read by {METHODS.readers('penalty')} only.",
        options=PENALTIES,
        in_words=cache(in_digits),
    ),
    "k": _slider(
        "n_clusters",
        "Clusters K",
        "Up: more groups. E-M has to be told K; K-means, too, unless BIC chooses for it.",
    ),
    "tolerance": _slider(
        "likelihood_power",
        "Tolerance for misfit",
        "The power of the likelihood. At 1 every deviation of a column from its model can make a "
        "group of its own; to the right the evidence counts less, and small deviations no longer "
        f"do. Read by {METHODS.readers('likelihood_power')} only.",
        options=TOLERANCES,
    ),
    "restarts": _slider(
        "effort",
        "Restarts",
        f"Up: slower, less chance of a poor answer: {_BOUGHT}; fewer on large tables. One answer, "
        f"whatever the start: {_NEEDLESS}.",
    ),
    "seed": _slider("seed", "Seed of the random starts"),
    "bic": _slider(
        "bic",
        "BIC chooses K for K-means",
        f"K-means runs for K = 1 to {K_MAX}; the K with the highest BIC is kept.",
    ),
}


def asked_in_address(key: str, controls: Mapping[str, Control]) -> dict[str, Any] | None:
    """What the address asks of controls, by name; None where it was read or written so last.

    It is read where somebody comes to it, from another page or by the browser's own way back or
    forward: others are former ones, sent until the browser has heard of what was written since.
    What was read or written last is kept under ``key``.
    """
    state, context = st.session_state, get_script_run_ctx()
    asked = {name: text for name, text in st.query_params.to_dict().items() if name in controls}
    is_back = context is not None and context.is_history_navigation
    comes = is_back or state.get(BEFORE) != state.get(PAGE)
    if key in state and not (asked and asked != state[key] and comes):
        return None
    state[key], read = asked, {}
    for name in (name for name in controls if name in asked):
        with suppress(ValueError):
            read[name] = controls[name].read(asked[name])
    return read


def set_address(key: str, values: Mapping[str, Any], opens: Mapping[str, Any]) -> None:
    """Let the address hold the values that differ from those a page opens with, nothing else."""
    entries = {
        name: in_address(value)
        for name, value in values.items()
        if value is not None and value != opens[name]
    }
    if entries != st.query_params.to_dict():
        st.query_params.from_dict(entries)
    st.session_state[key] = entries


def in_address(value: Any) -> str:
    """A position as an address has it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(value)
    return value if isinstance(value, str) else f"{value:.10g}"


#: Panels of Compare at most, MAP-DP's among them.
MOST = 8
#: What was in Compare's address when it was last read or written.
ADDRESS = "compare_address"


def _methods(text: str) -> tuple[str, ...]:
    names = [name for name in METHODS if name in text.split(",") and name != JUDGE]
    if not names:
        raise ValueError(text)
    return JUDGE, *names[: MOST - 1]


#: All that its address holds.
_CONTROLS = {"methods": Control(tuple(METHODS.first), reads=_methods), **SLIDERS}


def draw_sliders(
    visit: Session,
    places: Sequence[DeltaGenerator],
    suggest: Callable[[int], float] | None = None,
    key: Hashable = None,
) -> None:
    """Draw N_0, lambda and K in three places, the rest in a fourth, with the settings' values.

    ``suggest`` gives a penalty for a number of clusters, which is taken wherever lambda was set for
    another ``key``, of table and schema, or not at all.
    """
    *sliders, options = places
    suggested = suggest(visit.settings.n_clusters) if suggest else 10.0
    if suggest:
        if visit.settings.penalty is None or visit.penalty_key not in (None, key):
            visit.settings = replace(visit.settings, penalty=suggested)
        visit.penalty_key = key
    values = _values(visit)
    values["lambda"] = values["lambda"] or suggested
    left, right = options.columns(2, gap="medium")

    def move(name: str) -> Callable[[Any], None]:
        return lambda value: move_slider(**{name: value})

    names = ("n0", "lambda", "k", "tolerance", "restarts", "seed")
    for name, place in zip(names, (*sliders, left, right, right), strict=True):
        SLIDERS[name].draw(place, value=values[name], **follows(name, values[name], move(name)))
    # A toggle in a closed popover is not updated and sends what it last held: set elsewhere, as
    # by K, it is another one.
    bic = values["bic"]
    SLIDERS["bic"].draw(left, value=bic, **takes(f"bic-{bic}", move("bic")))


def _values(visit: Session) -> dict[str, Any]:
    """The values of the sliders, by their names."""
    return {name: getattr(visit.settings, one.setting) for name, one in SLIDERS.items()}


@in_visit
def move_slider(**to: Any) -> None:
    """Set sliders, by their names."""
    # K-means takes K instead of the one that BIC chooses, unless both were asked for.
    moved = {"bic": False} | to if "k" in to else to
    changes = {SLIDERS[name].setting: value for name, value in moved.items()}
    session().settings = replace(session().settings, **changes)


def follow_address(visit: Session) -> None:
    """Take over what the address holds of sliders and of methods."""
    asked, entries = asked_in_address(ADDRESS, _CONTROLS) or {}, st.query_params
    visit.compared = asked.pop("methods", visit.compared)
    values = {n: in_address(value) for n, value in _values(visit).items() if value is not None}
    # What has that value already may stand between two positions.
    move_slider(**{name: asked[name] for name in asked if entries[name] != values.get(name)})


def write_address(visit: Session) -> None:
    """Put what differs from the defaults into the address, and lambda, which the table sets."""
    opens = {name: control.default for name, control in _CONTROLS.items()}
    set_address(ADDRESS, {"methods": visit.compared, **_values(visit)}, opens)
