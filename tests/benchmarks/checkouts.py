"""Code run by the library of this checkout or of another, each under the name `mapdp_studio`."""

import os
import resource
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: The one that this file belongs to.
HERE = Path(__file__).parents[2]
NAME = "mapdp_studio"


class Ran(NamedTuple):
    """A process that has ended."""

    printed: str
    #: User and system time, of the processes that it started and waited for, too.
    cpu_seconds: float


def run_in(checkout: Path, code: str, *arguments: str, **environment: str) -> Ran:
    """Run code whose `mapdp_studio` is a checkout, in a process of its own.

    The package is a link to the checkout, in a new folder that is the first place where Python
    looks: what is installed, and whatever else the checkout's parent holds, has no say.
    """
    folder = _linked(checkout.resolve()).name
    variables = {**os.environ, "PYTHONPATH": folder, **environment}
    began = _children()
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Ran(run.stdout, _children() - began)


@cache
def _linked(checkout: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder with the link, one for all runs: numba keeps what it compiles by a file's path."""
    folder = tempfile.TemporaryDirectory()
    Path(folder.name, NAME).symlink_to(checkout, target_is_directory=True)
    return folder


def _children() -> float:
    """CPU seconds of all processes that this one started and that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime
