"""Whether the levels of a column look like the names of persons."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Levels below which nothing is said, and the share of them that has to look so.
LEAST_LEVELS, MOSTLY = 5, 0.8
#: Share of the words of all levels that no other level has: titles of jobs repeat theirs.
OWN_WORDS = 0.7
_WORD = r"[A-Z\u00c0-\u00de][\w'\u2019.-]*[a-z\u00df-\u00ff][\w'\u2019-]*"
_INITIAL = r"[A-Z\u00c0-\u00de]\.?"
_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|Miss|Prof|Sr|Sra)\.? )?"
_PARTICLE = r"(?:(?:van|von|de|del|della|di|da|der|den|la|le|el|bin|al) )*"
#: "Ann Smith", "Dr. Ann B. Smith", "Ludwig van Beethoven"; "Smith, Ann B.".
_GIVEN_FIRST = re.compile(f"{_TITLE}{_WORD} (?:{_INITIAL} |{_WORD} )?{_PARTICLE}{_WORD}")
_FAMILY_FIRST = re.compile(f"{_PARTICLE}{_WORD}, *{_TITLE}{_WORD}(?: +(?:{_INITIAL}|{_WORD}))?")


def look_like_persons(levels: Iterable[str]) -> bool:
    """Whether most levels are two or three capitalised words, or a name and a comma, of their own.

    Titles of jobs and names of places are capitalised, too, but share words: "Data Analyst",
    "Senior Analyst".
    """
    texts = [" ".join(str(level).split()) for level in levels]
    if len(texts) < LEAST_LEVELS:
        return False
    found = [t for t in texts if _GIVEN_FIRST.fullmatch(t) or _FAMILY_FIRST.fullmatch(t)]
    if len(found) < MOSTLY * len(texts):
        return False
    words = [word for text in found for word in text.replace(",", " ").split()]
    return len({word for word in words if words.count(word) == 1}) >= OWN_WORDS * len(words)
