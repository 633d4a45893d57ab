"""The compiled kernels, made ready in the background while the pages stay usable."""

from __future__ import annotations

import subprocess
import threading
import time

import streamlit as st

from mapdp_studio.core.methods.warmup import compiler, is_compiled, warm_up
from mapdp_studio.pages.parts.shared.compute import run_again_when

#: What a visitor of a fresh installation waits for, and how long.
FIRST_START = "about half a minute, on the first start only"
_compiling: list[subprocess.Popen] = []


class Engine(threading.Thread):
    """Makes them ready, in processes of their own where they are still to be compiled."""

    def __init__(self) -> None:
        super().__init__(name="warm-up", daemon=True)
        self.first_start = not is_compiled()
        self.start()

    def run(self) -> None:
        if self.first_start:
            _compiling.append(compiler())
            while _compiling[-1].poll() is None and not is_compiled():
                time.sleep(0.2)
        warm_up()

    @property
    def ready(self) -> bool:
        return not self.is_alive()


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """One for the whole server, started by whoever comes first."""
    return Engine()


def stop_compiling() -> None:
    for process in _compiling:
        process.kill()


def engine_notice() -> None:
    if engine().first_start and not engine().ready:
        text = f":material/hourglass_top: Preparing the engine: {FIRST_START}."
        run_again_when(lambda: engine().ready, lambda: st.caption(text))
