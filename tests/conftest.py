"""What tests of several rooms share."""

import gc
import os
import subprocess
import sys
from dataclasses import replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BROWSER = "tests/browser"

# Three processes share two cores: threads of BLAS and OpenMP would spin, waiting for each other.
# Set before anything imports numpy, which reads it once.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def pytest_report_header() -> str:
    """The versions that the tests run on, which are to be those that users get."""
    packages = ("pandas", "numpy", "streamlit")
    return "versions: " + ", ".join(f"{package} {version(package)}" for package in packages)


def pytest_configure() -> None:
    """Refuse to test another copy of the package than the one beside these tests."""
    found = find_spec("mapdp_studio")
    if found is None or Path(found.origin).resolve().parent != ROOT:
        pytest.exit(f'Install this checkout first: pip install -e ".[test]" in {ROOT}.', 2)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile once, on two cores, what both processes would each compile at their start."""
    config = session.config
    if config.getoption("numprocesses", 0) and not hasattr(config, "workerinput"):
        from mapdp_studio.core.methods.warmup import is_compiled, warm_up

        if not is_compiled():
            families = "from mapdp_studio.core.engine.calls import compile_all; compile_all()"
            process = subprocess.Popen([sys.executable, "-c", families], cwd=ROOT)
            warm_up()
            assert process.wait() == 0


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Without searches for cycles, a quarter of what three processes each take to import tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The browser's tests first: they take longest, and one process runs them all."""
    items.sort(key=lambda item: not item.nodeid.startswith(BROWSER))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file's tests run in one process, as they share fixtures; the browser's do all of them.

    Two browsers that draw in software at once would each wait for the other.
    """
    from xdist.scheduler import LoadFileScheduling

    class ByRoom(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return BROWSER if nodeid.startswith(BROWSER) else super()._split_scope(nodeid)

    return ByRoom(config, log)


@pytest.fixture(scope="session")
def ellipses():
    """Scenario 5.4 as the Teach page holds it, and what every method makes of it."""
    from tests.classroom import fitted, room  # with it come the pages, which few tests need

    here = room("5.4", 600)
    return here, fitted(here)


@pytest.fixture
def planted(monkeypatch) -> None:
    """One more method, registered and nothing else."""
    from mapdp_studio.core.methods import METHODS
    from tests.planted_method import HALVES

    monkeypatch.setitem(METHODS, HALVES.name, HALVES)


@pytest.fixture
def a_sixth(planted, monkeypatch) -> None:
    """The same, shown beside the five."""
    from mapdp_studio.core.methods import METHODS
    from tests.planted_method import HALVES

    monkeypatch.setitem(METHODS, HALVES.name, replace(HALVES, is_first=True))


@pytest.fixture
def run(tmp_path):
    """Run a script in a process of its own and read the labels that it writes."""
    import numpy as np

    from tests.fresh_process import run_script

    def run(text: str) -> np.ndarray:
        assert "from mapdp_studio.core import" in text
        run_script(text, tmp_path)
        return np.loadtxt(tmp_path / "labels.csv", skiprows=1, dtype=np.int64, ndmin=1)

    return run
