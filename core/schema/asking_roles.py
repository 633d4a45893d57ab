"""What is asked about the part a column plays: the answer, an outcome, a weight, a mere number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from .afterwards import known_afterwards
from .asking_words import SHOWN, by_default, listed, quoted, values
from .facts import Facts
from .known_classes import may_be_known
from .questions import Answer, Question
from .repeats import Repeat
from .spec import ColumnSpec
from .vocabulary import (
    may_name_identifier,
    names_amount,
    names_body,
    names_weight,
    says_survey_weight,
)

#: Share of the rows with a number of their own in a column that surely numbers them: where its
#: name says so, and where it does not; and such a number without a name, at least.
_SURE_IF_NAMED, _SURE, _LONG_NUMBER = 0.7, 0.99, 10_000_000
#: Columns that look like numbers of rows and are not named so, at most: nobody needs more.
_MOST_BY_FORM = 2


def ask_labels(
    frame: pd.DataFrame, facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]
) -> list[Question]:
    """Whether a column of few values is the answer that somebody knew."""
    if any(spec.role == "label" for spec in specs.values()):
        return []
    came = {name: spec for name, spec in specs.items() if not facts[name].is_made}
    found = may_be_known(frame, facts, came)[:SHOWN] if came else []
    if not found:
        return []
    answers = [
        Answer(
            f"Keep {quoted(name)} out and compare with it"
            if len(found) > 1
            else "Keep it out and compare with it",
            {name: {"role": "label", "reason": f"The known class. {specs[name].reason}"}},
        )
        for name in found
    ]
    if len(found) > 1:
        text = f"Is one of {listed(found)} the answer, known beforehand?"
        answers.append(Answer("None of them: cluster on all", {}))
    else:
        text = f"Is {quoted(found[0])} ({values(facts[found[0]])}) the answer, known beforehand?"
        answers.append(Answer("No: cluster on it", {}))
    return [Question("label", tuple(found), text, tuple(answers))]


def ask_outcomes(
    frame: pd.DataFrame,
    facts: Mapping[str, Facts],
    specs: Mapping[str, ColumnSpec],
    labels: Collection[str],
    repeats: Sequence[Repeat],
    late: Collection[str] = (),
) -> list[Question]:
    """Columns that say what came of it, kept out so that groups can be held against them.

    Those named in ``late`` are, whatever their names.
    """
    found = known_afterwards(frame, facts, specs, labels, repeats, late)
    if not found:
        return []
    kept = {n: {"role": "validator", "reason": f"An outcome. {specs[n].reason}"} for n in found}
    answers = [
        Answer("Keep out, and test groups against", kept),
        Answer("No: cluster on it" if len(found) == 1 else "No: cluster on them", {}),
    ]
    is_or_are = "Is {} an outcome" if len(found) == 1 else "Are {} outcomes"
    text = f"{is_or_are.format(listed(found))}, known afterwards or to be explained?"
    return [Question("outcome", tuple(found), text, tuple(answers))]


def ask_weights(facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec]) -> list[Question]:
    """Whether a column named so says how much every row counts, and not what a body weighs."""
    if any(spec.role == "weight" for spec in specs.values()):
        return []
    has_body = any(map(names_body, specs))
    found = [
        name
        for name, spec in specs.items()
        if spec.role == "cluster" and names_weight(name) and _weighs_rows(facts[name], has_body)
    ]
    if not found:
        return []
    one = len(found) == 1
    by = [
        Answer(
            "Let rows count by it" if one else f"By {quoted(name)}",
            {other: {"role": "weight" if other == name else "ignore"} for other in found},
        )
        for name in found
    ]
    no = Answer("No: cluster on it" if one else "By none: cluster on them", {})
    which = f"Does {quoted(found[0])}" if one else f"Does one of {listed(found)}"
    text = f"{which} say how much every row counts, as the weights of a survey do?"
    return [Question("weight", tuple(found), text, (*by, no))]


def _weighs_rows(facts: Facts, has_body: bool) -> bool:
    """Whether positive numbers called weights are those of rows.

    Either the name says so, or they are 1 on average; others spread wider than bodies do.
    """
    if facts.kind != "number" or facts.n_present < facts.n_rows or facts.reading:
        return False
    levels, counts = facts.levels, facts.counts
    if facts.n_distinct < 3 or levels[0] < 0 or not np.isfinite(levels[-1]):
        return False
    if says_survey_weight(facts.name):
        return True
    mean = facts.mean
    if 0.7 <= mean <= 1.4 and levels[0] < 1 < levels[-1]:
        return True
    spread = np.sqrt(counts @ (levels - mean) ** 2 / counts.sum()) / mean
    return bool(not has_body and not facts.is_whole and spread > 0.6)


def ask_identifiers(
    facts: Mapping[str, Facts], specs: Mapping[str, ColumnSpec], asked: Collection[str]
) -> list[Question]:
    """Whether numbers only tell rows or places apart; those that surely do are left aside."""
    found = [
        name
        for name, spec in specs.items()
        if spec.role == "cluster"
        and name not in asked
        and (_numbers_rows(facts[name]) or _is_composite(facts[name], spec))
    ]
    by_form = [name for name in found if not may_name_identifier(name)]
    if len(by_form) > _MOST_BY_FORM:  # amounts of one size, such as many parts of a whole
        found = [name for name in found if name not in by_form]
    sure = [name for name in found if _is_surely_number_of_row(facts[name])]
    unsure = [name for name in found if name not in sure]
    return [_identifier(names, specs, is_sure=names is sure) for names in (sure, unsure) if names]


def _identifier(names: Sequence[str], specs: Mapping[str, ColumnSpec], is_sure: bool) -> Question:
    kept = {n: {"role": "id", "reason": f"Tells rows apart. {specs[n].reason}"} for n in names}
    subject = "Does" if len(names) == 1 else "Do"
    text = f"{subject} {listed(names)} only tell rows or places apart, as a number or a code?"
    no = {name: {"role": "cluster"} for name in names} if is_sure else {}
    answers = Answer("Keep out", kept), Answer("No: cluster on it", no)
    text += f" {by_default(names)}" if is_sure else ""
    return Question("identifier", tuple(names), text, answers, is_taken=is_sure)


def _is_surely_number_of_row(facts: Facts) -> bool:
    """Whether hardly any number recurs, and it is named like one or has more digits than amounts.

    Numbers of places may be given anew in every region.
    """
    if not _numbers_rows(facts):
        return False
    share = facts.n_distinct / facts.n_present
    if may_name_identifier(facts.name):
        return facts.n_distinct > 50 and share >= _SURE_IF_NAMED
    return bool(facts.levels[0] >= _LONG_NUMBER and share >= _SURE)


def _numbers_rows(facts: Facts) -> bool:
    """Whole numbers of one length, nearly all distinct, or named like those; no amounts."""
    if facts.kind != "number" or not facts.is_whole or facts.reading or facts.n_present < 10:
        return False
    if facts.is_made:
        return False
    if may_name_identifier(facts.name) and facts.n_distinct > 12:
        return True
    if facts.n_distinct < 0.85 * facts.n_present or facts.levels[0] < 1000:
        return False
    if names_amount(facts.name) or _are_rounded(facts) or facts.skewness() > 2:
        return False
    lengths = np.floor(np.log10(facts.levels))
    return bool(np.bincount(lengths.astype(int)).max() >= 0.95 * len(lengths) and lengths[0] >= 4)


def _are_rounded(facts: Facts) -> bool:
    """Whether more numbers end in 0 than chance puts there, as amounts do."""
    return bool(0.3 < facts.counts[facts.levels % 10 == 0].sum() / facts.n_present < 1.0)


def _is_composite(facts: Facts, spec: ColumnSpec) -> bool:
    """Few whole numbers of four digits and more that repeat without being round: codes."""
    if facts.kind != "number" or not facts.is_whole or facts.reading or spec.special:
        return False
    levels, counts = facts.levels, facts.counts
    long = np.mean(levels[levels > 0] >= 1000) if levels[-1] > 0 else 0.0
    squares = np.all(np.sqrt(np.maximum(levels, 0)) % 1 == 0)  # of whole years, say
    if facts.n_distinct < 13 or long < 0.5 or squares:
        return False
    if names_amount(facts.name):
        return False
    repeated = facts.n_distinct <= 0.5 * facts.n_present
    sparse = (levels[-1] - levels[0]) / facts.n_distinct >= 40
    round_ones = counts[np.mod(levels, 50) == 0].sum() / counts.sum()
    return bool(repeated and sparse and round_ones < 0.2)
