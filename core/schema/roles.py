"""What part a column plays: the answer, an outcome, a treatment, a weight, a mere number."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from ..families.family import CATEGORY, YES_NO
from .dependence import Copy
from .facts import Facts
from .labels import predicted, values_of
from .questions import LEFT_ASIDE, Answer, Look, Question, kept_as, named, quoted, worded
from .rules import as_codes
from .spec import TIME_TO_EVENT, ColumnSpec
from .survival import tells
from .words import (
    affirms,
    denies,
    label_rank,
    may_name_identifier,
    names_amount,
    names_centre,
    names_outcome,
    says,
    says_answer,
    says_survey_weight,
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
#: Share of rows with a number of their own, by a telling name and without; such a number's least.
_SURE_IF_NAMED, _SURE, _LONG_NUMBER = 0.7, 0.99, 10_000_000
#: Columns of origin from which on a table is about people; columns left for groups, at least.
_LEAST_ORIGIN, _LEAST_OTHERS = 2, 4


def with_named_roles(look: Look) -> dict[str, ColumnSpec]:
    """The columns with those kept out that are named like a class, an outcome or a trial's arm."""
    specs, facts = dict(look.specs), look.facts
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    few = {n for n in described if specs[n].family != "normal" and facts[n].n_distinct <= 50}
    events = [n for n in described if says("event", n) and n in few]
    times = [n for n in described if says("time", n) and n not in few]
    followed = bool(events and times)
    label = look.label or _clear_label(look, few, followed)
    for name in described:
        spec = specs[name]
        if says("arm", name) and name in few:
            why = "Named like a trial's arm: a negative control if randomised."
            specs[name] = _aside(spec, "control", why)
        elif followed and name in times:
            reason = f"Named like a follow-up time, with '{events[0]}' beside it: an outcome; name "
            reason += f"the codes of '{events[0]}' that mean the event."
            family = {"family": TIME_TO_EVENT, "event": events[0]}
            specs[name] = spec.changed(role="validator", reason=reason, **family)
        elif (name in events and (followed or name.lower() not in ("status", "event"))) or (
            label_rank(name) is not None and name.lower() != "status"
        ):
            specs[name] = _aside(spec, "validator", "Named like an outcome.")
    if label is not None:
        why = "The known class: compared with the clusters, never used to find them."
        specs[label] = _aside(look.specs[label], "label", why)
    return specs


def _clear_label(look: Look, few: Iterable[str], followed: bool) -> str | None:
    came = [name for name in look.specs if name not in look.made]
    ranks = {}
    for name in few:
        rank = label_rank(name)
        if rank is None or (followed and says("event", name)):
            continue
        if name.lower() != "status" or look.facts[name].n_distinct == 2 or name == came[-1]:
            ranks[name] = rank
    return min(ranks, key=lambda name: (ranks[name], name)) if ranks else None


def _aside(spec: ColumnSpec, role: str, why: str) -> ColumnSpec:
    return spec.changed(role=role, reason=f"{why} {spec.reason}")


def without_places(look: Look) -> dict[str, ColumnSpec]:
    """The columns with latitude and longitude left aside, where there is one pair of them."""
    found = []
    for names, most in ((_LATITUDE, 90), (_LONGITUDE, 180)):
        for name in filter(names.search, look.open):
            cells, known = look.frame[name], look.frame[name].dropna()
            if pd.api.types.is_float_dtype(cells) and (known % 1 != 0).any():
                found += [(most, name)] if (known.abs() <= most).all() else []
    is_pair = sorted(most for most, _ in found) == [90, 180]
    why = "Where the row is, and not what it is like."
    places = {name: _aside(look.specs[name], "ignore", why) for _, name in found if is_pair}
    return {**look.specs, **places}


def without_centres(look: Look) -> dict[str, ColumnSpec]:
    """The columns with what names a centre kept out, as a negative control."""
    specs = dict(look.specs)
    for name in filter(lambda name: _is_centre(look.facts[name]), look.open):
        spec = specs[name]
        if look.facts[name].kind == "number":
            spec = spec.changed(**as_codes(look.facts[name]), reason=spec.reason)
        why = "Names a centre: kept out of the groups, which it should not explain."
        specs[name] = _aside(spec, "control", why)
    return specs


def _is_centre(facts: Facts) -> bool:
    if not 2 <= facts.n_distinct <= _MOST_CENTRES or facts.n_present < 2 * facts.n_distinct:
        return False
    if facts.kind == "number":
        return facts.is_whole and facts.n_distinct > 2 and names_centre(facts.name)
    if facts.n_distinct > 2:
        by_cells = facts.kind == "text" and _are_centres(facts.levels, facts.counts)
        return by_cells or (facts.kind == "text" and names_centre(facts.name))
    are_answers = any(denies(v) or affirms(v) for v in facts.levels)
    return facts.kind == "text" and names_centre(facts.name) and not are_answers


