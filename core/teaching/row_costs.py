"""What every method of a comparison weighs when it places one row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..comparing.comparison import FitError, Results, Task, matched, numbering
from ..methods import METHODS
from ..methods.row_costs import NEW, RowCosts
from ..schema.encoded import Encoded


def row_costs(
    results: Results,
    wanted: Mapping[str, Task],
    encoded: Encoded,
    row: int,
    reference: np.ndarray,
) -> list[RowCosts]:
    """What fitted methods weigh for one row, by panel; ``reference`` classes number clusters."""
    one = encoded.rows(slice(row, row + 1))
    found = []
    for name, task in wanted.items():
        method, model = METHODS[name], results.get(task)
        if model is None or isinstance(model, FitError) or method.row_costs is None:
            continue
        labels = matched(reference, model.labels_)
        places = {label: k - 1 for label, k in numbering(labels, reference.max() + 1).items()}
        numbers = np.full(model.n_clusters_, NEW)
        numbers[model.labels_] = [places[label] for label in labels.tolist()]
        costs = method.row_costs(model, one, row, numbers)
        back = {place: label for label, place in places.items()}
        own = tuple(back.get(cluster, cluster) for cluster in costs.clusters)
        found.append(replace(costs, title=method.title, labels=own))
    return found
