"""Columns that say what others say: a code and its word, a number and its band, a sum, a ratio."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..families import FAMILIES
from ..families.family import CATEGORY, COUNT, MEASUREMENT, RATING, YES_NO
from ..wording import counted, percent
from .arithmetic import Copy, find_computed, scaled, weights_of
from .encode import encode_column, numbers
from .questions import LEFT_ASIDE, Answer, Look, Question, kept_as, quoted, worded
from .spec import ColumnSpec, SchemaError
from .words import affirms, denies, may_name_identifier, names_code, says

#: Rows that are looked at, at most and at least, and columns, at most.
ROWS, LEAST_ROWS, MOST_COLUMNS = 2_000, 20, 1_000
#: Share of rows that may differ, of all and of rarer values; these, at least, against chance.
MOST_WRONG, MOST_WRONG_OF_RARE, LEAST_RARE = 0.01, 0.05, 5
#: What says less than this share of another column is a fact of its own: a continent of a country.
LEAST_SHARE = 0.5
#: Share of the rows in which a copy is known and what it copies is not.
MOST_UNKNOWN = 0.1
MANY = 10  # distinct values from which on a number may be cut into bands
_SHOWN = 8  # columns named in a question, each with the one that it repeats
_ADDS_LITTLE = 0.99  # share of the rows in which what follows is none to keep beside it
_MOST_COARSER = 2  # questions about what follows from a finer category


def find_copies(frame: pd.DataFrame, specs: Mapping[str, ColumnSpec]) -> list[Copy]:
    """Columns to cluster on of which others say the same, in the table's order."""
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    if len(some) < LEAST_ROWS:
        return []
    open_ = {name: spec for name, spec in specs.items() if spec.role == "cluster"}
    coded = {n: s for n, s in open_.items() if s.family in FAMILIES and not s.special}
    values = _varying(some, coded, lambda cells, spec: encode_column(cells, spec, new_rows=True))
    in_digits = {n: not any(isinstance(v, str) for v in s.levels or ()) for n, s in open_.items()}
    digits = {n: s.changed(special={}) for n, s in open_.items() if in_digits[n]}
    computed = find_computed(_varying(some, digits, numbers))
    codes = {name: codes_of(numbers) for name, numbers in values.items()}
    in_order = {n for n in values if FAMILIES[specs[n].family].kind != CATEGORY}
    pairs = _may_say(codes)

    def tells(a: str, b: str) -> bool:
        return (a, b) in pairs and _says(
            values[a], values[b], codes[a], codes[b], a in in_order, b in in_order
        )

    detail = {name: _detail(code) for name, code in codes.items() if name not in computed}
    place = {name: (in_digits[name], j) for j, name in enumerate(values)}
    told_by: dict[str, str] = {}
    kept: list[str] = []
    for name in sorted(detail, key=detail.__getitem__, reverse=True):
        source = next((k for k in kept if tells(k, name)), None)
        if source is None:
            kept.append(name)
        elif place[name] < place[source] and tells(name, source):
            kept[kept.index(source)] = name
            told_by = {n: name if by == source else by for n, by in told_by.items()}
            told_by[source] = name
        else:
            told_by[name] = source
    for total, copy in computed.items():
        told_by |= {k: total for k in kept if k not in copy.of and tells(total, k)}
    found = computed | {name: Copy(name, (by,)) for name, by in told_by.items()}
    return [found[name] for name in specs if name in found]


def _varying(
    frame: pd.DataFrame,
    specs: Mapping[str, ColumnSpec],
    read: Callable[[pd.Series, ColumnSpec], np.ndarray],
) -> dict[str, np.ndarray]:
    """Columns as numbers, NaN where missing, but those of one value or that cannot be read."""
    found = {}
    for name, spec in specs.items():
        try:
            values = read(frame[name], spec)
        except SchemaError:  # it is refused later, with its reason
            continue
        values = np.where(np.isfinite(values), values, np.nan)
        if np.unique(values[~np.isnan(values)]).size > 1:
            found[name] = values
    return found


