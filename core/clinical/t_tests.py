"""Student's and Welch's t-test on every column between two groups (R16 section 6), and a valid one.

The groups were made from the columns, so the p-value of a column that made them is small even
where there is nothing to find. Beside it stands one from groups found without the column: an
ordinary t-test where those groups are the ones shown whatever column is left out. Where they are
so for some columns only, its p-value and its interval pay for that selection (``share_found``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ..schema.schema import Schema
from ..schema.spec import SchemaError
from ..statistics.hypothesis_tests import quiet
from ..statistics.variables import Variable
from .left_out import Without, are_found, overlap, share_found, sides

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
) -> pd.DataFrame:
    """Test every column between two groups, one line a column.

    Parameters
    ----------
    columns : mapping of str to Variable or str
        ``read_columns``.
    labels : ndarray of int, shape (N,)
    pair : (int, int) or (int, None)
    equal_variances : bool
        Student's test, as R16; Welch's otherwise.
    made : sequence of str
        Columns that made the groups; what the others made is nothing, so the pair without them
        is the pair shown.
    without : mapping of str to ndarray or None
        A column that made the groups and is not in it has not been left out yet.

    Returns
    -------
    DataFrame, indexed by the name of the column
        ``n_1``, ``n_2``, ``mean_1``, ``mean_2``, ``sd_1``, ``sd_2`` (samples'), ``difference`` of
        the means with its 95 % interval ``low`` to ``high``, ``t``, ``df`` and ``p``: between the
        groups shown. The same with ``_left_out``: between the groups found without the column,
        which are other patients, so that their difference can be another, even of another sign;
        ``overlap`` is the lower Jaccard similarity of the two groups with those shown.
        ``p_left_out`` is the p-value between them over the share s of columns without which both
        are found, at most 1, and their interval is at the level 1 - 0.05 s: it misses in at most
        5 % of the cases in which they are found. Of a column that made nothing, both are one
        pair. A ``remark`` says why there is no test. NaN where a test cannot be made. Missing
        cells are left out; of yes/no, 1 is the second level.
    """
    shown, share = sides(labels, pair), share_found(without, labels, pair)
    lines = []
    for name, column in columns.items():
        line = _line(column, shown, equal_variances)
        if name not in made:
            line |= _left_out(line, 1.0)
        elif name in without and not line["remark"]:
            again = None if without[name] is None else sides(without[name], pair)
            if again is None or not are_found(shown, again):
                line["remark"] = NOT_FOUND
            else:
                level = 1.0 - (1.0 - LEVEL) * share
                found = _line(column, again, equal_variances, level)
                found["p"] = np.minimum(found["p"] / share, 1.0)
                line |= _left_out(found, overlap(shown, again))
                line["remark"] = found["remark"]
        lines.append(line)
    return pd.DataFrame(lines, index=pd.Index(columns, name="column"), columns=list(FIELDS))


def _left_out(found: Mapping[str, Any], common: float) -> dict[str, Any]:
    """The test between the groups found without a column, as part of its line."""
    return {of: found[name] for of, name in zip(LEFT_OUT, PAIR, strict=True)} | {"overlap": common}


def _line(
    column: Variable | str,
    rows: tuple[np.ndarray, np.ndarray],
    equal_variances: bool,
    level: float = LEVEL,
) -> dict[str, Any]:
    """The test between two sets of rows; what there is of it, and why not the rest."""
    line = dict.fromkeys(FIELDS, np.nan) | {"n_1": 0, "n_2": 0, "remark": ""}
    if isinstance(column, str):
        return line | {"remark": column}
    values = column.amounts
    observed = [side & column.observed for side in rows]
    for side, inside in enumerate(observed, 1):
        line[f"n_{side}"] = int(inside.sum())
    if values is None:
        return line | {"remark": NO_MEAN[column.kind]}
    parts = [values[inside] for inside in observed]
    for side, part in enumerate(parts, 1):
        if part.size > 0:
            line[f"mean_{side}"] = float(part.mean())
        if part.size > 1:
            line[f"sd_{side}"] = float(part.std(ddof=1))
    line["difference"] = line["mean_1"] - line["mean_2"]
    if min(part.size for part in parts) < 2:
        return line | {"remark": "fewer than two values on one side"}
    if all(np.ptp(part) == 0.0 for part in parts):
        return line | {"remark": "no spread on either side"}
    with quiet():
        found = stats.ttest_ind(*parts, equal_var=equal_variances)
        low, high = found.confidence_interval(level)
    test = {"t": found.statistic, "df": found.df, "p": found.pvalue}
    return line | {"low": low, "high": high} | test
