"""Codes that somebody said are missing: a step that computes must not take them for numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from .cells import MergeLevels
from .columns import Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal
from .dates import DatePart, TimeBetween
from .step import Step, in_words, word
from .units import OneRowPer

_COMPUTE = (
    *(Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal),
    *(DatePart, TimeBetween, OneRowPer),
)


def emptying(
    frame: pd.DataFrame, codes: Mapping[str, tuple[Any, ...]], step: Step
) -> tuple[MergeLevels, ...]:
    """Steps that make cells with a missing code empty, before one that computes with them.

    Parameters
    ----------
    codes : mapping of str to tuple
        Missing codes of each column.
    """
    if not isinstance(step, _COMPUTE):
        return ()
    columns: dict[tuple[Any, ...], list[str]] = {}
    for name in step.needs:
        words = {*in_words(frame[name].drop_duplicates()).dropna()} if codes.get(name) else set()
        there = tuple(code for code in codes.get(name, ()) if word(code) in words)
        if there:
            columns.setdefault(there, []).append(name)
    return tuple(
        MergeLevels(tuple(names), tuple((code, "") for code in there))
        for there, names in columns.items()
    )
