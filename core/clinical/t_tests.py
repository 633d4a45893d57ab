"""T-tests of every column between groups (R16 section 6), and between those found without it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Self

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.base import clone
from statsmodels.stats.meta_analysis import effectsize_smd

from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Refits
from ..partitions.scores import match_labels
from ..schema.schema import Schema
from ..schema.spec import SchemaError
from ..statistics.compare import compare
from ..statistics.correct import correct
from ..statistics.resampling import prior_procedure
from ..statistics.variables import Variable
from .groups import SMALLEST, Subgroups
from .lock import PARTS, Lock

#: Of the interval of a difference.
LEVEL = 0.95
#: Least p-value that is used: floating point holds none much smaller but 0.
LEAST_P = 1e-300
#: Perturbations in vain that end a search without a column: on seven tables its groups agree with
#: those of a search three times as long (ARI .88 to 1).
PATIENCE = 15
#: Least Jaccard similarity of a match: a forced one would be selected by the column that is tested.
LEAST_OVERLAP = 0.5
#: The figures of a pair of groups: those shown, and those found without the column.
PAIR = (
    *("n_1", "n_2", "mean_1", "mean_2", "sd_1", "sd_2", "difference", "low", "high"),
    *("t", "df", "p"),
)
LEFT_OUT = tuple(f"{name}_left_out" for name in PAIR)
#: What a line holds, in the order of the table; all but the last are numbers.
FIELDS = (*PAIR, *LEFT_OUT, "overlap", "remark")
NOT_FOUND = "groups not found without this column"
OPPOSED = "the groups found without this column differ the other way round"
NO_MEAN = "a category, as it is taken here, has no mean"
#: A group against another, or against all others.
Pair = tuple[int, int | None]
#: Columns of a study by name.
Variables = Mapping[str, Variable]
#: Columns that were left out so far, each with the groups found without it.
LeftOut = Mapping[str, np.ndarray | None]

BY = {"p_left_out": "column left out", "p": "as the paper"}
BANNER = (
    "These columns formed the groups, so the groups differ on them by construction: the p-value "
    "as the paper's is no evidence; the one beside it comes from groups found without the column."
)
ELSEWHERE = (
    "Columns kept out of the groups have no line here: each has one p-value, under Outcomes."
)


@dataclass(frozen=True)
class TestOptions:
    """Options of the t-tests and of the marks on them."""

    #: Student's test; Welch's otherwise.
    equal_variances: bool = False
    alpha: float = 0.05
    #: Key of ``correct.CORRECTIONS``; None corrects nothing.
    correction: str | None = "Benjamini-Hochberg"
    #: Key of ``BY``: the p-value that counts.
    by: str = "p_left_out"


#: R16 section 6: Student's test at .01, not corrected, on the columns that made the groups.
PAPER = TestOptions(True, 0.01, None, "p")


def read_columns(frame: pd.DataFrame, schema: Schema) -> Variables:
    """Columns of a study that can be read, those that made the groups first."""
    columns = {}
    for name in (name for role in PARTS for name in schema.names(role)):
        with suppress(SchemaError):
            columns[name] = Variable.of(frame, schema, name)
    return columns


def t_table(
    columns: Variables, labels: np.ndarray, pair: Pair, equal_variances: bool, without: LeftOut
) -> pd.DataFrame:
    """Test columns between two groups, a line a column; NaN where ``remark`` says why."""
    shown = np.repeat(labels[:, None], len(columns), axis=1)
    table = _compared(columns, sides(shown, pair), equal_variances, LEVEL)
    common = [overlap(labels, without[n], pair) if n in without else np.nan for n in columns]
    common = pd.Series(common, table.index, dtype=float).where(table["remark"] == "")
    is_found, share = common >= LEAST_OVERLAP, share_found_again(without, labels, pair)
    again_found = {name: columns[name] for name in table.index[is_found]}
    again = [without[name] for name in again_found]
    again = np.array(again, dtype=np.int64).reshape(-1, labels.size).T
    level = 1.0 - (1.0 - LEVEL) * share
    found = _compared(again_found, sides(again, pair), equal_variances, level).reindex(table.index)
    found["p"] = (found["p"] / share).clip(upper=1.0)
    remark = table["remark"].mask(is_found, found["remark"]).mask(common < LEAST_OVERLAP, NOT_FOUND)
    found = found[list(PAIR)].set_axis(LEFT_OUT, axis=1)
    found = pd.concat([table[list(PAIR)], found], axis=1)
    return found.assign(overlap=common.where(is_found), remark=remark)


def _compared(
    columns: Variables, on_side: tuple[np.ndarray, ...], equal_variances: bool, level: float
) -> pd.DataFrame:
    """Moments and t-test of each column, between the cells on either side, as in scipy."""
    amounts = {name: one.amounts for name, one in columns.items()}
    has_mean = np.array([values is not None for values in amounts.values()], bool)
    cells = {name: columns[name].values if own is None else own for name, own in amounts.items()}
    cells = pd.DataFrame(cells, index=range(len(on_side[0])), dtype=float)
    table, varies = pd.DataFrame(index=pd.Index(columns, name="column")), False
    for side, inside in enumerate(on_side, 1):
        part = cells.where(inside)
        table[f"n_{side}"] = part.count()
        table[f"mean_{side}"] = part.mean().where(has_mean)
        table[f"sd_{side}"] = part.std().where(has_mean)
        varies |= part.max() > part.min()
    n_1, n_2, few = table["n_1"], table["n_2"], table[["n_1", "n_2"]].min(axis=1) < 2
    reasons = [NO_MEAN, "fewer than two values on one side", "no spread on either side"]
    table["remark"] = np.select([~has_mean, few, ~varies], reasons, "")
    v_1, v_2 = table["sd_1"] ** 2, table["sd_2"] ** 2
    if equal_variances:
        df = n_1 + n_2 - 2
        se = np.sqrt(((n_1 - 1) * v_1 + (n_2 - 1) * v_2) / df * (1 / n_1 + 1 / n_2))
    else:
        a, b = v_1 / n_1, v_2 / n_2
        se, df = np.sqrt(a + b), (a + b) ** 2 / (a**2 / (n_1 - 1) + b**2 / (n_2 - 1))
    difference = table["mean_1"] - table["mean_2"]
    t = (difference / se).where(table["remark"] == "")
    half = (stats.t.ppf((1.0 + level) / 2.0, df) * se).where(t.notna())
    ends = {"low": difference - half, "high": difference + half}
    p = np.maximum(2.0 * stats.t.sf(t.abs(), df), LEAST_P)
    return table.assign(difference=difference, **ends, t=t, df=df.where(t.notna()), p=p)


def hedges_g(lines: pd.DataFrame, end: str = "") -> pd.Series:
    """Differences in pooled standard deviations, corrected for small samples (Hedges' g)."""
    names = "mean_1", "sd_1", "n_1", "mean_2", "sd_2", "n_2"
    g, _ = effectsize_smd(*(lines[f"{name}{end}"] for name in names))
    return g.where(g.abs() < np.inf)  # without spread there is none


@dataclass(frozen=True)
class TTests:
    """The columns that made the groups of a study, ready to be tested pair by pair."""

    #: All of the study, those that made the groups first (``read_columns``).
    columns: Variables
    clustered: tuple[str, ...]
    #: int64, shape (N,).
    labels: np.ndarray
    titles: tuple[str, ...]
    left_out: LeftOut = field(default_factory=dict)
    seed: int = 0

    @classmethod
    def of(cls, frame: pd.DataFrame, lock: Lock, groups: Subgroups) -> Self:
        """The tests of a study before any column was left out; one row a patient."""
        columns, clustered = read_columns(frame, lock.schema), lock.columns("cluster")
        return cls(columns, clustered, groups.labels, groups.titles, seed=lock.plan.seed)

    def name_of(self, pair: Pair) -> str:
        """A pair of groups in words."""
        a, b = pair
        return f"{self.titles[a]} and {'all others' if b is None else self.titles[b]}"

    @property
    def pairs(self) -> list[Pair]:
        """Every two groups large enough to be described."""
        described = np.flatnonzero(np.bincount(self.labels) >= SMALLEST)
        return list(combinations(described.tolist(), 2))

    def lines(
        self, pairs: Sequence[Pair] | None = None, choice: TestOptions = TestOptions()
    ) -> pd.DataFrame:
        """One line a column and pair (all by default), the smallest p-value that counts first."""
        pairs = self.pairs if pairs is None else pairs
        asked = {frozenset(pair): pair for pair in pairs}
        against_all = any(b is None for _, b in pairs)
        # Whichever are asked for, p is corrected over all pairs of their kind.
        described = sorted({k for pair in self.pairs for k in pair})
        family = [(k, None) for k in described] if against_all else self.pairs
        clustered = {name: self.columns[name] for name in self.clustered}
        names = ["column", "title", "pair", "groups", *FIELDS, "g", "judged", "differs"]
        tables = [pd.DataFrame(columns=names)]
        for pair in (asked.get(frozenset(pair), pair) for pair in family):
            table = t_table(clustered, self.labels, pair, choice.equal_variances, self.left_out)
            names_of_pair = {"pair": [pair] * len(table), "groups": self.name_of(pair)}
            titles = [column.title for column in clustered.values()]
            tables.append(table.reset_index().assign(title=titles, **names_of_pair))
        lines = pd.concat(tables[1:] or tables, ignore_index=True)
        end = "_left_out" if choice.by == "p_left_out" else ""
        lines["g"] = hedges_g(lines, end)
        lines["judged"] = correct(lines[choice.by], choice.correction)
        is_marked = lines["judged"] <= choice.alpha
        is_opposed = lines["difference"] * lines[f"difference{end}"] < 0.0
        lines["differs"] = is_marked & ~is_opposed
        lines.loc[is_marked & is_opposed, "remark"] = OPPOSED
        lines = lines.loc[lines["pair"].isin(pairs), names].drop(columns=["low", "high"])
        return lines.sort_values(["judged", "p"], kind="stable", ignore_index=True)

    def p_without_mean(self, name: str, pair: Pair) -> float:
        """P-value of a left-out column without a mean, by the test of its kind; NaN without one."""
        column, groups = self.columns[name], self.left_out.get(name)
        if overlap(self.labels, groups, pair) < LEAST_OVERLAP:
            return np.nan
        p = compare(column, groups, pair, self.seed).test.p
        share = share_found_again(self.left_out, self.labels, pair)
        return np.nan if p is None else min(p / share, 1.0)


def leave_out(
    tests: TTests,
    groups: Subgroups,
    callback: Callback | None = None,
    share: Callable[[TTests], None] | None = None,
) -> TTests:
    """Find the groups without each column, that of the largest difference first."""
    lines = tests.lines()
    largest = hedges_g(lines).abs().fillna(-1.0).groupby(lines["column"]).max()
    largest = largest.reindex(tests.clustered, fill_value=-1.0)  # of groups too small, no pair
    # A block leaves with all its columns, a column of two parts with both.
    columns: dict[str, list[str]] = {}
    for unit in groups.encoded.units:
        columns.setdefault(unit.of, []).extend(() if unit.is_outcome else unit.columns)
    parts = sorted(columns, key=lambda part: -largest[columns[part]].max())
    refits = Refits(len(parts), groups.encoded.values.size, callback)
    found = refits.map(partial(_found_without, groups.model), parts, "groups without a column")
    for part, labels in zip(parts, found, strict=True):
        tests = replace(tests, left_out={**tests.left_out, **dict.fromkeys(columns[part], labels)})
        if share is not None:
            share(tests)
    return tests


def _found_without(model: MAPDP, gone: str, callback: Callback) -> np.ndarray | None:
    """The groups found without a column or block; None where the rest cannot be clustered."""
    encoded = model.columns_.encoded
    kept = [place for place, unit in enumerate(encoded.units) if unit.of != gone]
    if not kept:
        return None
    # A start from the groups shown, or a prior of their table, would carry the column along.
    again = clone(model).set_params(prior=prior_procedure(model), n_init=1, patience=PATIENCE)
    try:
        again.fit_encoded(encoded.of_units(kept), callback, schema=model.schema_)
    except ValueError:
        return None
    return match_labels(model.labels_, again.labels_)


def sides(labels: np.ndarray, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
    """Which rows stand on either side of a pair (a, b), or (a, None) for a against all others."""
    a, b = pair
    return labels == a, (labels != a if b is None else labels == b)


def overlap(labels: np.ndarray, again: np.ndarray | None, pair: Pair) -> float:
    """The lower Jaccard similarity of the two sides of a pair with those found again."""
    if again is None:
        return 0.0
    both = zip(sides(labels, pair), sides(again, pair), strict=True)
    return min(float((one & other).sum() / max((one | other).sum(), 1)) for one, other in both)


def share_found_again(without: LeftOut, labels: np.ndarray, pair: Pair) -> float:
    """Share s of the columns left out without which a pair is found again; NaN where it is 0."""
    # P(p <= a | found again) is at most a / s: p / s holds its level.
    found = [overlap(labels, again, pair) >= LEAST_OVERLAP for again in without.values()]
    return float(np.mean(found)) if any(found) else np.nan
