"""What the studio's own JSON files share: first lines, a checksum, a sentence for other files."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .wording import RefusedError


@dataclass(frozen=True)
class SavedFile:
    """A kind of JSON file that says what it is and which version wrote it."""

    #: As a sentence calls it: "settings file".
    content: str
    version: int
    #: Raised, with a sentence, for a text that is no such file.
    error: type[RefusedError]

    @property
    def first_lines(self) -> dict[str, Any]:
        """What every file of this kind begins with."""
        name = self.content.removesuffix(" file")
        return {"format": f"MAP-DP Studio {name}", "version": self.version}

    def read(self, text: str | bytes) -> dict[str, Any]:
        """Everything in a file of this kind that this version can read."""
        advice = f"choose a saved {self.content}."
        try:
            entries = json.loads(text)
        except (ValueError, RecursionError):
            raise self.error(
                f"This is no {self.content}: it is not JSON, or was cut short; {advice}"
            ) from None
        return self.checked(entries)

    def checked(self, entries: Any) -> dict[str, Any]:
        """The same of entries that were read already."""
        advice = f"choose a saved {self.content}."
        if not isinstance(entries, dict) or entries.get("format") != self.first_lines["format"]:
            raise self.error(f"This is no {self.content} of MAP-DP Studio: {advice}")
        self.check_version(entries)
        return entries

    def check_version(self, entries: Any) -> None:
        """Refuse entries that name no version, or a newer one."""
        version = entries.get("version") if isinstance(entries, Mapping) else None
        if not isinstance(version, int):
            raise self.damaged("it names no version")
        if version > self.version:
            raise self.error(
                f"This {self.content} was saved by a newer version ({version}, this one reads "
                f"{self.version}): update MAP-DP Studio."
            )

    @contextmanager
    def rebuilding(self) -> Iterator[None]:
        """Say in one sentence what cannot be made of a file's entries."""
        try:
            yield
        except RefusedError as error:
            raise self.error(str(error)) from None
        except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            why = f"it lacks {error}" if isinstance(error, KeyError) else error
            raise self.damaged(why) from None

    def damaged(self, why: object) -> RefusedError:
        """The refusal of what is wrong in one place."""
        return self.error(f"This {self.content} is damaged ({why}): save it again.")

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
                f"This {self.content} was changed after it was saved, so its numbers may no "
                f"longer fit each other: use the original file, or save it again."
            )
        return content


def _checksum(content: Mapping[str, Any]) -> str:
    """Of the values alone: neither the order of the entries nor line breaks matter."""
    plain = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(plain.encode()).hexdigest()