def codes_of(values: np.ndarray) -> np.ndarray:
    """Whole numbers from 0 for the distinct values, (n,), -1 where missing."""
    return np.where(np.isnan(values), -1, np.unique(values, return_inverse=True)[1])


def _crossed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Rows by the codes of two columns, (n,) each, none missing."""
    width, height = int(b.max(initial=-1)) + 1, int(a.max(initial=-1)) + 1
    return np.bincount(a * width + b, minlength=height * width).reshape(height, width)


def _detail(codes: np.ndarray) -> float:
    """Entropy of a column's values, in nats."""
    shares = np.bincount(codes[codes >= 0]) / max((codes >= 0).sum(), 1)
    shares = shares[shares > 0.0]
    return float(-(shares * np.log(shares)).sum())


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


def _says(
    a: np.ndarray,
    b: np.ndarray,
    code_a: np.ndarray,
    code_b: np.ndarray,
    a_in_order: bool,
    b_in_order: bool,
) -> bool:
    """Whether a column tells another one, by numbers and codes of both, (n,), and their order."""
    both, known = (code_a >= 0) & (code_b >= 0), int((code_b >= 0).sum())
    if known - both.sum() > MOST_UNKNOWN * known or 2 * both.sum() < max(
        (code_a >= 0).sum(), known
    ):
        return False
    of_a, of_b = code_a[both], code_b[both]
    if a_in_order:
        if min(code_a.max(), code_b.max()) >= MANY and b_in_order:
            return _is_another_scale(a[both], b[both])
        is_cut = _is_cut_into(a[both], of_a, of_b)
        if is_cut or code_a.max() >= MANY:
            return is_cut
    if _detail(code_b) < LEAST_SHARE * _detail(code_a) or _are_too_many(of_a, of_b):
        return False
    # Whether the rows that share a value of a foretell each row's b; a value alone does not.
    table = _crossed(of_a, of_b)
    table = table[table.sum(axis=1) > 1]
    wrong = int(table.sum() - table.max(axis=1, initial=0).sum())
    return len(of_b) <= 2 * table.sum() and _are_few(wrong, table.sum(axis=0))


