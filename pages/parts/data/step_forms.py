"""The form of every step of Prepare."""

from __future__ import annotations

from collections.abc import Callable

from mapdp_studio.core.prepare.cells import FillBlanks, MergeLevels, NumberFromText, OrderLevels
from mapdp_studio.core.prepare.columns import Combine, CutRanges, DivideBy, Logarithm, ShareOfTotal
from mapdp_studio.core.prepare.dates import DatePart, TimeBetween
from mapdp_studio.core.prepare.joining import Join
from mapdp_studio.core.prepare.names import RenameColumns
from mapdp_studio.core.prepare.rows import DropRepeated, FilterRows
from mapdp_studio.core.prepare.step import Step
from mapdp_studio.core.prepare.units import OneRowPer
from mapdp_studio.pages.parts.data import cell_forms, date_forms, row_forms
from mapdp_studio.pages.parts.data.step_draft import Draft

#: What makes each step, by its key; None until enough is chosen.
FORMS: dict[str, Callable[[Draft], Step | None]] = {
    FilterRows.key: row_forms.filtered,
    DropRepeated.key: row_forms.repeated,
    RenameColumns.key: cell_forms.renamed,
    FillBlanks.key: cell_forms.blanks,
    NumberFromText.key: cell_forms.number,
    MergeLevels.key: cell_forms.merged,
    OrderLevels.key: cell_forms.ordered,
    CutRanges.key: cell_forms.cut,
    Logarithm.key: cell_forms.logarithm,
    ShareOfTotal.key: cell_forms.share,
    DivideBy.key: cell_forms.divided,
    Combine.key: cell_forms.combined,
    DatePart.key: date_forms.date_part,
    TimeBetween.key: date_forms.between,
    OneRowPer.key: row_forms.unit_rows,
    Join.key: row_forms.joined,
}
