"""Times to an event: a column that says how long each was watched, and one whether it happened."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from .cells import factorize, plain
from .dependence import crossed, has_few_wrong
from .facts import Facts
from .orders import two_levels
from .questions import Answer, Look, Question, joined, quoted
from .spec import TIME_TO_EVENT
from .words import denies, says

_FEWEST_ROWS, _FEWEST_TIMES, _MOST_CODES = 20, 10, 8
_MOST_HOLES, _MOST_ZEROS = 0.1, 0.2
_MOST_EVENTS = 3  # of which each has an answer; further ones are chosen under Survival
_ENDS = re.compile(r"[ _.]?(?:s|st|stat|status|d|ev|event|cens|ind|indicator)")
_TIME_ENDS, _STATUS_ENDS = re.compile(r"(?:time|days|t)$"), re.compile(r"(?:stat|status|event|d)$")
_LATE = 0.05  # of the rows that chance would put above the time watched, those that are, at most
_EXPECTED = 6  # rows that chance would put there, at least
_MOST_NAMES = 20  # of a cause


@dataclass(frozen=True)
class Watched:
    """How long each was watched, and what is said of it."""

    time: str
    status: str
    #: The code of "not yet, when last seen", and the others, the commonest first.
    censored: Any
    events: tuple[Any, ...]
    #: Whether the names of both and their cells say so.
    is_sure: bool


def find_watched(look: Look) -> list[Watched]:
    """Pairs of time and status, each column in one of them at most, in the table's order."""
    names = list(look.specs)
    may_be = ("cluster", "label", "validator")
    open_ = [n for n, spec in look.specs.items() if n != look.label and spec.role in may_be]
    times = [n for n in open_ if len(look.frame) >= _FEWEST_ROWS and _is_time(look, n)]
    scored = []
    for time in times:
        for status in (n for n in open_ if n != time and _is_status(look.facts[n])):
            apart = abs(names.index(time) - names.index(status))
            if closeness := _closeness(time, status, is_near=apart == 1):
                scored.append((-closeness, apart, time, status))
    found: dict[str, Watched] = {}
    for closeness, _, time, status in sorted(scored):
        if found.keys().isdisjoint((time, status)):
            pair = _confirmed(look, time, status, is_clear=closeness == -4)
            found |= {time: pair, status: pair} if pair else {}
    return [found[name] for name in names if name in found and found[name].time == name]


def _amounts(look: Look, name: str) -> np.ndarray | None:
    """The cells as float64, (N,), where they are many plain numbers."""
    facts, cells = look.facts[name], look.frame[name]
    if cells.dtype.kind not in "iuf" or facts.kind != "number" or facts.n_distinct < _FEWEST_TIMES:
        return None
    return cells.to_numpy(np.float64, na_value=np.nan)


def _is_filled(facts: Facts) -> bool:
    return facts.n_present >= (1 - _MOST_HOLES) * facts.n_rows


def _is_time(look: Look, name: str) -> bool:
    facts = look.facts[name]
    if _amounts(look, name) is None or not _is_filled(facts) or facts.levels[0] < 0:
        return False
    few_zeros = facts.rows_of(0) <= _MOST_ZEROS * facts.n_present
    return bool(np.isfinite(facts.levels[-1]) and few_zeros)


def _is_status(facts: Facts) -> bool:
    few = 2 <= facts.n_distinct <= _MOST_CODES and (facts.kind == "text" or facts.is_whole)
    return few and _is_filled(facts) and not says("origin", facts.name)


def _closeness(time: str, status: str, is_near: bool) -> int:
    """How closely two names belong together: 0 not at all, 4 as "srv" and "srv.stat"."""
    a, b = time.lower(), status.lower()
    stem, other = _TIME_ENDS.sub("", a), _STATUS_ENDS.sub("", b)
    is_watch = says("watch", time)
    if (
        (b.startswith(a) and _ENDS.fullmatch(b[len(a) :]))
        or (len(a) == len(b) <= 3 and a[0] + b[0] == "td" and a[1:] == b[1:])  # "t1" and "d1"
        or (stem == other != "" and stem != a)  # "ptime" and "pstat"
        or (is_watch and len(b) > 2 and re.search(rf"[ _.]{re.escape(b)}$", a))
    ):
        return 4
    if len(b) > 2 and a.endswith(b):  # "edrel" and "rel"
        return 1
    numbers = [found and found[0] for found in (re.search(r"\d+$", a), re.search(r"\d+$", b))]
    if not is_watch or numbers[0] != numbers[1]:
        return 0
    if not says("happening", status):  # "time1" and "infect1"; "time" and what stands beside it
        return int(is_near and (numbers[0] is not None or says("time", time)))
    return 4 if numbers[0] else 3 if a[:2] == b[:2] else 2


