"""Guess what one column is from its own counts, with the reason for it in plain words.

A ceiling on the number of distinct values decides between rating and measurement, because a ratio
of distinct values to rows would change its answer as rows are added. Missing cells are looked past
first: whole numbers stay whole where holes have made them decimals.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..families import FAMILIES
from ..wording import counted, percent
from .code_names import names_code, says_code
from .evidence import (
    best_of_counts,
    better_as_category,
    evidence_of_counts,
    evidence_of_measurement,
    evidence_of_rating,
    gain_as_category,
)
from .facts import RATING_CEILING, Facts, spelled, spelled_range
from .guess_words import guess_words, with_numbers_seen, yes_no
from .spec import ColumnSpec
from .special_values import find_special, is_certainly_missing
from .vocabulary import (
    may_name_identifier,
    names_count,
    names_identifier,
)

_COUNT_MEAN = 5.0  # above it a count without other signs is as good as a measurement
_LONG_TAIL_MEAN = 30.0  # and above this one any whole numbers are
_MOST_ZERO = 0.8
_SPIKE_SHARE, _SPIKE_TIMES = 0.1, 5.0  # zeros that stand beside a measurement
_COUNT_NAMES = {
    "poisson": "Poisson",
    "geometric": "geometric",
    "negative_binomial": "negative binomial",
}


def guess(facts: Facts) -> ColumnSpec:
    """Guess one column from its counts alone, the other columns unseen."""
    if facts.n_present == 0 and not facts.limits:
        return ColumnSpec(facts.name, None, "ignore", "No values at all.")
    if facts.kind == "date":
        return ColumnSpec(
            facts.name,
            None,
            "ignore",
            "Dates or times, which no family describes: days since the first, the weekday or the "
            "month can be measured instead.",
        )
    if facts.n_distinct == 1 and not facts.limits:
        return _constant(facts)
    if (reason := _identifier(facts)) is not None:
        return with_numbers_seen(facts, ColumnSpec(facts.name, None, "id", reason))
    if facts.kind == "text":
        return with_numbers_seen(facts, guess_words(facts))
    return _read(facts, _with_special(facts))


def _constant(facts: Facts) -> ColumnSpec:
    reason = f"The same value ({shown_levels(facts)[0]}) in every row that has one."
    return ColumnSpec(facts.name, None, "ignore", reason)


def shown_levels(facts: Facts) -> list[str]:
    """The distinct values as text."""
    if facts.is_bool:
        return [str(bool(level)) for level in facts.levels]
    if facts.kind == "number":
        return [spelled(level) for level in facts.levels]
    return [str(level) for level in facts.levels]


def _identifier(facts: Facts) -> str | None:
    """Say why a column tells rows apart rather than describing them, or return None."""
    unique = facts.n_distinct == facts.n_present
    figures = f"{facts.n_distinct:,} distinct values in {facts.n_present:,} rows"
    if facts.reading is not None or facts.limits:  # a unit, a currency: a measurement
        return None
    if facts.is_made and facts.kind == "number":
        return None
    if facts.n_distinct <= RATING_CEILING and not (unique and names_identifier(facts.name)):
        return None
    fraction = facts.kind == "number" and not facts.is_whole
    if names_identifier(facts.name) and not fraction:
        shared = "" if unique else ", so some rows share one"
        return f"Named like an identifier, with {figures}{shared}."
    if facts.kind == "text" and facts.mean_length <= 40:
        if unique:
            return f"Each value stands in one row only ({figures}): it tells rows apart."
        if facts.n_distinct > 0.7 * facts.n_present and facts.n_distinct > 50:
            return f"Hardly any value repeats ({figures}): it tells rows apart."
    if facts.kind == "number" and unique and not fraction:
        low, high = facts.levels[0], facts.levels[-1]
        if facts.rises and high - low < 2 * facts.n_present:
            return f"Whole numbers that rise from row to row ({figures}): it numbers the rows."
        if len(str(int(abs(high)))) >= 5 and may_name_identifier(facts.name):
            return f"Named like a number that tells rows apart, with {figures}."
    return None


def _read(facts: Facts, spec: ColumnSpec) -> ColumnSpec:
    """Say how the cells were read, and keep the way for new rows."""
    if facts.reading is None:
        return spec
    reading = facts.reading if spec.role == "cluster" else None
    return spec.changed(reading=reading, reason=f"{facts.said}{spec.reason}")


def _with_special(facts: Facts) -> ColumnSpec:
    """Guess a number column: words and holes as missing, limits and zeros beside the number."""
    codes = [code for code in find_special(facts) if is_certainly_missing(code, facts)]
    tokens = facts.tokens or {}
    plain = facts.without(codes) if codes else facts
    special, said = _limits(plain)
    if (zeros := _zeros_apart(plain)) is not None:
        plain, special = plain.without([0.0]), {"zero": 0} | special
        said = [zeros, *said]
    spec = guess_numbers(plain)
    if special and spec.role == "cluster":
        if spec.family == "categorical":  # of codes with limits, which contradict one another
            spec = _measurement(plain)
        told = " and ".join(said)
        spec = spec.changed(special=special, reason=f"{spec.reason} {told} kept beside the number.")
    named = [f"'{word}' in {counted(rows, 'row')}" for word, rows in tokens.items()]
    named += [
        f"{code:g} in {counted(int(facts.counts[facts.levels == code][0]), 'row')}, apart from the"
        " rest,"
        for code in codes
    ]
    if not named:
        return spec
    reason = f"{spec.reason} {' and '.join(named)} taken as missing: undo it if that is wrong."
    return spec.changed(missing_codes=(*tokens, *codes), reason=reason.replace(",:", ":"))


def _limits(facts: Facts) -> tuple[dict[str, Any], list[str]]:
    """Special outcomes for the cells that are limits: one each, or one for many."""
    special: dict[str, Any] = {}
    said = []
    n = facts.n_present + sum(facts.limits.values())
    for sign, word in (("<", "below"), (">", "above")):
        cells = [c for c in facts.limits if (c.strip()[0] in "<\u2264") == (sign == "<")]
        if not cells:
            continue
        rows = sum(facts.limits[cell] for cell in cells)
        if len(cells) == 1:
            limit = cells[0].lstrip("<>=\u2264\u2265 ")
            special[f"{word} {limit}"] = cells[0]
        else:
            special[f"{word} a limit"] = sign
        said.append(f"'{cells[0]}' in {percent(rows, n)} of the cells")
    return special, said


def _zeros_apart(facts: Facts) -> str | None:
    """Say how many zeros stand beside a measurement that has none near them, or return None."""
    levels, counts = facts.levels, facts.counts
    if facts.n_distinct <= RATING_CEILING or levels[0] != 0 or np.isinf(levels[-1]):
        return None
    zeros, above = int(counts[0]), levels[1:]
    share = zeros / facts.n_present
    steps = np.diff(above[: max(len(above) // 2, 2)])
    gap = above[0] >= 5 * np.median(steps) and zeros >= max(2, 0.005 * facts.n_present)
    # Counts begin at 0 and go on with 1, 2, 3: their zeros belong to them.
    counts_on = facts.is_whole and np.isin([1.0, 2.0, 3.0], above).all()
    spike = share >= _SPIKE_SHARE and zeros >= _SPIKE_TIMES * counts[1:].max() and not counts_on
    if not (gap or spike):
        return None
    apart = f", which stands apart, the next is {spelled(above[0])}," if gap else ""
    return f"0 in {percent(zeros, facts.n_present)} of the rows{apart}"


def guess_numbers(facts: Facts) -> ColumnSpec:
    """Guess a column of numbers that all mean what they say."""
    if facts.n_distinct <= 1:
        return _constant(facts)
    if _is_two_valued(facts):
        return yes_no(facts, facts.levels.astype(bool if facts.is_bool else float).tolist())
    if facts.is_whole:
        if _are_dates(facts):
            reason = "Whole numbers that read as dates (year, month, day)."
            return ColumnSpec(facts.name, None, "ignore", reason)
        if _are_named_codes(facts):
            return as_codes(facts, "named like a code")
        if _is_count(facts):
            return _count(facts)
        if _is_rating(facts):
            return _rating(facts)
    elif _is_grid(facts):
        return _steps(facts)
    return _measurement(facts)


def _is_two_valued(facts: Facts) -> bool:
    """Two numbers that are neighbours, as 0 and 1, or of which one repeats often."""
    if facts.n_distinct != 2:
        return False
    neighbours = facts.is_whole and facts.levels[1] - facts.levels[0] == 1
    return bool(neighbours or (facts.counts.max() > 1 and np.all(np.isfinite(facts.levels))))


def _are_dates(facts: Facts) -> bool:
    days = facts.levels
    if days[0] < 19000101 or days[-1] > 21001231:
        return False
    month, day = days // 100 % 100, days % 100
    return bool(np.all((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)))


def _are_named_codes(facts: Facts) -> bool:
    """Few whole numbers that recur under a name ending with "ID" or "code", however far apart."""
    few = 2 < facts.n_distinct <= RATING_CEILING and facts.n_present >= 3 * facts.n_distinct
    return few and says_code(facts.name)


def _is_rating(facts: Facts) -> bool:
    """Few whole numbers, close together, near 0 unless they are very few or years."""
    low, high = facts.levels[0], facts.levels[-1]
    if facts.n_distinct > RATING_CEILING or high - low > RATING_CEILING:
        return False
    return -RATING_CEILING <= low <= 10 or facts.n_distinct <= 5 or (1800 <= low <= 2100)


def _is_count(facts: Facts) -> bool:
    """Whole numbers from 0, few on average, whose upper end is thin or far away."""
    low, high, mean = facts.levels[0], facts.levels[-1], facts.mean
    if low != 0 or high <= 5:
        return low >= 0 and mean <= 2 * _COUNT_MEAN and high > 1 and names_count(facts.name)
    if names_count(facts.name) and mean <= 2 * _COUNT_MEAN:
        return True
    thin = facts.counts[-1] < 0.05 * facts.n_present and (
        mean <= high / 3 or _beats_rating(facts, int(high))
    )
    wide = facts.n_distinct > RATING_CEILING or high > RATING_CEILING
    if mean <= _COUNT_MEAN and (wide or thin):
        return True
    return wide and mean <= _LONG_TAIL_MEAN and _has_long_tail(facts)


def _beats_rating(facts: Facts, trials: int) -> bool:
    steps = _counts_of_steps(facts, 0, trials)
    best = max(evidence_of_counts(facts.levels, facts.counts).values())
    return facts.counts[-1] < 0.02 * facts.n_present and best > evidence_of_rating(steps)


def _has_long_tail(facts: Facts) -> bool:
    """Whether whole numbers without gaps near 0 are clearly likelier as a count than as normal."""
    x, weight = facts.levels, facts.counts
    middle = float(np.median(np.repeat(x, weight)))
    dense = (x <= middle).sum() >= 0.7 * (middle + 1)
    if not dense or facts.skewness() < 0.5:
        return False
    ahead = max(evidence_of_counts(x, weight).values()) - evidence_of_measurement(x, weight)
    few = facts.mean <= 2 * _COUNT_MEAN
    # The larger the counts, the more they look like measurements: more has to speak for them.
    return ahead > max(10.0, (0.02 if few else 0.12) * facts.n_present)


def _count_evidence(facts: Facts) -> dict[str, float]:
    evidence = evidence_of_counts(facts.levels, facts.counts)
    return {name: nats for name, nats in evidence.items() if name in FAMILIES}


def _count(facts: Facts) -> ColumnSpec:
    x, weight = facts.levels, facts.counts
    mean = float(x @ weight) / facts.n_present
    ratio = float(weight @ (x - mean) ** 2) / facts.n_present / mean
    zeros = weight[x == 0].sum() / facts.n_present
    evidence = _count_evidence(facts)
    family = best_of_counts(evidence)
    reason = (
        f"Whole numbers {_span(facts)}, {mean:.1f} on average and 0 in {zeros:.0%} of rows, their "
        f"variance {ratio:.1f} times their mean: count, {_COUNT_NAMES[family]}."
    )
    if family != "poisson":
        ahead = evidence[family] - evidence["poisson"]
        reason = (
            f"{reason[:-1]} as one group (ahead of Poisson by {ahead:,.0f} log units of evidence; "
            "within several groups Poisson may do)."
        )
    return ColumnSpec(facts.name, family, "cluster", reason)


def _rating(facts: Facts) -> ColumnSpec:
    why = why_codes(facts)
    if why is not None:
        return as_codes(facts, why)
    return as_rating(facts)


def as_codes(facts: Facts, why: str) -> ColumnSpec:
    """Whole numbers as a category."""
    levels = tuple(int(level) for level in facts.levels)
    reason = f"Whole numbers {_span(facts)}, {len(levels)} distinct values; {why}: category."
    return ColumnSpec(facts.name, "categorical", "cluster", reason, levels=levels)


def as_rating(facts: Facts, why: str = "", ends: tuple[int, int] | None = None) -> ColumnSpec:
    """Whole numbers as a rating, from its own ends or from those of a scale it shares."""
    low, high = ends or (int(facts.levels[0]), int(facts.levels[-1]))
    counts = _counts_of_steps(facts, low, high)
    trials = high - low
    reason = (
        f"Whole numbers {_span(facts)}, {facts.n_distinct} distinct values{why}: rating, binomial "
        f"with {trials} trials{better_as_category(counts)}."
    )
    return ColumnSpec(facts.name, "binomial", "cluster", reason, trials=trials, offset=low)


def _counts_of_steps(facts: Facts, low: int, high: int) -> np.ndarray:
    counts = np.zeros(high - low + 1)
    counts[facts.levels.astype(int) - low] = facts.counts
    return counts


def why_codes(facts: Facts) -> str | None:
    """Say why few whole numbers are codes without an order rather than a rating, or return None."""
    if names_code(facts.name):
        return "named like a code"
    if (dip := _dip(facts)) is not None:
        return f"{dip} is rarer than values on both its sides, as in codes without an order"
    low, high = int(facts.levels[0]), int(facts.levels[-1])
    if low == 0 and high == 2 and facts.counts[0] >= _MOST_ZERO * facts.n_present:
        gain = gain_as_category(_counts_of_steps(facts, low, high))
        if gain > 10.0:
            return f"nearly always 0, and kinds fit the rest better by {gain:,.0f} log units"
    return None


def _dip(facts: Facts) -> int | None:
    """Find a value of a short scale that is clearly rarer than values on both its sides."""
    low, high = int(facts.levels[0]), int(facts.levels[-1])
    if high - low > 4:
        return None
    counts = _counts_of_steps(facts, low, high)
    if low == 1 and len(counts) > 3:
        counts = counts[:-1]  # a last step that stands for "or more" collects what lies beyond
    for j in range(1, len(counts) - 1):
        beside = min(counts[:j].max(), counts[j + 1 :].max())
        if beside - counts[j] > 3 * np.sqrt(beside + counts[j]):
            return low + j
    return None


def _is_grid(facts: Facts) -> bool:
    """Few repeated values on an even grid, such as 0, 0.5, 1."""
    if facts.n_distinct > RATING_CEILING or facts.n_present < 3 * facts.n_distinct:
        return False
    if not np.all(np.isfinite(facts.levels)):
        return False
    steps = (facts.levels - facts.levels[0]) / np.diff(facts.levels).min()
    return bool(steps[-1] <= RATING_CEILING and np.all(np.abs(steps - np.round(steps)) < 1e-6))


def _steps(facts: Facts) -> ColumnSpec:
    levels = tuple(facts.levels.tolist())
    listed = ", ".join(shown_levels(facts))
    reason = (
        f"Even steps ({listed}): rating of {len(levels)} levels in that order, binomial with "
        f"{len(levels) - 1} trials{better_as_category(facts.counts)}."
    )
    return ColumnSpec(facts.name, "binomial", "cluster", reason, levels=levels)


def _measurement(facts: Facts) -> ColumnSpec:
    kind = "Whole numbers" if facts.is_whole else "Decimal numbers"
    figures = f"{kind} {_span(facts)}, {facts.n_distinct:,} distinct values"
    finite = facts.levels[np.isfinite(facts.levels)]
    skew = facts.skewness()
    transform = None
    if skew > 1 and finite[0] > 0:
        in_logs = facts.skewness(in_logs=True)
        if abs(in_logs) < 0.75 * skew:
            transform = "log"
            figures += f", skewness {skew:.1f} falls to {in_logs:.1f} in logs"
    scale = "normal on the log scale" if transform else "normal"
    reason = f"{figures}: measurement, {scale}.{_infinite(facts)}"
    return ColumnSpec(facts.name, "normal", "cluster", reason, transform=transform)


def _span(facts: Facts) -> str:
    return spelled_range(facts.levels[0], facts.levels[-1])


def _infinite(facts: Facts) -> str:
    infinite = int(facts.counts[np.isinf(facts.levels)].sum())
    if not infinite:
        return ""
    return f" Infinite in {infinite:,} of its rows: correct them, or name inf a missing code."
