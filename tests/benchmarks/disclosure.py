"""Attack by linear programming: small counts worked out of everything that a study exports.

    python -m tests.benchmarks.disclosure          # about 5 minutes on one core

Simulated cohorts with columns of every kind, made of and kept out, with empty cells. Reports,
tables and settings under the thresholds 5, 10 and 20 are put together. For every column, patients
by group and level (and without a value) are unknown; what is exported bounds them. A count below 5
is recovered where only one whole number lies within its bounds. That nobody lacks a value, or has
so many events, tells of nobody and is no such count.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.optimize import linprog

from core import infer_schema
from core.clinical.checks import Checks
from core.clinical.report import Package, package
from core.clinical.study import Plan, Study
from core.clinical.subgroups import Subgroups, find_subgroups
from core.clinical.t_test_lines import TTests
from core.clinical.validation import validate
from core.schema.spec import NUMBER
from core.statistics.suppression import HIDDEN, THRESHOLDS
from core.statistics.variables import Variable

#: Counts below it must not be recovered.
SMALL = 5
COHORTS = 12


@dataclass
class Bounds:
    """What is known of patients by group and level of one column; the last level is missing."""

    shape: tuple[int, int]
    rows: list[np.ndarray] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def know(self, weights: np.ndarray, low: float, high: float | None = None) -> None:
        """The weighted sum of the counts lies between two values."""
        self.rows.append(weights.ravel())
        self.low.append(low)
        self.high.append(low if high is None else high)

    def of_group(self, group: int, weights: Sequence[float]) -> np.ndarray:
        """Weights of a group's levels, the missing among them."""
        found = np.zeros(self.shape)
        found[group] = weights
        return found

    def recovered(self, is_small: np.ndarray) -> list[tuple[int, int]]:
        """Small cells between whose bounds lies one whole number."""
        rows, low, high = (np.array(part) for part in (self.rows, self.low, self.high))
        sides = np.vstack([rows, -rows]), np.concatenate([high, -low]) + 1e-6
        inside, ends_at = (part[np.isfinite(sides[1])] for part in sides)
        found = []
        for cell in np.argwhere(is_small):
            price = np.zeros(self.shape)
            price[tuple(cell)] = 1.0
            ends = [
                linprog(sign * price.ravel(), A_ub=inside, b_ub=ends_at) for sign in (1.0, -1.0)
            ]
            assert all(end.success for end in ends), "what is exported contradicts the table"
            least, most = np.ceil(ends[0].fun - 1e-4), np.floor(-ends[1].fun + 1e-4)
            if least >= most:
                found.append(tuple(cell.tolist()))
        return found


def attack(
    written: Sequence[Package], columns: dict[str, Variable], groups: Subgroups
) -> Iterator[tuple[str, int, int, int]]:
    """Every column with its small cells, those recovered, and all cells."""
    titles = list(groups.titles)
    for name, column in columns.items():
        levels = _levels(column)
        if levels is None:
            continue
        counts = _crossed(column, groups.labels, levels)
        known = Bounds(counts.shape)
        known.know(np.ones(counts.shape), counts.sum())
        for one in written:
            _learn(known, one, name, column, levels, titles)
        is_small = counts < SMALL
        is_small[:, -1] &= counts[:, -1] > 0
        if column.kind == "count":
            is_small &= counts > 0
        yield name, int(is_small.sum()), len(known.recovered(is_small)), counts.size


def _levels(column: Variable) -> np.ndarray | None:
    """Amounts of the levels; None of what is not counted by level."""
    if column.kind in ("yes/no", "category"):
        return np.arange(len(column.levels), dtype=np.float64)
    if column.kind == "rating":
        return column.scores
    if column.kind in ("measurement", "time to event"):
        return np.zeros(1)  # observed, or missing
    return np.arange(np.nanmax(column.values) + 1.0)


def _crossed(column: Variable, labels: np.ndarray, levels: np.ndarray) -> np.ndarray:
    width = levels.size
    if width == 1:
        places = np.where(column.observed, 0, 1)
    else:
        places = np.where(column.observed, np.nan_to_num(column.values), width).astype(int)
    counts = np.zeros((labels.max() + 1, width + 1), dtype=np.int64)
    np.add.at(counts, (labels, places), 1)
    return counts