def _confirmed(look: Look, time: str, status: str, is_clear: bool) -> Watched | None:
    """The pair with its codes, where its cells agree that one of them is "not yet"."""
    both = look.frame[[time, status]].dropna()
    by_code = both[time].rank().groupby(both[status].astype(object)).agg(["mean", "size"])
    n, found = len(both), by_code.index.tolist()
    if len(found) < 2:
        return None
    # The code with the longest times by its rank test, and in which share of pairs it is longer.
    mean, m = by_code["mean"], by_code["size"]
    scores = (mean - (n + 1) / 2) / np.sqrt((n - m) * (n + 1) / (12 * m))
    longest, z, no = scores.idxmax(), scores.max(), _not_yet(status, found)
    share = ((mean - (m + 1) / 2) / (n - m))[longest]
    is_watch, happens = says("watch", time), says("happening", status)
    clearly = z >= 2.0 if happens and is_watch else z >= 3.0
    if not (happens and is_watch):  # what only stands beside a time, or is called as a part of it
        clearly = clearly and share >= (0.57 if is_watch else 0.7) and {*found} <= {0, 1}
    is_named = is_clear or (is_watch and says("perhaps_event", status))
    if not (is_named or (clearly and no in (None, longest))):
        return None
    is_sure = happens and is_watch and z >= 3.0 and no in (None, longest)
    no = longest if no is None else no
    events = m.drop(no).sort_values(ascending=False, kind="stable").index
    return Watched(time, status, plain(no), tuple(map(plain, events)), is_sure)


def _not_yet(name: str, found: list[Any]) -> Any:
    """The code that says "not yet", by its words or as the lowest; None where it may be any."""
    if says("spared", name):  # some say by 1 that it did not happen
        return None
    text = [c for c in found if isinstance(c, str) and ("cens" in c.lower() or denies(c))]
    if len(text) == 1:
        return text[0]
    return two_levels(found)[0] if len(found) == 2 else 0 if 0 in found else None


def ask_survival(look: Look) -> Iterator[Question]:
    """Whether a pair is kept out as survival, as it is where it is sure, and what is the event."""
    for pair in find_watched(look):
        both, specs = (pair.time, pair.status), look.specs
        used = [name for name in both if specs[name].role == "cluster"]
        choices = [(event,) for event in pair.events[:_MOST_EVENTS]]
        choices += [pair.events] if len(pair.events) > 1 else []
        out: dict[str, dict[str, Any]] = look.with_role("validator", used, "An outcome.")
        if specs[pair.time].family == TIME_TO_EVENT:
            out[pair.time] = {"family": "normal"}
        answers = [_as_survival(pair, events, look) for events in choices]
        answers.append(Answer("Keep both out, each by itself", out))
        if used:
            rest = "them" if len(used) == len(both) else quoted(used[0])
            back = {name: {"role": "cluster"} for name in used} if pair.is_sure else {}
            answers.append(Answer(f"No: cluster on {rest}", back))
        if pair.is_sure:
            look.keep_out(used, "An outcome.", "validator")
        rest = "whether it happened: keep them out as survival?"
        if len(pair.events) > 1:
            codes = joined(map(str, sorted(pair.events, key=str)))
            rest = f"what happened ({pair.censored} = not yet): keep them out as survival, with "
            rest += f"which of {codes} as the event?"
        text = f"{quoted(pair.time)} looks like how long each was watched, and "
        text += f"{quoted(pair.status)} like {rest}"
        yield Question("outcome", both, text, tuple(answers))


