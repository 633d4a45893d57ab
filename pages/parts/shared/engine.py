"""The compiled kernels, made ready in the background while the pages stay usable."""

from __future__ import annotations

import atexit
import subprocess
import sys
import threading
from pathlib import Path

import streamlit as st

import core
from core.methods.warmup import is_compiled, warm_up


class Engine:
    """The compiled kernels, made ready in the background while the pages stay usable."""

    def __init__(self) -> None:
        self.first_start = not is_compiled()
        self._thread = threading.Thread(target=self._prepare, name="warm-up", daemon=True)
        self._thread.start()

    def _prepare(self) -> None:
        if self.first_start:
            # The compiler holds Python's lock for seconds at a time. In a process of its own it
            # leaves this one free to serve pages, and what it made is found on disk afterwards.
            folder = Path(core.__file__).parents[1]
            compiler = subprocess.Popen([sys.executable, "-m", "core.methods.warmup"], cwd=folder)
            atexit.register(compiler.kill)
            compiler.wait()
        warm_up()

    @property
    def ready(self) -> bool:
        return not self._thread.is_alive()


@st.cache_resource(show_spinner=False)
def engine() -> Engine:
    """One for the whole server, started by whoever comes first."""
    return Engine()


def engine_notice() -> None:
    """Say below the page that the first start is under way."""
    if engine().first_start and not engine().ready:
        _notice()


@st.fragment(run_every=1.0)
def _notice() -> None:
    if not engine().ready:
        st.caption(":material/hourglass_top: Preparing the engine (first start only)")
