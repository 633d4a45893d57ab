"""Student's and Welch's t-test on every column between two groups (R16 section 6), and a valid one.

The groups were made from the columns, so the p-value of a column that made them is small even
where there is nothing to find. Beside it stands one from groups found without the column: an
ordinary t-test where those groups are the ones shown whatever column is left out. Where they are
so for some columns only, its p-value and its interval pay for that selection (``share_found``).
Columns kept out of the groups are no part of this: they have their one p-value under Outcomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from ..models.estimator import Callback
from ..models.progress import Progress
from ..profiling.profiles import Distribution, NaturalColumn, distribution
from ..schema.schema import Schema
from ..schema.spec import SchemaError
from ..statistics.compare import compare
from ..statistics.correct import correct
from ..statistics.resampling import procedure
from ..statistics.variables import Variable
from .groups import SMALLEST, Subgroups
from .left_out import LEAST_OVERLAP, Without, groups_without, overlap, share_found, sides
from .lock import Lock

#: Of the interval of a difference.
LEVEL = 0.95
#: Roles of the columns that made the groups, and of those kept out.
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
#: Columns of a study by name; why, of one that cannot be read.
Columns = Mapping[str, Variable | str]

#: P-values that a line can be judged by, and what they are called.
BY = {"p_left_out": "column left out", "p": "as the paper"}
BANNER = (
    "These columns formed the groups, so the groups differ on them by construction: the p-value "
    "as the paper's is no evidence; the one beside it comes from groups found without the column."
)
OPPOSED = "the groups found without this column differ the other way round"
#: What the test of a column left out does not do.
LIMIT = (
    "A column that follows the others along a continuum differs for a reason, and is reported so: "
    "whether there is more than a continuum is asked under “Chance or severity”."
)
#: Where a column that is not here has its p-value.
ELSEWHERE = (
    "Columns kept out of the groups have no line here: each has one p-value, under Outcomes."
)


def read_columns(frame: pd.DataFrame, schema: Schema) -> Columns:
    """Columns of a study, those that made the groups first; why, of one that cannot be read."""
    columns: dict[str, Variable | str] = {}
    for name in (name for role in (MADE, *KEPT_OUT) for name in schema.names(role)):
        try:
            columns[name] = Variable.of(frame, schema, name)
        except SchemaError as error:
            columns[name] = str(error)
    return columns


def t_table(
    columns: Columns,
    labels: np.ndarray,
    pair: Pair,
    equal_variances: bool,
    without: Without,
) -> pd.DataFrame:
    """Test columns that made the groups between two of them, one line a column.

    Parameters
    ----------
    columns : mapping of str to Variable or str
    labels : ndarray of int, shape (N,)
    pair : (int, int) or (int, None)
    equal_variances : bool
        Student's test, as R16; Welch's otherwise.
    without : mapping of str to ndarray or None
        A column that is not in it has not been left out yet.

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
        5 % of the cases in which they are found. A ``remark`` says why there is no test. NaN where
        a test cannot be made. Missing cells are left out; of yes/no, 1 is the second level.
    """
    shown, share = sides(labels, pair), share_found(without, labels, pair)
    of_pair, left_out, overlaps, remarks = [], [], [], []
    for name, column in columns.items():
        line = _moments(column, shown)
        found, common, remark = dict.fromkeys(line, np.nan), np.nan, line["remark"]
        if name in without and not remark:
            again = overlap(labels, without[name], pair)
            if again < LEAST_OVERLAP:
                remark = NOT_FOUND
            else:
                common, found = again, _moments(column, sides(without[name], pair))
                remark = found["remark"]
        of_pair.append(line)
        left_out.append(found)
        overlaps.append(common)
        remarks.append(remark)
    table = _tested_means(pd.DataFrame(of_pair), equal_variances)
    found = _tested_means(pd.DataFrame(left_out), equal_variances, 1.0 - (1.0 - LEVEL) * share)
    found["p"] = np.minimum(found["p"] / share, 1.0)
    found = found[list(PAIR)].set_axis(LEFT_OUT, axis=1)
    table = pd.concat([table[list(PAIR)], found], axis=1)
    table = table.assign(overlap=overlaps, remark=remarks)
    return table[list(FIELDS)].set_index(pd.Index(columns, name="column"))


def _moments(
    column: Variable | str, rows: tuple[np.ndarray, np.ndarray]
) -> dict[str, float | int | str]:
    """How many there are on each side, their mean and standard deviation; why there is no test."""
    line: dict[str, float | int | str] = {"n_1": 0, "n_2": 0}
    line |= dict.fromkeys(("mean_1", "mean_2", "sd_1", "sd_2"), np.nan) | {"remark": ""}
    if isinstance(column, str):
        return line | {"remark": column}
    observed = [side & column.observed for side in rows]
    line |= {f"n_{side}": int(inside.sum()) for side, inside in enumerate(observed, 1)}
    if column.amounts is None:
        return line | {"remark": NO_MEAN[column.kind]}
    parts = [column.amounts[inside] for inside in observed]
    for side, part in enumerate(parts, 1):
        if part.size > 0:
            line[f"mean_{side}"] = float(part.mean())
        if part.size > 1:
            line[f"sd_{side}"] = float(part.std(ddof=1))
    if min(part.size for part in parts) < 2:
        line["remark"] = "fewer than two values on one side"
    elif all(np.ptp(part) == 0.0 for part in parts):
        line["remark"] = "no spread on either side"
    return line


def _tested_means(table: pd.DataFrame, equal_variances: bool, level: float = LEVEL) -> pd.DataFrame:
    """Add difference, interval, t, df and p to moments, as ``scipy.stats.ttest_ind`` has them.

    All columns at once, as there can be thousands of lines.
    """
    n_1, n_2 = (table[f"n_{side}"].astype(np.float64) for side in (1, 2))
    v_1, v_2 = table["sd_1"] ** 2, table["sd_2"] ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if equal_variances:
            df = n_1 + n_2 - 2
            se = np.sqrt(((n_1 - 1) * v_1 + (n_2 - 1) * v_2) / df * (1 / n_1 + 1 / n_2))
        else:
            a, b = v_1 / n_1, v_2 / n_2
            se, df = np.sqrt(a + b), (a + b) ** 2 / (a**2 / (n_1 - 1) + b**2 / (n_2 - 1))
        difference = table["mean_1"] - table["mean_2"]
        t = (difference / se).where(table["remark"] == "")
    half = stats.t.ppf((1.0 + level) / 2.0, df) * se
    return table.assign(
        difference=difference,
        low=(difference - half).where(t.notna()),
        high=(difference + half).where(t.notna()),
        t=t,
        df=df.where(t.notna()),
        p=2.0 * stats.t.sf(t.abs(), df),
    )


@dataclass(frozen=True)
class Choice:
    """How the t-tests are made and marked.

    Parameters
    ----------
    equal_variances : bool
        Student's test; Welch's otherwise.
    alpha : float
    correction : str or None
        Key of ``correct.CORRECTIONS``.
    by : str
        Key of ``BY``: the p-value that counts.
    """

    equal_variances: bool = False
    alpha: float = 0.05
    correction: str | None = "Benjamini-Hochberg"
    by: str = "p_left_out"


#: R16 section 6: Student's test at .01, not corrected, on the columns that made the groups.
PAPER = Choice(True, 0.01, None, "p")
#: Choices offered.
ALPHAS = (0.05, 0.01)


@dataclass(frozen=True)
class TTests:
    """The columns that made the groups of a study, ready to be tested pair by pair.

    Parameters
    ----------
    columns : mapping of str to Variable or str
        All of the study, those that made the groups first (``read_columns``).
    made : tuple of str
        Columns that made the groups.
    labels : ndarray of int64, shape (N,)
    titles : tuple of str
        Of the groups.
    without : mapping
        Groups found without a column, as far as they have been sought.
    seed : int
        Of the permutations of the tests that suit the columns' types.
    known : dict
        Those tests, as far as they have been made: they do not change as more columns are left
        out.
    """

    columns: Columns
    made: tuple[str, ...]
    labels: np.ndarray
    titles: tuple[str, ...]
    without: Without = field(default_factory=dict)
    seed: int = 0
    known: dict[tuple, tuple[str, float]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: pd.DataFrame, lock: Lock, groups: Subgroups) -> TTests:
        """The tests of a study before any column was left out; one row a patient."""
        columns = read_columns(frame, lock.schema)
        made = lock.columns(MADE)
        return cls(columns, made, groups.labels, groups.titles, seed=lock.plan.seed)

    def name_of(self, pair: Pair) -> str:
        """A pair of groups in words."""
        a, b = pair
        return f"{self.titles[a]} and {'all others' if b is None else self.titles[b]}"

    def title(self, name: str) -> str:
        """A column's name, of a yes/no column with the level that is counted."""
        column = self.columns[name]
        return name if isinstance(column, str) else column.title

    @property
    def described(self) -> list[int]:
        """Groups large enough to be described."""
        return np.flatnonzero(np.bincount(self.labels) >= SMALLEST).tolist()

    @property
    def pairs(self) -> list[Pair]:
        """Every two groups that are described."""
        return list(combinations(self.described, 2))

    def family(self, pairs: Sequence[Pair]) -> list[Pair]:
        """What is corrected together with some pairs, so that a p-value is the same everywhere.

        Every two groups that are described, or each of them against all others, whichever of them
        are looked at.
        """
        against_all = any(b is None for _, b in pairs)
        whole = [(k, None) for k in self.described] if against_all else self.pairs
        given = {frozenset(pair): pair for pair in pairs}
        return [given.pop(frozenset(pair), pair) for pair in whole] + list(given.values())

    def lines(self, pairs: Sequence[Pair] | None = None, choice: Choice = Choice()) -> pd.DataFrame:
        """One line a column and pair, the smallest p-value that counts first, then the paper's.

        Parameters
        ----------
        pairs : sequence of (int, int) or (int, None), optional
            Every two groups that are described.
        choice : Choice

        Returns
        -------
        DataFrame
            ``column``, ``title`` (with the level that is counted), ``pair``, ``groups``, the fields
            of ``t_table``, ``g`` (Hedges), ``judged`` and ``differs``. Judged is the p-value that
            counts, corrected over all columns and all pairs of their ``family``; ``g`` is of the
            pair that it is from. Where that is the pair found without the column, it differs only
            in the direction in which the pair shown does. The pair shown has no interval: the
            column made it.
        """
        pairs = self.pairs if pairs is None else pairs
        made = {name: self.columns[name] for name in self.made}
        tables = []
        for pair in self.family(pairs) if choice.correction else pairs:
            table = t_table(made, self.labels, pair, choice.equal_variances, self.without)
            table = table.reset_index()
            table.insert(1, "title", [self.title(name) for name in made])
            table.insert(2, "pair", [pair] * len(table))
            table.insert(3, "groups", self.name_of(pair))
            tables.append(table)
        if not tables:
            names = ("column", "title", "pair", "groups", *FIELDS, "g", "judged", "differs")
            return pd.DataFrame(columns=[n for n in names if n not in ("low", "high")])
        lines = pd.concat(tables, ignore_index=True)
        end = "_left_out" if choice.by == "p_left_out" else ""
        lines["g"] = hedges_g(lines, end)
        lines["judged"] = correct(lines[choice.by], choice.correction)
        is_marked = lines["judged"] <= choice.alpha
        is_opposed = lines["difference"] * lines[f"difference{end}"] < 0.0
        lines["differs"] = is_marked & ~is_opposed
        lines.loc[is_marked & is_opposed, "remark"] = OPPOSED
        is_asked = [pair in pairs for pair in lines["pair"]]
        lines = lines[is_asked].drop(columns=["low", "high"])
        return lines.sort_values(["judged", "p"], kind="stable", ignore_index=True)

    def beside_their_type(
        self, lines: pd.DataFrame, choice: Choice, callback: Callback | None = None
    ) -> pd.DataFrame:
        """Some lines with ``test`` and ``p_test``, the test that fits each column's type.

        The callback is told of every line; what it raises ends the work.
        """
        found = []
        for done, (name, pair) in enumerate(zip(lines["column"], lines["pair"], strict=True)):
            if callback is not None:
                callback(Progress(done, len(lines), 0.0, len(self.titles), "tests of each type"))
            found.append(self.fitting_test(name, pair, choice.by))
        names, p_values = zip(*found, strict=True) if found else ((), ())
        return lines.assign(test=names, p_test=p_values)

    def fitting_test(self, name: str, pair: Pair, by: str) -> tuple[str, float]:
        """The test that fits a column's type, between the groups that its p-value is from.

        Returns
        -------
        name : str
            Of the test; why, where there is none.
        p : float
            Over the share found of a column left out (``share_found``); NaN where there is none.
        """
        key = name, pair, by, name in self.without
        if key not in self.known:
            self.known[key] = self._fitting_test(name, pair, by)
        test, p = self.known[key]
        if by == "p_left_out":
            p = np.minimum(p / share_found(self.without, self.labels, pair), 1.0)
        return test, float(p)

    def _fitting_test(self, name: str, pair: Pair, by: str) -> tuple[str, float]:
        column, groups = self.columns[name], self.labels
        if isinstance(column, str):
            return column, np.nan
        if by == "p_left_out":
            groups = self.without.get(name)
            if overlap(self.labels, groups, pair) < LEAST_OVERLAP:
                return "", np.nan
        # In the order of the groups, whichever was named first: the same test as of an outcome.
        first, second = sorted(sides(groups, pair), key=lambda side: groups[side].min())
        labels = np.where(first, 0, np.where(second, 1, 2))
        test = compare(column, labels, (0, 1), self.seed).test
        said = f"{test.name}, {test.stopped}" if test.stopped else test.name or test.reason
        return said, np.nan if test.p is None else test.p

    def spread(self, name: str, pair: Pair) -> Distribution | None:
        """How a column's values are spread on both sides of a pair; None of a time."""
        column = self.columns[name]
        if isinstance(column, str) or column.kind == "time to event":
            return None
        first, second = sides(self.labels, pair)
        codes = np.where(first | second, column.values, np.nan)
        if np.isnan(codes).all():
            return None
        levels = tuple(map(str, column.levels)) or None
        natural = NaturalColumn(name, column.kind, codes, levels, is_log=column.log)
        return distribution(natural, np.where(first, 0, 1))

    def summary(self, lines: pd.DataFrame, choice: Choice) -> dict[str, int | float]:
        """How many lines were tested, and how many differ.

        ``differ`` and ``tested`` by the p-value that counts, ``expected`` of them by chance at
        ``alpha`` where nothing differs (without a correction), ``opposed`` where the pair tested
        differs the other way round than the pair shown, ``refused`` where the groups were not
        found without the column, ``waiting`` where they have not been sought yet.
        """
        tested = int(lines["judged"].notna().sum())
        sought = lines["column"].isin(list(self.without))
        return {
            "differ": int(lines["differs"].sum()),
            "tested": tested,
            "expected": choice.alpha * tested,
            "opposed": int((lines["remark"] == OPPOSED).sum()),
            "refused": int((sought & lines["p_left_out"].isna() & lines["p"].notna()).sum()),
            "waiting": int((~sought).sum()),
        }


def hedges_g(lines: pd.DataFrame, end: str = "") -> pd.Series:
    """Differences in pooled standard deviations, corrected for small samples (Hedges' g).

    Of the groups shown, or with the ``end`` "_left_out" of those found without the column.
    """
    n_1, n_2, sd_1, sd_2, difference = (
        lines[f"{name}{end}"] for name in ("n_1", "n_2", "sd_1", "sd_2", "difference")
    )
    dof = n_1 + n_2 - 2
    pooled = np.sqrt(((n_1 - 1) * sd_1**2 + (n_2 - 1) * sd_2**2) / dof)
    return (difference / pooled * (1 - 3 / (4 * dof - 1))).where(pooled > 0)


def leave_out(
    tests: TTests,
    groups: Subgroups,
    callback: Callback | None = None,
    share: Callable[[TTests], None] | None = None,
) -> TTests:
    """Find the groups without each column in turn; ``share`` is given the tests after every one.

    What the callback, told of every step, raises ends the work.
    """
    model = groups.model
    encoded = model.columns_.encoded
    for columns, labels in groups_without(model, encoded, callback, prior=procedure(model)):
        tests = replace(tests, without=dict(tests.without) | dict.fromkeys(columns, labels))
        if share is not None:
            share(tests)
    return tests
