"""What one column is, by a table of rules: the first that applies to its counts wins."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..reading.numbers import are_codes, are_in_several_units
from ..reading.several import answers_sign, pairs_in
from . import evidence
from .cells import plain
from .facts import RATING_CEILING, Facts
from .orders import are_bands, in_known_order, two_levels
from .spec import ColumnSpec
from .words import says

CATEGORY_CEILING = 299
BAND_CEILING = 40  # most steps of a rating whose words are bands of numbers
_NOTE = 40  # letters of a cell, on average over the rows, from which on it is free text
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
_YEARS = 2_100  # up to here a number under the name of a date may be one
_LONG = 10_000_000
_FEWEST_NUMBERED = 6  # rows, of which 1, 2, 3, ... are the numbers
_IS_DATE = re.compile(
    r"(datum|dtc?|dob|timestamp|geburtstag|ed[ _.]?(at|on)|(?<!up)(?<!man)(?<!candi)date)$"
    r"|^(date|datum|fecha)[ _.]|^(born|admitted|discharged|hired|enrolled)$",
    re.IGNORECASE,
)

#: What a column becomes: fields of its ColumnSpec, with ``why`` for its reason; whether it does.
Spec = Mapping[str, Any] | Callable[[Facts], Mapping[str, Any]]
Test = Callable[[Facts], bool]
IGNORED, ID = {"role": "ignore"}, {"role": "id"}


@dataclass(frozen=True)
class ColumnRule:
    """One row of the table."""

    key: str
    reason: str
    spec: Spec
    applies: Test

    def __call__(self, facts: Facts) -> ColumnSpec:
        """The column as this rule has it."""
        fields = dict(self.spec(facts) if callable(self.spec) else self.spec)
        reason = self.reason.format(f=facts, **fields)
        fields.pop("why", None)
        return ColumnSpec(facts.name, reason=reason, **{"family": None, **fields})


#: The first that applies says what a column is; of numbers, without what stands apart from them.
NOT_USED, WORDS, NUMBERS = list[ColumnRule](), list[ColumnRule](), list[ColumnRule]()


def _rule(key: str, reason: str, spec: Spec, *tables: list[ColumnRule]) -> Callable[[Test], Test]:
    """Put a test of a column's counts, with what follows from it, at the end of tables."""

    def put(applies: Test) -> Test:
        for table in tables:
            table.append(ColumnRule(key, reason, spec, applies))
        return applies

    return put


def decide(rules: list[ColumnRule], facts: Facts) -> ColumnSpec | None:
    """The column as the first rule has it that applies; None where none does."""
    return next((rule(facts) for rule in rules if rule.applies(facts)), None)


def _is_unique(facts: Facts) -> bool:
    return facts.n_distinct == facts.n_present


_rule("empty", "No values at all.", IGNORED, NOT_USED)(
    lambda facts: not facts.n_present and not facts.limits
)
_rule(
    "date",
    "Dates or times, which no family describes: a step of Prepare makes days since the first, the "
    "weekday or the month of them.",
    IGNORED,
    NOT_USED,
)(lambda facts: facts.kind == "date")
_rule("constant", "The same value ({f.shown[0]}) in every row that has one.", IGNORED, NOT_USED)(
    lambda facts: facts.n_distinct == 1 and not facts.limits
)
_rule("hardly any number", "Hardly any value.", IGNORED, NUMBERS)(lambda f: f.n_distinct <= 1)


@_rule(
    "identifier by name",
    "Named like an identifier, with {f.n_distinct:,} distinct values in {f.n_present:,} rows.",
    ID,
    NOT_USED,
)
def _is_named_identifier(facts: Facts) -> bool:
    named = says("identifier", facts.name) and (facts.kind != "number" or facts.is_whole)
    return named and (facts.n_distinct > RATING_CEILING or _is_unique(facts))