def _learn(
    known: Bounds, one: Package, name: str, column: Variable, levels: np.ndarray, titles: list[str]
) -> None:
    """Everything that one package tells of a column."""
    seen = np.append(np.ones(levels.size), 0.0)
    amount = np.append(levels, 0.0)
    for group, patients in enumerate(one.tables["groups"]["Patients"][:-1]):
        if patients != HIDDEN:
            known.know(known.of_group(group, np.ones(seen.size)), float(patients))
    for table in ("yes-no", "scores"):
        lines = one.tables.get(table, pd.DataFrame({"Column": []}))
        for line in lines[lines["Column"] == name].to_dict("records"):
            for group, title in enumerate(titles):
                if line.get(title, HIDDEN) != HIDDEN:
                    _mean(known, group, amount, seen, float(line[title]), 0.005)
    lines = one.tables["t-tests"]
    for line in lines[lines["column"] == name].to_dict("records"):
        # The mean of costs tells nothing of who has none.
        is_amount = levels.size > 1 and column.levels[:1] != (NUMBER,)
        if line["mean_1"] is None or pd.isna(line["mean_1"]) or not is_amount:
            pair = [titles.index(title) for title in line["groups"].split(" and ")]
            for side, group in enumerate(pair, 1):
                if line[f"n_{side}"] is not None and not pd.isna(line[f"n_{side}"]):
                    known.know(known.of_group(group, seen), line[f"n_{side}"])
            continue
        for side, title in enumerate(line["groups"].split(" and "), 1):
            group, n, mean = titles.index(title), line[f"n_{side}"], line[f"mean_{side}"]
            known.know(known.of_group(group, seen), n)
            known.know(known.of_group(group, amount), n * mean)
            if not pd.isna(line[f"sd_{side}"]):
                squares = (n - 1) * line[f"sd_{side}"] ** 2 + n * mean**2
                known.know(known.of_group(group, amount**2), squares)
    for table in ("validators", "controls"):
        lines = one.tables.get(table, pd.DataFrame({"column": []}))
        for line in lines[lines["column"] == column.title].to_dict("records"):
            if line["n"] is not None and not pd.isna(line["n"]):
                known.know(known.of_group(int(line["group"]) - 1, seen), line["n"])
                known.know(known.of_group(int(line["against"]) - 1, seen), line["n against"])
        numbers = np.arange(seen.size) == 0
        for line in lines[lines["column"] == f"{name} (of those with a number)"].to_dict("records"):
            if line["n"] is not None and not pd.isna(line["n"]):
                known.know(known.of_group(int(line["group"]) - 1, numbers), line["n"])
                known.know(known.of_group(int(line["against"]) - 1, numbers), line["n against"])
    _learn_table_one(known, one, column, levels, titles)
    lines = one.tables.get("missing", pd.DataFrame({"Column": []}))
    for line in lines[lines["Column"] == name].to_dict("records"):
        for group, title in enumerate(titles):
            if line.get(title, HIDDEN) != HIDDEN:
                _share(known, known.of_group(group, 1 - seen), group, line[title])
        if line["All"] != HIDDEN:
            share, half = _percent(line["All"])
            everyone = np.ones(known.shape)
            absent = np.tile(1 - seen, (known.shape[0], 1))
            known.know(absent - (share + half) * everyone, -np.inf, 0.0)
            known.know(absent - (share - half) * everyone, 0.0, np.inf)
    for group in _in_the_heat_map(one, name, titles):
        # Whoever knows two groups' shares knows the mean and spread of all, to rounding.
        if column.kind in ("yes/no", "rating"):
            mean = float(np.nanmean(column.amounts[GROUPS[id(column)] == group]))
            _mean(known, group, amount, seen, mean, 0.002)


