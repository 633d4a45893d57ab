"""Words that tables use: yes and no, ordered scales, names of outcomes, identifiers and codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

_YES = {"yes", "y", "true", "t", "present", "positive", "pos", "+", "on", "case", "abnormal"}
_NO = {"no", "n", "false", "f", "absent", "negative", "neg", "-", "off", "control", "normal"}

# Scales from lowest to highest; words of one step stand together.
_SCALES = tuple(
    tuple(frozenset(step.split("/")) for step in scale.split(" < "))
    for scale in (
        "very low/vlow/v low < low/l < medium/med/moderate/mid/middle/average/normal/m < high/h"
        " < very high/vhigh/v high",
        "xxs < xs < small/s < medium/med/m < large/big/l < xl < xxl < xxxl",
        "very small < small < medium/med < big/large < very big/very large",
        "none/no/absent/normal < minimal/trace/borderline < slight/mild/light < moderate/medium"
        " < marked/severe/strong < very severe/extreme/profound",
        "never < rarely/seldom < occasionally/sometimes < often/frequently/usually < always",
        "never < former/ex/past/ex-smoker < current",
        "very poor/very bad < poor/bad < fair/average/ok/acceptable/satisfactory < good"
        " < very good < excellent",
        "strongly disagree < disagree/somewhat disagree < neutral/neither agree nor disagree"
        "/undecided < agree/somewhat agree < strongly agree",
        "very dissatisfied < dissatisfied < neutral < satisfied < very satisfied",
        "very unlikely < unlikely < neutral/possible < likely < very likely",
        "none < primary/elementary < secondary/high school/middle < tertiary/higher/university"
        "/college < postgraduate",
        "infant < child < adolescent/teenager/teen < young adult/young < adult/middle-aged/middle"
        " < elderly/old/senior",
        "freezing < cold < cool < mild/warm < hot < very hot",
        "first/1st < second/2nd < third/3rd < fourth/4th < fifth/5th",
        "negative < equivocal/borderline/trace < positive < strongly positive",
        "i < ii < iii < iv < v",
        "ia < ib < ic < iia < iib < iic < iiia < iiib < iiic < iva < ivb < ivc",
        "- < + < ++ < +++ < ++++",
    )
)

_STEP_PREFIX = re.compile(r"(stage|grade|level|score|phase|tier|step|degree|quartile|q)[ _-]?(\d+)")
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*(?:-|\u2013|to)\s*(-?\d+(?:\.\d+)?)")
_OPEN = re.compile(
    r"(?P<below><=?|≤|under |below |up to |less than )?\s*(?P<number>-?\d+(?:\.\d+)?)\s*"
    r"(?P<above>\+| ?plus| ?or more| ?and more| ?more| ?and over| ?and above)?"
    r"|(?P<over>>=?|≥|over |above |more than )\s*(?P<least>-?\d+(?:\.\d+)?)|(?P<more>more|many)"
)

_LABELS = ("class", "target", "label", "diagnosis", "species", "subtype", "outcome", "y", "status")
_TIMES = {
    "time",
    "survival",
    "survival time",
    "survtime",
    "survival days",
    "survival months",
    "time to event",
    "time to death",
    "days to death",
    "days to event",
    "futime",
    "fu time",
    "follow up",
    "followup",
    "follow up time",
    "followup time",
    "os",
    "os time",
    "os days",
    "os months",
    "pfs",
    "pfs time",
    "dfs",
    "dfs time",
}
_EVENTS = {
    "status",
    "event",
    "death",
    "dead",
    "died",
    "deceased",
    "censor",
    "censored",
    "vital status",
    "fustat",
    "os status",
    "os event",
    "pfs status",
    "dfs status",
    "relapse",
    "recurrence",
    "mortality",
    "outcome",
    "survived",
}
_ARMS = {
    "trt",
    "tmt",
    "arm",
    "rx",
    "treatment",
    "treatment arm",
    "trial arm",
    "study arm",
    "randomised",
    "randomized",
    "randomisation",
    "randomization",
    "allocation",
    "allocated",
    "treatment group",
}
_IDENTIFIERS = {
    "id",
    "ids",
    "uid",
    "uuid",
    "guid",
    "identifier",
    "patientid",
    "subjectid",
    "sampleid",
    "caseid",
    "recordid",
    "studyid",
    "userid",
    "customerid",
    "pid",
    "mrn",
    "ssn",
    "subject",
    "patient",
    "participant",
    "name",
    "record",
    "row",
    "row name",
    "rownames",
    "index",
    "case number",
    "sample",
    "sample code number",
    "barcode",
    "email",
}
_CODES = {
    "type",
    "kind",
    "code",
    "method",
    "region",
    "area",
    "zone",
    "site",
    "center",
    "centre",
    "hospital",
    "country",
    "zip",
    "location",
    "race",
    "ethnicity",
    "colour",
    "color",
    "occupation",
    "treatment",
    "trt",
    "tmt",
    "drug",
    "batch",
}
_COUNTED = {
    "visits",
    "admissions",
    "episodes",
    "events",
    "attacks",
    "falls",
    "children",
    "siblings",
    "pregnancies",
    "relapses",
    "nodules",
    "lesions",
    "nodes",
    "doses",
    "purchases",
    "claims",
}
_NOT_KNOWN = {
    "unknown",
    "unk",
    "missing",
    "not available",
    "not known",
    "not done",
    "not applicable",
    "not reported",
    "not recorded",
    "no data",
    "nd",
    "n.d.",
    "n/d",
    "n.a.",
    "none",
    "nil",
    "refused",
    "pending",
    "*",
    "**",
    "x",
}


def words(name: str) -> list[str]:
    """Words of a column name in small letters: "Patient_ID" and "patientId" are patient, id."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return re.findall(r"[^\W_]+", spaced.lower())


