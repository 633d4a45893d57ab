"""What part a column plays: the answer, an outcome, a treatment, a weight, a mere number."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..families.family import CATEGORY, MEASUREMENT, YES_NO
from .dependence import Copy
from .facts import Facts
from .labels import predicted, values_of
from .questions import KEPT_OUT, Answer, Look, Question, quoted, worded
from .rules import as_codes
from .spec import TIME_TO_EVENT
from .survival import tells
from .words import (
    affirms,
    denies,
    has_placebo,
    label_rank,
    names_centre,
    says,
    says_answer,
    says_survey_weight,
    tells_of_death,
    words,
)

_MOST_CENTRES, _MOST_VALUES = 100, 30  # levels of a centre, and of what may tell an outcome
_CENTRE_NAMES = re.compile(
    r"hospital|institut|universi|clinic|klinik|medical cent|health cent|krankenhaus|hôpital"
    r"|ospedal|ziekenhuis|szpital|infirmary|sanator",
    re.IGNORECASE,
)
_LATITUDE = re.compile(r"(?:^|[_ .])lat(?:itude)?(?:$|[_ .,])", re.IGNORECASE)
_LONGITUDE = re.compile(r"(?:^|[_ .])(?:lon|lng|long|longitude)(?:$|[_ .,])", re.IGNORECASE)
#: What an exported table has beside its own columns: the group of a row, and how sure it is.
EXPORTED = (
    *("cluster", "cluster label from 0"),
    *("probability", "second choice", "its probability", "log density"),
)
_ANSWERING = 3  # fewest columns by which a survey's software is told
_SURE = 0.7  # share of the rows with a number of their own
_LONG = 1e11  # whole numbers from here on that are all of one length: cards, devices, articles


def keep_out_exported(look: Look) -> None:
    """Keep out the groups of an earlier analysis, and what software wrote beside the answers."""
    groups, number, *_ = EXPORTED
    if {groups, number} <= {*look.specs} and look.label is None:
        found = [name for name in EXPORTED if name in look.specs]
        look.keep_out(found, "Written beside the groups of an earlier analysis.")
        look.keep_out([groups], "The groups of an earlier analysis, to compare with.", "label")
    written = [name for name in look.specs if says("perhaps_answering", name)]
    if len(written) >= _ANSWERING and any(says("answering", name) for name in written):
        found = [name for name in look.open if name in written]
        look.keep_out(found, "Written by a survey's software: how it was answered, no answer.")


def keep_out_named(look: Look) -> None:
    """Keep out what is named like a class, an outcome or a trial's arm."""
    specs, facts = look.specs, look.facts
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    few = {n for n in described if specs[n].family != "normal" and facts[n].n_distinct <= 50}
    events = [n for n in described if says("event", n) and n in few]
    times = [n for n in described if says("time", n) and n not in few]
    followed = bool(events and times)
    outcomes = {n for n in described if label_rank(n) is not None or says("endpoint", n)}
    outcomes |= {*events}
    if not followed:  # alone they may be anything
        outcomes = {name for name in outcomes if name.lower() not in ("status", "event")}
    label = look.label or _clear_label(look, few, events * followed)
    for name in (n for n in described if n != label):
        is_arm = says("arm", name)
        if name in few and (is_arm or has_placebo(facts[name].levels)):
            why = "Named like a trial's arm" if is_arm else "Holds a placebo, as a trial's arm does"
            look.keep_out([name], f"{why}: a negative control if randomised.", "control")
        elif followed and name in times:
            reason = f"Named like a follow-up time, with '{events[0]}' beside it: an outcome; name "
            reason += f"the codes of '{events[0]}' that mean the event."
            out = {"family": TIME_TO_EVENT, "role": "validator", "event": events[0]}
            specs[name] = specs[name].changed(**out, reason=reason)
        elif name in outcomes:
            look.keep_out([name], "Named like an outcome.", "validator")
    if label is not None:
        why = "The known class: compared with the clusters, never used to find them."
        look.keep_out([label], why, "label")


def _clear_label(look: Look, few: Iterable[str], events: Sequence[str]) -> str | None:
    """The column of few values whose name says most clearly that it is the known class."""
    named = [n for n in few if n not in events and label_rank(n) is not None]
    last = [name for name in look.specs if name not in look.made][-1:]
    two = [name for name in named if look.facts[name].n_distinct == 2]
    clear = [name for name in named if name.lower() != "status" or name in two + last]
    return min(clear, key=lambda name: (label_rank(name), name), default=None)