def late_columns(look: Look, pairs: list[tuple[str, ...]]) -> set[str]:
    """Other columns to cluster on that only the end of the watch can have told."""
    alone = {n for n in look.open if says("time", n) and n.strip().lower() != "time"}
    late = {n for n in alone if _is_time(look, n)} | {n for pair in pairs for n in pair}
    left = {*look.open} - late
    while fresh := {name for name in left if any(_is_late(look, name, by) for by in late)}:
        late |= fresh
        left -= fresh
    stems = [name.rstrip("0123456789") for name in late]  # of "etime4" and "etime5" it is one
    numbered = {name for name in left if stems.count(name.rstrip("0123456789")) > 1}
    return (late | numbered).intersection(look.open)


def _is_late(look: Look, name: str, by: str) -> bool:
    """Whether what is known to be late gives a column away."""
    own, late = look.frame[name], look.frame[by]
    least = 2 if says("watch", name) else _EXPECTED
    there, after = own.notna().to_numpy(), late.notna().to_numpy()
    sides = [after]
    if look.facts[by].n_distinct <= _MOST_CODES:
        if tells(own, late):
            return True
        sides += [(late == code).to_numpy(bool, na_value=False) for code in late.dropna().unique()]
    if any(_lies_within(there, side, least) for side in sides):
        return True
    if look.facts[name].n_distinct == 2 and _is_status(look.facts[name]):  # "transplanted"
        codes = ((own == code).to_numpy(bool, na_value=False) for code in own.dropna().unique())
        if any(_lies_within(a, after) and _lies_within(after, a) for a in codes):
            return True
    a, b = _amounts(look, name), _amounts(look, by)
    if a is None or b is None:
        return False
    if _is_below(a, b, least):
        return True
    others = (_amounts(look, other) for other in look.specs if other not in (name, by))
    return any(other is not None and _are_alike(a - b, other) for other in others)


def _lies_within(part: np.ndarray, whole: np.ndarray, least: float = _EXPECTED) -> bool:
    """Whether some rows, (n,) of bool, are among others, where chance would put many outside."""
    chance = part.sum() * (1 - whole.mean())
    return bool(min(chance, whole.sum()) >= least and (part & ~whole).sum() <= _LATE * chance)


def _is_below(own: np.ndarray, time: np.ndarray, least: int) -> bool:
    """Whether a column, (n,), is hardly ever above a time, (n,), where chance would put many."""
    both = np.isfinite(own) & np.isfinite(time)
    a, b = own[both], time[both]
    expected = (1 - np.searchsorted(np.sort(a), b, side="right") / max(len(a), 1)).sum()
    return bool(expected >= least and (a > b).sum() <= _LATE * expected)


def _are_alike(rest: np.ndarray, other: np.ndarray) -> bool:
    """Whether a column without the time watched is another column."""
    both = np.isfinite(rest) & np.isfinite(other)
    if np.unique(rest[both]).size < _FEWEST_TIMES:
        return False
    return bool(np.isclose(rest[both], other[both], rtol=1e-6).mean() >= 0.98)


def tells(column: pd.Series, status: pd.Series) -> bool:
    """Whether a category of a few names, such as a cause of death, tells a status."""
    (names, distinct), (codes, _) = factorize(column), factorize(status)
    both = (names >= 0) & (codes >= 0)
    return 2 < len(distinct) <= _MOST_NAMES and has_few_wrong(crossed(names[both], codes[both]))


def _as_survival(pair: Watched, events: tuple[Any, ...], look: Look) -> Answer:
    """Out as survival with those codes as the event; any others rule it out."""
    others = [event for event in pair.events if event not in events]
    happened = " or ".join(map(str, events))
    text = f"Survival: {happened} = it happened"
    if others:
        does = "rules" if len(others) == 1 else "rule"
        text = f"Survival: {happened} is the event, {joined(map(str, others))} {does} it out"
    elif len(events) > 1:
        text = f"Survival: {happened}, all alike"
    time = {
        "family": TIME_TO_EVENT,
        "role": "validator",
        "event": pair.status,
        "event_codes": events,
        "censored_codes": (pair.censored,),
        "reason": f"A time to an event, with {quoted(pair.status)} telling whether it came.",
    }
    why = f"Read together with {quoted(pair.time)}."
    return Answer(text, {pair.time: time} | look.with_role("ignore", (pair.status,), why))
