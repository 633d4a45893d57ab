"""The t-tests of a study as its screen, its CSV and its report show them: marked, with effects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import pandas as pd

from ..models.estimator import Callback
from ..models.progress import Progress
from ..profiling.profiles import Distribution, NaturalColumn, distribution
from ..statistics.compare import compare
from ..statistics.correct import correct
from ..statistics.resampling import procedure
from ..statistics.variables import Variable
from ..wording import in_digits, p_text
from .left_out import Without, are_found, groups_without, share_found, sides
from .study import Lock
from .subgroups import Subgroups, Work
from .t_tests import LEFT_OUT, MADE, PAIR, Pair, read_columns, t_table

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
        Key of ``BY``: the p-value of a column that made the groups that counts.
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
    """The columns of a study with its groups, ready to be tested pair by pair.

    Parameters
    ----------
    columns : mapping of str to Variable or str
        Those that made the groups, then those kept out; why, of one that cannot be read.
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

    columns: Mapping[str, Variable | str]
    made: tuple[str, ...]
    labels: np.ndarray
    titles: tuple[str, ...]
    without: Without
    seed: int = 0
    known: dict[tuple, tuple[str, float]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, frame: pd.DataFrame, lock: Lock, groups: Subgroups) -> TTests:
        """The tests of a study before any column was left out; one row a patient."""
        made = lock.schema.names(MADE)
        columns = read_columns(frame, lock.schema, made)
        return cls(columns, made, groups.labels, groups.titles, {}, lock.plan.seed)

    def name_of(self, pair: Pair) -> str:
        """A pair of groups in words."""
        a, b = pair
        return f"{self.titles[a]} and {'all others' if b is None else self.titles[b]}"

    def pairs(self, smallest: int) -> list[Pair]:
        """Every two groups of at least so many patients."""
        groups = np.flatnonzero(np.bincount(self.labels) >= smallest).tolist()
        return list(combinations(groups, 2))

    def lines(self, pairs: Sequence[Pair], choice: Choice) -> pd.DataFrame:
        """One line a column and pair, the smallest p-value that counts first, then the paper's.

        Returns
        -------
        DataFrame
            ``column``, ``title`` (with the level that is counted), ``pair``, ``groups``, ``made``,
            the fields of ``t_table``, ``g`` (Hedges), ``judged`` and ``differs``. Judged is the
            p-value that counts, corrected within the columns that made the groups, and within
            those kept out; ``g`` is of the pair that it is from. Where that is the pair found
            without the column, it differs only in the direction in which the pair shown does.
            The pair shown has no interval: the column made it.
        """
        tables = []
        for pair in pairs:
            table = t_table(
                self.columns, self.labels, pair, choice.equal_variances, self.made, self.without
            ).reset_index()
            table.insert(0, "groups", self.name_of(pair))
            table.insert(0, "pair", [pair] * len(table))
            tables.append(table)
        lines = pd.concat(tables, ignore_index=True)
        lines.insert(1, "title", [self.title(name) for name in lines["column"]])
        lines.insert(2, "made", lines["column"].isin(self.made))
        end = "_left_out" if choice.by == "p_left_out" else ""
        lines["g"] = hedges_g(lines, end)
        for made in (True, False):
            family = lines["made"] == made
            lines.loc[family, "judged"] = correct(lines.loc[family, choice.by], choice.correction)
        is_opposed = lines["difference"] * lines[f"difference{end}"] < 0.0
        lines["differs"] = (lines["judged"] <= choice.alpha) & ~is_opposed
        lines.loc[(lines["judged"] <= choice.alpha) & is_opposed, "remark"] = OPPOSED
        lines = lines.drop(columns=["low", "high"])
        return lines.sort_values(["judged", "p"], kind="stable", ignore_index=True)

    def beside_their_type(
        self, lines: pd.DataFrame, choice: Choice, callback: Callback | None = None
    ) -> pd.DataFrame:
        """The same lines with ``test`` and ``p_test``, the test that fits each column's type.

        Parameters
        ----------
        lines : DataFrame
        choice : Choice
        callback : callable, optional
            Told of every line; what it raises ends the work.
        """
        found = []
        for done, (name, pair) in enumerate(zip(lines["column"], lines["pair"], strict=True)):
            if callback is not None:
                callback(Progress(done, len(lines), 0.0, len(self.titles), "tests of each type"))
            found.append(self.fitting_test(name, pair, choice.by))
        names, p_values = zip(*found, strict=True) if found else ((), ())
        return lines.assign(test=names, p_test=p_values)

    def title(self, name: str) -> str:
        """A column's name, of a yes/no column with the level that is counted."""
        column = self.columns[name]
        return name if isinstance(column, str) else column.title

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
        if name in self.made and by == "p_left_out":
            p = np.minimum(p / share_found(self.without, self.labels, pair), 1.0)
        return test, float(p)

    def _fitting_test(self, name: str, pair: Pair, by: str) -> tuple[str, float]:
        column, groups, shown = self.columns[name], self.labels, sides(self.labels, pair)
        if isinstance(column, str):
            return column, np.nan
        if name in self.made and by == "p_left_out":
            again = self.without.get(name)
            if again is None or not are_found(shown, sides(again, pair)):
                return "", np.nan
            groups, shown = again, sides(again, pair)
        # In the order of the groups, whichever was named first: the same test as of an outcome.
        first, second = sorted(shown, key=lambda side: groups[side].min())
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
        """Of the columns that made the groups: how many were tested, and how many differ.

        ``differ`` and ``tested`` by the p-value that counts, ``expected`` of them by chance at
        ``alpha`` where nothing differs (without a correction), ``opposed`` where the pair tested
        differs the other way round than the pair shown, ``refused`` where the groups were not
        found without the column, ``waiting`` where they have not been sought yet.
        """
        made = lines[lines["made"]]
        tested = int(made["judged"].notna().sum())
        sought = made["column"].isin(list(self.without))
        return {
            "differ": int(made["differs"].sum()),
            "tested": tested,
            "expected": choice.alpha * tested,
            "opposed": int((made["remark"] == OPPOSED).sum()),
            "refused": int((sought & made["p_left_out"].isna() & made["p"].notna()).sum()),
            "waiting": int((~sought).sum()),
        }


