"""Columns that say what others say: a code and its word, a number and its band, a sum, a ratio."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice, takewhile
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import entr

from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..wording import counted
from .arithmetic import Copy, find_computed, scaled, weights_of
from .encode import encode_column, numbers
from .questions import KEPT_OUT, Answer, Look, Question, quoted, worded
from .spec import ColumnSpec, SchemaError
from .words import affirms, denies, says

#: Rows, at least, and columns, at most, in which copies are sought.
LEAST_ROWS, MOST_COLUMNS = 20, 1_000
_CHANCE = np.log(1e-6)  # that unrelated columns never say yes in one row
_STEM = re.compile(r"[^_.:= -]+[_.:= -]")
_LEAST_OF_DUMMIES = 10  # rows: in all of them one of three says yes in 1 of 18,000 tables
#: Share of rows that may differ, of all and of rarer values; these, at least, against chance.
MOST_WRONG, MOST_WRONG_OF_RARE, LEAST_RARE = 0.01, 0.05, 5
LEAST_RECURRING = 0.8  # share of the rows whose value is that of others
#: What says less than this share of another column is a fact of its own: a continent of a country.
LEAST_SHARE = 0.5
#: Share of the rows in which a copy is known and what it copies is not.
MOST_UNKNOWN = 0.1
#: Numbers of which one is the other in other units are at least so alike in their order.
NEAR_IN_ORDER = 0.5
MANY = 10  # distinct values from which on a number may be cut into bands
_SHOWN = 8  # columns named in a question, each with the one that it repeats
#: Questions about what follows from a finer category, and columns in which it is sought.
_MOST_COARSER, _MOST_COMPARED = 2, 80
_OF_LEVELS = (CATEGORY, YES_NO, RATING)
_AS_NEW_ROWS = partial(encode_column, new_rows=True)


class _Column(NamedTuple):
    """A column as numbers, (n,), and as codes of its distinct values, -1 where missing."""

    numbers: np.ndarray
    codes: np.ndarray
    is_ordered: bool
    #: Entropy of its values, in nats.
    detail: float


def _columns(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> dict[str, _Column]:
    found = {}
    for name, x in varying(frame, specs).items():
        codes = codes_of(x)
        shares = np.bincount(codes[codes >= 0]) / max((codes >= 0).sum(), 1)
        found[name] = _Column(x, codes, specs[name].kind != CATEGORY, float(entr(shares).sum()))
    return found


def sampled(frame: pd.DataFrame, rows: int = 2_000) -> pd.DataFrame:
    """Rows of a table at even distances."""
    return frame.iloc[:: max(len(frame) // rows, 1)]


def find_copies(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> list[Copy]:
    """Columns to cluster on of which others say the same, in the table's order."""
    some = sampled(frame)
    if len(some) < LEAST_ROWS:
        return []
    open_ = {name: spec for name, spec in specs.items() if spec.role == "cluster"}
    words = {n for n, s in open_.items() if any(isinstance(v, str) for v in s.levels or ())}
    digits = {n: s.changed(special={}) for n, s in open_.items() if n not in words}
    computed = find_computed(varying(some, digits, numbers))
    # One in other units is so before any logarithm, too.
    plain = {n: replace(s, transform=None) for n, s in open_.items() if not s.special}
    columns = _columns(some, plain)
    pairs = _may_say({name: column.codes for name, column in columns.items()})

    def tells(a: str, b: str) -> bool:
        return (a, b) in pairs and _says(columns[a], columns[b])

    place = {name: (name not in words, j) for j, name in enumerate(columns)}
    source_of: dict[str, str] = {}
    kept: list[str] = []
    others = (name for name in columns if name not in computed)
    for name in sorted(others, key=lambda name: -columns[name].detail):
        source = next((k for k in kept if tells(k, name)), None)
        if source is None:
            kept.append(name)
        elif place[name] < place[source] and tells(name, source):
            kept[kept.index(source)] = name
            source_of = {n: name if by == source else by for n, by in source_of.items()}
            source_of[source] = name
        else:
            source_of[name] = source
    for total, copy in computed.items():
        source_of |= {k: total for k in kept if k not in copy.of and tells(total, k)}
    found = computed | {name: Copy(name, (by,)) for name, by in source_of.items()}
    return [found[name] for name in specs if name in found]


