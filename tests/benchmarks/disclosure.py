"""Attack on everything that a study lets out: small counts worked out of it.

    python -m tests.benchmarks.disclosure          # about 10 minutes on one core

Six simulated cohorts with columns of every kind, made of and kept out, with empty cells and times
to an event; reports, tables, figures and settings under the thresholds 5, 10 and 20. Under each
threshold the intruder has what leaves under it and under the higher ones. For every column,
patients by group and level (and without a value) are unknown. Whole numbers are enumerated first
from what is printed of tests and ratios; then an integer programme over all sums. A count below
the threshold is solved where fewer whole numbers than the threshold are left for it. That nobody
lacks a value, has so many events or a level that nobody has tells of nobody and is no such count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from core.statistics.suppression import HIDDEN, THRESHOLDS
from tests.benchmarks.disclosure_bounds import Known
from tests.benchmarks.disclosure_cohorts import COHORTS, COVARIATES, Leaving, leaving
from tests.benchmarks.disclosure_enumerated import dropped, enumerate_column, events_by_time
from tests.benchmarks.disclosure_reading import Reader, crossed, is_number, learn, levels_of

#: What a line or cell holds where something is told.
TOLD_BY_GROUP = ("yes-no", "scores", "table-1", "missing")


def attack(of: Leaving, least: int) -> Iterator[tuple[str, int]]:
    """Every small count that is hidden, by the column's name, with the whole numbers left."""
    readers = [Reader(of.packages[one]) for one in THRESHOLDS if one >= least]
    titles, labels = list(of.groups.titles), of.groups.labels
    yield from _sizes(of, readers, least)
    known = {}
    for key, column in of.columns.items():
        known[key] = Known(len(titles), levels_of(column).size + 1, labels.size)
        for read in readers:
            learn(known[key], read, column, key, titles)
    _all_missing(of, readers, known)
    for key, column in of.columns.items():
        for read in readers:
            enumerate_column(known[key], read, column, titles)
        counts = crossed(column, labels, levels_of(column))
        is_small = counts < least
        is_small &= (counts > 0) | (column.kind in ("yes/no", "category", "rating"))
        is_small[:, -1] &= counts[:, -1] > 0
        is_small &= counts.sum(axis=0) > 0
        for group, level in np.argwhere(is_small).tolist():
            truth = int(counts[group, level])
            yield key, known[key].left((group, level), truth, least)
        complete = _complete(of)
        for read in readers:
            found = [
                *(
                    dropped(read, column, labels, titles, complete)
                    if column.kind == "yes/no"
                    else ()
                ),
                *(events_by_time(read, column, labels, titles, least) if column.event else ()),
            ]
            yield from ((f"{key}, subtracted", left) for count, left in found if count < least)


def _sizes(of: Leaving, readers: Sequence[Reader], least: int) -> Iterator[tuple[str, int]]:
    known = Known(of.groups.sizes.size, 1, of.groups.labels.size)
    for read in readers:
        for group, patients in enumerate(read.tables["groups"]["Patients"][:-1]):
            if patients != HIDDEN:
                known.know(known.of(group), float(patients), float(patients))
    for group, size in enumerate(of.groups.sizes.tolist()):
        if size < least:
            yield "size", known.left((group, 0), size, least)


def _all_missing(of: Leaving, readers: Sequence[Reader], known: dict[str, Known]) -> None:
    """The share of all missing cells, less what is known of the other columns."""
    n_cells = of.groups.labels.size * len(of.made)
    absent = {}
    for name in of.made:
        weights = np.zeros(known[name].shape)
        weights[:, -1] = 1.0
        absent[name] = weights, known[name].range_of(weights)
    for share in (read.share_missing for read in readers):
        for name, (weights, _) in absent.items() if share is not None else ():
            others = np.array([ends for other, (_, ends) in absent.items() if other != name])
            low, high = np.array(share) * n_cells - others.sum(axis=0)[::-1]
            known[name].know(weights, low - 1e-6, high + 1e-6)


def _complete(of: Leaving) -> np.ndarray:
    """Patients whose covariates are all observed."""
    beside = [of.columns[name].observed for name in COVARIATES if name in of.columns]
    return np.all(beside, axis=0) if beside else np.ones(of.groups.labels.size, dtype=bool)


def told(of: Leaving, least: int) -> tuple[int, int]:
    """Cells of the tables that are told of groups shown at a threshold of 0, and all of them."""
    tables, found = of.packages[least].tables, Counter()
    for name in TOLD_BY_GROUP:
        table = tables.get(name, pd.DataFrame())
        cells = table[[title for title in of.groups.titles if title in table]].to_numpy(object)
        found += Counter({True: int((cells != HIDDEN).sum()), False: int((cells == HIDDEN).sum())})
    for name, marks in (("validators", ["n"]), ("controls", ["n"]), ("t-tests", ["n_1"])):
        for cell in tables.get(name, pd.DataFrame(columns=marks))[marks].to_numpy(object).ravel():
            found[is_number(cell)] += 1
    return found[True], found[True] + found[False]


def main() -> None:
    """Print one line a cohort and threshold."""
    print(f"{'cohort':34} {'at':>3} {'hidden':>7} {'solved':>7}  cells told")
    total = np.zeros(4, dtype=np.int64)
    for name in COHORTS:
        of = leaving(name)
        for least in THRESHOLDS:
            found = list(attack(of, least))
            solved = Counter(key for key, left in found if left < least)
            line = len(found), solved.total(), *told(of, least)
            total += line
            where = ", ".join(f"{key} {n}" for key, n in solved.items())
            print(
                f"{name:34} {least:3} {line[0]:7} {line[1]:7}  {line[2]} of {line[3]}  {where}",
                flush=True,
            )
    print(f"{'all':38} {total[0]:7} {total[1]:7}  {total[2]} of {total[3]}")


if __name__ == "__main__":
    main()
