"""What was found so far, on disk: a search that was stopped finds its own answers there.

The driver draws everything from a seed, so that a second run asks the same questions in the same
order; those that the journal knows are answered from it.
"""

from __future__ import annotations

import contextlib
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Journal:
    """Answers by their names, in a folder that belongs to one search.

    Parameters
    ----------
    folder : Path
    about : str
        Everything that the answers depend on. What a search about something else left is removed.
    """

    def __init__(self, folder: Path, about: str) -> None:
        self.folder = folder
        kept = folder / "about.txt"
        if not (kept.is_file() and kept.read_text(encoding="utf-8") == about):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            kept.write_text(about, encoding="utf-8")

    def recall(self, name: str, find_out: Callable[[], Any]) -> Any:
        """The answer of that name, found out and kept where nobody asked before."""
        path = self.folder / f"{name}.pickle"
        if path.is_file():
            return pickle.loads(path.read_bytes())
        answer = find_out()
        partial = path.with_suffix(".part")
        partial.write_bytes(pickle.dumps(answer))
        partial.replace(path)
        return answer

    def forget(self, folder: Path) -> None:
        """Remove what is no longer needed."""
        with contextlib.suppress(OSError):
            shutil.rmtree(folder)
