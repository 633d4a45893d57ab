"""Outcomes without effect in tables of five rows a patient: how often they are called different.

    python -m tests.benchmarks.repeated_rows [tables]

Groups are real (two kinds of patients), and the outcome, one of each patient, has nothing to do
with them. As rows: a study that goes on with rows all the same. One row a patient: the step that
Prepare suggests comes first. A table rejects where the outcome's p-value over all
groups is below .05. Of 60 tables, a yes/no outcome rejects in 24 as rows and in 2 with one row a
patient, a measured one in 17 and in 0.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema
from mapdp_studio.core.clinical.study import Plan, Study
from mapdp_studio.core.clinical.subgroups import find_subgroups
from mapdp_studio.core.clinical.validation import validate
from mapdp_studio.core.prepare.recipe import Recipe
from mapdp_studio.core.profiling.suggestions import suggestions

N_PATIENTS, N_ROWS = 80, 5
LEVEL = 0.05


def repeated(seed: int) -> pd.DataFrame:
    """Five rows of every patient: measurements of two kinds, and an outcome of each patient."""
    random = np.random.default_rng([30, seed])
    who = np.repeat(np.arange(N_PATIENTS), N_ROWS)
    kind = random.integers(2, size=N_PATIENTS)
    frame = pd.DataFrame({"rownames": np.arange(1, who.size + 1), "id": who + 1001})
    for j in range(5):
        own = random.normal(2.5 * kind * (-1) ** j, 0.8)
        frame[f"m{j}"] = (own[who] + random.normal(0, 0.6, who.size)).round(2)
    frame["relapse"] = random.choice(["no", "yes"], N_PATIENTS, p=[0.6, 0.4])[who]
    frame["quality"] = random.normal(50, 10, N_PATIENTS).round(1)[who]
    return frame


def rejected(frame: pd.DataFrame, as_rows: bool) -> dict[str, bool]:
    """Whether each outcome is called different between the groups of a study."""
    schema = infer_schema(frame).with_column("relapse", role="validator")
    schema = schema.with_column("quality", role="validator")
    study = Study()
    study.lock_in(frame, schema, Plan(restarts=1), as_rows=as_rows)
    groups = find_subgroups(study.lock.cohort(frame), study.lock, _Unwatched())
    if not groups.found_any:
        return {"relapse": False, "quality": False}
    found = validate(frame, study.lock, groups.labels).validators
    return {
        column.variable.name: bool(
            column.overall.test.p is not None and column.overall.test.p < LEVEL
        )
        for column in found.columns
    }


class _Unwatched:
    def __call__(self, progress: object) -> None:
        pass

    def share(self, partial: object) -> None:
        pass


def one_row_a_patient(frame: pd.DataFrame) -> pd.DataFrame:
    """The table after the step that Prepare suggests."""
    found = [s.step for s in suggestions(frame, infer_schema(frame)) if s.step.key == "one row per"]
    return Recipe().with_step(found[0]).apply(frame).frame


def main() -> None:
    """Print in how many tables each outcome rejects, as rows and with one row a patient."""
    n_tables = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    began = time.process_time()
    counts = dict.fromkeys([(way, name) for way in "rp" for name in ("relapse", "quality")], 0)
    for seed in range(n_tables):
        frame = repeated(seed)
        for way, table in (("r", frame), ("p", one_row_a_patient(frame))):
            for name, is_rejected in rejected(table, as_rows=way == "r").items():
                counts[way, name] += is_rejected
    for name in ("relapse", "quality"):
        print(
            f"{name}: rejects in {counts['r', name]} of {n_tables} tables as rows, in "
            f"{counts['p', name]} with one row a patient"
        )
    print(f"{time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
