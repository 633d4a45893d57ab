"""What groups are like on columns kept out of the clustering, and whether they differ there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from ..models.progress import Progress
from ..schema.rows import copies, with_copies
from ..schema.schema import Schema
from ..schema.spec import SchemaError
from ..wording import counted, in_digits
from .correct import Adjusted, adjust
from .differences import (
    Effect,
    Test,
    compare_counts,
    compare_means,
    compare_tables,
    risk_difference,
    share,
)
from .regression import Hazards, hazards, ratio
from .survival import compare_times, difference, kaplan_meier
from .variables import Variable

#: Fewer patients in the smaller group: not shown; not tested; tested exactly or by permutation.
SHOWN, TESTED, ALL_TESTS = 5, 10, 20
NOTHING = Effect()
#: Skewness of all patients from which on a measurement is told by median and quartiles.
SKEWED = 1.0


@dataclass(frozen=True)
class GroupSummary:
    """One group on one column; available cases only."""

    group: int
    n: int
    hidden: bool = False
    #: What they are like in one phrase, such as "12.3 (4.5)", and without any number of patients.
    text: str = ""
    bare: str = ""


@dataclass(frozen=True)
class Comparison:
    """Two groups, or all that can be tested, on one column."""

    groups: tuple[int, ...]
    n: tuple[int, ...]
    test: Test
    #: The first group against the second; none for more than two.
    effect: Effect
    #: Of a time to an event, beside the effect that leads; none of other columns.
    second: Effect = NOTHING
    #: The p-value corrected for the number of tests of its family.
    adjusted: float | None = None

    @property
    def remark(self) -> str:
        """Why something is missing; each reason once."""
        reasons = self.test.reason, self.effect.reason, self.second.reason
        return " ".join(dict.fromkeys(filter(None, reasons)))

    def as_row(self, variable: Variable) -> dict[str, object]:
        """A line of a table of the column's pairs."""
        first, against = (group + 1 for group in self.groups)
        row = {"column": variable.title, "kind": variable.kind, "group": first, "against": against}
        row |= {"n": self.n[0], "n against": self.n[1], "test": self.test.name, "p": self.test.p}
        row["p, corrected"] = self.adjusted
        for before, effect in (("", self.effect), ("second ", self.second)):
            row[f"{before}effect"] = effect.name
            row |= {f"{before}{of}": getattr(effect, of) for of in ("estimate", "low", "high")}
        return row | {"remark": self.remark}


@dataclass(frozen=True)
class ColumnAssociation:
    """One column against the groups."""

    variable: Variable
    groups: tuple[GroupSummary, ...]
    overall: Comparison
    pairs: tuple[Comparison, ...]
    #: Of a time to event only.
    hazards: Hazards | None = None


@dataclass(frozen=True)
class Associations:
    """All columns asked for, with the correction for the number of tests."""

    columns: tuple[ColumnAssociation, ...]
    pairs_adjusted: Adjusted
    overall_adjusted: Adjusted
    groups: tuple[int, ...]
    left_out: tuple[int, ...]
    refused: dict[str, str]

    def as_frame(self) -> pd.DataFrame:
        """One row a column and pair; cells without a number are empty."""
        pairs = [pair.as_row(column.variable) for column in self.columns for pair in column.pairs]
        return pd.DataFrame(pairs)