def _learn_table_one(
    known: Bounds, one: Package, column: Variable, levels: np.ndarray, titles: list[str]
) -> None:
    seen, amount = np.append(np.ones(levels.size), 0.0), np.append(levels, 0.0)
    lines = one.tables["table-1"]
    is_own = lines["Column"].str.replace(r", (mean|median) .*", "", regex=True) == column.title
    for line in lines[is_own].to_dict("records"):
        if line.get("All", HIDDEN) != HIDDEN:
            _learn_all(known, column, levels, seen)
        for group, title in enumerate(titles):
            text = line.get(title, HIDDEN)
            if text == HIDDEN:
                continue
            if n := re.search(r"n = ([\d,]+)", text):
                known.know(known.of_group(group, seen), float(n[1].replace(",", "")))
            if column.kind == "yes/no":
                yes, n = re.search(r": ([\d,]+) of ([\d,]+),", text).groups()
                known.know(known.of_group(group, amount), float(yes.replace(",", "")))
                known.know(known.of_group(group, seen), float(n.replace(",", "")))
            elif column.kind == "category":
                for level, share in enumerate(re.findall(r"(\d+)%(?:,|;|$)", text)):
                    weights = np.eye(seen.size)[level]
                    near = float(share) / 100
                    known.know(known.of_group(group, weights - (near + 0.005) * seen), -np.inf, 0.0)
                    known.know(known.of_group(group, weights - (near - 0.005) * seen), 0.0, np.inf)
            elif column.kind == "count":
                events = re.search(r"([\d,]+) in all", text).group(1)
                known.know(known.of_group(group, amount), float(events.replace(",", "")))


def _learn_all(known: Bounds, column: Variable, levels: np.ndarray, seen: np.ndarray) -> None:
    """Of all patients together number, sum and sum of squares, exactly: more than is printed."""
    everyone = np.tile(seen, (known.shape[0], 1))
    known.know(everyone, float(column.observed.sum()))
    if column.kind == "category":
        for level in range(levels.size):
            one = np.zeros(known.shape)
            one[:, level] = 1.0
            known.know(one, float((column.values == level).sum()))
    elif levels.size > 1 and column.levels[:1] != (NUMBER,):
        values = column.amounts[column.observed]
        for power in (1, 2):
            amount = np.append(levels**power, 0.0)
            known.know(np.tile(amount, (known.shape[0], 1)), float((values**power).sum()))


def _mean(
    known: Bounds, group: int, amount: np.ndarray, seen: np.ndarray, mean: float, half: float
) -> None:
    """A mean is known up to half a unit of its last digit."""
    known.know(known.of_group(group, amount - (mean + half) * seen), -np.inf, 0.0)
    known.know(known.of_group(group, amount - (mean - half) * seen), 0.0, np.inf)


def _percent(text: str) -> tuple[float, float]:
    """A share as printed, and half a unit of its last digit."""
    number = text.removesuffix(" %")
    digits = len(number.partition(".")[2])
    return float(number) / 100, 0.5 * 10.0**-digits / 100


def _share(known: Bounds, weights: np.ndarray, group: int, text: str) -> None:
    share, half = _percent(text)
    everyone = known.of_group(group, np.ones(known.shape[1]))
    known.know(weights - (share + half) * everyone, -np.inf, 0.0)
    known.know(weights - (share - half) * everyone, 0.0, np.inf)


#: Which rows are in which group, by the identity of the column: what a heat map tells is taken for
#: exact, which is more than it does.
GROUPS: dict[int, np.ndarray] = {}


def figures(html: str) -> list[dict]:
    """Plotly figures of a report."""
    own = html.partition("<script>")[0]
    found = re.findall(r'<script type="application/json">(.*?)</script>', own, flags=re.DOTALL)
    return [json.loads(figure) for figure in found]


def _in_the_heat_map(one: Package, name: str, titles: list[str]) -> list[int]:
    """Groups whose mean of a column the report's heat map shows."""
    for figure in figures(one.html):
        heat = figure["data"][0]
        if heat["type"] != "heatmap" or "yaxis" not in figure["layout"]:
            continue
        names = [text.partition(" = ")[0] for text in figure["layout"]["yaxis"].get("ticktext", [])]
        if name in names:
            z = heat["z"]
            raw = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"])
            row = raw.reshape(len(names), -1)[names.index(name)]
            across = [titles.index(text) for text in figure["layout"]["xaxis"]["ticktext"]]
            return [k for k, told in zip(across, row, strict=True) if np.isfinite(told)]
    return []