def varying(
    frame: pd.DataFrame,
    specs: Mapping[str, ColumnSpec],
    read: Callable[[pd.Series, ColumnSpec], np.ndarray] = _AS_NEW_ROWS,
) -> dict[str, np.ndarray]:
    """Columns as numbers, NaN where missing, but those of one value or that cannot be read."""
    found = {}
    for name, spec in specs.items():
        try:
            values = read(frame[name], spec)
        except SchemaError:  # it is refused later, with its reason
            continue
        values = np.where(np.isfinite(values), values, np.nan)
        if np.nanmin(values, initial=np.inf) < np.nanmax(values, initial=-np.inf):
            found[name] = values
    return found


def codes_of(values: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 for the distinct values, (n,), -1 where missing."""
    return pd.factorize(values, sort=True)[0]


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rows by the codes of two columns, (n,) each, none missing."""
    width, height = int(b.max(initial=-1)) + 1, int(a.max(initial=-1)) + 1
    return np.bincount(a * width + b, minlength=height * width).reshape(height, width)


def _may_say(codes: Mapping[str, np.ndarray], rows: int = 400) -> set[tuple[str, str]]:
    """Pairs of which the first may tell the second, told quickly from a few hundred rows."""
    if not 2 <= len(codes) <= MOST_COLUMNS:
        return set()
    names = list(codes)
    table = np.column_stack([codes[name] for name in names])
    table = table[:: max(len(table) // rows, 1)]
    slack = min(4, len(table) // 10) + int(4 * MOST_WRONG * len(table))
    is_there = table >= 0
    n_levels = np.array([np.unique(c[c >= 0]).size for c in table.T])
    half = len(table) // 2  # as many levels change from nearly every row to the next
    fewest = np.where(n_levels < half, n_levels - 1, 0)
    near = np.abs(_rank_correlations(table, is_there)) >= NEAR_IN_ORDER
    found = set()
    for a, of_a in enumerate(table.T):
        order = np.argsort(of_a, kind="stable")
        are_there = is_there[order][1:] & is_there[order][:-1]
        changes = ((np.diff(table[order], axis=0) != 0) & are_there).sum(axis=0)
        few = changes <= np.maximum(changes[a] if changes[a] < half else 0, fewest) + slack
        found |= {(names[a], names[b]) for b in np.flatnonzero(few | near[a]) if b != a}
    return found


def _rank_correlations(codes: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Of columns of codes, (n, D), in the order of their values: shape (D, D).

    Rows in which one of two is missing bring theirs nearer to 0.
    """
    mean = (codes * known).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    ranks = (codes - mean) * known
    ranks /= np.maximum(np.linalg.norm(ranks, axis=0), 1e-12)
    return ranks.T @ ranks


def _says(a: _Column, b: _Column) -> bool:
    """Whether a column tells another one."""
    both, observed = (a.codes >= 0) & (b.codes >= 0), int((b.codes >= 0).sum())
    if both.sum() < max((1 - MOST_UNKNOWN) * observed, 0.5 * (a.codes >= 0).sum()):
        return False
    if a.is_ordered:
        if min(a.codes.max(), b.codes.max()) >= MANY and b.is_ordered:
            return _is_another_scale(a.numbers[both], b.numbers[both])
        is_cut = _is_cut_into(a.numbers[both], crossed(a.codes[both], b.codes[both]))
        if is_cut or a.codes.max() >= MANY:
            return is_cut
    return b.detail >= LEAST_SHARE * a.detail and _follows(a, b)


def _follows(a: _Column, b: _Column, slack: float = 1.0) -> bool:
    """Whether the rows that share a value of one foretell each row's other; a value alone not."""
    both = (a.codes >= 0) & (b.codes >= 0)
    table = crossed(a.codes[both], b.codes[both])
    recur = table[table.sum(axis=1) > 1]
    return recur.sum() >= LEAST_RECURRING * both.sum() and has_few_wrong(recur, slack)


def has_few_wrong(table: np.ndarray, slack: float = 1.0) -> bool:
    """Whether hardly any row lies off the most frequent level of its line."""
    levels = table.sum(axis=0)
    wrong = levels.sum() - table.max(axis=1, initial=0).sum()
    rare = levels.sum() - levels.max(initial=0)
    most = slack * min(MOST_WRONG * levels.sum(), MOST_WRONG_OF_RARE * rare)
    return bool(rare >= LEAST_RARE and wrong <= most)


def _is_cut_into(number: np.ndarray, table: np.ndarray) -> bool:
    """Whether a number's order has the bands one after another, without a gap between them."""
    table = table[table.any(axis=1)]
    ends = np.flatnonzero(np.diff(table.argmax(axis=1)))
    counts = table.sum(axis=0)
    counts = counts[counts > 0]
    if ends.size != counts.size - 1 or counts.min() < 2 or not has_few_wrong(table):
        return False
    gaps = np.diff(np.unique(number))
    return bool(np.median(gaps[ends]) <= 2.0 * np.median(gaps))


def _is_another_scale(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two numbers are one in other units, or one of them in logarithms, slips aside."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    if 2 * len(pairs) <= a.size and len(pairs) == np.unique(a).size == np.unique(b).size:
        steps = np.diff(pairs[:, 1])
        return bool((steps > 0).all() or (steps < 0).all())
    of_a, of_b = map(_logarithms, (a, b))
    return any(weights_of(np.column_stack([y, x])) is not None for x in of_a for y in of_b)


def _logarithms(x: np.ndarray) -> list[np.ndarray]:
    """A number itself, its logarithm and that of its logarithm, as far as there are."""
    found = [scaled(x)]
    while len(found) < 3 and (x > 0.0).all():
        x = np.log(x)
        found.append(scaled(x))
    return found


def are_measured(copy: Copy, look: Look) -> bool:
    """Whether a copy measures what it repeats: the years of a kind of schooling, say."""
    number, words = copy.name, copy.of[0]
    if look.specs[number].kind not in (MEASUREMENT, COUNT) or look.specs[words].kind != CATEGORY:
        return False
    pairs = look.frame[[words, number]].dropna().drop_duplicates(words).astype({words: str})
    is_code = says("perhaps_identifier", number) or says("code", number)
    return not (is_code or pairs.sort_values(words)[number].is_monotonic_increasing)


def ask_copies(look: Look, copies: Sequence[Copy]) -> Iterator[Question]:
    """Columns that say what others say; they are left aside."""
    if not copies:
        return
    texts = [f"{quoted(copy.name)} as {copy.words}" for copy in copies[:_SHOWN]]
    more = len(copies) - len(texts)
    listed = "; ".join(texts) + (f"; {counted(more, 'other')}" if more else "")
    names = tuple(copy.name for copy in copies)
    text = "[says what another one says, and is|say what others say, and are] left aside by default"
    text = f"{counted(len(names), 'column')} {worded(text, names)}: {listed}."
    for copy in copies:
        look.keep_out([copy.name], f"The same fact as {copy.words}.")
    back = Answer(worded("Cluster on [it|all]", names), {n: {"role": "cluster"} for n in names})
    yield Question("repeat", names, text, (Answer("Leave aside", {}), back))


def ask_dummies(look: Look) -> Iterator[Question]:
    """Neighbouring columns of yes and no that are the levels of one category; left aside."""
    names = list(look.specs)
    yes_no = {}
    for name, spec in look.open_specs().items():
        no, yes = spec.levels if spec.kind == YES_NO else ("", "")
        if affirms(yes) or denies(no, yes):
            yes_no[name] = spec
    if len(look.frame) < _LEAST_OF_DUMMIES or len(yes_no) < 2:
        return
    is_yes = {n: _AS_NEW_ROWS(look.frame[n], s) for n, s in yes_no.items()}
    stems = {name: found[0] for name in is_yes if (found := _STEM.match(name))}
    runs = [[*alike] for stem, alike in groupby(names, stems.get) if stem]
    of_stem = {run[0]: run for run in runs}
    start = 0
    while start < len(names):
        found = _one_category(names[start:], is_yes)
        found = found or _but_one_level(of_stem.get(names[start], ()), is_yes)
        start += max(len(found), 1)
        if not found:
            continue
        _, yes = look.specs[found[0]].levels
        often = "exactly" if np.nanmin(sum(is_yes[name] for name in found)) == 1 else "at most"
        text = "{names} are one category, a column each level: {often} one of them is {yes} in "
        text += f"every row, which counts it {len(found)} times. {KEPT_OUT}"
        back = Answer("Cluster on all", {name: {"role": "cluster"} for name in found})
        out = look.keep_out(found, "One level of a category that is written as a column each.")
        yield Question("repeat", found, worded(text, found, often=often, yes=yes), (out, back))


def _one_category(names: Sequence[str], is_yes: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """The first columns, three or more, of which exactly one says yes in every row."""
    total = np.zeros(())
    for n, name in enumerate(takewhile(is_yes.__contains__, names), start=1):
        total = total + is_yes[name]
        observed = total[~np.isnan(total)]
        if len(observed) < max(_LEAST_OF_DUMMIES, len(total) / 2):
            break
        if n > 2 and (observed == 1).all():
            return tuple(names[:n])
    return ()


def _but_one_level(names: Sequence[str], is_yes: Mapping[str, np.ndarray]) -> tuple[str, ...]:
    """Columns, three or more, of which at most one says yes in every row, and not by chance."""
    if len(names) < 3:
        return ()
    table = np.column_stack([is_yes[name] for name in names])
    observed = table[~np.isnan(table).any(axis=1)]
    if len(observed) < max(_LEAST_OF_DUMMIES, len(table) / 2) or observed.sum(axis=1).max() > 1:
        return ()
    shares = observed.mean(axis=0)
    at_most_one = np.prod(1 - shares) * (1 + (shares / (1 - shares)).sum())
    return tuple(names) if len(observed) * np.log(at_most_one) < _CHANCE else ()


def ask_computed(look: Look) -> Iterator[Question]:
    """Columns that an analysis saved, such as distances or predictions; they are left aside."""
    labels = {name: str(look.metadata[name].get("label")) for name in look.open}
    names = tuple(n for n in labels if says("computed", n) or says("computed", labels[n]))
    if names:
        text = f"[Was|Were] {{names}} computed from other columns by an analysis? {KEPT_OUT}"
        yes = look.keep_out(names, "Computed from others.")
        no = Answer("No: cluster on them", {name: {"role": "cluster"} for name in names})
        yield Question("repeat", names, worded(text, names), (yes, no))


def ask_coarser(look: Look, measured: Sequence[Copy]) -> Iterator[Question]:
    """Whether a category and what follows from it are both to count, and numbers of its levels."""
    found = _coarser(look)
    for copy in measured:
        found[copy.of[0]].append(copy.name)
    most = sorted(found, key=lambda fine: -len(found[fine]))[:_MOST_COARSER]
    for fine in filter(most.__contains__, found):
        names = found[fine]
        text = "{names} follow[s|] from {fine}, so that one fact counts twice: keep which?"
        whose = f"Follows from {quoted(fine)}, as you said."
        reason = worded("{names} tell[s|] it coarser, as you said.", names)
        answers = (
            Answer(f"Only {quoted(fine)}", look.with_role("ignore", names, whose)),
            Answer(worded("[Both|All]", names), {}),
            Answer(f"All but {quoted(fine)}", look.with_role("ignore", (fine,), reason)),
        )
        yield Question("repeat", (*names, fine), worded(text, names, fine=quoted(fine)), answers)


def _coarser(look: Look) -> dict[str, list[str]]:
    """Finer categories, each with those that follow from it."""
    few = {
        name: spec
        for name, spec in look.open_specs().items()
        if spec.kind in _OF_LEVELS and 2 * look.facts[name].n_present > len(look.frame)
    }
    columns = _columns(sampled(look.frame), dict(islice(few.items(), _MOST_COMPARED)))
    found = defaultdict[str, list[str]](list)
    for name, column in columns.items():
        size = column.codes.max() + 1
        finer = [
            (not _follows(other, column), other.codes.max(), fine)
            for fine, other in columns.items()
            if other.codes.max() + 1 >= max(6, 1.5 * size) and _follows(other, column, slack=2.0)
        ]
        if finer:  # of several the one without slips, of those the nearest
            found[min(finer)[-1]].append(name)
    return found