def _phrase(name: str) -> str:
    return " ".join(words(name))


def label_rank(name: str) -> int | None:
    """How clearly a name says "the known class" (0 most clearly), or None."""
    phrase = _phrase(name)
    return _LABELS.index(phrase) if phrase in _LABELS else None


def names_time(name: str) -> bool:
    """Whether a name says "time until an event"."""
    return _phrase(name) in _TIMES


def names_event(name: str) -> bool:
    """Whether a name says "did the event happen"."""
    return _phrase(name) in _EVENTS


def names_arm(name: str) -> bool:
    """Whether a name says "arm of a trial"."""
    return _phrase(name) in _ARMS


def names_identifier(name: str) -> bool:
    """Whether a name says "this tells rows or persons apart"."""
    parts = words(name)
    return " ".join(parts) in _IDENTIFIERS or (
        len(parts) > 1 and parts[-1] in ("id", "uid", "uuid")
    )


def names_code(name: str) -> bool:
    """Whether a name says that numbers in the column are codes without an order."""
    return not _CODES.isdisjoint(words(name))


def names_count(name: str) -> bool:
    """Whether a name says "how many"."""
    parts = words(name)
    if parts and parts[-1] in _COUNTED:
        return True
    if len(parts) < 2:
        return False
    return parts[0] in ("n", "nr", "num", "number", "count") or parts[-1] in ("count", "counts")


def means_missing(text: str) -> bool:
    """Whether a word says that a value is not known."""
    return text.strip().lower() in _NOT_KNOWN


def no_then_yes(levels: Sequence[Any]) -> tuple[Any, Any]:
    """Order two levels as (no, yes); where no word tells, the higher or later one counts as yes."""
    if all(isinstance(level, str) for level in levels):
        levels = in_known_order(levels) or sorted(levels)
    first, second = levels
    if _says(second, _NO) and not _says(first, _NO):
        return second, first
    if _says(first, _YES) and not _says(second, _YES):
        return second, first
    return first, second


def _says(level: Any, vocabulary: set[str]) -> bool:
    text = str(level).strip().lower()
    return text in vocabulary or not vocabulary.isdisjoint(words(text))


def in_known_order(levels: Iterable[Any]) -> tuple[Any, ...] | None:
    """Put levels in the order that their words or numbers give, or return None.

    Known are common scales (low < medium < high), numbers with an open end ("2", "3", "5more"),
    ranges ("0-9", "10-19", "65+"), and numbered steps ("stage 1").
    """
    texts = {level: str(level).strip().lower().replace("_", " ") for level in levels}
    if len(texts) < 2 or len(set(texts.values())) < len(texts):
        return None
    for scale in _SCALES:
        places = {level: _step(scale, text) for level, text in texts.items()}
        if None not in places.values() and len(set(places.values())) == len(places):
            return tuple(sorted(places, key=lambda level: places[level]))
    keys = {level: _number_key(text) for level, text in texts.items()}
    if None not in keys.values() and len(set(keys.values())) == len(keys):
        return tuple(sorted(keys, key=lambda level: keys[level]))
    return None


def _step(scale: tuple[frozenset[str], ...], text: str) -> int | None:
    return next((place for place, step in enumerate(scale) if text in step), None)


def _number_key(text: str) -> tuple[float, int] | None:
    """Where a text with a number stands: by its number, open ends outside."""
    if step := _STEP_PREFIX.fullmatch(text):
        return float(step[2]), 0
    if between := _RANGE.fullmatch(text):
        return float(between[1]), 0
    found = _OPEN.fullmatch(text)
    if not found:
        return None
    if found["more"]:
        return float("inf"), 0
    if found["over"]:
        return float(found["least"]), 1
    return float(found["number"]), -1 if found["below"] else 1 if found["above"] else 0
