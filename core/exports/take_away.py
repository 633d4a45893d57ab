"""What leaves the app besides tables: names of files, a result's script, its labelled table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
import pandas as pd

from ..comparing.comparison import Task
from ..methods import METHODS
from ..methods.settings import Settings
from ..partitions.naming import Groups
from ..profiling.judged import RowAssignments
from ..schema.schema import Schema
from .script import Origin, script
from .tables import with_labels

_LONGEST = 180  # bytes of a table's name in a file's name, which has 255 at most


def file_stem(name: str) -> str:
    """A table's name as part of a file's name: letters, digits, hyphens, and not too many."""
    stem = PurePosixPath(name.replace("\\", "/")).name
    stem = re.sub(r"\.(csv|tsv|txt|parquet|jsonl?|ndjson|xlsx)$", "", stem, flags=re.IGNORECASE)
    plain = re.sub(r"[^\w-]+", "-", stem).encode()[:_LONGEST].decode(errors="ignore")
    return plain.strip("-") or "table"


def methods_in_address(settings: Settings, compared: Sequence[str]) -> dict[str, str]:
    """What an address says of the methods side by side and of what single ones are told."""
    said = {} if tuple(compared) == tuple(METHODS.first) else {"methods": ",".join(compared)}
    for method, option, value in settings.own:
        if method in compared:
            said[f"{method}.{option}"] = value if isinstance(value, str) else f"{value:g}"
    return said


def script_of(
    origin: Origin,
    task: Task,
    schema: Schema,
    title: str,
    merged: tuple[tuple[int, ...], ...] = (),
) -> str:
    """Python that gives the labels of a fitted task, and of merges laid over it."""
    first = task.prior_of
    after = (first.algorithm, dict(first.arguments)) if first else None
    how = {"schema": schema, "after": after, "merged": merged, "title": title}
    return script(origin, task.algorithm, dict(task.arguments), **how)


def labelled(
    frame: pd.DataFrame, groups: Groups, without: tuple[str, ...], stand: RowAssignments | None
) -> pd.DataFrame:
    """The table, but for the columns ``without``, with the group of every row."""
    columns = {"cluster": groups.row_titles, "cluster number": groups.labels}
    if stand is not None:
        titles = np.array([*groups.titles, "a new group"], dtype=object)
        columns |= {
            "probability": stand.probability,
            "second choice": titles[stand.second],
            "its probability": stand.second_probability,
            "log density": stand.log_density,
        }
    return with_labels(frame.drop(columns=list(without)), columns)
