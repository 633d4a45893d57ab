"""The columns kept out of the clustering, tested against the groups."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..models.progress import Progress
from ..statistics.compare import Associations, associations
from ..wording import in_digits, p_text
from .study import Lock

CAUTION = (
    "Association with group membership does not show that distinct subtypes exist; a severity "
    "continuum produces the same."
)
#: The second effect of a time to an event.
ALSO = "Also (95 % interval)"


@dataclass(frozen=True)
class Validation:
    """Both kinds of columns kept out, each its own family of tests."""

    validators: Associations
    controls: Associations


def validate(
    frame: pd.DataFrame,
    lock: Lock,
    labels: np.ndarray,
    callback: Callable[[Progress], None] | None = None,
) -> Validation:
    """Test the validators and the negative controls of a locked study, one row a patient.

    What the callback, told of every column, raises ends the work.
    """
    seed = lock.plan.seed
    validators, controls = (
        associations(
            frame,
            lock.schema,
            labels,
            lock.columns(part),
            random_state=seed,
            callback=callback,
        )
        for part in ("validator", "control")
    )
    return Validation(validators, controls)


def printed(found: Associations) -> pd.DataFrame:
    """One row a column and pair of groups, every cell ready to print."""
    rows = []
    for column in found.columns:
        summaries = {summary.group: summary for summary in column.groups}
        for pair in column.pairs:
            (a, b), effect, second = pair.groups, pair.effect, pair.second
            rows.append(
                {
                    "Column": column.variable.title,
                    "Groups": f"{a + 1} and {b + 1}",
                    "First": _of(summaries[a].text, pair.n[0]),
                    "Second": _of(summaries[b].text, pair.n[1]),
                    "Effect (95 % interval)": effect_words(
                        effect.name, effect.estimate, effect.low, effect.high
                    ),
                    ALSO: effect_words(second.name, second.estimate, second.low, second.high)
                    if second.name
                    else "",
                    "p": pair.test.p_text,
                    "p, corrected": p_text(pair.adjusted),
                    "Test": pair.test.name or "none",
                    "Remark": pair.remark,
                }
            )
    table = pd.DataFrame(rows)
    return table.drop(columns=ALSO) if rows and not table[ALSO].any() else table


def overall(found: Associations) -> pd.DataFrame:
    """One row a column: all groups at once, every cell ready to print; remarks where any."""
    table = pd.DataFrame(
        [
            {
                "Column": column.variable.title,
                "p": column.overall.test.p_text,
                "p, corrected": p_text(column.overall.adjusted),
                "Groups": ", ".join(str(group + 1) for group in column.overall.groups),
                "n": f"{sum(column.overall.n):,}",
                "Test": column.overall.test.name or "none",
                "Kind": column.variable.kind,
                "Remark": column.overall.test.reason,
            }
            for column in found.columns
        ]
    )
    return table.drop(columns="Remark") if len(table) and not table["Remark"].any() else table


def missing_printed(found: Associations) -> pd.DataFrame:
    """One row a column and pair of groups: in how many patients its cell is missing."""
    return pd.DataFrame(
        [
            {
                "Column": column.variable.name,
                "Groups": f"{pair.groups[0] + 1} and {pair.groups[1] + 1}",
                "Risk difference of a missing cell (95 % interval)": effect_words(
                    "", pair.effect.estimate, pair.effect.low, pair.effect.high
                ),
                "p": pair.test.p_text,
                "Test": pair.test.name or "none",
                "Remark": pair.test.reason,
            }
            for column in found.columns
            for pair in column.missing
        ]
    )


def effect_words(name: str, estimate: float | None, low: float | None, high: float | None) -> str:
    """An effect with its interval: "mean difference 1.7 (1.4 to 2.1)"."""
    if pd.isna(estimate):
        return "none"
    said = f"{name} {in_digits(estimate)}".strip()
    if pd.isna(low) or pd.isna(high):
        return said
    return f"{said} ({in_digits(low)} to {in_digits(high)})"


def _of(text: str, n: int) -> str:
    return f"{text} (n = {n:,})" if text else f"n = {n:,}"
