"""A table made ready: steps that are recorded, switched off, moved and undone."""

from __future__ import annotations

from .cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from .columns import Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal
from .dates import DatePart, TimeBetween
from .joining import Join
from .names import RenameColumns
from .rows import DropRepeated, FilterRows
from .split import SplitCell
from .step import Step
from .units import OneRowPer

_ALL: tuple[type[Step], ...] = (
    FilterRows,
    DropRepeated,
    FillBlanks,
    NumberFromText,
    SplitCell,
    MergeLevels,
    OrderLevels,
    CutRanges,
    DatePart,
    TimeBetween,
    Combine,
    ShareOfTotal,
    DivideBy,
    Logarithm,
    OneRowPer,
    Join,
    RenameColumns,
)
#: All steps in the order in which they are offered, by what stands for them in files.
STEPS: dict[str, type[Step]] = {step.key: step for step in _ALL}
