"""Bringing results up to date: progress, a stop, and faint old results while new ones come."""

from __future__ import annotations

import time
from collections.abc import Callable

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mapdp_studio.core import Progress, Schema
from mapdp_studio.core.comparing.comparison import Results, Task
from mapdp_studio.core.methods import METHODS
from mapdp_studio.core.models.estimator import Callback
from mapdp_studio.core.session.jobs import at_work
from mapdp_studio.pages.parts.shared.background import PATIENCE
from mapdp_studio.pages.parts.shared.turns import step

# Seconds: ticks and figures follow each other no faster.
BETWEEN_TICKS, BETWEEN_FIGURES = 0.1, 1.5
#: Seconds between two looks at whether the page is to end: each costs as much as a short sweep.
BETWEEN_STEPS = 0.02


class Runs:
    """Fits what is missing and keeps the visitor informed.

    ``wanted`` is the task that belongs to the settings, by algorithm; ``line`` and ``button`` are
    reserved places for the progress and for the stop.
    """

    def __init__(
        self,
        results: Results,
        frame: pd.DataFrame,
        schema: Schema,
        wanted: dict[str, Task],
        line: DeltaGenerator,
        button: DeltaGenerator,
    ) -> None:
        self.results, self.frame, self.schema = results, frame, schema
        self.wanted, self.line = wanted, line
        stopped = st.session_state.setdefault("stopped_tasks", set())
        self.absent = {a: task for a, task in wanted.items() if results.get(task) is None}
        self.stopped = {a for a, task in self.absent.items() if task in stopped}
        missing = [a for a in self.absent if a not in self.stopped]
        # What begins where another one ended is drawn last.
        self.missing = sorted(missing, key=lambda a: METHODS[a].prior_of is not None)
        self.button = button
        if self.missing:
            button.button(
                "Stop",
                key="stop",
                icon=":material/stop:",
                on_click=_stop,
                args=(set(self.absent.values()),),
            )
        else:
            # Said before the figure is drawn: a stop is seen at once.
            self._close()

    @property
    def shown(self) -> dict[str, Task]:
        """The task to draw, by algorithm: the wanted one, or the one drawn before it."""
        before = st.session_state.setdefault("shown_tasks", {})
        now = {}
        for algorithm, task in self.wanted.items():
            if self.results.get(task) is not None:
                now[algorithm] = before[algorithm] = task
            elif algorithm in before and before[algorithm].digest == task.digest:
                now[algorithm] = before[algorithm]
        return now

    def finish(
        self,
        draw: Callable[[], None],
        after: Callable[[str], None] = lambda algorithm: None,
        look_first: Callable[[str, Callback], None] | None = None,
    ) -> None:
        """Run what is missing, drawing all there is now and then, and say how it ended.

        ``after`` is told of every algorithm as soon as it has run; ``look_first``, of a long table,
        gives every one's first answer before.
        """
        began, drawn = time.monotonic(), 0.0

        def tick(progress: Progress) -> None:
            nonlocal drawn
            now = time.monotonic()
            if now - self._heeded < BETWEEN_STEPS:
                return
            step()
            self._heeded = now
            if now - began < PATIENCE or now - self._ticked < BETWEEN_TICKS:
                return
            self._ticked = now
            self._say(algorithm, progress)
            if not drawn:
                draw()
                drawn = now

        self._ticked = self._heeded = 0.0
        with at_work():
            if look_first is not None:
                for algorithm in self.missing:
                    look_first(algorithm, tick)
            for algorithm in self.missing:
                self.results.fit(self.wanted[algorithm], self.frame, self.schema, tick)
                after(algorithm)
                now = time.monotonic()
                if drawn and now - drawn > BETWEEN_FIGURES and algorithm != self.missing[-1]:
                    draw()
                    drawn = now
        draw()
        if self.missing:
            self._close()

    def _close(self) -> None:
        """Say how it ended; offer to run what was stopped."""
        if self.stopped:
            names = ", ".join(METHODS[a].title for a in self.wanted if a in self.stopped)
            self.line.caption(f":material/pause: Stopped, so not up to date: {names}.")
            self.button.button("Run", key="run", icon=":material/play_arrow:", on_click=_resume)
        else:
            self.line.caption(":material/check: All results belong to these settings.")
            self.button.button("Stop", key="idle", icon=":material/stop:", disabled=True)

    def _say(self, algorithm: str, progress: Progress) -> None:
        place = list(self.wanted).index(algorithm)
        share = min(progress.done / max(progress.total, 1), 1.0)
        text = f"{METHODS[algorithm].title}: {progress.phase}, K = {progress.n_clusters:,}"
        self.line.progress((place + share) / len(self.wanted), text)


def _stop(tasks: set[Task]) -> None:
    st.session_state["stopped_tasks"] |= tasks


def _resume() -> None:
    st.session_state["stopped_tasks"].clear()
