"""What the words of column names and cells say; the words themselves are in ``words.toml``."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

_DATA = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


def _sets(table: Mapping[str, str]) -> dict[str, frozenset[str]]:
    return {kind: frozenset(text.replace("\n", "").split("|")) for kind, text in table.items()}


SCALES: Mapping[str, Any] = _DATA["scales"]
_CELLS = _sets(_DATA["cells"])
_NAMES = {where: _sets(table) for where, table in _DATA["names"].items()}
_ANY, _NONE = _NAMES["any"], frozenset[str]()
_PATTERNS = {
    kind: re.compile(text.replace("\n", "")) for kind, text in _DATA["names"]["pattern"].items()
}
_LABELS = tuple(_DATA["names"]["whole"]["label"].split("|"))
_ANSWER = _ANY["answer"] | _ANY["bare_answer"]
_NO_ANSWER = _CELLS["unknown"] | _CELLS["inapplicable"] | _CELLS["no_answer"]
_MISSING = _CELLS["unknown"] | _CELLS["inapplicable"] | _CELLS["perhaps_unknown"]
_GIVEN_BY_NOBODY = re.compile(r"(column|col|var|v|x|c|unnamed:?|feature|field)?[ _]?\d+")

#: Signs that say yes or no, alone or behind a word.
_MARKS = ("+", "-", "✓", "✔", "☑", "✗", "✘", "☐")


def words(name: str) -> list[str]:
    """Words of a column name in small letters: "Patient_ID" and "patientId" are patient, id."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return re.findall(r"[^\W_]+", spaced.lower())


def is_sentence(name: str) -> bool:
    """Whether a name is a question as it was asked: no word in it names the column."""
    return "?" in name or len(name.split()) > 6


def is_given(name: str) -> bool:
    """Whether a person gave the name, rather than reading a table without headers."""
    return _GIVEN_BY_NOBODY.fullmatch(name.lower()) is None


def _naming(name: str) -> list[str]:
    return [] if is_sentence(name) else words(name.replace("%", " percent "))


def says(kind: str, name: str) -> bool:
    """Whether a column's name says something: a kind of name in ``words.toml``, such as "age"."""
    parts = _naming(name)
    phrase, several = " ".join(parts), len(parts) > 1
    found = {
        "any": parts,
        "numbered": [part.rstrip("0123456789") for part in parts],
        "ends": [*parts[:1], *parts[-1:]],
        "first": parts[:several],
        "behind": parts[-1:] if several else [],
        "last": parts[-1:],
        "whole": [phrase],
        "joined": ["".join(parts), *parts],
        "phrase": [p for p in _NAMES["phrase"].get(kind, ()) if f" {p} " in f" {phrase} "],
    }
    is_so = any(not _NAMES[w].get(kind, _NONE).isdisjoint(text) for w, text in found.items())
    is_so |= kind in _PATTERNS and _PATTERNS[kind].search(phrase) is not None
    is_so &= _NAMES["but"].get(kind, _NONE).isdisjoint(parts)
    return is_so or any(says(other, name) for other in _NAMES["also"].get(kind, _NONE))


def label_rank(name: str) -> int | None:
    """How clearly a name says "the known class" (0 most clearly), or None."""
    phrase = " ".join(_naming(name))
    return _LABELS.index(phrase) if phrase in _LABELS else None


def names_answer(name: str, is_last: bool = False) -> bool:
    """Whether a name may say "the known class": by one of its words, or by the whole."""
    parts = set(_naming(name))
    found = parts & _ANSWER
    return says_answer(name) or bool(found and (is_last or parts <= _ANSWER))


def says_answer(name: str, alone: bool = False) -> bool:
    """Whether one of its words says so that few features carry, and with ``alone`` nothing else."""
    parts = set(_naming(name))
    return not parts.isdisjoint(_ANY["answer"]) and (not alone or parts <= _ANSWER)


def says_survey_weight(name: str) -> bool:
    """Whether a name says that it is the weight of a row in a survey."""
    return says("survey_weight", name) or (says("weight", name) and says("of_survey", name))


def names_centre(name: str) -> bool:
    """Whether a name says "centre", "site", "hospital", and nothing that makes it another thing."""
    parts = {part.rstrip("0123456789") for part in _naming(name)}
    return bool(parts & _ANY["centre"]) and parts <= _ANY["centre"] | _ANY["beside_centre"] | {""}


def means_missing(text: str) -> bool:
    """Whether a word says that a value is not known."""
    return text.strip().lower() in _MISSING


def says_unknown(text: str) -> bool:
    """Whether a word among other words can only say that a value is not known."""
    return text.strip().lower() in _CELLS["unknown"]


def may_say_unknown(text: str) -> bool:
    """Whether a word may say so, although it may be a value beside others: "N/A: still here"."""
    plain = " ".join(text.lower().replace("\u2019", "'").split())
    return plain in _NO_ANSWER or plain.startswith(("n/a", "unknown", "not applicable"))


def says_no_answer(label: str) -> bool:
    """Whether what a file writes for a code says that nobody answered: "9. DK/NA (volunteered)"."""
    plain = re.sub(r"\([^)]*\)", " ", label.lower().replace("\u2019", "'"))
    plain = " ".join(re.sub(r"^[-\d.:)\s]+", "", plain).split())
    parts = [part.strip() for part in re.split(r"[/,;]|\bor\b|(?<=\bdk)\s", plain) if part.strip()]
    if "(n/a)" in label.lower() or plain in _NO_ANSWER:
        return True
    return bool(parts) and _NO_ANSWER.issuperset(parts)


def denies(level: Any, other: Any = "") -> bool:
    """Whether a level says no: of its words an odd number do, as two take each other back."""
    no, parts = _CELLS["no"], _CELLS["no"] | _parts(other)
    n_no = 0
    for word in _parts(level):
        starts = (start for start in _CELLS["opposite"] if word.startswith(start))
        roots = {word[len(start) :] for start in starts}
        turned = set() if word in parts else {root for root in roots & parts if len(root) > 3}
        n_no += bool(turned) + (not no.isdisjoint(turned or {word}))
    return n_no % 2 == 1


def affirms(level: Any) -> bool:
    """Whether a level says yes, or that something was found."""
    return not _CELLS["yes"].isdisjoint(_parts(level))


def tells_of_death(level: Any) -> bool:
    """Whether a level says that somebody died."""
    return not (_CELLS["yes"] & _ANY["outcome"]).isdisjoint(_parts(level))


def has_placebo(levels: Sequence[Any]) -> bool:
    """Whether one of some levels says that nothing real was given, as in an arm of a trial."""
    return any(not _CELLS["placebo"].isdisjoint(_parts(level)) for level in levels)


def _parts(level: Any) -> frozenset[str]:
    """The words of a level, and the sign at its end."""
    text = str(level).strip().lower()
    return frozenset([*words(text), text[-1:]] if text.endswith(_MARKS) else words(text))


def no_then_yes(levels: Sequence[Any]) -> tuple[Any, Any]:
    """Order two levels as (no, yes): what denies is no, what affirms or tells of a death yes."""
    first, second = levels
    if not any(isinstance(level, str) for level in levels):
        return first, second
    # What was not looked for is no finding: beside it the other level is.
    denied = denies(second, first) + says_unknown(str(second))
    denied -= denies(first, second) + says_unknown(str(first))
    affirmed = affirms(first) - affirms(second)
    return (second, first) if (denied or affirmed) > 0 else (first, second)
