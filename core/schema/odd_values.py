"""Values among the numbers of a column that may mean something else, or cannot be."""

import numpy as np

from ..wording import could_be_year, percent
from .facts import RATING_CEILING, Facts, spelled
from .words import says

#: Numbers that may stand for something else.
NINES = tuple(10**k - 1 for k in range(1, 7))
ANSWERS = (7, 8, 77, 88, 97, 98, 777, 888, 997, 998)  # "refused", "does not know", beside a 9
BELOW = (-1, -2, -3, -7, -8, -9, -77, -88, -98, -99, -888, -998, -999, -9999, -99999)
_DECIMAL_NINES = (99.9, 999.9, 9999.9, 99999.9, 99.99, 999.99, 9999.99, 99999.99)
CODES = (0, *NINES, *ANSWERS, *BELOW, *_DECIMAL_NINES, *(-nines for nines in _DECIMAL_NINES))
_FAR = 5.0  # steps between neighbours that make a value stand apart
_NEAR = 10  # values on each side of a code that it is compared with
_SPIKE = 4.0  # times as frequent as any value near it
_SPIKE_SHARE, _SPIKE_TIMES = 0.1, 5.0  # zeros that stand beside a measurement
#: Robust standard deviations from the middle, and from the next value, of what lies far away.
_FAR_AWAY, _ALONE = 10.0, 2.0
#: Rows of a mistake at most: so many, or this share; values and rows of its column, at least.
_MOST_ROWS, _MOST_SHARE, _LEAST_VALUES, _LEAST_ROWS = 3, 0.003, 8, 50
#: Nobody grew older; births so long before the last one of a table, with a gap, are mistakes.
_OLDEST, _LONG_AGO, _GAP = 122.0, 90.0, 5.0
#: How much larger one unit is than another (powers of ten, inches, and mg/dl of glucose, creatinine
#: and cholesterol), or with what shift (Fahrenheit); and the share of the rows that may be in it.
_FACTORS = (10.0, 100.0, 1000.0, 2.54, 18.02, 88.42, 38.67)
_FAHRENHEIT, _CELSIUS = (1.8, 32.0), (1 / 1.8, -32 / 1.8)
_UNITS = (*((f, 0.0) for f in _FACTORS), *((1.0 / f, 0.0) for f in _FACTORS), _FAHRENHEIT, _CELSIUS)
_MOST_IN_UNIT = 0.2
#: Likelihoods of amounts, from whose values one can be far; counts that vary widely have tails.
_OF_AMOUNTS = ("normal", "exponential", "poisson")
_MOST_USUAL = 0.4  # share of the rows of one value, above which numbers are settings
_AT_ZERO = "at 0, far below all others,"


def find_codes(facts: Facts) -> tuple[float, ...]:
    """Values that stand apart from the other numbers of a column, in increasing order."""
    if facts.kind != "number" or facts.is_bool or facts.n_present < 10:
        return ()
    levels, counts = facts.levels, facts.counts
    usable = np.isin(levels, CODES) & (counts > 1)
    if facts.answers is not None:  # the file says that these are steps of a scale
        low, high = facts.answers
        usable &= (levels < low) | (levels > high)
    # One value only beside the candidates is no scale that they could stand apart from.
    pool = [float(c) for c in levels[usable]]
    found: list[float] = []
    for code in sorted(pool, key=abs, reverse=True):
        if code in found:
            continue
        for run in ([code], _run_below(code, pool)):
            rest = ~np.isin(levels, [*found, *run]) & np.isfinite(levels)
            if rest.sum() >= 2 and _stands_apart(run[-1], facts, rest):
                found += run
                break
    if found and not any(code in NINES for code in found):
        # Alone, an answer's code lies farther beyond the other numbers than they do apart.
        rest = levels[~np.isin(levels, found) & np.isfinite(levels)]
        width = rest[-1] - rest[0]
        found = [code for code in found if code not in ANSWERS or code - rest[-1] > width]
    return tuple(sorted({*found, *_one_digit(facts)}))


def _one_digit(facts: Facts) -> tuple[float, ...]:
    """The highest number, far beyond the rest, where it recurs or is one digit again and again."""
    if facts.n_distinct <= RATING_CEILING or not np.isfinite(facts.levels[-1]):
        return ()
    *_, second, top = facts.levels
    digits = f"{top:.0f}"
    is_digit = top == np.floor(top) and len(digits) > 3 and len(set(digits)) == 1
    is_filler = top > 1000 * second and facts.counts[-1] > 1  # as where a file may hold no blanks
    return (float(top),) if top > 2 * second > 0 and (is_digit or is_filler) else ()


