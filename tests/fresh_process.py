"""Scripts in processes of their own that find the library imported, which takes two seconds.

Every one is forked from a server of processes (``multiprocessing``'s forkserver) that has imported
the library and has fitted nothing.
"""

import multiprocessing
import os
import runpy
import sys
import traceback
import warnings
from functools import cache
from multiprocessing import forkserver
from pathlib import Path
from types import ModuleType

import pytest

#: The checkout's own, compiled already, found under the names that scripts call them by.
PRELOADED = [
    "mapdp_studio.core.exports.script",
    "mapdp_studio.core.methods",
    "mapdp_studio.demo_datasets",
]
ROOT = Path(__file__).parents[1]
PRINTED = "printed.txt"


@cache
def context() -> multiprocessing.context.ForkServerContext:
    """Whose server has imported the library."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__, *PRELOADED])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))  # where the server looks for them
        forkserver.ensure_running()
    return context


def run_script(text: str, folder: Path) -> str:
    """Run a script in a folder, warnings being errors; what it printed, or AssertionError."""
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    process = context().Process(target=_run, args=(path,))
    with pytest.MonkeyPatch.context() as patch:
        # A page that was under test still is the main module, which the process would run first.
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        process.start()
    process.join()
    printed = path.with_name(PRINTED).read_text(encoding="utf-8")
    assert process.exitcode == 0, printed
    return printed


def _run(path: Path) -> None:
    os.chdir(path.parent)
    warnings.simplefilter("error")
    with open(PRINTED, "w", encoding="utf-8") as sys.stdout:
        sys.stderr = sys.stdout
        try:
            runpy.run_path(path.name)
        except BaseException:
            traceback.print_exc()
            raise SystemExit(1) from None
