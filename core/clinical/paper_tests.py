"""The tests of R16 section 6 as they were made: Student's t at .01 on the columns clustered on.

The groups were made from these columns, so they differ on them by construction, and the test
suits neither yes/no columns nor groups of unequal spread. It is here to repeat what was published.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from ..profiling.profiles import natural_columns
from ..schema.encoded import Encoded
from ..statistics.hypothesis_tests import quiet
from .subgroups import SMALLEST

#: R16's level.
LEVEL = 0.01


@dataclass(frozen=True)
class PaperReplication:
    """Student's t on every column between every two groups."""

    #: One row a column, one column a pair (a, b). NaN where a test is not possible: fewer than two
    #: values, or none that differ.
    p: pd.DataFrame
    #: Groups too small, as the paper's of two patients.
    left_out: tuple[int, ...]
    #: Columns of names without an order, which have no mean to test.
    names: tuple[str, ...]
    level: float = LEVEL

    def counts(self) -> pd.DataFrame:
        """One row a pair: columns tested, differing, and differing by chance alone.

        The last would hold if the groups had nothing to do with the columns; groups found in these
        very columns exceed it even in noise.
        """
        tested = self.p.notna().sum()
        return pd.DataFrame(
            {
                "tested": tested,
                "differing": (self.p < self.level).sum(),
                "by chance": self.level * tested,
            }
        )

    def differing(self, a: int, b: int) -> list[str]:
        """Columns that differ between two groups, the smallest p-value first."""
        p = self.p[min(a, b), max(a, b)].sort_values(kind="stable")
        return p.index[p < self.level].tolist()


def paper_replication(encoded: Encoded, labels: np.ndarray) -> PaperReplication:
    """Repeat the paper's tests on the columns clustered on.

    Groups count from 0 on; those of fewer than ``SMALLEST`` patients are left out.
    """
    columns = list(natural_columns(encoded))
    numeric = [column for column in columns if column.kind != "category"]
    values = np.column_stack(
        [c.values if c.has_amounts else c.codes for c in numeric] or [labels[:, None]]
    )
    sizes = np.bincount(labels)
    groups = np.flatnonzero(sizes >= SMALLEST).tolist()
    pairs = list(combinations(groups, 2))
    p = np.full((len(numeric), len(pairs)), np.nan)
    for place, (a, b) in enumerate(pairs):
        for j in range(len(numeric)):
            p[j, place] = _student(values[labels == a, j], values[labels == b, j])
    index = pd.MultiIndex.from_tuples(pairs, names=["a", "b"]) if pairs else pd.Index([])
    return PaperReplication(
        pd.DataFrame(p, index=[column.name for column in numeric], columns=index),
        tuple(np.flatnonzero((sizes > 0) & (sizes < SMALLEST)).tolist()),
        tuple(column.name for column in columns if column.kind == "category"),
    )


def _student(a: np.ndarray, b: np.ndarray) -> float:
    a, b = a[~np.isnan(a)], b[~np.isnan(b)]
    if min(a.size, b.size) < 2 or (np.ptp(a) == 0.0 and np.ptp(b) == 0.0):
        return np.nan
    with quiet():
        return float(stats.ttest_ind(a, b).pvalue)
