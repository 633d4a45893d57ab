"""Random tables with a code for "no answer" planted in one column, and the same without."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import pandas as pd

from mapdp_studio.core import infer_schema

CODES = (-1, 0, 9, 99, 999)
KINDS = {
    "scale": lambda r, n: 1.0 + r.binomial(r.integers(3, 7), r.uniform(0.2, 0.8), n),
    "scale from 0": lambda r, n: 1.0 * r.binomial(r.integers(3, 7), r.uniform(0.2, 0.8), n),
    "even scale": lambda r, n: r.integers(1, r.integers(4, 8), n) * 1.0,
    "yes/no": lambda r, n: r.integers(0, 2, n) * 1.0,
    "count": lambda r, n: r.negative_binomial(3, 3 / (3 + r.uniform(0.5, 4)), n) * 1.0,
    "age": lambda r, n: np.clip(r.normal(r.uniform(30, 60), 12, n), 18, 90).round(),
    "pressure": lambda r, n: r.normal(r.uniform(90, 150), 12, n).round(),
    "weight": lambda r, n: r.normal(r.uniform(50, 90), 9, n).round(1),
    "lab": lambda r, n: np.exp(r.normal(r.uniform(0, 3), 0.7, n)).round(2),
    "two ranges": lambda r, n: np.where(
        r.random(n) < 0.5, r.integers(20, 60, n), r.integers(150, 200, n)
    ).astype(float),
}


class Planted(NamedTuple):
    """One random table, and what was planted in it."""

    frame: pd.DataFrame
    column: str | None
    code: float | None


def planted(seed: int, code: float | None = None, n: int = 300) -> Planted:
    """A table of six columns of mixed kinds, with a code in 3 to 15 % of one column.

    The code lies outside of that column's values, or in a gap among them of at least two steps.
    """
    random = np.random.default_rng(seed)
    kinds = random.choice(list(KINDS), 6)
    frame = pd.DataFrame({f"{kind} {j}": KINDS[kind](random, n) for j, kind in enumerate(kinds)})
    if code is None:
        return Planted(frame, None, None)
    gaps = (frame - code).abs().min()
    able = [c for c in gaps.index if gaps[c] >= (1 if code < frame[c].min() else 2)]
    if not able:
        return planted(seed + 10_000, code, n)
    column = str(random.choice(able))
    rows = random.random(n) < random.uniform(0.03, 0.15)
    return Planted(frame.assign(**{column: frame[column].mask(rows, code)}), column, code)


def is_asked(table: Planted) -> bool:
    """Whether a question about missing cells names the code and its column."""
    return any(
        question.about == "missing"
        and table.column in question.columns
        and re.search(rf" {table.code}(?=,| |$)", question.text.partition(" in \u201c")[0])
        for question in infer_schema(table.frame).questions
    )
