"""The lessons of the Teach page, which stand in ``lessons.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Stop:
    """One stop: the data are shown and a question asked, then the answer with its picture.

    Parameters
    ----------
    question : str
        What was set, and what to predict.
    choices : tuple of str
    right : int
        Place of the right one.
    answer : str
        What to look at, and why it is so.
    sets : mapping
        Controls that stand elsewhere than at first, by their names in addresses; a scenario's own
        name is its knob.
    asks_of_row : bool
        Whether the question is about the row that it sets, which is ringed before the prediction.
    """

    question: str
    choices: tuple[str, ...]
    right: int
    answer: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    asks_of_row: bool = False

    @property
    def rightly(self) -> str:
        """The right choice."""
        return self.choices[self.right]


def _lessons() -> dict[str, tuple[Stop, ...]]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return {
        lesson["key"]: tuple(
            Stop(**stop | {"choices": tuple(stop["choices"])}) for stop in lesson["stop"]
        )
        for lesson in tomllib.loads(text)["lesson"]
    }


#: The stops of every lesson, by the key of its data, in the order of the page; the first is what a
#: lecture asks, and how the data set opens.
LESSONS: Mapping[str, tuple[Stop, ...]] = MappingProxyType(_lessons())
