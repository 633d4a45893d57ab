"""What the studio's own JSON files share: first lines, a checksum, a sentence for other files."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SavedFile:
    """A kind of JSON file that says what it is and which version wrote it."""

    content: str
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
        return self.checked(entries)

    def checked(self, entries: Any) -> dict[str, Any]:
        """The same of entries that were read already."""
        advice = f"choose a saved {self.content} file."
        if not isinstance(entries, dict) or entries.get("format") != self.first_lines["format"]:
            raise self.error(f"This is no {self.content} file of MAP-DP Studio: {advice}")
        version = entries.get("version")
        if isinstance(version, int) and version > self.version:
            raise self.error(
                f"This {self.content} file was saved by a newer version ({version}, this one reads "
                f"{self.version}): update MAP-DP Studio."
            )
        return entries

    @contextmanager
    def rebuilding(self, *refusals: type[ValueError]) -> Iterator[None]:
        """Say what cannot be made of a file's entries; ``refusals`` are sentences already."""
        try:
            yield
        except self.error:
            raise
        except refusals as error:
            raise self.error(str(error)) from None
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise self.damaged(why) from None

    def damaged(self, why: object) -> ValueError:
        """The refusal of a file that is what it says, but for what is wrong with it."""
        return self.error(f"This {self.content} file is damaged ({why}): save it again.")

    def signed(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Content with its first lines and a checksum."""
        content = {**self.first_lines, **content}
        return content | {"checksum": _checksum(content)}

    def read_unchanged(self, text: str | bytes) -> dict[str, Any]:
        """What ``read`` does, of a file that was signed and that nobody has changed since."""
        content = self.read(text)
        checksum = content.pop("checksum", None)
        if checksum != _checksum(content):
            raise self.error(
                f"This {self.content} file was changed after it was saved, so its numbers may no "
                f"longer fit each other: use the original file, or save the {self.content} again."
            )
        return content


def _checksum(content: Mapping[str, Any]) -> str:
    """Of the values alone: neither the order of the entries nor line breaks matter."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
