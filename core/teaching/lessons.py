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
    """One stop: a question with choices, of which the one at ``right`` is true, then the answer.

    ``sets`` are controls that stand elsewhere than at first, by their names in addresses; with
    ``asks_of_row`` the row that it sets is ringed before the prediction.
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


#: By the key of its data; the first stop is what a lecture asks, and how the data set opens.
LESSONS: Mapping[str, tuple[Stop, ...]] = MappingProxyType(_lessons())
