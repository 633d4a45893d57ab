"""Columns that say what others say: a code and its word, a number and its band, a sum, a ratio.

Told twice, a fact counts twice: rows that share it look more alike than they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..families import FAMILIES
from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..wording import counted, percent
from .arithmetic import Copy, find_computed, scaled, weights_of
from .encode import encode_column, numbers
from .questions import LEFT_ASIDE, Answer, Look, Question, kept_as, named, quoted, worded
from .spec import ColumnSpec, SchemaError
from .words import affirms, denies, may_name_identifier, names_code, says

#: Rows that are looked at, at most and at least, and columns, at most.
ROWS, LEAST_ROWS, MOST_COLUMNS = 2_000, 20, 1_000
#: Share of the rows that may say otherwise, and of those that are not of the most frequent value.
MOST_WRONG, MOST_WRONG_OF_RARE = 0.01, 0.05
#: Rows that are not of the most frequent value, at least: a rarer trait may agree by chance.
LEAST_RARE = 5
#: A column that says less than this share of what another one says is a fact of its own: of a
#: country, its continent.
LEAST_SHARE = 0.5
#: Share of the rows in which a copy is known and what it copies is not: without it they would say
#: nothing.
MOST_UNKNOWN = 0.1
#: Distinct values from which on a number may be cut into bands, and is sought among sums.
MANY = 10
_SHOWN = 8  # columns named in a question, each with the one that it repeats
_ADDS_LITTLE = 0.99  # share of the rows in which what follows is none to keep beside it
_MOST_COARSER = 2  # questions about what follows from a finer category
_FEW = (CATEGORY, YES_NO, RATING)


def find_copies(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> list[Copy]:
    """Columns to cluster on of which others say the same, in the table's order.

    Of columns that say the same the most detailed stays, of those as detailed the one in words,
    and then the first. What a total says its parts do.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    if len(some) < LEAST_ROWS:
        return []
    values = dict(_encoded(some, specs))
    codes = {name: codes_of(numbers) for name, numbers in values.items()}
    written = dict(_as_written(some, specs))
    computed = find_computed(written)
    detail = {name: _detail(code) for name, code in codes.items() if name not in computed}
    in_digits = {n: not any(isinstance(v, str) for v in specs[n].levels or ()) for n in values}
    place = {name: (in_digits[name], j) for j, name in enumerate(values)}
    look = _Table(values, codes, specs, _may_say(codes))
    told_by: dict[str, str] = {}
    kept: list[str] = []
    for name in sorted(detail, key=detail.__getitem__, reverse=True):
        source = next((k for k in kept if look.says(k, name)), None)
        if source is None:
            kept.append(name)
        elif place[name] < place[source] and look.says(name, source):
            kept[kept.index(source)] = name
            told_by = {n: name if by == source else by for n, by in told_by.items()}
            told_by[source] = name
        else:
            told_by[name] = source
    for total, copy in computed.items():
        told_by |= {k: total for k in kept if k not in copy.of and look.says(total, k)}
    found = computed | {name: Copy(name, (by,)) for name, by in told_by.items()}
    return [found[name] for name in specs if name in found]


def _encoded(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> Iterator[tuple[str, np.ndarray]]:
    """The columns to cluster on as numbers, NaN where missing."""
    for name, spec in specs.items():
        if spec.role != "cluster" or spec.family not in FAMILIES or spec.special:
            continue
        try:
            values = encode_column(frame[name], spec, new_rows=True)
        except SchemaError:  # it is refused later, with its reason
            continue
        if np.unique(values[np.isfinite(values)]).size > 1:
            yield name, np.where(np.isfinite(values), values, np.nan)


def _as_written(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]
) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers to cluster on as they stand in the cells, in whatever scale they are fitted."""
    for name, spec in specs.items():
        if spec.role != "cluster" or any(isinstance(level, str) for level in spec.levels or ()):
            continue
        try:
            values = numbers(frame[name], spec.changed(special={}))
        except SchemaError:  # words or limits among them: no numbers as they stand
            continue
        values = np.where(np.isfinite(values), values, np.nan)
        if np.unique(values[np.isfinite(values)]).size > 1:
            yield name, values


def codes_of(values: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 for the distinct values, (n,), -1 where missing."""
    return np.where(np.isnan(values), -1, np.unique(values, return_inverse=True)[1])


def crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rows by the codes of two columns, (n,) each, none missing."""
    width = int(b.max(initial=-1)) + 1
    height = int(a.max(initial=-1)) + 1
    return np.bincount(a * width + b, minlength=height * width).reshape(height, width)


def _detail(codes: np.ndarray) -> float:
    """Entropy of a column's values, in nats."""
    shares = np.bincount(codes[codes >= 0]) / max((codes >= 0).sum(), 1)
    shares = shares[shares > 0.0]
    return float(-(shares * np.log(shares)).sum())


def _may_say(codes: Mapping[str, np.ndarray], rows: int = 400) -> set[tuple[str, str]]:
    """Pairs of which the first may tell the second, told quickly from a few hundred rows.

    In the order of a column what it tells changes only where it does itself, or as often as it has
    bands, but for a few rows; another scale rises, or falls, throughout.
    """
    if not 2 <= len(codes) <= MOST_COLUMNS:
        return set()
    names = list(codes)
    table = np.column_stack([codes[name] for name in names])
    table = table[:: max(len(table) // rows, 1)]
    slack = min(4, len(table) // 10) + int(4 * MOST_WRONG * len(table))
    is_there = table >= 0
    n_levels = np.array([np.unique(c[c >= 0]).size for c in table.T])
    found = set()
    for a, of_a in enumerate(table.T):
        order = np.argsort(of_a, kind="stable")
        steps = np.diff(table[order], axis=0)
        steps *= is_there[order][1:] & is_there[order][:-1]
        own = np.count_nonzero(steps[:, a])
        changes = np.count_nonzero(steps, axis=0)
        few = changes <= np.maximum(own if own < len(table) // 2 else 0, n_levels - 1) + slack
        one_way = np.minimum((steps > 0).sum(axis=0), (steps < 0).sum(axis=0)) <= slack
        found |= {(names[a], names[b]) for b in np.flatnonzero(few | one_way) if b != a}
    return found


@dataclass(frozen=True)
class _Table:
    """The columns, as numbers and as codes, and the pairs that are worth a look."""

    values: Mapping[str, np.ndarray]
    codes: Mapping[str, np.ndarray]
    specs: Mapping[str, ColumnSpec]
    may_say: set[tuple[str, str]]

    def _is_in_order(self, name: str) -> bool:
        """Whether its values are steps or numbers, not names."""
        return FAMILIES[self.specs[name].family].kind != CATEGORY

    def says(self, a: str, b: str) -> bool:
        """Whether column a tells column b."""
        if (a, b) not in self.may_say:
            return False
        of_a, of_b = self.codes[a], self.codes[b]
        both, known = (of_a >= 0) & (of_b >= 0), int((of_b >= 0).sum())
        if known - both.sum() > MOST_UNKNOWN * known:
            return False
        if 2 * both.sum() < max((of_a >= 0).sum(), known):
            return False
        if self._is_in_order(a):
            if min(of_a.max(), of_b.max()) >= MANY and self._is_in_order(b):
                return _is_another_scale(self.values[a][both], self.values[b][both])
            is_cut = _is_cut_into(self.values[a][both], of_a[both], of_b[both])
            if is_cut or of_a.max() >= MANY:
                return is_cut
        if _detail(of_b) < LEAST_SHARE * _detail(of_a):
            return False
        return _is_told(of_a[both], of_b[both])


def _is_told(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the rows that share a value of a foretell each row's b."""
    if _are_too_many(a, b):
        return False
    table = crossed(a, b)
    table = table[table.sum(axis=1) > 1]  # a value alone foretells nothing
    wrong = int(table.sum() - table.max(axis=1, initial=0).sum())
    return len(b) <= 2 * table.sum() and _are_few(wrong, table.sum(axis=0))


def _are_too_many(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two columns have so many values that a table of them would be nearly empty."""
    n_pairs = np.count_nonzero(np.bincount(a)) * np.count_nonzero(np.bincount(b))
    return n_pairs > 100 * len(a) + 10_000


def _are_few(wrong: int, counts: np.ndarray) -> bool:
    rare = int(counts.sum() - counts.max(initial=0))
    few = wrong <= MOST_WRONG * counts.sum() and wrong <= MOST_WRONG_OF_RARE * rare
    return rare >= LEAST_RARE and few


def _is_cut_into(number: np.ndarray, code: np.ndarray, band: np.ndarray) -> bool:
    """Whether a number's order has the bands one after another, without a gap between them.

    Groups that lie apart are in order, too, but nobody cut them; a band of one row proves nothing.
    ``code`` stands for the number.
    """
    if _are_too_many(code, band):
        return False
    table = crossed(code, band)
    table = table[table.any(axis=1)]
    ends = np.flatnonzero(np.diff(table.argmax(axis=1)))
    wrong = int(table.sum() - table.max(axis=1).sum())
    counts = table.sum(axis=0)
    counts = counts[counts > 0]
    if ends.size != counts.size - 1 or counts.min() < 2 or not _are_few(wrong, counts):
        return False
    gaps = np.diff(np.unique(number))
    return bool(np.median(gaps[ends]) <= 2.0 * np.median(gaps))


def _is_another_scale(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two numbers are one in other units, or one of them in logarithms, slips aside.

    So are numbers of which each value stands beside one of the other in its rows, in their order.
    """
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    if 2 * len(pairs) <= a.size and len(pairs) == np.unique(a).size == np.unique(b).size:
        steps = np.diff(pairs[:, 1])
        return bool((steps > 0).all() or (steps < 0).all())
    of_a, of_b = (
        [scaled(x), np.log(x)] if x.min(initial=np.inf) > 0.0 else [scaled(x)] for x in (a, b)
    )
    return any(weights_of(np.column_stack([y, x])) is not None for x in of_a for y in of_b)


def find_dummies(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> list[tuple[str, ...]]:
    """Neighbouring columns of yes and no of which one is yes in every row: one category each."""
    two = {n: s for n, s in specs.items() if s.role == "cluster" and _says_yes_or_no(s)}
    names = [*two]
    if len(frame) < LEAST_ROWS or len(names) < 3:
        return []
    order = {name: j for j, name in enumerate(specs)}
    table = np.column_stack([encode_column(frame[n], s, new_rows=True) for n, s in two.items()])
    found, start = [], 0
    while start < len(names):
        run = [
            k
            for k in range(start, len(names))
            if order[names[k]] == order[names[start]] + k - start
        ]
        sums = np.cumsum(table[:, run], axis=1)
        ends = np.flatnonzero((sums == 1.0).all(axis=0))
        if ends.size and ends[0] + 1 >= 3:
            found.append(tuple(names[k] for k in run[: ends[0] + 1]))
            start += int(ends[0]) + 1
        else:
            start += 1
    return found


def _says_yes_or_no(spec: ColumnSpec) -> bool:
    no, yes = spec.levels if spec.kind == YES_NO and spec.levels else ("", "")
    return (no, yes) == (0, 1) or affirms(yes) or denies(no, yes)


def find_coarser(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec], most: int = 80
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Finer categories, each with those that follow from it and the share of rows where they do.

    Each row is foretold from the others of its finer level, so that many levels of one row each
    foretell nothing.
    """
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    kinds = dict([(n, s) for n, s in specs.items() if s.kind in _FEW][:most])
    codes = {name: codes_of(values) for name, values in _encoded(some, kinds)}
    sizes = {name: np.unique(code[code >= 0]).size for name, code in codes.items()}
    found: dict[str, list[tuple[str, float]]] = {}
    for coarse in codes:
        finer = [
            (-round(share, 2), sizes[fine], fine, share)
            for fine in codes
            if fine != coarse
            and specs[fine].kind == CATEGORY
            and sizes[fine] >= max(6, 1.5 * sizes[coarse])
            and (share := _foretold(codes[fine], codes[coarse]))
        ]
        if finer:  # of several the one that tells it best, of those the nearest
            *_, fine, share = min(finer)
            found.setdefault(fine, []).append((coarse, share))
    return {fine: tuple(of) for fine, of in found.items()}


def _foretold(fine: np.ndarray, coarse: np.ndarray) -> float:
    """Share of the rows whose coarser level is that of most others of their finer one; 0 if few."""
    both = (fine >= 0) & (coarse >= 0)
    table = crossed(fine[both], coarse[both])
    n, rows = int(table.sum()), table.sum(axis=1)
    if 2 * n < len(fine) or rows[rows > 1].sum() < 0.8 * n:
        return 0.0
    table = table[rows > 1]
    n, most = int(table.sum()), table.max(axis=1, initial=0)[:, None]
    # A row of the most frequent level is foretold unless another level is as frequent without it.
    ties = (table >= most - 1).sum(axis=1) > 1
    right = int(np.where(ties, 0, most[:, 0]).sum())
    rare = n - int(table.sum(axis=0).max(initial=0))
    if rare < LEAST_RARE or n - right > 0.1 * rare:
        return 0.0
    return right / n if right >= 0.95 * n else 0.0


def ask_copies(look: Look, copies: Sequence[Copy]) -> Iterator[Question]:
    """Columns that say what others say, or add others up; they are left aside."""
    if not copies:
        return
    told = [f"{quoted(copy.name)} as {copy.words}" for copy in copies[:_SHOWN]]
    more = len(copies) - len(told)
    listed = "; ".join(told) + (f"; {counted(more, 'other')}" if more else "")
    names = tuple(copy.name for copy in copies)
    text = "[says what another one says, and is|say what others say, and are] left aside by default"
    text = f"{counted(len(names), 'column')} {worded(text, names)}: {listed}."
    only = _only_totals(look, copies)
    for copy in copies:
        aside = look.leave_aside([copy.name], f"The same fact as {copy.words}.")
    back = {name: {"role": "cluster"} for name in names}
    back = Answer(worded("Cluster on [it|all]", names), back)
    yield Question("repeat", names, text, (aside, back, *only))


def _only_totals(look: Look, copies: Sequence[Copy]) -> list[Answer]:
    """Totals in place of what they add up: of totals that share items, the smallest."""
    totals = {c.name: c.of for c in copies if len(c.of) > 1 and c.how == "sum"}
    kept: list[str] = []
    aside: dict[str, str] = {}
    of_totals = {n for n, of in totals.items() if not totals.keys().isdisjoint(of)}
    for name in sorted(totals, key=lambda n: (n in of_totals, len(totals[n]))):
        if {*kept, *aside}.isdisjoint(totals[name]):
            kept.append(name)
            aside |= dict.fromkeys(totals[name], name)
    if not kept:
        return []
    changes: dict[str, dict[str, Any]] = {name: {"role": "cluster"} for name in kept}
    for item, total in aside.items():
        changes |= kept_as("ignore", (item,), f"In {quoted(total)}, as you said.", look.specs)
    text = f"Only [{{names}}|the {len(kept)} sums], not the {len(aside)} columns in [it|them]"
    return [Answer(worded(text, kept), changes)]


def ask_dummies(look: Look) -> Iterator[Question]:
    """Columns of yes and no that are one category, a column a level; they are left aside.

    Exactly one of them is yes in every row, so that they tell the same thing several times.
    """
    for names in find_dummies(look.frame, look.open_specs()):
        yes = (look.specs[names[0]].levels or (0, 1))[1]
        why = "One level of a category that is written as a column each."
        text = "{names} are one category, a column each level: exactly one of them is {yes} in "
        text += f"every row, which counts it {len(names)} times. {LEFT_ASIDE}"
        back = Answer("Cluster on all", {name: {"role": "cluster"} for name in names})
        answers = look.leave_aside(names, why), back
        yield Question("repeat", names, worded(text, names, yes=yes), answers)


def ask_computed(look: Look) -> Iterator[Question]:
    """Columns that an analysis or a form computed: what they say comes from others.

    What an analysis saved, a distance or a prediction, is left aside.
    """
    told = look.told
    by_form = [n for n in look.open if "made_of" in told.get(n, {})]
    saved = [
        name
        for name in look.open
        if name not in by_form
        and (says("computed", name) or says("computed", str(told.get(name, {}).get("label", ""))))
    ]
    for names, by in ((saved, "an earlier analysis"), (by_form, "the form")):
        if names:
            text = f"[Was|Were] {{names}} computed from other columns by {by}?"
            if names is saved:
                text += f" {LEFT_ASIDE}"
                yes = look.leave_aside(names, "Computed from others.")
            else:
                why = "Computed from others, as you said."
                yes = Answer("Yes: leave aside", kept_as("ignore", names, why, look.specs))
            no = Answer("No: cluster on them", {name: {"role": "cluster"} for name in names})
            yield Question("repeat", tuple(names), worded(text, names), (yes, no))


def ask_made(look: Look) -> Iterator[Question]:
    """Whether what a step computed and what it computed it from are all to count."""
    takes_part = {name for name, spec in look.specs.items() if spec.role == "cluster"}
    for name, of in look.made.items():
        if len(of) < 2 or not takes_part.issuperset((name, *of)):
            continue
        text = f"{quoted(name)} was made of {named(of)}, so that the same facts count twice: keep "
        why = f"In {quoted(name)}, as you said."
        answers = (
            Answer("All", {}),
            Answer(f"Only {quoted(name)}", kept_as("ignore", of, why, look.specs)),
            Answer(
                f"All but {quoted(name)}",
                kept_as("ignore", (name,), "Made of others, as you said.", look.specs),
            ),
        )
        yield Question("repeat", (name, *of), f"{text}which?", answers)


def are_measured(copy: Copy, look: Look) -> bool:
    """Whether a copy measures what it repeats: the years of a kind of schooling, say.

    Neither then says all of the other, one names and the other orders. Codes do not measure: their
    names say so, or they follow the alphabet.
    """
    number, words = copy.name, copy.of[0]
    if look.specs[number].kind not in (MEASUREMENT, COUNT) or look.specs[words].kind != CATEGORY:
        return False
    pairs = look.frame[[words, number]].dropna().drop_duplicates(words).astype({words: str})
    is_code = may_name_identifier(number) or names_code(number)
    return not (is_code or pairs.sort_values(words)[number].is_monotonic_increasing)


def ask_coarser(look: Look, measured: Sequence[Copy]) -> Iterator[Question]:
    """Whether a category and what follows from it are both to count, and numbers of its levels."""
    found = find_coarser(look.frame, look.open_specs())
    for copy in measured:
        found[copy.of[0]] = (*found.get(copy.of[0], ()), (copy.name, 1.0))
    most = sorted(found, key=lambda fine: -len(found[fine]))[:_MOST_COARSER]
    for fine, of in found.items():
        if fine not in most:
            continue
        names = tuple(name for name, _ in of)
        share = min(share for _, share in of)
        text = "{names} follow[s|] from {fine} in {share} of the rows, so that one fact counts "
        said = {"fine": quoted(fine), "share": percent(share)}
        whose = f"Follows from {quoted(fine)}, as you said."
        told = worded("{names} tell[s|] it coarser, as you said.", names)
        both = Answer(worded("[Both|All]", names), {})
        finer = Answer(f"Only {quoted(fine)}", kept_as("ignore", names, whose, look.specs))
        coarse = f"Only {quoted(names[0])}" if len(names) == 1 else f"All but {quoted(fine)}"
        answers = (
            *((finer, both) if share >= _ADDS_LITTLE else (both, finer)),
            Answer(coarse, kept_as("ignore", (fine,), told, look.specs)),
        )
        text = worded(f"{text}twice: keep which?", names, **said)
        yield Question("repeat", (*names, fine), text, answers)
