"""The lessons of the Teach page, which stand in ``lessons.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Stop:
    """One stop: a question with choices, of which the one at ``right`` is true, then the answer.

    ``sets`` are controls that stand elsewhere than at first, by their names in addresses; with
    ``asks_of_row`` the row that it sets is ringed before the prediction.
    """

    question: str
    choices: Sequence[str]
    right: int
    answer: str
    sets: Mapping[str, Any] = field(default_factory=dict)
    asks_of_row: bool = False

    @property
    def rightly(self) -> str:
        """The right choice."""
        return self.choices[self.right]


_TEXT = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
#: By the key of its data; the first stop is what a lecture asks, and how the data set opens.
LESSONS = {
    key: tuple(Stop(**stop) for stop in stops) for key, stops in tomllib.loads(_TEXT).items()
}
