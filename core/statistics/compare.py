"""Whether columns kept out of the clustering differ between the groups that it found."""

from __future__ import annotations

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
from .effect import Effect, cramers_v, mean_difference, no_effect, rate_ratio, risk_difference
from .group_summaries import GroupSummary, summarise
from .hazards import Hazards, hazards, ratio
from .hypothesis_tests import Test, compare_counts, compare_means, compare_tables, no_test
from .survival import compare_incidence, compare_survival, difference
from .variables import Variable

#: Fewer patients in the smaller group: not shown; not tested; tested exactly or by permutation.
SHOWN, TESTED, ALL_TESTS = 5, 10, 20
NOTHING = no_effect("")


@dataclass(frozen=True)
class Comparison:
    """Two groups, or all that can be tested, on one column."""

    column: str
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
        """Why something is missing, and where a p-value stops; each reason once."""
        reasons = self.test.reason, self.test.stopped, self.effect.reason, self.second.reason
        return " ".join(dict.fromkeys(filter(None, reasons)))


@dataclass(frozen=True)
class ColumnAssociation:
    """One column against the groups."""

    variable: Variable
    groups: tuple[GroupSummary, ...]
    overall: Comparison
    pairs: tuple[Comparison, ...]
    #: The same for whether a cell is missing; empty where none is.
    missing: tuple[Comparison, ...]
    #: Of a time to an event only.
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
        return pd.DataFrame(
            [_row(column, pair) for column in self.columns for pair in column.pairs]
        )


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
            parts = Variable.parts(frame, schema, name)
        except SchemaError as error:
            refused[name] = str(error)
            continue
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
    variable: Variable,
    labels: np.ndarray,
    groups: Sequence[int],
    seed: int,
) -> ColumnAssociation:
    """Describe and test one column."""
    holes = (~variable.observed).astype(np.float64)
    missing = Variable(variable.name, "yes/no", holes, ("observed", "missing"))
    pairs = list(combinations(groups, 2))
    # Who has no number is told by the other part of the column.
    of_holes = [] if variable.observed.all() or variable.part else pairs
    compared = tuple(compare(variable, labels, pair, seed) for pair in pairs)
    overall, over_time = compare(variable, labels, groups, seed), None
    if variable.kind == "time to event":
        over_time = hazards(variable, labels, overall.groups)
        compared = tuple(_over_time(pair, variable, labels, over_time) for pair in compared)
    return ColumnAssociation(
        variable,
        tuple(summarise(variable, labels, group, SHOWN) for group in groups),
        overall,
        compared,
        tuple(compare(missing, labels, pair, seed, exact=True) for pair in of_holes),
        over_time,
    )


def _over_time(
    pair: Comparison, variable: Variable, labels: np.ndarray, known: Hazards
) -> Comparison:
    """A pair with the effect that leads, and the other one as its second."""
    if not pair.effect.name and pair.test.p is None and pair.effect.reason == pair.test.reason:
        return pair  # too few patients for either
    other = difference(variable, labels, pair.groups, known.until)
    if known.ratio_leads:
        return replace(pair, second=other)
    return replace(pair, effect=other, second=pair.effect)


def compare(
    variable: Variable,
    labels: np.ndarray,
    groups: Sequence[int],
    seed: int,
    exact: bool = False,
) -> Comparison:
    """Compare two groups or more on one column, as far as the group sizes allow."""
    n = {group: variable.of_group(labels, group).size for group in groups}
    if len(groups) > 2:
        groups = [group for group in groups if n[group] >= TESTED]
    smallest = min((n[group] for group in groups), default=0)
    refusal, few = _refusal(len(groups), smallest), exact or smallest < ALL_TESTS
    test = no_test(refusal) if refusal else _test(variable, labels, groups, few, seed)
    effect = no_effect(refusal or "An effect is between two groups.")
    if not refusal and len(groups) == 2:
        effect = _effect(variable, labels, groups, test)
    sizes = tuple(n[group] for group in groups)
    return Comparison(variable.name, tuple(groups), sizes, test, effect)


def _refusal(n_groups: int, smallest: int) -> str:
    if n_groups < 2:
        return f"Fewer than two groups have {TESTED} patients observed in this column."
    if smallest < SHOWN:
        return f"Fewer than {SHOWN} patients of a group are observed: not shown."
    if smallest < TESTED:
        return f"{SHOWN} to {TESTED - 1} patients of a group are observed: described, not tested."
    return ""


def _test(
    variable: Variable, labels: np.ndarray, groups: Sequence[int], few: bool, seed: int
) -> Test:
    if variable.kind == "time to event":
        return _test_of_times(variable, labels, groups, few, seed)
    parts = _parts(variable, labels, groups)
    random = np.random.default_rng(seed)
    if variable.kind == "count":
        return compare_counts(parts, few, random)
    if variable.kind in ("yes/no", "category"):
        return compare_tables(_counts(variable, parts), few, random)
    return compare_means(parts, few, random, " of mean scores" * (variable.kind == "rating"))


def _test_of_times(
    variable: Variable, labels: np.ndarray, groups: Sequence[int], few: bool, seed: int
) -> Test:
    """Log-rank test; Gray's of cumulative incidences where another event may come first."""
    rows = [(labels == group) & variable.observed for group in groups]
    times, events = ([part[one] for one in rows] for part in (variable.values, variable.events))
    if variable.others is None:
        return compare_survival(times, events, few, np.random.default_rng(seed))
    kinds = [variable.events[one] + 2 * variable.others[one] for one in rows]
    group = np.repeat(np.arange(len(groups)), [part.size for part in times])
    joined = np.concatenate(times), np.concatenate(kinds), group
    return compare_incidence(*joined, few, np.random.default_rng(seed))


def _effect(variable: Variable, labels: np.ndarray, pair: Sequence[int], test: Test) -> Effect:
    if variable.kind == "time to event":
        return ratio(variable, labels, pair)
    a, b = _parts(variable, labels, pair)
    if variable.kind == "measurement":
        return mean_difference(a, b, variable.log, test=test)
    if variable.kind == "rating":
        return mean_difference(a, b, False, "difference of mean scores", test)
    if variable.kind == "yes/no":
        return risk_difference(a, b)
    if variable.kind == "category":
        return cramers_v(_counts(variable, [a, b]))
    return rate_ratio(a, b)


def _parts(variable: Variable, labels: np.ndarray, groups: Sequence[int]) -> list[np.ndarray]:
    """Observed values of the groups, of a rating its scores."""
    parts = [variable.of_group(labels, group) for group in groups]
    if variable.kind == "rating":
        return [variable.scores[part.astype(np.int64)] for part in parts]
    return parts


def _counts(variable: Variable, parts: Sequence[np.ndarray]) -> np.ndarray:
    """Patients by group and level, shape (G, V)."""
    width = len(variable.levels)
    return np.array([np.bincount(part.astype(np.int64), minlength=width) for part in parts])


def _row(column: ColumnAssociation, pair: Comparison) -> dict[str, object]:
    row = {
        "column": column.variable.title,
        "kind": column.variable.kind,
        "group": pair.groups[0] + 1,
        "against": pair.groups[1] + 1,
        "n": pair.n[0],
        "n against": pair.n[1],
        "test": pair.test.name,
        "p": pair.test.p,
        "smallest p": pair.test.floor or None,
        "p, corrected": pair.adjusted,
    }
    for before, effect in (("", pair.effect), ("second ", pair.second)):
        row[f"{before}effect"] = effect.name
        row |= {f"{before}{name}": getattr(effect, name) for name in ("estimate", "low", "high")}
    return row | {"remark": pair.remark}
