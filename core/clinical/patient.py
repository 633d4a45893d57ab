"""One patient of a study: where they stand, how surely, and which columns spoke for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..inference.contributions import assignments, row_contributions
from ..profiling.profiles import natural_columns
from ..schema.encoded import Encoded
from .checks import Checks
from .subgroups import Subgroups

NEW = "a new group"


@dataclass(frozen=True)
class Patient:
    """Where one patient stands."""

    row: int
    group: int
    #: Title of the second choice under the model.
    second: str
    #: None for a new group.
    second_group: int | None
    #: Of their group given all other patients; it saturates with many columns.
    probability: float
    #: On how many columns their place rests.
    placed_using: str
    #: Share of the resamples holding the patient that put them in their group, and in the
    #: likeliest other; None where there are none.
    share: float | None
    second_share: float | None
    n_draws: int
    #: Title of that other group.
    second_by_draws: str
    #: ``column``, ``value``, ``nats`` for their group rather than the second choice, the weightiest
    #: first.
    reasons: pd.DataFrame


def look_up(groups: Subgroups, checks: Checks, row: int) -> Patient:
    """Explain the place of one patient, the one in that row from 0 on."""
    model = groups.model
    standing = assignments(model)
    why = row_contributions(model, rows=[row])
    second = int(why.second[0])
    is_new = second >= model.n_clusters_
    margins = why.margin.iloc[0].dropna()
    order = margins.abs().sort_values(ascending=False, kind="stable").index
    values = said_values(model.columns_.encoded, row)
    reasons = pd.DataFrame(
        {
            "column": list(order),
            "value": [values.get(name, "") for name in order],
            "nats": margins.loc[order].to_numpy(),
        }
    )
    bootstraps = None if checks.stability is None else checks.stability.bootstraps
    share = second_share = None
    n_draws, elsewhere = 0, ""
    if bootstraps is not None and bootstraps.draws:
        found = bootstraps.patients
        n_draws = int(found.n_draws[row])
        if n_draws:
            share, second_share = float(found.share[row]), float(found.second_share[row])
            elsewhere = _title(groups, int(found.second[row]), "a group not found here")
    return Patient(
        row,
        int(groups.labels[row]),
        _title(groups, second, NEW),
        None if is_new else second,
        float(standing.probabilities[row, groups.labels[row]]),
        standing.placed_using(row),
        share,
        second_share,
        n_draws,
        elsewhere,
        reasons,
    )


def least_sure(groups: Subgroups, checks: Checks, count: int = 10) -> np.ndarray:
    """Rows of the patients most between groups: by the resamples, else under the model."""
    bootstraps = None if checks.stability is None else checks.stability.bootstraps
    if bootstraps is None or not bootstraps.draws:
        return assignments(groups.model).between(count)
    return np.argsort(bootstraps.patients.share, kind="stable")[:count]


def strangest(groups: Subgroups, count: int = 10) -> np.ndarray:
    """Rows of the patients whom the groups predict worst."""
    return assignments(groups.model).atypical(count)


def rows_of_id(frame: pd.DataFrame, names: tuple[str, ...], text: str) -> list[int]:
    """Rows whose id reads as the text given."""
    wanted = text.strip()
    found = np.zeros(len(frame), dtype=bool)
    for name in names:
        found |= (frame[name].astype("string").str.strip() == wanted).fillna(False).to_numpy(bool)
    return np.flatnonzero(found).tolist()


def _title(groups: Subgroups, group: int, otherwise: str) -> str:
    return groups.titles[group] if group < len(groups.titles) else otherwise


def said_values(encoded: Encoded, row: int) -> dict[str, str]:
    """A row's observed values in natural units, by column."""
    one = type(encoded)(encoded.values[row : row + 1], encoded.units)
    found = {}
    for column in natural_columns(one):
        said = column.said(0)
        if said is not None:
            found[column.name] = said
    return found