def _run_below(code: float, pool: list[float]) -> list[float]:
    """A positive code and the codes right below it, as 9, 8 and 7: they stand apart together."""
    run = [code]
    while run[-1] - 1 in ANSWERS and run[-1] - 1 in pool:
        run.append(run[-1] - 1)
    return run


def _stands_apart(code: float, facts: Facts, rest: np.ndarray) -> bool:
    """Whether a code lies farther from the other numbers than they do from one another."""
    others, counts = facts.levels[rest], facts.counts[rest]
    rows = facts.rows_of(code)
    low, high = others[0], others[-1]
    if rows > 0.6 * facts.n_present and len(others) <= RATING_CEILING:
        return False
    if code < 0 <= low:  # -1, 0, 1 may be a scale
        return len(others) > 2 or rows <= 0.2 * facts.n_present or bool(high > 1)
    place = int(np.searchsorted(others, code))
    steps = np.diff(others[max(place - _NEAR, 0) : place + _NEAR])
    usual, widest = (float(np.median(steps)), float(steps.max())) if len(steps) else (0.0, 0.0)
    gap = float(np.min(np.abs(others - code)))
    inside, are_whole = 0 < place < len(others), np.all(others == np.floor(others))
    if len(others) <= RATING_CEILING and are_whole:
        is_scale = len(others) > 2 or low <= 1  # which 2 and 3 before an 8 are not
        return is_scale and not inside and not 0 <= code < low and gap > widest
    is_spike = rows >= max(3, _SPIKE * _most_near(code, others, counts))
    if inside or code == 0:
        # Within the range a gap alone proves nothing where values are thin.
        return (is_spike and (gap > usual or not are_whole)) or gap >= 2 * _FAR * usual > 0
    return is_spike or (gap >= _FAR * usual and gap > widest)


def _most_near(code: float, others: np.ndarray, counts: np.ndarray) -> int:
    """Rows of the most frequent value near a code, of all values and of the whole ones."""
    most = 0
    for comparable in (slice(None), others == np.floor(others)):
        values, rows = others[comparable], counts[comparable]
        place = int(np.searchsorted(values, code))
        most = max(most, int(rows[max(place - _NEAR, 0) : place + _NEAR].max(initial=0)))
    return most


def is_certainly_missing(code: float, facts: Facts) -> bool:
    """Whether a code can only be a hole: negative among others that are not, or far off."""
    if facts.rows_of(code) < 2:
        return False
    rest = facts.levels[(facts.levels != code) & np.isfinite(facts.levels)]
    low, high = rest[0], rest[-1]
    if code <= 0:  # beside 0 and 1 a -1 may be a step: less, the same, more
        return code < 0 <= low and not (code == -1 and high == 1)
    outside = min(abs(code - low), abs(code - high)) if not low <= code <= high else 0.0
    is_short = facts.is_whole and len(rest) <= RATING_CEILING
    return bool(outside >= 2 if is_short else outside > high - low)


