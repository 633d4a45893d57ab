"""Code in processes of its own that find imported what the library needs, and nothing of it.

Each is forked from one process that has imported those packages, which takes two seconds. This
file is also what that process runs: it imports nothing of the project.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import NoReturn

#: Without the packages of the extra, which a plain install leaves out.
PRELOADED = ("joblib", "numba.extending", "pandas", "pyarrow", "scipy.stats")
PRELOADED += ("sklearn.cluster", "sklearn.isotonic", "sklearn.manifold", "sklearn.metrics")
SAID, COMPLAINED = "said.txt", "complained.txt"


class Bare:
    """Starts such processes."""

    def __init__(self, server: subprocess.Popen) -> None:
        self._server = server

    def run(self, code: str, folder: Path) -> str:
        """Run code in a folder, as ``python -W error -c``; what it said."""
        print(json.dumps([code, str(folder)]), file=self._server.stdin, flush=True)
        status = self._server.stdout.readline().strip()
        assert status == "0", (folder / COMPLAINED).read_text(encoding="utf-8")
        return (folder / SAID).read_text(encoding="utf-8").strip()


@contextmanager
def bare_processes() -> Iterator[Bare]:
    """The process that the others are forked from, which ends with its standard input."""
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    with subprocess.Popen(
        [sys.executable, __file__],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        yield Bare(server)


def _serve() -> None:
    sys.path.pop(0)  # the folder of this file
    for name in PRELOADED:
        import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            _run(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(code: str, folder: str) -> NoReturn:
    os.chdir(folder)
    for name, end in ((os.devnull, 0), (SAID, 1), (COMPLAINED, 2)):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), end)
    sys.path.insert(0, "")
    sys.argv = ["-c"]
    warnings.simplefilter("error")
    status = 1
    try:
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        status = 0
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _serve()
