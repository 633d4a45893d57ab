"""What one column is, by a table of rules: the first that applies to its counts wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ..families import FAMILIES
from ..reading.numbers import PAIR, answers_sign, are_codes
from .evidence import (
    against_binomial,
    against_one_peak,
    best_of_counts,
    evidence_of_counts,
    evidence_of_measurement,
    evidence_of_scale,
)
from .facts import RATING_CEILING, Facts
from .orders import are_bands, in_known_order, two_levels
from .spec import ColumnSpec
from .words import (
    may_name_identifier,
    names_code,
    names_identifier,
    says,
)

CATEGORY_CEILING = 299
BAND_CEILING = 40  # most steps of a rating whose words are bands of numbers
_NOTE = 40  # letters of a cell from which on it is free text
_COUNT_NAMES = {
    "poisson": "Poisson",
    "geometric": "geometric",
    "negative_binomial": "negative binomial",
}
#: Nats, in all and a row, by which codes must beat an order that has one peak.
_AGAINST_ORDER, _AGAINST_ORDER_A_ROW = 4.5, 0.015
#: Nats a row by which a scale must beat a count; the mean of a count, at most.
_SCALE_AHEAD, _COUNT_MEAN = 0.015, 30.0
#: The larger the counts, the more they look like measurements: more has to speak for them.
_FEW_AHEAD, _COUNT_AHEAD, _FEW_MEAN = 0.02, 0.12, 10.0
#: A scale of so few steps tells codes by their frequencies; longer ones have peaks by groups.
_SHORT = 5
_MOSTLY = 0.8  # share of the rows without a trait that few have
_SERIAL_DAYS = 10_000, 60_000  # of a workbook, 1927 to 2064
_LONG = 10_000_000
_ENDS_AS_DATE = re.compile(r"(datum|dtc?|(?<!up)(?<!man)(?<!candi)date)$", re.IGNORECASE)


@dataclass(frozen=True)
class ColumnRule:
    """One row of the table."""

    key: str
    applies: Callable[[Facts], bool]
    spec: Callable[[Facts], Mapping[str, Any]]
    reason: str

    def __call__(self, facts: Facts) -> ColumnSpec:
        """The column as this rule has it."""
        fields = dict(self.spec(facts))
        reason = self.reason.format(f=facts, **fields)
        fields.pop("why", None)
        return ColumnSpec(facts.name, reason=reason, **{"family": None, **fields})


def _aside(facts: Facts, role: str = "ignore") -> Mapping[str, Any]:
    return {"role": role}


_id = partial(_aside, role="id")


def _is_unique(facts: Facts) -> bool:
    return facts.n_distinct == facts.n_present


def _may_be_identifier(facts: Facts) -> bool:
    """Whether nothing speaks against it: a unit or a limit does, and numbers that a step made."""
    return not (facts.reading or facts.limits or (facts.is_made and facts.kind == "number"))


def _is_named_identifier(facts: Facts) -> bool:
    named = names_identifier(facts.name) and (facts.kind != "number" or facts.is_whole)
    many = facts.n_distinct > RATING_CEILING or _is_unique(facts)
    return named and many and _may_be_identifier(facts)


def _is_text_of_own(facts: Facts) -> bool:
    """Whether hardly any text repeats; of a few rows, none does."""
    if facts.kind != "text" or facts.mean_length > _NOTE or not _may_be_identifier(facts):
        return False
    most = facts.n_distinct > 0.7 * facts.n_present and facts.n_distinct > 50
    return most or (_is_unique(facts) and facts.n_distinct > 3)


def _numbers_rows(facts: Facts) -> bool:
    """Whether whole numbers, each in one row, rise with the rows or are named and long."""
    if not facts.is_whole or not _may_be_identifier(facts):
        return False
    if not _is_unique(facts) or facts.n_distinct <= RATING_CEILING:
        return False
    low, high = facts.levels[0], facts.levels[-1]
    rises = facts.rises and high - low < 2 * facts.n_present
    return bool(rises or (abs(high) >= 10_000 and may_name_identifier(facts.name)))


def words_of(facts: Facts) -> list[str]:
    """The distinct values as text."""
    return [str(level) for level in facts.levels]


def holds_pairs(facts: Facts) -> bool:
    """Whether cells hold two numbers each, "113/74" or "38+2"."""
    if facts.kind != "text" or facts.n_distinct < 4:
        return False
    pairs = np.array([PAIR.fullmatch(word) is not None for word in words_of(facts)])
    return bool(facts.counts[pairs].sum() >= 0.9 * facts.n_present)


def holds_several(facts: Facts) -> bool:
    """Whether cells hold several answers each, "1,4" or "Fever;Cough"."""
    return facts.kind == "text" and answers_sign(words_of(facts)) != ""


def _is_free_text(facts: Facts) -> bool:
    repeats = facts.n_distinct <= RATING_CEILING and not _is_unique(facts)
    return facts.kind == "text" and facts.mean_length > _NOTE and not repeats


def _order_of(facts: Facts) -> tuple[str, ...] | None:
    words = words_of(facts)
    if facts.kind != "text" or are_codes(words) or len(words) > BAND_CEILING:
        return None
    if names_code(facts.name) and all(re.match(r"\(?\d+\)?\s*[^\s\d+]", word) for word in words):
        return None  # "1. White", "2. Black"
    if len(words) <= RATING_CEILING:
        return in_known_order(words, grades=says("graded", facts.name))
    return in_known_order(words) if are_bands(words) else None


def _hardly_repeats(facts: Facts) -> bool:
    few = facts.n_distinct > RATING_CEILING and facts.n_distinct > facts.n_present / 2
    return facts.kind == "text" and (few or facts.n_distinct > CATEGORY_CEILING)


def _yes_no(facts: Facts) -> Mapping[str, Any]:
    kind = bool if facts.is_bool else float
    words = facts.kind == "text"
    levels = words_of(facts) if words else facts.levels.astype(kind).tolist()
    spec = ColumnSpec(facts.name, "bernoulli", levels=two_levels(levels, facts.name))
    return {"family": spec.family, "levels": spec.levels}


def _is_two_valued(facts: Facts) -> bool:
    """Two words, or numbers that are neighbours, as 0 and 1, or of which one repeats."""
    if facts.n_distinct != 2 or facts.kind == "date":
        return False
    if facts.kind == "text":
        return True
    neighbours = facts.is_whole and facts.levels[1] - facts.levels[0] == 1
    return bool(neighbours or (facts.counts.max() > 1 and np.all(np.isfinite(facts.levels))))


def _are_digits_of_dates(facts: Facts) -> bool:
    days = facts.levels
    if not facts.is_whole or days[0] < 19000101 or days[-1] > 21001231:
        return False
    month, day = days // 100 % 100, days % 100
    return bool(np.all((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)))


def are_serial_days(facts: Facts) -> bool:
    """Whether numbers under the name of a date may be those that workbooks count days by."""
    low, high = _SERIAL_DAYS
    named = says("date", facts.name) or _ENDS_AS_DATE.search(facts.name)
    if facts.kind != "number" or facts.reading or not named or facts.n_distinct <= RATING_CEILING:
        return False
    return bool(low <= facts.levels[0] <= facts.levels[-1] < high)


def _is_few(facts: Facts) -> bool:
    """Few whole numbers, close together, and near 0 unless they are very few."""
    if not facts.is_whole or facts.n_distinct > RATING_CEILING:
        return False
    low, high = facts.levels[0], facts.levels[-1]
    near = -RATING_CEILING <= low <= 10 or facts.n_distinct <= 5
    return bool(high - low <= RATING_CEILING and near)


def _are_named_codes(facts: Facts) -> bool:
    """Few whole numbers that recur, longer than amounts or under a name of codes."""
    if not facts.is_whole or not 2 < facts.n_distinct <= RATING_CEILING:
        return False
    recur = facts.n_present >= 3 * facts.n_distinct
    is_long = facts.levels[0] >= _LONG and np.any(facts.levels % 1000)
    named = (recur and says("coded", facts.name)) or (_is_few(facts) and names_code(facts.name))
    return bool(named or (recur and is_long))


def beats_order_by(facts: Facts) -> float:
    """Nats by which free frequencies of a short scale beat an order beyond what chance explains."""
    low, high = int(facts.levels[0]), int(facts.levels[-1])
    counts, n = facts.of_steps(low, high), facts.n_present
    if len(counts) > _SHORT:
        return -np.inf
    if (low, high) == (0, 2) and counts[0] >= _MOSTLY * n:
        # Nearly always none: what there is else falls off as a scale does, or is of two kinds.
        return against_binomial(counts) - 2 * _AGAINST_ORDER
    # From 1 on, a last step that stands for "or more" collects what lies beyond.
    gain = against_one_peak(counts[:-1] if low == 1 and len(counts) > 3 else counts)
    return gain - max(_AGAINST_ORDER, _AGAINST_ORDER_A_ROW * n)


def _is_count(facts: Facts) -> bool:
    """Whether whole numbers are likelier as a count than as a scale or a measurement."""
    if not facts.is_whole or facts.levels[0] < 0 or facts.levels[-1] < 2:
        return False
    named, high = says("count", facts.name), int(facts.levels[-1])
    if facts.mean > _COUNT_MEAN or not (named or (facts.levels[0] == 0 and high > 5)):
        return False
    n, best = facts.n_present, max(evidence_of_counts(facts.levels, facts.counts).values())
    if named and facts.mean <= _FEW_MEAN:
        return True
    if high <= RATING_CEILING:
        return best > evidence_of_scale(facts.of_steps(0, high)) - _SCALE_AHEAD * n
    ahead = best - evidence_of_measurement(facts.levels, facts.counts)
    return ahead > max(10.0, (_FEW_AHEAD if facts.mean <= _FEW_MEAN else _COUNT_AHEAD) * n)


def _count(facts: Facts) -> Mapping[str, Any]:
    evidence = evidence_of_counts(facts.levels, facts.counts)
    evidence = {name: nats for name, nats in evidence.items() if name in FAMILIES}
    family = best_of_counts(evidence)
    variance = float(facts.counts @ (facts.levels - facts.mean) ** 2) / facts.n_present
    zeros = facts.counts[facts.levels == 0].sum() / facts.n_present
    why = (
        f"{facts.mean:.1f} on average and 0 in {zeros:.0%} of rows, their variance "
        f"{variance / facts.mean:.1f} times their mean: count, {_COUNT_NAMES[family]}"
    )
    if family != "poisson":
        ahead = evidence[family] - evidence["poisson"]
        why += (
            f" as one group (ahead of Poisson by {ahead:,.0f} log units of evidence; within "
            "several groups Poisson may do)"
        )
    return {"family": family, "why": why}


def as_codes(facts: Facts) -> Mapping[str, Any]:
    """Whole numbers as a category."""
    return {"family": "categorical", "levels": tuple(int(level) for level in facts.levels)}


def as_rating(facts: Facts, ends: tuple[int, int] | None = None) -> Mapping[str, Any]:
    """Whole numbers as a rating, from its own ends or from those of a scale it shares."""
    low, high = ends or (int(facts.levels[0]), int(facts.levels[-1]))
    return {"family": "binomial", "levels": tuple(range(low, high + 1))}


def _is_grid(facts: Facts) -> bool:
    if facts.kind != "number" or facts.is_whole or not np.all(np.isfinite(facts.levels)):
        return False
    if facts.n_distinct > RATING_CEILING or facts.n_present < 3 * facts.n_distinct:
        return False
    steps = (facts.levels - facts.levels[0]) / np.diff(facts.levels).min()
    return bool(steps[-1] <= RATING_CEILING and np.all(np.abs(steps - np.round(steps)) < 1e-6))


def _measurement(facts: Facts) -> Mapping[str, Any]:
    why = f"{'Whole' if facts.is_whole else 'Decimal'} numbers {facts.span}"
    why += f", {facts.n_distinct:,} distinct values"
    skew, finite = facts.skewness(), facts.levels[np.isfinite(facts.levels)]
    in_logs = facts.skewness(in_logs=True) if skew > 1 and finite[0] > 0 else np.inf
    transform = "log" if abs(in_logs) < 0.75 * skew else None
    if transform:
        why += f", skewness {skew:.1f} falls to {in_logs:.1f} in logs"
    why += f": measurement, normal{' on the log scale' * bool(transform)}."
    if infinite := int(facts.counts[np.isinf(facts.levels)].sum()):
        why += f" Infinite in {infinite:,} of its rows: correct them, or name inf a missing code."
    return {"family": "normal", "transform": transform, "why": why}


ASIDE_RULES = (
    ColumnRule("empty", lambda f: not f.n_present and not f.limits, _aside, "No values at all."),
    ColumnRule(
        "date",
        lambda f: f.kind == "date",
        _aside,
        "Dates or times, which no family describes: a step of Prepare makes days since the first, "
        "the weekday or the month of them.",
    ),
    ColumnRule(
        "constant",
        lambda f: f.n_distinct == 1 and not f.limits,
        _aside,
        "The same value ({f.shown[0]}) in every row that has one.",
    ),
    ColumnRule(
        "identifier by name",
        _is_named_identifier,
        _id,
        "Named like an identifier, with {f.n_distinct:,} distinct values in {f.n_present:,} rows.",
    ),
    ColumnRule(
        "two numbers in a cell",
        holds_pairs,
        _aside,
        "Two numbers in a cell ({f.shown[0]}): split, each of them can be measured.",
    ),
    ColumnRule(
        "several answers in a cell",
        holds_several,
        _aside,
        "Several answers in a cell: split, each of them is yes or no.",
    ),
    ColumnRule(
        "text of its own",
        _is_text_of_own,
        _id,
        "Hardly any value repeats ({f.n_distinct:,} distinct values in {f.n_present:,} rows): it "
        "tells rows apart.",
    ),
    ColumnRule(
        "number of the row",
        _numbers_rows,
        _id,
        "Whole numbers, another one in each of {f.n_present:,} rows: it numbers the rows.",
    ),
)
WORD_RULES = (
    ColumnRule(
        "free text",
        _is_free_text,
        _aside,
        "{f.n_distinct:,} distinct texts of about {f.mean_length:.0f} letters: free text.",
    ),
    ColumnRule(
        "two words",
        lambda f: f.kind == "text" and _is_two_valued(f),
        _yes_no,
        "Two values, {levels[0]} and {levels[1]}: yes/no, where {levels[1]} counts as yes.",
    ),
    ColumnRule(
        "known order",
        lambda f: _order_of(f) is not None,
        lambda f: {
            "family": "binomial",
            "levels": _order_of(f),
            "why": " < ".join(_order_of(f) or ()),
        },
        "{f.n_distinct} words in a known order ({why}): rating.",
    ),
    ColumnRule(
        "many words",
        _hardly_repeats,
        _aside,
        "{f.n_distinct:,} distinct values in {f.n_present:,} rows, too many for a category: group "
        "them, or leave out.",
    ),
    ColumnRule(
        "words",
        lambda f: f.kind == "text",
        lambda f: {"family": "categorical", "levels": tuple(sorted(words_of(f)))},
        "{f.n_distinct} distinct words without a known order: category.",
    ),
)
NUMBER_RULES = (
    ColumnRule("constant number", lambda f: f.n_distinct <= 1, _aside, "Hardly any value."),
    ColumnRule(
        "two numbers",
        _is_two_valued,
        _yes_no,
        "Two values, {levels[0]} and {levels[1]}: yes/no, where {levels[1]} counts as yes.",
    ),
    ColumnRule(
        "digits of dates",
        _are_digits_of_dates,
        _aside,
        "Whole numbers that read as dates (year, month, day).",
    ),
    ColumnRule(
        "days of a workbook",
        are_serial_days,
        _aside,
        "Numbers {f.span} under the name of a date: days as workbooks count them, perhaps.",
    ),
    ColumnRule(
        "named like codes",
        _are_named_codes,
        as_codes,
        "Whole numbers {f.span}, {f.n_distinct} distinct values; named like a code: category.",
    ),
    ColumnRule("count", _is_count, _count, "Whole numbers {f.span}, {why}."),
    ColumnRule(
        "codes by their frequencies",
        lambda f: _is_few(f) and beats_order_by(f) > 0,
        as_codes,
        "Whole numbers {f.span}, {f.n_distinct} distinct values; some are rarer than values on "
        "both sides, as in codes without an order: category.",
    ),
    ColumnRule(
        "rating",
        _is_few,
        as_rating,
        "Whole numbers {f.span}, {f.n_distinct} distinct values: rating.",
    ),
    ColumnRule(
        "even steps",
        _is_grid,
        lambda f: {
            "family": "binomial",
            "levels": tuple(f.levels.tolist()),
            "why": ", ".join(f.shown),
        },
        "Even steps ({why}): rating of {f.n_distinct} levels in that order.",
    ),
    ColumnRule("measurement", lambda f: True, _measurement, "{why}"),
)
#: The first that applies says what a column is; of numbers, without what stands apart from them.
COLUMN_RULES = (*ASIDE_RULES, *WORD_RULES, *NUMBER_RULES)
