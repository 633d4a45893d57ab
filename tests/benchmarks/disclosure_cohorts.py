"""Six cohorts of different shapes, columns of every kind, and what a study of each lets out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core import infer_schema
from core.clinical.checks import Checks
from core.clinical.report import Package, package
from core.clinical.study import Plan, Study
from core.clinical.subgroups import Subgroups, find_subgroups
from core.clinical.t_test_lines import TTests, leave_out
from core.clinical.validation import validate
from core.statistics.suppression import THRESHOLDS
from core.statistics.variables import Variable

#: Of each cohort: sizes of its groups, share of rare levels, share of missing cells at most, and
#: whether another event may come before the one waited for.
SHAPES = {
    "all kinds": ((130, 70, 20, 3), 0.05, 0.10, False),
    "two large groups, rare outcomes": ((160, 110), 0.02, 0.03, False),
    "small groups": ((45, 38, 27, 9), 0.15, 0.05, False),
    "two events, nothing missing": ((120, 80, 45), 0.08, 0.0, True),
    "much missing": ((140, 95, 33), 0.10, 0.25, False),
    "five groups, two of them tiny": ((110, 85, 60, 6, 4), 0.06, 0.06, True),
}
COHORTS = tuple(SHAPES)
#: What the outcomes are adjusted for.
COVARIATES = ("out age", "out yes 1")


@dataclass(frozen=True)
class Leaving:
    """Everything that leaves of one cohort, and the truth about it."""

    #: By threshold.
    packages: dict[int, Package]
    columns: dict[str, Variable]
    made: tuple[str, ...]
    groups: Subgroups


def table(name: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """A cohort's table and what its columns are for."""
    sizes, rare, missing, competes = SHAPES[name]
    random = np.random.default_rng([30, COHORTS.index(name)])
    k, truth = len(sizes), np.repeat(np.arange(len(sizes)), sizes)
    n, far = truth.size, np.linspace(0, 1, len(sizes))
    made = {f"m{j}": random.normal(size=n) + 8.0 * truth for j in range(5)}
    for j, base in enumerate((0.4, rare)):
        made[f"yes {j}"] = np.where(
            random.random(n) < np.clip(base + far / 3, 0, 1)[truth], "y", "n"
        )
        made[f"stage {j}"] = random.binomial(3 + j, np.clip(base / 2 + far / 2, 0, 1)[truth]) + 1
    made["falls"] = random.poisson((rare + 2 * far)[truth])
    out = {
        f"out yes {j}": np.where(random.random(n) < s, "a", "b") for j, s in enumerate((rare, 0.4))
    }
    out |= {f"out stage {j}": random.binomial(3, s, n) for j, s in enumerate((0.1, 0.5))}
    shares = [0.6, 0.4 - rare, rare]
    out |= {
        f"out kind {j}": random.choice(["x", "y", "z"], n, p=shares[::s])
        for j, s in enumerate((1, -1))
    }
    out |= {f"out count {j}": random.poisson(s, n) for j, s in enumerate((rare, 2.0))}
    out["out dose"] = random.choice([0.0, 0.5, 1.0, 2.0], n, p=[0.6, 0.25, 0.1, 0.05])
    out["out age"] = random.normal(60, 9, n).round()
    paid = random.random(n) < 1 - rare
    out["out cost"] = np.where(paid, random.lognormal(5, 0.5, n).round(1), 0.0)
    kinds = dict.fromkeys(made, "cluster") | dict.fromkeys(out, "validator")
    kinds["out stage 1"] = "control"
    frame = pd.DataFrame(made | out)
    holes = random.random(frame.shape) < random.choice([0.0, 0.3, 1.0], frame.shape[1]) * missing
    frame = frame.mask(holes)
    frame["time"] = random.exponential(5, n).round(2)
    frame["died"] = np.where(random.random(n) < 0.3, 1, 2 * (competes & (random.random(n) < 0.2)))
    assert k == len(sizes)
    return frame, kinds


def leaving(name: str, columns: Sequence[str] = (), refit: bool = True) -> Leaving:
    """What leaves of a cohort under every threshold; of some columns only, where they are named."""
    frame, kinds = table(name)
    frame = frame[[*columns, "time", "died"]] if columns else frame
    schema = infer_schema(frame)
    for column, role in kinds.items():
        if column in frame:
            schema = schema.with_column(column, role=role)
            if column.startswith("out count"):
                schema = schema.with_column(column, family="poisson")
            if column in ("out dose", "out age", "out cost"):
                special = {"special": {"zero": 0}} if column == "out cost" else {}
                schema = schema.with_column(column, family="normal", **special)
    codes = {"event": "died", "event_codes": (1,), "censored_codes": (0,)}
    schema = schema.with_column("time", role="validator", family="time_to_event", **codes)
    schema = schema.with_column("died", role="ignore")
    covariates = tuple(column for column in COVARIATES if column in frame)
    study = Study()
    study.lock_in(frame, schema, Plan(restarts=1, covariates=covariates))
    groups = find_subgroups(frame, study.lock, _Work())
    tests, work = TTests.of(frame, study.lock, groups), _Work()
    if refit:
        leave_out(tests, groups, work)
        tests = work.last or tests
    validation = validate(frame, study.lock, groups.labels)
    about = Checks(groups), validation, "cohort.csv", ()
    packages = {least: package(study, *about, least, tests) for least in THRESHOLDS}
    parts = {
        part.title if part.part else column: part
        for column, whole in tests.columns.items()
        if not isinstance(whole, str)
        for part in Variable.parts(frame, study.lock.schema, column)
    }
    return Leaving(packages, parts, tests.made, groups)


class _Work:
    """A job that nobody watches."""

    last = None

    def __call__(self, progress) -> None:
        pass

    def share(self, partial) -> None:
        self.last = partial
