"""What was found so far, in files: a search that was stopped finds its own answers there.

The driver draws everything from a seed, so that a second run asks the same questions in the same
order; those that the journal knows are answered from it.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from .place import Place


class Journal:
    """Answers by their names, in a folder that belongs to one search.

    Parameters
    ----------
    folder : Place
    about : str
        Everything that the answers depend on. What a search about something else left is removed.
    """

    def __init__(self, folder: Place, about: str) -> None:
        self.folder = folder
        kept = folder / "about.txt"
        if not (kept.is_file() and kept.read() == about.encode()):
            folder.remove()
            kept.write(about.encode())

    def recall(self, name: str, find_out: Callable[[], Any]) -> Any:
        """The answer of that name, found out and kept where nobody asked before."""
        place = self.folder / f"{name}.pickle"
        if place.is_file():
            return pickle.loads(place.read())
        answer = find_out()
        place.write(pickle.dumps(answer))
        return answer