def in_words(line: pd.Series, first: str, second: str) -> list[str]:
    """One line of the table as sentences, a paragraph each.

    Parameters
    ----------
    line : Series
        Of ``TTests.beside_their_type``.
    first, second : str
        Titles of the groups.
    """
    said = [
        f"{title}: mean {in_digits(line[f'mean_{side}'])}, SD {in_digits(line[f'sd_{side}'])} "
        f"(n = {line[f'n_{side}']:,})"
        for side, title in enumerate((first, second), 1)
    ]
    if not line["made"]:
        said.append(f"This column took no part in making the groups: {_tested(line, LEFT_OUT)}")
    else:
        said.append(
            "Not testable with the column left out"
            if np.isnan(line["p_left_out"])
            else "Between the groups found without this column (overlap "
            f"{line['overlap']:.2f}): {_tested(line, LEFT_OUT)}"
        )
        said.append(f"As the paper, which is no evidence: {_tested(line, PAIR)}")
    if not np.isnan(line["g"]):
        said.append(f"{line['g']:+.2f} pooled SD (Hedges' g)")
    if line["test"]:
        said.append(f"The test that fits its type: {line['test']}, p {_p(line['p_test'])}")
    return said


def _tested(line: pd.Series, names: Sequence[str]) -> str:
    """A t-test in words, its names those of ``PAIR``; only a valid one has an interval."""
    of = dict(zip(PAIR, names, strict=True))
    if np.isnan(line[of["t"]]):
        return "no t-test"
    said = f"difference {in_digits(line[of['difference']])}"
    if of["low"] in line:
        low, high = (in_digits(line[of[end]]) for end in ("low", "high"))
        said += f" (95 % interval {low} to {high})"
    t, df = (in_digits(line[of[name]]) for name in ("t", "df"))
    return f"{said}, t = {t}, df = {df}, p {_p(line[of['p']])}"


def _p(p: float) -> str:
    return p_text(None if np.isnan(p) else p)


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


def leave_out(tests: TTests, groups: Subgroups, job: Work) -> TTests:
    """Find the groups without each column in turn, and share the tests as the columns come.

    Parameters
    ----------
    tests : TTests
    groups : Subgroups
    job : Work
        Told of every step, given the tests after every column; what it raises ends the work.
    """
    model = groups.model
    encoded = model.columns_.encoded
    for columns, labels in groups_without(model, encoded, job, prior=procedure(model)):
        tests = replace(tests, without=tests.without | dict.fromkeys(columns, labels))
        job.share(tests)
    return tests
