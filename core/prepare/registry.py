"""All steps, in the order in which they are offered."""

from __future__ import annotations

from .names import RenameColumns
from .rows import DropRepeated, FilterRows
from .step import Step

_ALL: tuple[type[Step], ...] = (FilterRows, DropRepeated, RenameColumns)
#: By what stands for them in files.
STEPS: dict[str, type[Step]] = {step.key: step for step in _ALL}
