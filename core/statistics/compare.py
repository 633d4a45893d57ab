"""Tests of columns kept out of the clustering between groups, and the sizes of differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pandas as pd

from ..models.progress import Progress
from ..schema.rows import copies, with_copies
from ..schema.schema import Schema
from ..schema.spec import SchemaError
from .correct import Adjusted, adjust
from .differences import (
    Effect,
    Test,
    compare_counts,
    compare_means,
    compare_tables,
    risk_difference,
)
from .regression import Hazards, hazards, ratio
from .survival import compare_times, difference, horizon
from .variables import Variable

#: Fewer patients in the smaller group: not shown; not tested; tested exactly or by permutation.
SHOWN, TESTED, ALL_TESTS = 5, 10, 20
NO_EFFECT = Effect()


@dataclass(frozen=True)
class Comparison:
    """Two groups, or all that can be tested, on one column."""

    groups: tuple[int, ...]
    n: tuple[int, ...]
    test: Test
    #: The first group against the second; none for more than two.
    effect: Effect
    #: Of a time to an event, beside the effect that leads; none of other columns.
    second: Effect = NO_EFFECT
    #: The p-value corrected for the number of tests of its family.
    adjusted: float | None = None

    @property
    def remark(self) -> str:
        """Reasons why figures are missing, each once."""
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
    #: By group, whether too few are observed to be described.
    hidden: dict[int, bool]
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
    if any(1 < len(column.overall.groups) < len(groups) for column in found):
        text = f"{overall.sentence}, without groups of fewer than {TESTED} observed"
        overall = replace(overall, sentence=text)
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
    hidden = {k: bool((variable.observed & (labels == k)).sum() < SHOWN) for k in groups}
    overall, over_time = compare(variable, labels, groups, seed), None
    pairs = tuple(compare(variable, labels, pair, seed) for pair in combinations(groups, 2))
    if variable.kind == "time to event":
        # How long a small group is watched ends no comparison of the others.
        large = [k for k, n in zip(overall.groups, overall.n, strict=True) if n >= ALL_TESTS]
        watched = large if len(large) > 1 else overall.groups
        over_time = hazards(variable, labels, overall.groups, watched)
        pairs = tuple(_with_hazards(pair, variable, labels, over_time) for pair in pairs)
    return ColumnAssociation(variable, hidden, overall, pairs, over_time)


def _with_hazards(
    pair: Comparison, variable: Variable, labels: np.ndarray, over_time: Hazards
) -> Comparison:
    """A pair with the effect that leads, and the other one as its second."""
    if min(pair.n) < TESTED:
        return pair
    until = over_time.until
    if min(pair.n) < ALL_TESTS:
        until = min(until, horizon(variable, labels, pair.groups))
    other = difference(variable, labels, pair.groups, until)
    effects = (pair.effect, other) if over_time.ratio_leads else (other, pair.effect)
    return replace(pair, effect=effects[0], second=effects[1])


def compare(variable: Variable, labels: np.ndarray, groups: Sequence[int], seed: int) -> Comparison:
    """Compare two groups or more on one column, as far as the group sizes allow."""
    n = {group: int((variable.observed & (labels == group)).sum()) for group in groups}
    if len(groups) > 2:
        groups = [group for group in groups if n[group] >= TESTED]
    smallest = min((n[group] for group in groups), default=0)
    sizes = tuple(groups), tuple(n[group] for group in groups)
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
        return Comparison(*sizes, Test(reason=refusal), Effect(reason=refusal))
    rows = [variable.observed & (labels == group) for group in groups]
    test, effect = _compared(variable, rows, smallest < ALL_TESTS, np.random.default_rng(seed))
    if len(groups) > 2:
        effect = Effect(reason="An effect is between two groups.")
    elif variable.kind == "time to event":
        effect = ratio(variable, labels, groups)
    return Comparison(*sizes, test, effect)


def _compared(
    variable: Variable, rows: Sequence[np.ndarray], few: bool, random: np.random.Generator
) -> tuple[Test, Effect]:
    kind, width = variable.kind, len(variable.levels)
    if kind == "time to event":
        return compare_times(variable, rows, few, random), NO_EFFECT
    values = variable.amounts if kind == "rating" else variable.values
    parts = [values[inside] for inside in rows]
    if kind == "count":
        return compare_counts(parts)
    if kind in ("measurement", "rating"):
        return compare_means(parts, " of mean scores" * (kind == "rating"), variable.log)
    table = [np.bincount(part.astype(np.int64), minlength=width) for part in parts]
    test, effect = compare_tables(np.array(table), few, random)
    return test, risk_difference(*parts[:2]) if kind == "yes/no" else effect