def keep_out_places(look: Look) -> None:
    """Keep out latitude and longitude, where there is one pair of them."""
    facts = look.facts
    parts = [n for n in look.open if facts[n].kind == "number" and not facts[n].is_whole]
    latitudes, longitudes = (list(filter(p.search, parts)) for p in (_LATITUDE, _LONGITUDE))
    if len(latitudes) == len(longitudes) == 1:
        look.keep_out(latitudes + longitudes, "Where the row is, and not what it is like.")


def keep_out_centres(look: Look) -> None:
    """Keep out what names a centre, as a negative control."""
    why = "Names a centre: kept out of the groups, which it should not explain."
    for name in filter(lambda name: _is_centre(look.facts[name]), look.open):
        look.keep_out([name], why, "control")
        if look.facts[name].kind == "number":
            spec = look.specs[name]
            look.specs[name] = spec.changed(**as_codes(look.facts[name]), reason=spec.reason)


def _is_centre(facts: Facts) -> bool:
    if not 2 <= facts.n_distinct <= _MOST_CENTRES or facts.n_present < 2 * facts.n_distinct:
        return False
    if facts.kind == "number":
        return facts.is_whole and facts.n_distinct > 2 and names_centre(facts.name)
    two = facts.n_distinct == 2
    are_answers = two and any(denies(level) or affirms(level) for level in facts.levels)
    by_cells = not two and _are_centres(facts.levels, facts.counts)
    return by_cells or (names_centre(facts.name) and not are_answers)


def _are_centres(levels: Iterable[Any], counts: np.ndarray) -> bool:
    """Whether most rows hold the name of a centre: "St Mary's Hospital"."""
    named_so = np.array([bool(_CENTRE_NAMES.search(str(level))) for level in levels])
    return bool(counts[named_so].sum() >= 0.5 * counts.sum())


def holds_centres(column: pd.Series) -> bool:
    """Whether the cells of a column are names of centres."""
    counts = column.value_counts()
    return 2 <= len(counts) <= _MOST_CENTRES and _are_centres(counts.index, counts.to_numpy())


def ask_outcomes(
    look: Look, labels: set[str], copies: Sequence[Copy], late: set[str]
) -> Iterator[Question]:
    """Columns that say what came of it, kept out so that groups can be held against them."""
    specs, facts = look.specs, look.facts
    described = [name for name in look.open if name not in labels]
    values = {name: values_of(facts[name]) for name in look.open}
    usual = {v for v, n in Counter(values.values()).items() if n > 0.5 * len(values)}
    may_be = [n for n in described if values[n] not in usual]
    found = late | {n for n in (*may_be, *(copy.name for copy in copies)) if says("outcome", n)}
    if not any(map(says_answer, labels)):
        found |= _paid(may_be)
    named = (n for n in described if specs[n].kind in (YES_NO, CATEGORY))
    found |= {n for n in named if any(map(tells_of_death, facts[n].levels))}
    replies = {n for n in described if specs[n].kind == YES_NO and says("reply", n)}
    found |= replies if len(replies) <= 0.75 * len(look.open) else set()
    numbers = [n for n in may_be if specs[n].kind not in (YES_NO, CATEGORY)]
    if any(says("review", name) for name in numbers):
        found |= {name for name in numbers if says("review", name) or says("score", name)}
    two = [n for n in found if facts[n].n_distinct == 2]
    few = {n for n in described if facts[n].n_distinct <= _MOST_VALUES}
    found |= {n for n in few - found for o in two if tells(look.frame[n], look.frame[o])}
    same_as = [(copy.name, copy.of[0]) for copy in copies if len(copy.of) == 1]
    sources = {of for name, of in same_as if name in found} | found
    found = (sources | {name for name, of in same_as if of in sources}) - labels
    if not found and not labels:
        offers = {n for n in look.open if says("paid", n)} - _paid(may_be)
        found = set(predicted(look, look.open)) - offers
    if names := [name for name in specs if name in found]:
        text = "[Is|Are] {names} [an outcome|outcomes], known afterwards or to be explained?"
        changes = look.with_role("validator", names, "An outcome.")
        no = Answer(worded("No: cluster on [it|them]", names), {})
        answers = Answer("Keep out, and test groups against", changes), no
        yield Question("outcome", tuple(names), worded(text, names), answers)


