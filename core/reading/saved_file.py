"""What the studio's own JSON files share: first lines, and one sentence for any other file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SavedFile:
    """A kind of JSON file that says what it is and which version wrote it."""

    #: What it holds, "model" or "settings".
    content: str
    #: The newest that can be read.
    version: int
    #: Raised, with a sentence, for a text that is no such file.
    error: type[ValueError]

    @property
    def first_lines(self) -> dict[str, Any]:
        """What every file of this kind begins with."""
        return {"format": f"MAP-DP Studio {self.content}", "version": self.version}

    def read(self, text: str | bytes) -> dict[str, Any]:
        """Everything in a file of this kind that this version can read."""
        advice = f"choose a saved {self.content} file."
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            raise self.error(
                f"This is no {self.content} file: it is not JSON, or was cut short; {advice}"
            ) from None
        if not isinstance(entries, dict) or entries.get("format") != self.first_lines["format"]:
            raise self.error(f"This is no {self.content} file of MAP-DP Studio: {advice}")
        version = entries.get("version")
        if isinstance(version, int) and version > self.version:
            raise self.error(
                f"This {self.content} file was saved by a newer version ({version}, this one reads "
                f"{self.version}): update MAP-DP Studio."
            )
        return entries
