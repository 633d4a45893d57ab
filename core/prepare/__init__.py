"""A table made ready: steps that are recorded, switched off, moved and undone."""

from .cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from .columns import (
    Combine,
    CutRanges,
    DatePart,
    DivideBy,
    Logarithm,
    ShareOfTotal,
    TimeBetween,
)
from .rows import DropRepeated, FilterRows, OneRowPer
from .split import SplitCell
from .step import PrepareError as PrepareError
from .step import Step
from .tables import Join, RenameColumns

#: All steps in the order in which they are offered, by what stands for them in files.
STEPS: dict[str, type[Step]] = {
    step.key: step
    for step in (
        *(FilterRows, DropRepeated, FillBlanks, NumberFromText, SplitCell, MergeLevels),
        *(OrderLevels, CutRanges, DatePart, TimeBetween, Combine, ShareOfTotal, DivideBy),
        *(Logarithm, OneRowPer, Join, RenameColumns),
    )
}