@_rule(
    "two numbers in a cell",
    "Numbers side by side in a cell ({f.shown[0]}): split, each of them can be measured.",
    IGNORED,
    NOT_USED,
)
def holds_pairs(facts: Facts) -> bool:
    """Whether cells hold two numbers each, "113/74" or "38+2"."""
    if facts.kind != "text" or facts.n_distinct < 4:
        return False
    sign, parts = pairs_in(facts.shown)
    may_tell_rows = sign == "-" or facts.shown[0][0].isalpha()  # "12-3", "S12V3"
    if not sign or (may_tell_rows and _is_unique(facts)):
        return False
    return bool(facts.counts[~np.isnan(parts).any(axis=1)].sum() >= 0.8 * facts.n_present)


@_rule(
    "several answers in a cell",
    "Several answers in a cell: split, each of them is yes or no.",
    IGNORED,
    NOT_USED,
)
def holds_several(facts: Facts) -> bool:
    """Whether cells hold several answers each, "1,4" or "Fever;Cough"."""
    return facts.kind == "text" and answers_sign(facts.shown) != ""


_rule(
    "several units",
    "Numbers in several units ({f.shown[0]}), as they stand not to be compared.",
    IGNORED,
    NOT_USED,
)(lambda facts: facts.kind == "text" and are_in_several_units(facts.shown))


@_rule(
    "text of its own",
    "Hardly any value repeats ({f.n_distinct:,} distinct values in {f.n_present:,} rows): "
    "it tells rows apart.",
    ID,
    NOT_USED,
)
def _is_text_of_own(facts: Facts) -> bool:
    """Whether hardly any text repeats; of a few rows, none does."""
    if facts.kind != "text":
        return False
    most = facts.n_distinct > 0.7 * facts.n_present and facts.n_distinct > 50
    letters = np.average([*map(len, facts.levels[:1000])], weights=facts.counts[:1000])
    return bool(letters <= _NOTE and (most or (_is_unique(facts) and facts.n_distinct > 3)))


@_rule(
    "number of the row",
    "Whole numbers, another one in each of {f.n_present:,} rows: it numbers the rows.",
    ID,
    NOT_USED,
)
def _numbers_rows(facts: Facts) -> bool:
    """Whether whole numbers, each in one row, rise with the rows or are named and long."""
    is_amount = facts.reading or facts.limits or facts.is_made
    if is_amount or not facts.is_whole or not _is_unique(facts):
        return False
    n, low, high = facts.n_present, facts.levels[0], facts.levels[-1]
    if n <= RATING_CEILING:
        return bool(n >= _FEWEST_NUMBERED and facts.rises and high - low == n - 1)
    rises = facts.rises and high - low < 2 * n
    return bool(rises or (abs(high) >= 10_000 and says("perhaps_identifier", facts.name)))


def _yes_no(facts: Facts) -> Mapping[str, Any]:
    numbers = facts.levels.astype(bool) if facts.is_bool else facts.levels
    levels = facts.shown if facts.kind == "text" else [*map(plain, numbers)]
    return {"family": "bernoulli", "levels": two_levels(levels)}


@_rule(
    "two values",
    "Two values, {levels[0]} and {levels[1]}: yes/no, where {levels[1]} counts as yes.",
    _yes_no,
    WORDS,
    NUMBERS,
)
def _is_two_valued(facts: Facts) -> bool:
    """Two words, or numbers that are neighbours, as 0 and 1, or of which one repeats."""
    if facts.n_distinct != 2:
        return False
    if facts.kind == "text":
        return True
    neighbours = facts.is_whole and facts.levels[1] - facts.levels[0] == 1
    return bool(neighbours or (facts.counts.max() > 1 and np.all(np.isfinite(facts.levels))))


