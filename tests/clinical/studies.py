"""A study from a table to everything that it says."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mapdp_studio.core import Schema
from mapdp_studio.core.clinical.checks import Checks
from mapdp_studio.core.clinical.groups import Distinctions, Subgroups, find_subgroups
from mapdp_studio.core.clinical.lock import Lock, Plan
from mapdp_studio.core.clinical.outcomes import Validation, validate
from mapdp_studio.core.clinical.report import Package, package
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.t_tests import TTests


@dataclass
class Studied:
    """A study, and what came of it; everything is made when it is asked for."""

    frame: pd.DataFrame
    study: Study

    @property
    def lock(self) -> Lock:
        return self.study.lock

    @cached_property
    def groups(self) -> Subgroups:
        return find_subgroups(self.lock.cohort(self.frame), self.lock)

    @cached_property
    def seen(self) -> Distinctions:
        return Distinctions(self.groups)

    @cached_property
    def tests(self) -> TTests:
        return TTests.of(self.lock.cohort(self.frame), self.lock, self.groups)

    @cached_property
    def checks(self) -> Checks:
        return Checks(self.groups, tests=self.tests)

    @cached_property
    def validation(self) -> Validation:
        return validate(self.lock.cohort(self.frame), self.lock, self.groups.labels)

    def written(self, least: int = 5, name: str = "t.csv", **how) -> Package:
        return package(self.study, self.checks, self.validation, name, least, **how)


def locked(frame: pd.DataFrame, schema: Schema, as_rows: bool = False, **plan) -> Study:
    study = Study()
    study.lock_in(frame, schema, Plan(**plan), as_rows=as_rows)
    return study


def studied(frame: pd.DataFrame, schema: Schema, as_rows: bool = False, **plan) -> Studied:
    return Studied(frame, locked(frame, schema, as_rows, **plan))


def own_text(written: Package) -> str:
    """The page without plotly.js, which comes last."""
    return written.html.partition("<script>")[0]


def visits(n_patients: int = 300) -> pd.DataFrame:
    """As R writes it: a row number, then the patient's id, which recurs.

    2 to 12 visits of every patient, who are of two kinds; relapse has nothing to do with it.
    """
    random = np.random.default_rng(14)
    times = random.integers(2, 13, n_patients)
    who = np.repeat(np.arange(n_patients), times)
    kind = random.integers(2, size=n_patients)

    def measured(middle: float, spread: float, moved: float) -> np.ndarray:
        own = random.normal(middle + moved * spread * kind, spread)
        return (own[who] + random.normal(0, spread / 2, who.size)).round(2)

    return pd.DataFrame(
        {
            "rownames": np.arange(1, who.size + 1),
            "id": who + 1,
            "albumin": measured(3.4, 0.3, -4),
            "bilirubin": measured(9.0, 1.0, 5),
            "platelets": measured(250, 40, 4),
            "relapse": random.choice(["no", "yes"], n_patients, p=[0.7, 0.3])[who],
        }
    )