def cohort(seed: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Groups of very different sizes on columns of every kind, and columns of every kind beside."""
    random = np.random.default_rng([6, seed])
    sizes = [random.integers(90, 160), random.integers(50, 90), random.integers(12, 30), 3]
    truth = np.repeat(np.arange(4), sizes)
    n = truth.size
    table = {f"m{j}": random.normal(size=n) + 7.0 * truth for j in range(5)}
    for j in range(3):
        rare = random.random(n) < np.array([0.02, 0.06, 0.3, 0.5])[truth]
        table[f"yes {j}"] = np.where(rare if j else random.random(n) < 0.4, "yes", "no")
        table[f"stage {j}"] = random.binomial(2 + j, np.array([0.05, 0.2, 0.5, 0.9])[truth]) + 1
    table["falls"] = random.poisson(np.array([0.1, 0.4, 1.5, 3.0])[truth])
    for j in range(2):
        table[f"out yes {j}"] = np.where(random.random(n) < (0.05, 0.4)[j], "a", "b")
        table[f"out stage {j}"] = random.binomial(3, (0.1, 0.5)[j], n)
        shares = [0.6, 0.36, 0.04] if j else [0.4, 0.3, 0.3]
        table[f"out kind {j}"] = random.choice(["x", "y", "z"], n, p=shares)
        table[f"out count {j}"] = random.poisson((0.05, 2.0)[j], n)
        table[f"out m{j}"] = random.normal(size=n)
    for j in range(2):
        paid = random.random(n) < (0.93, 0.5)[j]
        table[f"out cost {j}"] = np.where(paid, random.lognormal(5, 0.5, n), 0.0)
    frame = pd.DataFrame(table)
    holes = random.random(frame.shape) < random.choice([0.0, 0.01, 0.04, 0.1], frame.shape[1])
    frame = frame.mask(holes)
    frame["time"], frame["died"] = random.exponential(5, n), random.integers(2, size=n)
    return frame, tuple(name for name in frame if name.startswith("out "))


def written_of(
    seed: int, names: Sequence[str] = ()
) -> tuple[list[Package], dict[str, Variable], Subgroups]:
    """A cohort's packages under every threshold; of some columns only, where they are named."""
    frame, kept_out = cohort(seed)
    frame = frame[[*names, "time", "died"]] if names else frame
    schema = infer_schema(frame)
    for name in frame:
        if name not in ("time", "died"):
            role = "validator" if name in kept_out else "cluster"
            schema = schema.with_column(name, role=role)
    for name in kept_out:
        if name.startswith("out cost") and name in frame:
            schema = schema.with_column(name, family="normal", special={"zero": 0})
    outcome = {"family": "time_to_event", "event": "died", "event_codes": (1,)}
    schema = schema.with_column("time", role="validator", **outcome)
    schema = schema.with_column("died", role="ignore")
    study = Study()
    study.lock_in(frame, schema, Plan(restarts=1, covariates=("out yes 1",)))
    groups = find_subgroups(frame, study.lock, _Work())
    tests = TTests.of(frame, study.lock, groups)
    validation = validate(frame, study.lock, groups.labels)
    written = [
        package(
            study,
            Checks(groups),
            validation,
            "cohort.csv",
            (),
            least,
            tests,
        )
        for least in THRESHOLDS
    ]
    columns = {
        name: Variable.parts(frame, study.lock.schema, name)[0]
        for name, column in tests.columns.items()
        if not isinstance(column, str)
    }
    GROUPS.update({id(column): groups.labels for column in columns.values()})
    return written, columns, groups


class _Work:
    """A job that nobody watches."""

    def __call__(self, progress) -> None:
        pass

    def share(self, partial) -> None:
        pass


def complete_cases(written: Sequence[Package], groups: Subgroups) -> int:
    """Small differences between a group's size and the complete cases of a regression."""
    sizes = dict(zip(groups.titles, groups.sizes.tolist(), strict=True))
    found = 0
    for one in written:
        for line in one.tables.get("adjusted", pd.DataFrame()).to_dict("records"):
            cases = line["Complete cases"].replace(",", "").split(" and ")
            for title, n in zip(line["Groups"].split(" and "), cases, strict=True):
                found += 0 < sizes[title] - int(n) < SMALL
    return found


def main() -> None:
    """Print one line a cohort."""
    total = np.zeros(3, dtype=np.int64)
    for seed in range(COHORTS):
        written, columns, groups = written_of(seed)
        found = list(attack(written, columns, groups))
        sums = np.array([line[1:] for line in found]).sum(axis=0)
        total += sums
        named = ", ".join(f"{name} {n}" for name, _, n, _ in found if n)
        print(
            f"cohort {seed:2}: groups {groups.sizes.tolist()}, {sums[2]} cells, {sums[0]} small, "
            f"recovered {sums[1]} {named}; complete cases {complete_cases(written, groups)}",
            flush=True,
        )
    print(f"all: {total[0]} small cells of {total[2]}, recovered {total[1]}")


if __name__ == "__main__":
    main()
