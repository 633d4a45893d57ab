"""Attack on the printed form for a new patient: small counts worked out of its sheet.

    python -m tests.benchmarks.form_disclosure            # about two minutes on one core
    python -m tests.benchmarks.form_disclosure FOLDER     # tables (*.csv) of a folder, too

Six simulated cohorts under the thresholds 5, 10 and 20. Everything is read from the sheet's own
HTML. A count of patients below the threshold, by answer or end of a tree and group, or by group and
what they were told, is solved where fewer whole numbers than the threshold are left for it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from core import SchemaError, infer_schema
from core.clinical.bedside import make_form
from core.clinical.paper_form import paper_form
from core.statistics.suppression import THRESHOLDS
from tests.benchmarks.disclosure_cohorts import COHORTS, SHAPES
from tests.benchmarks.form_attack import attack_sheet
from tests.clinical.run_study import study_of

#: Rows of a public table at most.
ROWS = 900


def table(name: str) -> pd.DataFrame:
    """A cohort whose groups take a few questions to tell, columns of every kind."""
    sizes, rare, missing, _ = SHAPES[name]
    random = np.random.default_rng([31, COHORTS.index(name)])
    truth, k = np.repeat(np.arange(len(sizes)), sizes), len(sizes)
    n, columns = truth.size, {}
    for j in range(8):
        columns[f"scale {j}"] = random.normal(2.2 * random.permutation(k)[truth]).round(2)
    for j in range(3):
        share = np.clip(rare + random.permutation(k) / k, 0.01, 0.99)
        columns[f"sign {j}"] = np.where(random.random(n) < share[truth], "yes", "no")
        columns[f"stage {j}"] = random.binomial(4, share[truth]) + 1
    far = random.permutation(k)[truth] / k
    columns["falls"] = random.poisson(rare + 3 * far)
    columns["kind"] = np.where(random.random(n) < far, "x", random.choice(["y", "z", "v"], n))
    frame = pd.DataFrame(columns)
    holes = random.choice([0.0, 0.3, 1.0], frame.shape[1]) * missing
    return frame.mask(random.random(frame.shape) < holes)


def cohorts(folder: str | None) -> Iterator[tuple[str, pd.DataFrame]]:
    """Names and tables."""
    yield from ((name, table(name)) for name in COHORTS)
    for path in sorted(Path(folder).rglob("*.csv")) if folder else ():
        frame = pd.read_csv(path)
        if len(frame) >= 60 and 4 <= frame.shape[1] <= 60:
            yield path.stem, frame.drop(columns="rownames", errors="ignore").iloc[:ROWS]


def main(folder: str | None = None) -> None:
    """Print one line a cohort and threshold."""
    print(f"{'cohort':34} {'at':>3}  {'form':12} {'agrees':>6} {'small':>6} {'solved':>7}")
    total = np.zeros(2, dtype=np.int64)
    for name, frame in cohorts(folder):
        try:
            study, groups = study_of(frame, infer_schema(frame), restarts=1)
        except SchemaError:
            continue
        for least in THRESHOLDS:
            form = make_form(groups, least=least)
            if form is None:
                print(f"{name:34} {least:3}  no form")
                continue
            found = list(attack_sheet(form, paper_form(form, study.lock, f"{name}.csv")))
            solved = Counter(where for where, left in found if left < least)
            total += len(found), solved.total()
            print(
                f"{name:34} {least:3}  {form.rule_name:12} {form.on_paper.accuracy:6.3f} "
                f"{len(found):6} {solved.total():7}  "
                + ", ".join(f"{where} {n}" for where, n in solved.items()),
                flush=True,
            )
    print(f"{'all':58} {total[0]:6} {total[1]:7}")


if __name__ == "__main__":
    main(*sys.argv[1:])