def _paid(names: Sequence[str]) -> set[str]:
    found = {name for name in names if says("paid", name)}
    has_whole = any(len(words(name)) == 1 or says("whole", name) for name in found)
    return found if has_whole or len(found) < 3 else set()


def ask_treatments(look: Look) -> Iterator[Question]:
    """Whether columns named so were given as a treatment, of a table that has an outcome."""
    given = (n for n in look.open if look.specs[n].kind != MEASUREMENT)
    found = [name for name in given if says("treatment", name)]
    if found:
        changes = look.with_role("control", found, "A treatment.")
        no = Answer(worded("No: cluster on [it|them]", found), {})
        text = worded("[Was|Were] {names} given as a treatment, rather than found?", found)
        answers = no, Answer("Yes: keep out, as controls", changes)
        yield Question("treatment", tuple(found), text, answers)


def ask_weights(look: Look) -> Iterator[Question]:
    """Whether a column named so says how much every row counts, and not what a body weighs."""
    named = [n for n in look.open if says_survey_weight(n) or says("weight", n)]
    found = [n for n in named if _weighs_rows(look.facts[n])]
    if not found:
        return
    by = []
    for name in found:
        roles = {other: {"role": "weight" if other == name else "ignore"} for other in found}
        by.append(
            Answer(worded("[Let rows count by it|By {name}]", found, name=quoted(name)), roles)
        )
    no = Answer(worded("[No: cluster on it|By none: cluster on them]", found), {})
    text = "Does [|one of ]{names} say how much every row counts, as the weights of a survey do?"
    yield Question("weight", tuple(found), worded(text, found), (*by, no))


def _weighs_rows(facts: Facts) -> bool:
    """Whether numbers called weights are those of rows: about 1, or named as a survey does."""
    if facts.kind != "number" or facts.n_present < facts.n_rows or facts.n_distinct < 3:
        return False
    about_1 = 0.7 <= facts.mean <= 1.4
    return facts.levels[0] >= 0 and (about_1 or says_survey_weight(facts.name))


def ask_identifiers(look: Look) -> Iterator[Question]:
    """Whether numbers only tell rows or places apart; those that surely do are left aside."""
    found = [name for name in look.open if _may_number_rows(look.facts[name])]
    by_form = [name for name in found if not says("perhaps_identifier", name)]
    if len(by_form) > 2:  # amounts of one size, such as many parts of a whole
        found = [name for name in found if name not in by_form]
    sure = [name for name in found if _surely_numbers_rows(look.facts[name])]
    for names in filter(None, (sure, [name for name in found if name not in sure])):
        text = "Do[es|] {names} only tell rows or places apart, as a number or a code?"
        if names is sure:
            text, out = f"{text} {KEPT_OUT}", look.keep_out(names, "Tells rows apart.", "id")
            no = Answer("No: cluster on it", {name: {"role": "cluster"} for name in names})
        else:
            out = Answer("Keep out", look.with_role("id", names, "Tells rows apart."))
            no = Answer("No: cluster on it", {})
        yield Question("identifier", tuple(names), worded(text, names), (out, no))


def _surely_numbers_rows(facts: Facts) -> bool:
    """Whether most numbers stand in one row, and their name or length says so."""
    named = says("perhaps_identifier", facts.name) or facts.levels[0] >= _LONG
    return named and facts.n_distinct > max(50, _SURE * facts.n_present)


def _may_number_rows(facts: Facts) -> bool:
    """Whole numbers of one length, nearly all distinct, or named like those; no amounts."""
    if not facts.is_whole or facts.reading or facts.is_made or facts.n_present < 10:
        return False
    if says("perhaps_identifier", facts.name) and facts.n_distinct > 12:
        return True
    if facts.n_distinct < 0.85 * facts.n_present or facts.levels[0] < 1000:
        return False
    if says("amount", facts.name) or facts.skewness() > 2:
        return False
    lengths = np.floor(np.log10(facts.levels)).astype(int)
    return bool(np.bincount(lengths).max() >= 0.95 * len(lengths) and lengths[0] >= 4)
