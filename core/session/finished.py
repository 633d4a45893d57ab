"""A finished search in parts, to look at: a sample of its rows with the groups of all of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..methods import JUDGE
from ..methods.settings import Settings
from ..parts.opened import open_finished
from .table import Table
from .work import AllRows, Work


def work_on_finished(folder: str | Path) -> Work:
    """Begin on the sample, with the model of all rows in the place of a fit to it.

    Raises
    ------
    ModelFileError
        There is no finished search in the folder, or what it left is damaged.
    """
    folder = Path(folder)
    opened = open_finished(folder)
    frame = opened.frame[[*opened.schema]]
    told = f"{opened.model.objective_!r} {opened.sizes.tolist()} {frame.shape}"
    digest = f"finished {hashlib.sha256(told.encode()).hexdigest()}"
    name = folder.resolve().name
    work = Work(
        Table(frame, f"{name}: a sample", digest),
        opened.schema,
        settings=Settings(concentration=opened.model.concentration),
        all_rows=AllRows(opened.n_rows, str(folder.resolve())),
    )
    work.results.keep(work.tasks((JUDGE,))[JUDGE], opened.model)
    return work
