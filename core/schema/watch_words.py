"""Words and stems in names that speak of how long somebody was watched, and of what happened."""

from __future__ import annotations

import re

from .vocabulary import is_sentence, names_event, names_outcome, names_time, words

# Pieces, as programs join words: "futime", "survTime", "rfsstat".
_TIMES = re.compile(
    r"time|surv|follow|duration|zeit|tiempo|tempo|temps|^fu|^(?:os|pfs|dfs|rfs|efs|ttr|ttp|tte)$"
)
_TIMED = frozenset(("days", "weeks", "months", "os", "pfs", "dfs", "rfs", "efs", "ttr", "ttp"))
_EVENTS = re.compile(
    r"stat(?:us)?$|cens|event|death|dead|died|relap|recur|progress|fail|surviv|vital|alive"
)
_AS_IN_BOOKS = re.compile(r"t\d*", re.IGNORECASE), re.compile(r"d\d*|delta|δ", re.IGNORECASE)
_SHORT = 3  # letters of names that differ in their first alone: "ta" and "da"
_STEM = 2  # letters that two names begin with, at least


def names_watch(name: str) -> bool:
    """Whether a name may be that of the time that somebody was watched: "futime", "OS", "t1"."""
    if is_sentence(name):
        return False
    parts = words(name)
    return (
        names_time(name)
        or bool(_AS_IN_BOOKS[0].fullmatch(name))
        or not _TIMED.isdisjoint(parts)
        or any(_TIMES.search(part) for part in parts)
    )


def says_watch(name: str) -> bool:
    """Whether it says so by itself: "futime" does, "time" alone may be the time of day."""
    return names_time(name) and name.strip().lower() != "time"


def names_happening(name: str) -> bool:
    """Whether a name may say whether it happened: "fustat", "delta", "d1", "recur"."""
    if is_sentence(name):
        return False
    named = names_event(name) or names_outcome(name) or bool(_AS_IN_BOOKS[1].fullmatch(name))
    return named or any(_EVENTS.search(part) for part in words(name))


def names_censored(name: str) -> bool:
    """Whether a name speaks of being censored, of which both codes are in use for it."""
    return any("cens" in part for part in words(name))


def share_stem(time: str, status: str) -> bool:
    """Whether two names are of one pair: "srv" and "srvstat", "T1" and "D1", "aids.time" and -stat.

    One begins with the other, or the time ends with the status; a status that ends with the time,
    "noage", says whether that is known. Or they begin alike and go on otherwise, with nothing else
    but what says time and status; or short ones differ in their first letter; or one number ends
    what says time and status.
    """
    a, b = time.lower(), status.lower()
    if not a or not b or a == b:
        return False
    short, long = sorted((a, b), key=len)
    if len(short) > 1 and (long.startswith(short) or a.endswith(b)):
        return True
    if len(a) == len(b) <= _SHORT and a[1:] == b[1:] and a[1:]:
        return True
    stem = _begin_alike(a, b)
    if stem >= _STEM and names_watch(time) and names_happening(status):
        return True
    ends = re.search(r"\d+$", a), re.search(r"\d+$", b)
    is_same = ends[0] and ends[1] and ends[0][0] == ends[1][0]
    return bool(is_same and names_watch(time) and names_happening(status))


def _begin_alike(a: str, b: str) -> int:
    return next((k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
