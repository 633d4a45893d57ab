"""Student's and Welch's t-test on every column between two groups (R16 section 6), and a valid one.

The groups were made from the columns, so the p-value of a column that made them is small even
where there is nothing to find. Beside it stands one from groups found without the column: an
ordinary t-test where those groups are the ones shown whatever column is left out. Where they are
so for some columns only, its p-value and its interval pay for that selection (``share_found``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from ..models.estimator import Callback, ClusterEstimator, checked_weights
from ..schema.schema import Schema
from ..schema.spec import SchemaError
from ..statistics.hypothesis_tests import quiet
from ..statistics.variables import Variable
from .left_out import Without, are_found, groups_without, overlap, share_found, sides

#: Of the interval of a difference.
LEVEL = 0.95
#: Roles of the columns tested: those that made the groups, and those kept out.
MADE, KEPT_OUT = "cluster", ("validator", "control")
#: What is told of a pair of groups: those shown, and those found without the column.
PAIR = (
    *("n_1", "n_2", "mean_1", "mean_2", "sd_1", "sd_2", "difference", "low", "high"),
    *("t", "df", "p"),
)
LEFT_OUT = tuple(f"{name}_left_out" for name in PAIR)
#: What a line holds, in the order of the table; all but the last are numbers.
FIELDS = (*PAIR, *LEFT_OUT, "overlap", "remark")
NOT_FOUND = "groups not found without this column"
NO_MEAN = {
    "category": "names without an order have no mean",
    "time to event": "a time to an event has no mean while some still wait for it",
}
#: A group against another, or against all others.
Pair = tuple[int, int | None]


def t_tests(
    model: ClusterEstimator,
    frame: pd.DataFrame,
    schema: Schema,
    pair: tuple[int, int | None] | None = (0, 1),
    equal_variances: bool = False,
    left_out: bool = True,
    callback: Callback | None = None,
    executor: Executor | None = None,
    sample_weight: Any = None,
) -> pd.DataFrame:
    """Test every column between two groups of a fitted model.

    Parameters
    ----------
    model : ClusterEstimator
        Fitted to the table; its settings are fitted again without each column.
    frame : DataFrame, N rows
    schema : Schema
        Names the columns kept out of the groups (roles validator and control), too.
    pair : (int, int), (int, None) or None
        Groups counted from 0 as in ``labels_``; ``(0, None)`` is group 0 against all others, None
        all pairs.
    equal_variances : bool
        Student's test, as R16; Welch's otherwise.
    left_out : bool
        Whether to find the groups again without each column: one fit a column, the columns of a
        block together.
    callback : callable, optional
        Told of every step; what it raises ends the work.
    executor : Executor, optional
        Whose threads make the fits; two of their own when absent.
    sample_weight : array-like, shape (N,), optional
        How often each row counts: the tests are those of the table with every row written so
        often, and by the same sums where weights are not whole. Without it, the schema's column
        of the role "weight", if there is one, says how many patients each row is; groups are found
        again by the weights that the model was fitted with. Weights of less than half a row each
        are scaled to mean 1, with a warning.

    Returns
    -------
    DataFrame, one row a column, indexed by its name
        ``n_1``, ``n_2``, ``mean_1``, ``mean_2``, ``sd_1``, ``sd_2`` (samples'), ``difference`` of
        the means with its 95 % interval ``low`` to ``high``, ``t``, ``df`` and ``p``: between the
        groups shown. The same with ``_left_out``: between the groups found without the column,
        which are other patients, so that their difference can be another, even of another sign;
        ``overlap`` is the lower Jaccard similarity of the two groups with those shown.
        ``p_left_out`` is the p-value between them over the share s of columns without which both
        are found, at most 1, and their interval is at the level 1 - 0.05 s: it misses in at most
        5 % of the cases in which they are found. Of a column that made nothing, both are one
        pair. A ``remark`` says why there is no test.
        NaN where a test cannot be made. Missing cells are left out; of yes/no, 1 is the second
        level. For all pairs a second index level names the pair, "0-1".

    Raises
    ------
    ValueError
        The table is not the model's, or there is no such group.
    """
    labels = model.labels_
    if len(frame) != labels.size:
        raise ValueError(
            f"The model was fitted to {labels.size:,} rows and the table has {len(frame):,}: give "
            "the table that the groups were found in."
        )
    pairs = _checked(pair, int(labels.max()) + 1)
    fitted = getattr(model, "schema_", None) or schema
    made = fitted.names(MADE)
    times = schema.weights_of(frame) if sample_weight is None else sample_weight
    weights = None if times is None else checked_weights(times, len(frame))
    without: dict[str, np.ndarray | None] = {}
    if left_out:
        encoded = fitted.completed(frame).encode(frame)
        if sample_weight is not None:
            encoded = replace(encoded, weights=weights)
        for columns, found in groups_without(model, encoded, callback, executor):
            without |= dict.fromkeys(columns, found)
    columns = read_columns(frame, schema, made)
    tables = {
        f"{a}-{b}": t_table(columns, labels, (a, b), equal_variances, made, without, weights)
        for a, b in pairs
    }
    if pair is not None:
        return tables.popitem()[1]
    return _stacked(tables, list(columns))


def read_columns(
    frame: pd.DataFrame, schema: Schema, made: Sequence[str]
) -> dict[str, Variable | str]:
    """Columns to test, those that made the groups first; why, of one that cannot be read."""
    names = [*made, *(name for role in KEPT_OUT for name in schema.names(role))]
    columns: dict[str, Variable | str] = {}
    for name in dict.fromkeys(names):
        try:
            columns[name] = Variable.of(frame, schema, name)
        except SchemaError as error:
            columns[name] = str(error)
    return columns


def t_table(
    columns: Mapping[str, Variable | str],
    labels: np.ndarray,
    pair: Pair,
    equal_variances: bool,
    made: Sequence[str],
    without: Without,
    weights: np.ndarray | None = None,
) -> pd.DataFrame:
    """One line a column, the table of ``t_tests`` for one pair.

    Parameters
    ----------
    columns : mapping of str to Variable or str
        ``read_columns``.
    labels : ndarray of int, shape (N,)
    pair : (int, int) or (int, None)
    equal_variances : bool
    made : sequence of str
        Columns that made the groups; what the others made is nothing, so the pair without them
        is the pair shown.
    without : mapping of str to ndarray or None
        A column that made the groups and is not in it has not been left out yet.
    weights : ndarray, shape (N,), optional
        How often each row counts.
    """
    shown, share = sides(labels, pair), share_found(without, labels, pair, weights)
    lines = []
    for name, column in columns.items():
        line = _line(column, shown, equal_variances, weights)
        if name not in made:
            line |= _left_out(line, 1.0)
        elif name in without and not line["remark"]:
            again = None if without[name] is None else sides(without[name], pair)
            if again is None or not are_found(shown, again, weights):
                line["remark"] = NOT_FOUND
            else:
                level = 1.0 - (1.0 - LEVEL) * share
                found = _line(column, again, equal_variances, weights, level)
                found["p"] = np.minimum(found["p"] / share, 1.0)
                line |= _left_out(found, overlap(shown, again, weights))
                line["remark"] = found["remark"]
        lines.append(line)
    table = pd.DataFrame(lines, index=pd.Index(columns, name="column"), columns=list(FIELDS))
    counts = table[["n_1", "n_2"]]
    is_whole = bool((counts == counts.round()).all(axis=None))
    return table.astype({"n_1": np.int64, "n_2": np.int64}) if is_whole else table


def _left_out(found: Mapping[str, Any], common: float) -> dict[str, Any]:
    """The test between the groups found without a column, as part of its line."""
    return {of: found[name] for of, name in zip(LEFT_OUT, PAIR, strict=True)} | {"overlap": common}


def _line(
    column: Variable | str,
    rows: tuple[np.ndarray, np.ndarray],
    equal_variances: bool,
    weights: np.ndarray | None,
    level: float = LEVEL,
) -> dict[str, Any]:
    """The test between two sets of rows; what there is of it, and why not the rest."""
    line = dict.fromkeys(FIELDS, np.nan) | {"n_1": 0, "n_2": 0, "remark": ""}
    if isinstance(column, str):
        return line | {"remark": column}
    values = column.amounts
    times = np.ones(column.values.size) if weights is None else weights
    observed = [side & column.observed & (times > 0.0) for side in rows]
    for side, inside in enumerate(observed, 1):
        line[f"n_{side}"] = times[inside].sum()
    if values is None:
        return line | {"remark": NO_MEAN[column.kind]}
    parts = [DescrStatsW(values[inside], times[inside]) for inside in observed]
    for side, part in enumerate(parts, 1):
        if part.nobs > 0.0:
            line[f"mean_{side}"] = float(part.mean)
        if part.nobs > 1.0:
            line[f"sd_{side}"] = float(part.std_ddof(1))
    line["difference"] = line["mean_1"] - line["mean_2"]
    if min(part.nobs for part in parts) < 2.0:
        return line | {"remark": "fewer than two values on one side"}
    if all(np.ptp(part.data) == 0.0 for part in parts):
        return line | {"remark": "no spread on either side"}
    with quiet():
        if weights is None:
            return line | _of_values(*(part.data for part in parts), equal_variances, level)
        return line | _of_sums(CompareMeans(*parts), equal_variances, level)


def _of_values(
    a: np.ndarray, b: np.ndarray, equal_variances: bool, level: float
) -> dict[str, float]:
    """The test of two samples of values."""
    found = stats.ttest_ind(a, b, equal_var=equal_variances)
    low, high = found.confidence_interval(level)
    return {"low": low, "high": high, "t": found.statistic, "df": found.df, "p": found.pvalue}


def _of_sums(means: CompareMeans, equal_variances: bool, level: float) -> dict[str, float]:
    """The same test of values that count by weights."""
    kind = "pooled" if equal_variances else "unequal"
    t, p, df = means.ttest_ind(usevar=kind)
    low, high = means.tconfint_diff(alpha=1.0 - level, usevar=kind)
    return {"low": float(low), "high": float(high), "t": float(t), "df": float(df), "p": float(p)}


def _checked(pair: Pair | None, n_groups: int) -> list[Pair]:
    """The pairs asked for."""
    if pair is None:
        return list(combinations(range(n_groups), 2))
    a, b = pair
    if a == b or not all(0 <= group < n_groups for group in (a, 0 if b is None else b)):
        raise ValueError(
            f"There is no pair {pair}: groups are counted from 0 to {n_groups - 1}, and two "
            "different ones are needed."
        )
    return [(a, b)]


def _stacked(tables: Mapping[str, pd.DataFrame], names: Sequence[str]) -> pd.DataFrame:
    """Tables of the pairs as one, the pairs of a column below each other."""
    index = pd.MultiIndex.from_product([names, list(tables)], names=["column", "pair"])
    if not tables:
        return pd.DataFrame(index=index, columns=list(FIELDS))
    return pd.concat(tables, names=["pair"]).swaplevel().reindex(index)