def _order_of(facts: Facts) -> tuple[str, ...] | None:
    words = facts.shown
    if facts.kind != "text" or are_codes(words) or len(words) > BAND_CEILING:
        return None
    if says("code", facts.name) and all(re.match(r"\(?\d+\)?\s*[^\s\d+]", word) for word in words):
        return None  # "1. White", "2. Black"
    if says("graded", facts.name) and all(re.fullmatch("[A-Fa-f][+-]?", word) for word in words):
        signs = {"-": 0, "": 1, "+": 2}
        return tuple(sorted(words, key=lambda word: (-ord(word[0].lower()), signs[word[1:]])))
    if len(words) <= RATING_CEILING:
        return in_known_order(words)
    return in_known_order(words) if are_bands(words) else None


def _known_order(facts: Facts) -> Mapping[str, Any]:
    levels = _order_of(facts) or ()
    return {"family": "binomial", "levels": levels, "why": " < ".join(levels)}


_rule("known order", "{f.n_distinct} words in a known order ({why}): rating.", _known_order, WORDS)(
    lambda facts: _order_of(facts) is not None
)


@_rule(
    "many words",
    "{f.n_distinct:,} distinct values in {f.n_present:,} rows, too many for a category: "
    "group them, or leave out.",
    IGNORED,
    WORDS,
)
def _hardly_repeats(facts: Facts) -> bool:
    few = facts.n_distinct > RATING_CEILING and facts.n_distinct > facts.n_present / 2
    return facts.kind == "text" and (few or facts.n_distinct > CATEGORY_CEILING)


_rule(
    "words",
    "{f.n_distinct} distinct words without a known order: category.",
    lambda facts: {"family": "categorical", "levels": tuple(sorted(facts.shown))},
    WORDS,
)(lambda facts: facts.kind == "text")


@_rule(
    "days of a program",
    "Numbers {f.span} under the name of a date: days or seconds since one, perhaps.",
    IGNORED,
    NUMBERS,
)
def are_serial_days(facts: Facts) -> bool:
    """Whether numbers under the name of a date may count days or seconds since one."""
    if facts.kind != "number" or facts.reading or not facts.n_distinct:
        return False
    low, high = _SERIAL_DAYS
    are_days = low <= facts.levels[0] <= facts.levels[-1] < high and says("date", facts.name)
    named = _IS_DATE.search(facts.name) and np.abs(facts.levels).max() > _YEARS
    return bool(are_days or named)


def as_codes(facts: Facts) -> Mapping[str, Any]:
    """Numbers as a category."""
    return {"family": "categorical", "levels": tuple(facts.levels)}


def as_rating(facts: Facts, ends: tuple[int, int] | None = None) -> Mapping[str, Any]:
    """Whole numbers as a rating, from its own ends or from those of a scale it shares."""
    low, high = ends or (int(facts.levels[0]), int(facts.levels[-1]))
    return {"family": "binomial", "levels": tuple(range(low, high + 1))}


def _is_few(facts: Facts) -> bool:
    """Few whole numbers, close together, and near 0 unless they are very few."""
    if not facts.is_whole or facts.n_distinct > RATING_CEILING:
        return False
    low, high = facts.levels[0], facts.levels[-1]
    near = -RATING_CEILING <= low <= 10 or facts.n_distinct <= 5
    return bool(high - low <= RATING_CEILING and near)


@_rule(
    "named like codes",
    "Numbers {f.span}, {f.n_distinct} distinct values; named like a code: category.",
    as_codes,
    NUMBERS,
)
def _are_named_codes(facts: Facts) -> bool:
    """Few numbers that recur, whole and longer than amounts, or under a name of codes."""
    is_certain = says("classified", facts.name) or says("perhaps_identifier", facts.name)
    if not (facts.is_whole or is_certain) or not 2 < facts.n_distinct <= BAND_CEILING:
        return False
    is_short = facts.n_distinct <= RATING_CEILING
    recur = facts.n_present >= (3 if is_short else 5) * facts.n_distinct
    is_long = is_short and facts.levels[0] >= _LONG and np.any(facts.levels % 1000)
    named = (recur and says("coded", facts.name)) or (_is_few(facts) and says("code", facts.name))
    return bool(named or (recur and is_long))


