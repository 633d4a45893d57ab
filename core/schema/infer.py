"""Guess what every column of a table is, with the reason for it in plain words.

A ceiling on the number of distinct values decides between rating and measurement, because a ratio
of distinct values to rows would change its answer as rows are added. Missing cells are looked past
first: whole numbers stay whole where holes have made them decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaln, gammaln

from .facts import RATING_CEILING, Facts, look_at, skewness, spelled, spelled_range
from .schema import Schema
from .spec import TIME_TO_EVENT, ColumnSpec, SchemaError
from .vocabulary import (
    in_known_order,
    label_rank,
    names_arm,
    names_code,
    names_count,
    names_event,
    names_identifier,
    names_time,
    no_then_yes,
)

CATEGORY_CEILING = 299
_COUNT_MEAN = 5.0  # above it a count is as good as a measurement
_SENTINELS = (-9.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0)


def infer_schema(frame: pd.DataFrame, label: str | None = None) -> Schema:
    """Guess family, role and options of every column.

    Parameters
    ----------
    frame : DataFrame, shape (N, M)
    label : str, optional
        Column with the known classes; without it, one that is clearly named so is suggested. It
        is compared with the clusters and never used to find them.

    Returns
    -------
    Schema
        Each column with the reason for its guess; the levels found are kept, so that new rows are
        encoded alike.

    Raises
    ------
    SchemaError
        A name that is not text or stands twice, or an unknown label.
    """
    for name in frame.columns:
        if not isinstance(name, str):
            raise SchemaError(
                f"The column name {name!r} is not text: rename it, as with "
                "frame.columns = frame.columns.astype(str)."
            )
    if not frame.columns.is_unique:
        repeated = frame.columns[frame.columns.duplicated()][0]
        raise SchemaError(f"The table has two columns '{repeated}': rename one of them.")
    if label is not None and label not in frame.columns:
        raise SchemaError(
            f"There is no column '{label}' to take as the label; the columns are "
            f"{', '.join(frame.columns)}."
        )
    specs, distinct = {}, {}
    for name in frame.columns:
        facts = look_at(frame[name], name)
        specs[name], distinct[name] = guess(facts), facts.n_distinct
    return Schema(_with_roles(specs, distinct, label).values())


def guess(facts: Facts) -> ColumnSpec:
    """Guess one column from its counts alone, the other columns unseen."""
    if facts.n_present == 0:
        return ColumnSpec(facts.name, None, "ignore", "No values at all.")
    if facts.kind == "date":
        return ColumnSpec(facts.name, None, "ignore", "Dates or times, which no family describes.")
    if facts.n_distinct == 1:
        reason = f"The same value ({_shown(facts)[0]}) in every row that has one."
        return ColumnSpec(facts.name, None, "ignore", reason)
    if (reason := _identifier(facts)) is not None:
        return ColumnSpec(facts.name, None, "id", reason)
    return _text(facts) if facts.kind == "text" else _with_missing_codes(facts)


def _shown(facts: Facts) -> list[str]:
    if facts.is_bool:
        return [str(bool(level)) for level in facts.levels]
    if facts.kind == "number":
        return [spelled(level) for level in facts.levels]
    return [str(level) for level in facts.levels]


def _identifier(facts: Facts) -> str | None:
    """Say why a column tells rows apart rather than describing them, or return None."""
    unique = facts.n_distinct == facts.n_present
    figures = f"{facts.n_distinct:,} distinct values in {facts.n_present:,} rows"
    if facts.n_distinct <= RATING_CEILING and not (unique and names_identifier(facts.name)):
        return None
    fraction = facts.kind == "number" and not facts.is_whole
    if names_identifier(facts.name) and not fraction:
        shared = "" if unique else ", so some rows share one"
        return f"Named like an identifier, with {figures}{shared}."
    if facts.kind == "text" and unique and _mean_length(facts) <= 40:
        return f"Each value stands in one row only ({figures}): it tells rows apart."
    if facts.kind == "number" and unique and not fraction:
        present = facts.values[~np.isnan(facts.values)]
        low, high = present[0], present[-1]
        if np.all(np.diff(present) > 0) and high - low < 2 * facts.n_present:
            return f"Whole numbers that rise from row to row ({figures}): it numbers the rows."
    return None


def _mean_length(facts: Facts) -> float:
    return float(np.mean([len(word) for word in facts.levels[:1000]]))


def _text(facts: Facts) -> ColumnSpec:
    name, distinct = facts.name, facts.n_distinct
    repeated = distinct < facts.n_present
    if _mean_length(facts) > 40 and (distinct > RATING_CEILING or not repeated):
        reason = (
            f"{distinct:,} distinct texts of about {_mean_length(facts):.0f} letters: free text."
        )
        return ColumnSpec(name, None, "ignore", reason)
    if distinct == 2:
        return _yes_no(facts, list(facts.levels))
    if distinct <= RATING_CEILING and (ordered := in_known_order(facts.levels)) is not None:
        listed = " < ".join(ordered)
        counts = facts.counts[[list(facts.levels).index(level) for level in ordered]]
        reason = f"{distinct} words in a known order ({listed}): rating, binomial with "
        reason += f"{distinct - 1} trials{_better_as_category(counts)}."
        return ColumnSpec(name, "binomial", "cluster", reason, levels=ordered)
    if distinct > CATEGORY_CEILING:
        reason = f"{distinct:,} distinct values, too many for a category: group them, or leave out."
        return ColumnSpec(name, None, "ignore", reason)
    if distinct > RATING_CEILING and distinct > facts.n_present / 2:
        reason = f"{distinct:,} distinct values in {facts.n_present:,} rows: hardly any repeat."
        return ColumnSpec(name, None, "ignore", reason)
    reason = f"{distinct} distinct words without a known order: category."
    return ColumnSpec(name, "categorical", "cluster", reason, levels=tuple(sorted(facts.levels)))


def _yes_no(facts: Facts, levels: list[Any]) -> ColumnSpec:
    no, yes = no_then_yes(levels)
    spec = ColumnSpec(facts.name, "bernoulli", "cluster", levels=(no, yes))
    no, yes = spec.levels
    return spec.changed(reason=f"Two values, {no} and {yes}: yes/no, where {yes} counts as yes.")


def _with_missing_codes(facts: Facts) -> ColumnSpec:
    """Guess a number column, the words and sentinels that disturb it taken as missing."""
    codes = _sentinels(facts)
    tokens = facts.tokens or {}
    spec = _number(facts.without(codes) if codes else facts)
    named = [f"'{word}' in {rows:,} rows" for word, rows in tokens.items()]
    named += [
        f"{code:g} in {int(facts.counts[facts.levels == code][0]):,} rows, far from the rest,"
        for code in codes
    ]
    if not named:
        return spec
    reason = f"{spec.reason} {' and '.join(named)} taken as missing: undo it if that is wrong."
    return spec.changed(missing_codes=(*tokens, *codes), reason=reason.replace(",:", ":"))


def _sentinels(facts: Facts) -> list[float]:
    """Values such as -999 that repeat, far from all others."""
    if facts.is_bool:
        return []
    found = [
        code
        for code in _SENTINELS
        if facts.counts[facts.levels == code].sum() > 1 and code in (facts.levels[[0, -1]])
    ]
    rest = facts.levels[~np.isin(facts.levels, found) & np.isfinite(facts.levels)]
    if len(rest) < 2:
        return []
    low, high = rest[0], rest[-1]
    return [
        code
        for code in found
        if min(abs(code - low), abs(code - high)) > high - low or (code < 0 <= low)
    ]


def _number(facts: Facts) -> ColumnSpec:
    if facts.n_distinct == 1:
        reason = f"The same value ({_shown(facts)[0]}) in every row that has one."
        return ColumnSpec(facts.name, None, "ignore", reason)
    if _is_two_valued(facts):
        return _yes_no(facts, facts.levels.astype(bool if facts.is_bool else float).tolist())
    if facts.is_whole:
        if _are_dates(facts):
            reason = "Whole numbers that read as dates (year, month, day)."
            return ColumnSpec(facts.name, None, "ignore", reason)
        if _is_count(facts):
            return _count(facts)
        if _is_rating(facts):
            return _rating(facts)
    elif _is_grid(facts):
        return _steps(facts)
    return _measurement(facts)


def _is_two_valued(facts: Facts) -> bool:
    """Two numbers that are neighbours, as 0 and 1, or that both repeat."""
    if facts.n_distinct != 2:
        return False
    neighbours = facts.is_whole and facts.levels[1] - facts.levels[0] == 1
    return bool(neighbours or (facts.counts.min() > 1 and np.all(np.isfinite(facts.levels))))


def _are_dates(facts: Facts) -> bool:
    days = facts.levels
    if days[0] < 19000101 or days[-1] > 21001231:
        return False
    month, day = days // 100 % 100, days % 100
    return bool(np.all((month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)))


def _is_rating(facts: Facts) -> bool:
    """Few whole numbers, close together, near 0 unless they are very few or years."""
    low, high = facts.levels[0], facts.levels[-1]
    if facts.n_distinct > RATING_CEILING or high - low > RATING_CEILING:
        return False
    return -RATING_CEILING <= low <= 10 or facts.n_distinct <= 5 or (1800 <= low <= 2100)


def _is_count(facts: Facts) -> bool:
    """Whole numbers from 0, few on average, whose upper end is thin or far away."""
    low, high = facts.levels[0], facts.levels[-1]
    mean = float(facts.levels @ facts.counts) / facts.n_present
    if low != 0 or high <= 5:
        return low >= 0 and mean <= 2 * _COUNT_MEAN and high > 1 and names_count(facts.name)
    if names_count(facts.name):
        return mean <= 2 * _COUNT_MEAN
    thin = mean <= high / 3 and facts.counts[-1] < 0.05 * facts.n_present
    wide = facts.n_distinct > RATING_CEILING or high > RATING_CEILING
    return mean <= _COUNT_MEAN and (wide or thin)


def _count(facts: Facts) -> ColumnSpec:
    mean = float(facts.levels @ facts.counts) / facts.n_present
    zeros = facts.counts[facts.levels == 0].sum() / facts.n_present
    reason = (
        f"Whole numbers {_span(facts)}, {mean:.1f} on average and 0 in {zeros:.0%} of rows: count, "
        "Poisson."
    )
    return ColumnSpec(facts.name, "poisson", "cluster", reason)


def _rating(facts: Facts) -> ColumnSpec:
    levels = tuple(int(level) for level in facts.levels)
    low, high = levels[0], levels[-1]
    figures = f"Whole numbers {_span(facts)}, {len(levels)} distinct values"
    codes = None
    if names_code(facts.name):
        codes = "named like a code"
    elif (dip := _dip(facts)) is not None:
        codes = f"{dip} is rarer than values on both its sides, as in codes without an order"
    if codes:
        reason = f"{figures}; {codes}: category."
        return ColumnSpec(facts.name, "categorical", "cluster", reason, levels=levels)
    counts = np.zeros(high - low + 1)
    counts[np.array(levels) - low] = facts.counts
    trials = high - low
    reason = f"{figures}: rating, binomial with {trials} trials{_better_as_category(counts)}."
    return ColumnSpec(facts.name, "binomial", "cluster", reason, trials=trials, offset=low)


def _dip(facts: Facts) -> int | None:
    """Find a value of a short scale that is clearly rarer than values on both its sides."""
    low, high = int(facts.levels[0]), int(facts.levels[-1])
    if high - low > 4:
        return None
    counts = np.zeros(high - low + 1)
    counts[facts.levels.astype(int) - low] = facts.counts
    for j in range(1, len(counts) - 1):
        beside = min(counts[:j].max(), counts[j + 1 :].max())
        if beside - counts[j] > 3 * np.sqrt(beside + counts[j]):
            return low + j
    return None


def _better_as_category(counts: np.ndarray) -> str:
    """Say by how much the column's own marginal likelihood prefers a category, if clearly."""
    counts = np.asarray(counts, dtype=float)
    n, trials = counts.sum(), len(counts) - 1
    x = np.arange(trials + 1)
    ways = gammaln(trials + 1) - gammaln(x + 1) - gammaln(trials - x + 1)
    total = float(counts @ x)
    as_rating = counts @ ways + betaln(1 + total, 1 + n * trials - total)
    as_category = gammaln(trials + 1) - gammaln(trials + 1 + n) + gammaln(1 + counts).sum()
    gain = as_category - as_rating
    if gain < max(10.0, 0.1 * n):
        return ""
    return f" (on its own it fits a category better, by {gain:,.0f} log units: compare both)"


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
    listed = ", ".join(_shown(facts))
    reason = (
        f"Even steps ({listed}): rating of {len(levels)} levels in that order, binomial with "
        f"{len(levels) - 1} trials{_better_as_category(facts.counts)}."
    )
    return ColumnSpec(facts.name, "binomial", "cluster", reason, levels=levels)