def associations(
    frame: pd.DataFrame,
    schema: Schema,
    labels: np.ndarray,
    columns: Sequence[str] | None = None,
    *,
    random_state: int = 0,
    callback: Callable[[Progress], None] | None = None,
) -> Associations:
    """Test every column, by default the schema's validators, against groups counted from 0 on."""
    labels, frame = labels[copies(frame, schema)], with_copies(frame, schema)
    names = schema.names("validator") if columns is None else tuple(columns)
    sizes = np.bincount(labels)
    groups = tuple(np.flatnonzero(sizes >= SHOWN).tolist())
    left_out = tuple(np.flatnonzero((sizes > 0) & (sizes < SHOWN)).tolist())
    found, refused = [], {}
    for j, name in enumerate(names):
        if callback is not None:
            callback(Progress(j, len(names), 0.0, len(groups), f"testing '{name}'"))
        try:
            whole = Variable.of(frame, schema, name)
        except SchemaError as error:
            refused[name] = str(error)
            continue
        parts = whole.in_parts or (whole,)
        found += [associate(part, labels, groups, random_state) for part in parts]
    pairs = adjust([pair.test.p for column in found for pair in column.pairs], len(found))
    overall = adjust([column.overall.test.p for column in found], len(found))
    of_pairs, of_all = iter(pairs.p), iter(overall.p)
    corrected = tuple(
        replace(
            column,
            overall=replace(column.overall, adjusted=next(of_all)),
            pairs=tuple(replace(pair, adjusted=next(of_pairs)) for pair in column.pairs),
        )
        for column in found
    )
    return Associations(corrected, pairs, overall, groups, left_out, refused)


def associate(
    variable: Variable, labels: np.ndarray, groups: Sequence[int], seed: int
) -> ColumnAssociation:
    """Describe and test one column."""
    summaries = tuple(summarise(variable, labels, group, SHOWN) for group in groups)
    overall, over_time = compare(variable, labels, groups, seed), None
    pairs = tuple(compare(variable, labels, pair, seed) for pair in combinations(groups, 2))
    if variable.kind == "time to event":
        over_time = hazards(variable, labels, overall.groups)
        pairs = tuple(_over_time(pair, variable, labels, over_time) for pair in pairs)
    return ColumnAssociation(variable, summaries, overall, pairs, over_time)


def _over_time(
    pair: Comparison, variable: Variable, labels: np.ndarray, known: Hazards
) -> Comparison:
    """A pair with the effect that leads, and the other one as its second."""
    if min(pair.n) < TESTED:
        return pair
    other = difference(variable, labels, pair.groups, known.until)
    effects = (pair.effect, other) if known.ratio_leads else (other, pair.effect)
    return replace(pair, effect=effects[0], second=effects[1])


def compare(variable: Variable, labels: np.ndarray, groups: Sequence[int], seed: int) -> Comparison:
    """Compare two groups or more on one column, as far as the group sizes allow."""
    n = {group: int((variable.observed & (labels == group)).sum()) for group in groups}
    if len(groups) > 2:
        groups = [group for group in groups if n[group] >= TESTED]
    smallest = min((n[group] for group in groups), default=0)
    about = tuple(groups), tuple(n[group] for group in groups)
    refusal = ""
    if len(groups) < 2:
        refusal = f"Fewer than two groups have {TESTED} patients observed in this column."
    elif smallest < SHOWN:
        refusal = f"Fewer than {SHOWN} patients of a group are observed: not shown."
    elif smallest < TESTED:
        refusal = (
            f"{SHOWN} to {TESTED - 1} patients of a group are observed: described, not tested."
        )
    if refusal:
        return Comparison(*about, Test(reason=refusal), Effect(reason=refusal))
    rows = [variable.observed & (labels == group) for group in groups]
    test, effect = _compared(variable, rows, smallest < ALL_TESTS, np.random.default_rng(seed))
    if len(groups) > 2:
        effect = Effect(reason="An effect is between two groups.")
    elif variable.kind == "time to event":
        effect = ratio(variable, labels, groups)
    return Comparison(*about, test, effect)


def _compared(
    variable: Variable, rows: Sequence[np.ndarray], few: bool, random: np.random.Generator
) -> tuple[Test, Effect]:
    kind, width = variable.kind, len(variable.levels)
    if kind == "time to event":
        return compare_times(variable, rows, few, random), NOTHING
    values = variable.amounts if kind == "rating" else variable.values
    parts = [values[inside] for inside in rows]
    if kind == "count":
        return compare_counts(parts)
    if kind in ("measurement", "rating"):
        return compare_means(parts, " of mean scores" * (kind == "rating"), variable.log)
    table = [np.bincount(part.astype(np.int64), minlength=width) for part in parts]
    test, effect = compare_tables(np.array(table), few, random)
    return test, risk_difference(*parts[:2]) if kind == "yes/no" else effect