_rule(
    "many codes",
    "Numbers {f.span}, {f.n_distinct} distinct values; named like a code: how far they lie apart "
    "says nothing, and they are too many for a category.",
    IGNORED,
    NUMBERS,
)(lambda facts: facts.n_distinct > RATING_CEILING and says("classified", facts.name))


def _count(facts: Facts) -> Mapping[str, Any]:
    family = evidence.best_of_counts(evidence.of_counts(facts.levels, facts.counts))
    variance = float(facts.counts @ (facts.levels - facts.mean) ** 2) / facts.n_present
    why = f"{facts.mean:.1f} on average and 0 in {facts.rows_of(0) / facts.n_present:.0%} of rows, "
    why += f"their variance {variance / facts.mean:.1f} times their mean: count, "
    why += _COUNT_NAMES[family]
    as_one = " as one group (within several groups Poisson may do)" * (family != "poisson")
    return {"family": family, "why": why + as_one}


@_rule("count", "Whole numbers {f.span}, {why}.", _count, NUMBERS)
def _is_count(facts: Facts) -> bool:
    """Whether whole numbers are likelier as a count than as a scale or a measurement."""
    if not facts.is_whole or facts.levels[0] < 0 or facts.levels[-1] < 2:
        return False
    named, high = says("count", facts.name), int(facts.levels[-1])
    if facts.mean > _COUNT_MEAN or not (named or (facts.levels[0] == 0 and high > 5)):
        return False
    n, best = facts.n_present, max(evidence.of_counts(facts.levels, facts.counts).values())
    if named and facts.mean <= _FEW_MEAN:
        return True
    if high <= RATING_CEILING:
        return best > evidence.of_scale(facts.of_steps(0, high)) - _SCALE_AHEAD * n
    ahead = best - evidence.of_measurement(facts.levels, facts.counts)
    return ahead > max(10.0, (_FEW_AHEAD if facts.mean <= _FEW_MEAN else _COUNT_AHEAD) * n)


def beats_order_by(facts: Facts) -> float:
    """Nats by which free frequencies of a short scale beat an order beyond what chance explains."""
    low, high = int(facts.levels[0]), int(facts.levels[-1])
    counts, n = facts.of_steps(low, high), facts.n_present
    if len(counts) > _SHORT:
        return -np.inf
    if (low, high) == (0, 2) and counts[0] >= _MOSTLY * n:
        # Nearly always none: what there is else falls off as a scale does, or is of two kinds.
        return evidence.against_binomial(counts) - 2 * _AGAINST_ORDER
    # From 1 on, a last step that stands for "or more" collects what lies beyond.
    gain = evidence.against_one_peak(counts[:-1] if low == 1 and len(counts) > 3 else counts)
    return gain - max(_AGAINST_ORDER, _AGAINST_ORDER_A_ROW * n)


_rule(
    "codes by their frequencies",
    "Whole numbers {f.span}, {f.n_distinct} distinct values; some are rarer than values on "
    "both sides, as in codes without an order: category.",
    as_codes,
    NUMBERS,
)(lambda facts: _is_few(facts) and beats_order_by(facts) > 0)
_rule(
    "rating", "Whole numbers {f.span}, {f.n_distinct} distinct values: rating.", as_rating, NUMBERS
)(_is_few)


@_rule(
    "even steps",
    "Even steps ({why}): rating of {f.n_distinct} levels in that order.",
    lambda f: {
        "family": "binomial",
        "levels": tuple(f.levels.tolist()),
        "why": ", ".join(f.shown),
    },
    NUMBERS,
)
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
    if abs(in_logs) >= 0.75 * skew:
        return {"family": "normal", "transform": None, "why": f"{why}: measurement, normal."}
    why += f", skewness {skew:.1f} falls to {in_logs:.1f} in logs: measurement, normal on the log"
    return {"family": "normal", "transform": "log", "why": f"{why} scale."}


_rule("measurement", "{why}", _measurement, NUMBERS)(lambda facts: True)
COLUMN_RULES = (*NOT_USED, *WORDS, *NUMBERS)
