"""An experiment of a paper as the Teach page measures it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from core.session.jobs import Job


@dataclass(frozen=True)
class Experiment:
    """One paper's experiment."""

    title: str
    #: What "Quick" and "The paper's own" mean, in a sentence each.
    settings: dict[str, str]
    #: Given the job, the choice of settings and the first seed.
    work: Callable[[Job, str, int], Any]
    #: Draws what came of it, given whether the page is wide.
    draw: Callable[[Any, bool], None]
    #: Everything as one table, for the file.
    table: Callable[[Any], pd.DataFrame]