def _measurement(facts: Facts) -> ColumnSpec:
    kind = "Whole numbers" if facts.is_whole else "Decimal numbers"
    figures = f"{kind} {_span(facts)}, {facts.n_distinct:,} distinct values"
    finite = facts.values[np.isfinite(facts.values)]
    skew = skewness(finite)
    transform = None
    if skew > 1 and finite.min() > 0:
        in_logs = skewness(np.log(finite))
        if abs(in_logs) < 0.75 * skew:
            transform = "log"
            figures += f", skewness {skew:.1f} falls to {in_logs:.1f} in logs"
    scale = "normal on the log scale" if transform else "normal"
    reason = f"{figures}: measurement, {scale}.{_hints(facts)}"
    return ColumnSpec(facts.name, "normal", "cluster", reason, transform=transform)


def _span(facts: Facts) -> str:
    return spelled_range(facts.levels[0], facts.levels[-1])


def _hints(facts: Facts) -> str:
    """Point at infinities, and at zeros that may mean missing."""
    infinite = int(facts.counts[np.isinf(facts.levels)].sum())
    if infinite:
        return f" Infinite in {infinite:,} of its rows: correct them, or name inf a missing code."
    zeros = int(facts.counts[facts.levels == 0].sum())
    if facts.levels[0] == 0 and zeros >= max(2, 0.005 * facts.n_present) and facts.n_distinct > 12:
        above = facts.levels[1:]
        usual = np.median(np.diff(above[: max(len(above) // 2, 2)]))
        if above[0] >= 5 * usual:
            return (
                f" 0 in {zeros:,} rows stands apart, the next is {spelled(above[0])}: name it a "
                "missing code if it means that."
            )
    return ""


def _with_roles(
    specs: Mapping[str, ColumnSpec], distinct: Mapping[str, int], label: str | None
) -> dict[str, ColumnSpec]:
    """Set aside what is named like a class, an outcome or a trial's arm."""
    result = dict(specs)
    described = [name for name, spec in specs.items() if spec.role == "cluster"]
    few = {name for name in described if specs[name].family != "normal" and distinct[name] <= 50}
    events = [name for name in described if names_event(name) and name in few]
    times = [name for name in described if names_time(name) and name not in few]
    followed = bool(events) and bool(times)
    if label is None:
        label = _clear_label(described, few, followed)
    for name in described:
        if names_arm(name) and name in few:
            result[name] = _aside(
                specs[name],
                "control",
                "Named like a trial's arm: a negative control if randomised.",
            )
        elif name in times and followed:
            event = events[0]
            result[name] = specs[name].changed(
                family=TIME_TO_EVENT,
                role="validator",
                event=event,
                reason=f"Named like a follow-up time, with '{event}' beside it: an outcome; name "
                f"the codes of '{event}' that mean the event.",
            )
        elif _names_outcome(name, name in events, followed):
            result[name] = _aside(specs[name], "validator", "Named like an outcome.")
    if label is not None:
        chosen = specs[label]
        result[label] = _aside(
            chosen, "label", "The known class: compared with the clusters, never used to find them."
        )
    return result


def _names_outcome(name: str, is_event: bool, followed: bool) -> bool:
    if is_event and (followed or name.lower() not in ("status", "event")):
        return True
    return label_rank(name) is not None and name.lower() not in ("y", "status")


def _clear_label(described: list[str], few: set[str], followed: bool) -> str | None:
    """Find the column most clearly named as the known class, if any."""
    ranks = {
        name: rank
        for name in described
        if name in few
        and (rank := label_rank(name)) is not None
        and not (followed and names_event(name))
    }
    return min(ranks, key=lambda name: ranks[name]) if ranks else None


def _aside(spec: ColumnSpec, role: str, why: str) -> ColumnSpec:
    return spec.changed(role=role, reason=f"{why} {spec.reason}")