def _are_centres(levels: Iterable[Any], counts: np.ndarray) -> bool:
    """Whether most rows hold the name of a centre: "St Mary's Hospital"."""
    named_so = np.array([bool(_CENTRE_NAMES.search(str(level))) for level in levels])
    return bool(counts[named_so].sum() >= 0.5 * counts.sum())


def holds_centres(column: pd.Series) -> bool:
    """Whether the cells of a column are names of centres."""
    counts = pd.Series(dtype=int) if is_numeric_dtype(column) else column.value_counts()
    fits = 2 <= len(counts) <= _MOST_CENTRES
    return fits and _are_centres(counts.index, counts.to_numpy())


def ask_outcomes(
    look: Look, labels: set[str], copies: Sequence[Copy], late: set[str]
) -> Iterator[Question]:
    """Columns that say what came of it, kept out so that groups can be held against them."""
    described = [name for name in look.open if name not in labels]
    values = {name: values_of(look.facts[name]) for name in look.open}
    usual = {v for v, n in Counter(values.values()).items() if n > 0.5 * len(values)}
    may_be = [n for n in described if values[n] not in usual]
    same_as = [(copy.name, copy.of[0]) for copy in copies if len(copy.of) == 1]
    found = {n for n in (*may_be, *(copy.name for copy in copies)) if names_outcome(n)}
    if not any(map(says_answer, labels)):
        found |= _paid(may_be)
    replies = {n for n in described if look.specs[n].kind == YES_NO and says("reply", n)}
    found |= replies if len(replies) <= 0.75 * len(look.open) else set()
    found |= late
    numbers = [n for n in may_be if look.specs[n].kind not in (YES_NO, CATEGORY)]
    reviewed = {name for name in numbers if says("review", name)}
    if reviewed:
        found |= reviewed | {name for name in numbers if says("score", name)}
    two = [n for n in found if look.facts[n].n_distinct == 2]
    few = {n for n in described if look.facts[n].n_distinct <= _MOST_VALUES}
    found |= {n for n in few - found for o in two if tells(look.frame[n], look.frame[o])}
    sources = {of for name, of in same_as if name in found} | found
    found = (sources | {name for name, of in same_as if of in sources}) - labels
    if not found and not labels:
        offers = {n for n in look.open if says("paid", n)} - _paid(may_be)
        found = set(predicted(look, look.open)) - offers
    names = [n for n in look.specs if n in found and look.specs[n].family is not None]
    if names:
        text = "[Is|Are] {names} [an outcome|outcomes], known afterwards or to be explained?"
        kept = kept_as("validator", names, "An outcome.", look.specs)
        no = Answer(worded("No: cluster on [it|them]", names), {})
        answers = Answer("Keep out, and test groups against", kept), no
        yield Question("outcome", tuple(names), worded(text, names), answers)


def _paid(names: Sequence[str]) -> set[str]:
    found = {name for name in names if says("paid", name)}
    has_whole = any(len(words(name)) == 1 or says("whole", name) for name in found)
    return found if has_whole or len(found) < 3 else set()


def ask_treatments(look: Look) -> Iterator[Question]:
    """Whether columns named so were given as a treatment, of a table that has an outcome."""
    kinds = (YES_NO, CATEGORY)
    found = [n for n in look.open if look.specs[n].kind in kinds and says("treatment", n)]
    if found:
        kept = kept_as("control", found, "A treatment.", look.specs)
        no = Answer(worded("No: cluster on [it|them]", found), {})
        text = worded("[Was|Were] {names} given as a treatment, rather than found?", found)
        answers = no, Answer("Yes: keep out, as controls", kept)
        yield Question("treatment", tuple(found), text, answers)


def ask_weights(look: Look) -> Iterator[Question]:
    """Whether a column named so says how much every row counts, and not what a body weighs."""
    if any(spec.role == "weight" for spec in look.specs.values()):
        return
    has_body = any(says("body", name) for name in look.specs)
    named = [n for n in look.open if says_survey_weight(n) or says("weight", n)]
    found = [n for n in named if _weighs_rows(look.facts[n], has_body)]
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