def _are_too_many(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two columns have so many values that a table of them would be nearly empty."""
    n_pairs = np.count_nonzero(np.bincount(a)) * np.count_nonzero(np.bincount(b))
    return n_pairs > 100 * len(a) + 10_000


def _are_few(wrong: int, counts: np.ndarray) -> bool:
    rare = int(counts.sum() - counts.max(initial=0))
    few = wrong <= MOST_WRONG * counts.sum() and wrong <= MOST_WRONG_OF_RARE * rare
    return rare >= LEAST_RARE and few


def _is_cut_into(number: np.ndarray, code: np.ndarray, band: np.ndarray) -> bool:
    """Whether a number's order has the bands one after another, without a gap between them."""
    if _are_too_many(code, band):
        return False
    table = _crossed(code, band)
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
    """Whether two numbers are one in other units, or one of them in logarithms, slips aside."""
    pairs = np.unique(np.column_stack([a, b]), axis=0)
    if 2 * len(pairs) <= a.size and len(pairs) == np.unique(a).size == np.unique(b).size:
        steps = np.diff(pairs[:, 1])
        return bool((steps > 0).all() or (steps < 0).all())
    of_a, of_b = (
        [scaled(x), np.log(x)] if x.min(initial=np.inf) > 0.0 else [scaled(x)] for x in (a, b)
    )
    return any(weights_of(np.column_stack([y, x])) is not None for x in of_a for y in of_b)


def are_measured(copy: Copy, look: Look) -> bool:
    """Whether a copy measures what it repeats: the years of a kind of schooling, say."""
    number, words = copy.name, copy.of[0]
    if look.specs[number].kind not in (MEASUREMENT, COUNT) or look.specs[words].kind != CATEGORY:
        return False
    pairs = look.frame[[words, number]].dropna().drop_duplicates(words).astype({words: str})
    is_code = may_name_identifier(number) or names_code(number)
    return not (is_code or pairs.sort_values(words)[number].is_monotonic_increasing)


def ask_copies(look: Look, copies: Sequence[Copy]) -> Iterator[Question]:
    """Columns that say what others say; they are left aside."""
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
        look.leave_aside([copy.name], f"The same fact as {copy.words}.")
    back = Answer(worded("Cluster on [it|all]", names), {n: {"role": "cluster"} for n in names})
    yield Question("repeat", names, text, (Answer("Leave aside", {}), back, *only))


def _only_totals(look: Look, copies: Sequence[Copy]) -> list[Answer]:
    """Totals in place of what they add up: of totals that share items, the smallest."""
    totals = {c.name: c.of for c in copies if len(c.of) > 1 and c.how == "sum"}
    of_totals = {n for n, of in totals.items() if not totals.keys().isdisjoint(of)}
    kept: list[str] = []
    aside: dict[str, str] = {}
    for name in sorted(totals, key=lambda n: (n in of_totals, len(totals[n]))):
        if {*kept, *aside}.isdisjoint(totals[name]):
            kept.append(name)
            aside |= dict.fromkeys(totals[name], name)
    changes: dict[str, dict[str, Any]] = {name: {"role": "cluster"} for name in kept}
    for item, total in aside.items():
        changes |= kept_as("ignore", (item,), f"In {quoted(total)}, as you said.", look.specs)
    text = f"Only [{{names}}|the {len(kept)} sums], not the {len(aside)} columns in [it|them]"
    return [Answer(worded(text, kept), changes)] if kept else []


def ask_dummies(look: Look) -> Iterator[Question]:
    """Neighbouring columns of yes and no of which exactly one is yes in every row; left aside."""
    names = list(look.specs)
    yes_no = {n: s for n, s in look.open_specs().items() if _says_yes_or_no(s)}
    if len(look.frame) < LEAST_ROWS or len(yes_no) < 3:
        return
    is_yes = {n: encode_column(look.frame[n], s, new_rows=True) for n, s in yes_no.items()}
    start = 0
    while start < len(names):
        end, total = start, np.zeros(len(look.frame))
        while (
            end < len(names) and names[end] in yes_no and not (end > start and (total == 1).all())
        ):
            total, end = total + is_yes[names[end]], end + 1
        if end - start < 3 or not (total == 1.0).all():
            start += 1
            continue
        found, start = tuple(names[start:end]), end
        yes = (look.specs[found[0]].levels or (0, 1))[1]
        text = "{names} are one category, a column each level: exactly one of them is {yes} in "
        text += f"every row, which counts it {len(found)} times. {LEFT_ASIDE}"
        back = Answer("Cluster on all", {name: {"role": "cluster"} for name in found})
        aside = look.leave_aside(found, "One level of a category that is written as a column each.")
        yield Question("repeat", found, worded(text, found, yes=yes), (aside, back))


def _says_yes_or_no(spec: ColumnSpec) -> bool:
    no, yes = spec.levels if spec.kind == YES_NO and spec.levels else ("", "")
    return (no, yes) == (0, 1) or affirms(yes) or denies(no, yes)


def ask_computed(look: Look) -> Iterator[Question]:
    """Columns that a form or an analysis computed, a distance or a prediction; these left aside."""
    labels = {n: str(look.told.get(n, {}).get("label", "")) for n in look.open}
    by_form = [n for n in labels if "made_of" in look.told.get(n, {})]
    saved = [n for n in labels if says("computed", n) or says("computed", labels[n])]
    saved = [n for n in saved if n not in by_form]
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
    for name, of in look.made.items():
        if len(of) < 2 or any(n not in look.specs for n in (name, *of)):
            continue
        if any(look.specs[n].role != "cluster" for n in (name, *of)):
            continue
        text = "{name} was made of {names}, so that the same facts count twice: keep which?"
        only = kept_as("ignore", of, f"In {quoted(name)}, as you said.", look.specs)
        but = kept_as("ignore", (name,), "Made of others, as you said.", look.specs)
        answers = (
            Answer("All", {}),
            Answer(f"Only {quoted(name)}", only),
            Answer(f"All but {quoted(name)}", but),
        )
        yield Question("repeat", (name, *of), worded(text, of, name=quoted(name)), answers)


def ask_coarser(look: Look, measured: Sequence[Copy]) -> Iterator[Question]:
    """Whether a category and what follows from it are both to count, and numbers of its levels."""
    found = _find_coarser(look.frame, look.open_specs())
    for copy in measured:
        found[copy.of[0]] = (*found.get(copy.of[0], ()), (copy.name, 1.0))
    most = sorted(found, key=lambda fine: -len(found[fine]))[:_MOST_COARSER]
    for fine, of in found.items():
        if fine not in most:
            continue
        names = tuple(name for name, _ in of)
        share = min(share for _, share in of)
        text = "{names} follow[s|] from {fine} in {share} of the rows, so that one fact counts "
        text = worded(f"{text}twice: keep which?", names, fine=quoted(fine), share=percent(share))
        whose = f"Follows from {quoted(fine)}, as you said."
        told = worded("{names} tell[s|] it coarser, as you said.", names)
        both = Answer(worded("[Both|All]", names), {})
        finer = Answer(f"Only {quoted(fine)}", kept_as("ignore", names, whose, look.specs))
        coarse = f"Only {quoted(names[0])}" if len(names) == 1 else f"All but {quoted(fine)}"
        only = Answer(coarse, kept_as("ignore", (fine,), told, look.specs))
        answers = (finer, both, only) if share >= _ADDS_LITTLE else (both, finer, only)
        yield Question("repeat", (*names, fine), text, answers)


def _find_coarser(
    frame: pd.DataFrame, specs: Mapping[str, ColumnSpec], most: int = 80
) -> dict[str, tuple[tuple[str, float], ...]]:
    """Finer categories, each with those that follow from it and the share of rows where they do."""
    some = frame.iloc[:: max(len(frame) // ROWS, 1)]
    few = [n for n, s in specs.items() if s.kind in (CATEGORY, YES_NO, RATING)][:most]
    few = {n: specs[n] for n in few if not specs[n].special}
    read = _varying(some, few, lambda cells, spec: encode_column(cells, spec, new_rows=True))
    codes = {name: codes_of(values) for name, values in read.items()}
    sizes = {name: np.unique(code[code >= 0]).size for name, code in codes.items()}
    found: dict[str, tuple[tuple[str, float], ...]] = {}
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
            found[fine] = (*found.get(fine, ()), (coarse, share))
    return found


def _foretold(fine: np.ndarray, coarse: np.ndarray) -> float:
    """Share of the rows whose coarser level is that of most others of their finer one; 0 if few."""
    both = (fine >= 0) & (coarse >= 0)
    table = _crossed(fine[both], coarse[both])
    n, rows = int(table.sum()), table.sum(axis=1)
    if 2 * n < len(fine) or rows[rows > 1].sum() < 0.8 * n:
        return 0.0
    table = table[rows > 1]
    n, most = int(table.sum()), table.max(axis=1, initial=0)[:, None]
    # A row of the most frequent level is foretold unless another level is as frequent without it.
    ties = (table >= most - 1).sum(axis=1) > 1
    right = int(np.where(ties, 0, most[:, 0]).sum())
    rare = n - int(table.sum(axis=0).max(initial=0))
    told_enough = rare >= LEAST_RARE and n - right <= 0.1 * rare and right >= 0.95 * n
    return right / n if told_enough else 0.0
