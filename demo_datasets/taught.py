"""Data that lessons are about: a story, and for what is drawn a knob and a way to draw."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
import pandas as pd

#: What each lesson's data are about, and their knob, by key.
_STORIES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PLANE = MappingProxyType({name: {"family": "normal"} for name in ("x", "y")})


@dataclass(frozen=True)
class Knob:
    """One number that makes a scenario easier or harder."""

    #: Keyword of ``load_scenario``.
    name: str
    label: str
    low: float
    high: float
    default: float
    help: str


@dataclass(frozen=True, kw_only=True)
class Taught:
    """Data that a lesson is about."""

    key: str
    title: str
    text: str

    @classmethod
    def of(cls, key: str, **kwargs: Any) -> Self:
        """The data of a key, as ``taught.toml`` describes them."""
        story = dict(_STORIES[key])
        if "knob" in story:
            texts = {name: story.pop(name) for name in ("label", "help")}
            story["knob"] = Knob(**story["knob"], **texts)
        return cls(key=key, **story, **kwargs)

    @property
    def sentence(self) -> str:
        """What K-means assumes, alone."""
        return f"{self.text.split('. ')[0]}."

    #: Estimators that the lesson shows with the five methods, by their names.
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Drawn(Taught):
    """Data drawn from a generator with one knob, at whose value every function is called.

    ``draw``, of n, a Generator and the value, returns float64 of shape (n, P), NaN a missing cell,
    and int64 clusters, one after the other. ``is_block``: the columns stand in one Gaussian block.
    """

    knob: Knob
    draw: Callable[[int, np.random.Generator, float], tuple[np.ndarray, np.ndarray]]
    names: Callable[[float], list[str]]
    specs: Callable[[float], Mapping[str, Mapping[str, Any]]] = lambda value: _PLANE
    origin: str = "Drawn from Gaussian clusters."
    is_block: bool = True

    def frame(self, points: np.ndarray, value: float) -> pd.DataFrame:
        """The rows as a table: codes of a column with levels become its words."""
        specs = self.specs(value)
        frame = pd.DataFrame(points, columns=list(specs))
        for name, spec in specs.items():
            if "levels" in spec:
                frame[name] = frame[name].map(dict(enumerate(spec["levels"])))
        return frame

    def turned(self, **knobs: float) -> float:
        """Value of the knob by its name or its default; a ValueError if unknown or out of range."""
        knob = self.knob
        unknown = [name for name in knobs if name != knob.name]
        if unknown:
            raise ValueError(
                f"Scenario {self.key} has no knob '{unknown[0]}'; its knob is '{knob.name}'."
            )
        value = knobs.get(knob.name, knob.default)
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not knob.low <= value <= knob.high:
            raise ValueError(
                f"'{knob.name}' of scenario {self.key} must be a number from {knob.low:g} to "
                f"{knob.high:g}, not {value!r}."
            )
        return float(value)


def numbered(n: int) -> list[str]:
    """Names of clusters that have none of their own."""
    return [f"cluster {k + 1}" for k in range(n)]