def _weighs_rows(facts: Facts, has_body: bool) -> bool:
    """Whether positive numbers called weights are those of rows."""
    if facts.kind != "number" or facts.n_present < facts.n_rows or facts.reading:
        return False
    levels, mean = facts.levels, facts.mean
    if facts.n_distinct < 3 or levels[0] < 0 or not np.isfinite(levels[-1]):
        return False
    if says_survey_weight(facts.name) or (0.7 <= mean <= 1.4 and levels[0] < 1 < levels[-1]):
        return True
    spread = np.sqrt(facts.counts @ (levels - mean) ** 2 / facts.counts.sum()) / mean
    return bool(not has_body and not facts.is_whole and spread > 0.6)


def ask_identifiers(look: Look) -> Iterator[Question]:
    """Whether numbers only tell rows or places apart; those that surely do are left aside."""
    found = [
        name
        for name in look.open
        if _may_number_rows(look.facts[name]) or _is_composite(look.facts[name], look.specs[name])
    ]
    by_form = [name for name in found if not may_name_identifier(name)]
    if len(by_form) > 2:  # amounts of one size, such as many parts of a whole
        found = [name for name in found if name not in by_form]
    sure = [name for name in found if _surely_numbers_rows(look.facts[name])]
    for names in filter(None, (sure, [name for name in found if name not in sure])):
        text = "Do[es|] {names} only tell rows or places apart, as a number or a code?"
        if names is sure:
            text, out = f"{text} {LEFT_ASIDE}", look.leave_aside(names, "Tells rows apart.", "id")
            no = Answer("No: cluster on it", {name: {"role": "cluster"} for name in names})
        else:
            out = Answer("Keep out", kept_as("id", names, "Tells rows apart.", look.specs))
            no = Answer("No: cluster on it", {})
        yield Question("identifier", tuple(names), worded(text, names), (out, no))


def _surely_numbers_rows(facts: Facts) -> bool:
    """Whether hardly any number recurs, and its name says so or it is longer than amounts."""
    if not _may_number_rows(facts):
        return False
    share = facts.n_distinct / facts.n_present
    if may_name_identifier(facts.name):
        return facts.n_distinct > 50 and share >= _SURE_IF_NAMED
    return bool(facts.levels[0] >= _LONG_NUMBER and share >= _SURE)


def _may_number_rows(facts: Facts) -> bool:
    """Whole numbers of one length, nearly all distinct, or named like those; no amounts."""
    if not facts.is_whole or facts.reading or facts.is_made or facts.n_present < 10:
        return False
    if may_name_identifier(facts.name) and facts.n_distinct > 12:
        return True
    if facts.n_distinct < 0.85 * facts.n_present or facts.levels[0] < 1000:
        return False
    # More numbers that end in 0 than chance puts there are amounts.
    tens = facts.counts[facts.levels % 10 == 0].sum() / facts.n_present
    if names_amount(facts.name) or 0.3 < tens < 1.0 or facts.skewness() > 2:
        return False
    lengths = np.floor(np.log10(facts.levels)).astype(int)
    return bool(np.bincount(lengths).max() >= 0.95 * len(lengths) and lengths[0] >= 4)


def _is_composite(facts: Facts, spec: ColumnSpec) -> bool:
    """Few whole numbers of four digits and more that repeat without being round: codes."""
    if not facts.is_whole or facts.reading or spec.special or names_amount(facts.name):
        return False
    levels, counts = facts.levels, facts.counts
    if facts.n_distinct < 13 or levels[-1] <= 0 or np.mean(levels[levels > 0] >= 1000) < 0.5:
        return False
    squares = np.all(np.sqrt(np.maximum(levels, 0)) % 1 == 0)  # of whole years, say
    repeated = facts.n_distinct <= 0.5 * facts.n_present
    sparse = (levels[-1] - levels[0]) / facts.n_distinct >= 40
    few_round = counts[levels % 50 == 0].sum() < 0.2 * counts.sum()
    return bool(repeated and sparse and few_round and not squares)


def ask_background(look: Look) -> Iterator[Question]:
    """Whether sex, origin and civil status, with age and schooling, are to make the groups."""
    kinds, described = (YES_NO, CATEGORY), look.open
    origin = [n for n in described if look.specs[n].kind in kinds and says("origin", n)]
    if len(origin) < _LEAST_ORIGIN:
        return
    found = [n for n in described if n in origin or says("age", n) or says("schooling", n)]
    if len(described) - len(found) < max(_LEAST_OTHERS, len(found)):
        return
    kept = kept_as("validator", found, "Background.", look.specs)
    answers = Answer("Yes: cluster on them", {}), Answer("No: describe the groups by them", kept)
    text = f"{named(found)} say who people are: are they to make the groups?"
    yield Question("background", tuple(found), text, answers)
