"""A study from a table to everything that it says."""

import html
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mapdp_studio.core import Schema
from mapdp_studio.core.clinical.groups import Subgroups, find_subgroups
from mapdp_studio.core.clinical.lock import Lock, Plan
from mapdp_studio.core.clinical.outcomes import Validation, validate
from mapdp_studio.core.clinical.report import Package, make_package
from mapdp_studio.core.clinical.study import Study
from mapdp_studio.core.clinical.t_tests import TTests
from mapdp_studio.core.clinical.verdict import Checks
from mapdp_studio.core.schema.rows import with_copies


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
        return find_subgroups(with_copies(self.frame, self.lock.schema), self.lock)

    @cached_property
    def tests(self) -> TTests:
        return TTests.of(with_copies(self.frame, self.lock.schema), self.lock, self.groups)

    @cached_property
    def checks(self) -> Checks:
        return Checks(self.groups, tests=self.tests)

    @cached_property
    def validation(self) -> Validation:
        return validate(with_copies(self.frame, self.lock.schema), self.lock, self.groups.labels)

    def written(self, least: int = 5, name: str = "t.csv", **how) -> Package:
        return make_package(self.study, self.checks, self.validation, name, least, **how)


def locked(frame: pd.DataFrame, schema: Schema, as_rows: bool = False, **plan) -> Study:
    study = Study()
    study.lock_in(frame, schema, Plan(**plan), as_rows=as_rows)
    return study


def studied(frame: pd.DataFrame, schema: Schema, as_rows: bool = False, **plan) -> Studied:
    return Studied(frame, locked(frame, schema, as_rows, **plan))


def own_text(written: Package) -> str:
    """The page without plotly.js, which comes last."""
    return written.html.partition("<script>")[0]


def tables_of(page: str) -> list[pd.DataFrame]:
    """The tables of a page as text."""
    found, page = [], page.replace("&lt;\u00a0", "&lt; ")
    for table in re.findall("<table>(.*?)</table>", page, re.DOTALL):
        rows = re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
        cells = [re.findall("<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        names, *lines = [[html.unescape(cell) for cell in row] for row in cells]
        found.append(pd.DataFrame(lines, columns=names))
    return found


def visits(n_patients: int = 300) -> pd.DataFrame:
    """2 to 12 visits of patients of two kinds: a row number, and the patient's id, which recurs."""
    random = np.random.default_rng(14)
    who = np.repeat(np.arange(n_patients), random.integers(2, 13, n_patients))
    kind = random.integers(2, size=n_patients)
    frame = pd.DataFrame({"rownames": np.arange(1, who.size + 1), "id": who + 1})
    measured = {"albumin": (3.4, 0.3), "bilirubin": (9, 1), "platelets": (250, 40)}
    for name, (middle, spread) in measured.items():
        own = random.normal(middle + 5 * spread * kind, spread)
        frame[name] = random.normal(own[who], spread / 2).round(2)
    return frame.assign(relapse=random.choice(["no", "yes"], n_patients, p=[0.7, 0.3])[who])