def zeros_apart(facts: Facts) -> str:
    """Say how many zeros stand beside a measurement that has none near them; "" for none."""
    levels, counts = facts.levels, facts.counts
    if facts.n_distinct <= RATING_CEILING or levels[0] != 0 or np.isinf(levels[-1]):
        return ""
    zeros, above = int(counts[0]), levels[1:]
    steps = np.diff(above[: max(len(above) // 2, 2)])
    gap = above[0] >= 5 * np.median(steps) and zeros >= max(2, 0.005 * facts.n_present)
    # Counts begin at 0 and go on with 1, 2, 3: their zeros belong to them.
    counts_on = facts.is_whole and np.isin([1.0, 2.0, 3.0], above).all()
    share = zeros / facts.n_present
    spike = share >= _SPIKE_SHARE and zeros >= _SPIKE_TIMES * counts[1:].max() and not counts_on
    if not (gap or spike):
        return ""
    apart = f", which stands apart, the next is {spelled(above[0])}," if gap else ""
    return f"0 in {percent(zeros, facts.n_present)} of the rows{apart}"


def is_amount_of_none(facts: Facts) -> bool:
    """Whether 0 is likely an amount of none rather than a hole: money, days, areas, counts."""
    above = facts.levels > 0
    if above.sum() < 2 or facts.levels[0] < 0 or says("amount", facts.name):
        return True
    amounts = np.repeat(facts.levels[above], facts.counts[above])
    low, middle = np.quantile(amounts, (0.05, 0.5), method="inverted_cdf")
    share = 0.7 if facts.rows_of(0) > 0.3 * facts.n_present else 0.25
    whole = facts.is_whole and facts.n_distinct <= RATING_CEILING
    return bool(not whole and low < share * middle)


def cannot_be(facts: Facts) -> tuple[str, tuple[float, ...]]:
    """Where impossible numbers of a column lie, by its name, and which they are; else "", none."""
    facts = facts.keeping(np.isfinite(facts.levels))
    levels, counts, n = facts.levels, facts.counts, facts.n_present
    least = RATING_CEILING if says("age", facts.name) else _LEAST_ROWS
    if n < least or levels.size <= RATING_CEILING:
        return "", ()
    middle = float(np.median(np.repeat(levels, counts)))
    is_age = says("age", facts.name) and 5 <= middle <= 90
    is_birth = says("birth", facts.name) and could_be_year(middle)
    is_percent = says("percent", facts.name) and levels[0] >= 0
    is_setting = counts.max() > _MOST_USUAL * n
    above = np.median(np.repeat(levels, counts)[counts[0] :]) if levels[0] == 0 else np.inf
    steps = np.diff(levels, prepend=levels[0])
    far_older, far_above = (steps[levels > m][:1].sum() > 4 * _GAP for m in (_OLDEST, 100))
    long_ago = levels[-1] - levels > _LONG_AGO
    # 300 stands for "over 89", 1900 for an unknown birth: codes, which many rows may have.
    for may_be, where, odd, share in (
        (is_age, "above any age", levels > _OLDEST, 0.5 * far_older),
        (is_age or (says("paid", facts.name) and middle > 0), "below 0", levels < 0, 0),
        (is_birth, f"over {_LONG_AGO:.0f} years before the last", long_ago, 0.5),
        (is_percent, "above 100 %", levels > 100, 0.05 * far_above),
        (not is_setting and levels[1] > above / 2, _AT_ZERO, levels == 0, 0),
    ):
        rows = counts[odd].sum()
        if not may_be or not 0 < rows <= max(_MOST_ROWS, max(share, 0.01) * n):
            continue
        gaps = np.diff(levels)[np.diff(odd.astype(int)) != 0]
        if where == _AT_ZERO or where == "below 0" or is_percent or gaps.min() >= _GAP:
            return where, tuple(levels[odd].tolist())
    return "", ()


def far_away(facts: Facts, family: str | None, is_log: bool) -> tuple[float, ...]:
    """A few numbers far from all others, as if a digit had slipped in."""
    finite = np.isfinite(facts.levels)
    levels, counts = facts.levels[finite], facts.counts[finite]
    if levels.size < _LEAST_VALUES or counts.sum() < _LEAST_ROWS:
        return ()
    for end, inner in ((levels[-1], levels[:-1]), (levels[0], levels[1:])):
        gap = np.abs(end - inner).min() if end else 0.0
        is_alone = gap > np.ptp(inner) and gap > _FAR_AWAY * np.diff(inner).max()
        if is_alone and facts.rows_of(end) >= _MOST_ROWS:  # again and again, as a code is
            return (float(end),)
    if family not in _OF_AMOUNTS or counts.sum() < 2 * _LEAST_ROWS:
        return ()
    places = np.log(levels) if is_log else np.sqrt(levels) if family == "poisson" else levels
    lower, middle, upper = np.percentile(np.repeat(places, counts), (25, 50, 75))
    deviation = (upper - lower) / 1.349  # of a normal distribution with these quartiles
    is_far = np.abs(places - middle) > _FAR_AWAY * deviation
    rows = int(counts[is_far].sum())
    if not deviation or not rows:
        return ()
    # 1.82 among 175 is the same in another unit, which more rows may have.
    usual, (low, *_, high) = np.median(levels[is_far]), levels[~is_far]
    converted = [usual * factor + shift for factor, shift in _UNITS]
    in_unit = high < 10 * low and any(low <= value <= high for value in converted)
    if rows > max(_MOST_ROWS, (_MOST_IN_UNIT if in_unit else _MOST_SHARE) * counts.sum()):
        return ()
    edges = np.diff(is_far.astype(int)) != 0
    alone = np.all(np.diff(places)[edges] > _ALONE * deviation)
    return tuple(levels[is_far].tolist()) if alone else ()