def summarise(variable: Variable, labels: np.ndarray, group: int, least: int) -> GroupSummary:
    """Describe a group on a column, unless fewer than ``least`` patients are observed."""
    rows = (labels == group) & variable.observed
    n = int(rows.sum())
    if n < max(least, 1):
        few = f"fewer than {least} observed" if n else "none observed"
        return GroupSummary(group, n, True, few, few)
    return GroupSummary(group, n, False, *_phrases(variable, rows))


def described_by_group(
    columns: Iterable[Variable],
    labels: np.ndarray,
    titles: Mapping[int, str],
    is_counted: bool = True,
    least: int = 1,
) -> pd.DataFrame:
    """Columns by group; ``is_counted`` adds numbers of patients, alone below ``least``."""
    lines = []
    for column in columns:
        line = {"Column": column.title + _measure(column)}
        for group, title in titles.items():
            found = summarise(column, labels, group, least)
            line[title] = found.text if is_counted else found.bare
            if is_counted and not found.hidden:
                missing = int((labels == group).sum()) - found.n
                # A yes/no column says of how many.
                line[title] += f"; n = {found.n:,}" if column.kind != "yes/no" else ""
                line[title] += f"; {missing:,} missing" if missing else ""
        lines.append(line)
    return pd.DataFrame(lines, columns=["Column", *titles.values()])


def _is_by_rank(variable: Variable) -> bool:
    values = variable.values[variable.observed]
    return variable.log or bool(values.size > 2 and abs(stats.skew(values)) > SKEWED)


def _measure(variable: Variable) -> str:
    if variable.kind == "measurement" and _is_by_rank(variable):
        return ", median [quartiles]"
    if variable.kind in ("measurement", "count"):
        return ", mean (SD)"
    return ", mean score (SD)" if variable.kind == "rating" else ""


def _phrases(variable: Variable, rows: np.ndarray) -> tuple[str, str]:
    """With numbers of patients, and without."""
    kind, values, n = variable.kind, variable.values[rows], int(rows.sum())
    if kind == "time to event":
        return _timed(variable, rows)
    if kind in ("yes/no", "category"):
        counts = np.bincount(values.astype(np.int64), minlength=len(variable.levels))
        if kind == "category":
            shares = zip(variable.levels, counts / n, strict=True)
            text = ", ".join(f"{level} {part:.0%}" for level, part in shares)
            return text, text
        part, low, high = map(float, share(counts[1] / n, np.float64(n)))
        of = f"{counts[1]:,} of {n:,}, {part:.0%} ({low:.0%} to {high:.0%})"
        return f"{variable.levels[1]}: {of}", f"{variable.levels[1]}: {part:.0%}"
    if kind == "measurement" and _is_by_rank(variable):
        places = np.quantile(np.exp(values) if variable.log else values, [0.5, 0.25, 0.75])
        text = "{} [{} to {}]".format(*map(in_digits, places))
        return text, text
    values = variable.amounts[rows] if kind == "rating" else values
    mean = f"{in_digits(values.mean())} ({in_digits(values.std(ddof=values.size > 1))})"
    return (f"{mean}, {values.sum():,.0f} in all" if kind == "count" else mean), mean


def _timed(variable: Variable, rows: np.ndarray) -> tuple[str, str]:
    curve = kaplan_meier(variable.values[rows], variable.events[rows])
    events = counted(curve.n_events, "event")
    if variable.others is not None:
        others = counted(int(variable.others[rows].sum()), "patient")
        return f"{events}, another first in {others}", ""
    if variable.no_share:
        return events, ""
    if curve.median is None:
        return f"{events}, median not reached", ""
    median = f"median {in_digits(curve.median)}"
    return f"{events}, {median}", median
