"""All steps, in the order in which they are offered."""

from __future__ import annotations

from .cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from .columns import Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal
from .dates import DatePart, TimeBetween
from .joining import Join
from .names import RenameColumns
from .rows import DropRepeated, FilterRows
from .step import Step
from .units import OneRowPer

_ALL: tuple[type[Step], ...] = (
    *(FilterRows, DropRepeated, FillBlanks, NumberFromText, MergeLevels, OrderLevels, CutRanges),
    *(DatePart, TimeBetween, Combine, ShareOfTotal, DivideBy, Logarithm, OneRowPer, Join),
    RenameColumns,
)
#: By what stands for it in files.
STEPS: dict[str, type[Step]] = {step.key: step for step in _ALL}
