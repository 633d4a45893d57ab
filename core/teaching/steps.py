"""Runs step by step, whose clusters keep their numbers, and what methods weigh for one row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from ..comparing.comparison import FitError, Results, Task, matched, numbering
from ..comparing.panels import outlines
from ..comparing.projection import View
from ..methods import METHODS
from ..methods.record import NEW, RowCosts
from ..methods.settings import Settings
from ..methods.steps import MOST_ROWS, Procedure, RunInputs, Step, shown
from ..partitions.labels import free_numbers
from ..partitions.scores import match_labels, nmi
from ..schema.encoded import Encoded


def procedures() -> dict[str, Procedure]:
    """What can be watched, by its name in addresses."""
    return {
        name: procedure
        for method in METHODS.values()
        for name, procedure in method.procedures.items()
    }


@dataclass(frozen=True)
class Walk:
    """A run to be watched."""

    title: str
    measure: str
    view: View
    steps: tuple[Step, ...]
    note: str


def walk(
    name: str,
    encoded: Encoded,
    view: View,
    classes: np.ndarray,
    settings: Settings,
    prior_scale: float,
) -> Walk:
    """Run one of ``procedures()`` on a sample of two numeric columns; keep what it goes through."""
    procedure, random = procedures()[name], np.random.default_rng(settings.seed)
    n = len(encoded.values)
    size = min(n, MOST_ROWS)
    rows = np.sort(random.choice(n, size, replace=False)) if size < n else np.arange(n)
    sample = encoded.rows(rows)
    seen = replace(view, points=view.points[rows], rows=rows)
    inputs = RunInputs(sample, classes[rows], settings, prior_scale, random)
    steps = list(procedure.steps(inputs))
    kept = [steps[place] for place in shown(len(steps))]
    kept = [replace(step, curves=tuple(outlines(seen, list(step.summaries)))) for step in kept]
    notes = [
        f"{size:,} of the {n:,} rows take part." if size < n else "",
        f"{len(kept)} of {len(steps)} steps are shown." if len(kept) < len(steps) else "",
    ]
    followed, note = tuple(_followed(kept, classes[rows])), " ".join(filter(None, notes))
    return Walk(procedure.title, procedure.measure, seen, followed, note)


def scores(run: Walk, classes: np.ndarray | None) -> list[float]:
    """NMI with the table's ``classes`` after each step; without them, the number of groups."""
    if classes is None:
        return [float(step.n_clusters) for step in run.steps]
    return [nmi(classes[run.view.rows], step.labels) for step in run.steps]


def _followed(steps: Sequence[Step], classes: np.ndarray) -> Iterator[Step]:
    """Steps whose clusters keep label and number: a new one takes the least number that is free."""
    named = [steps[0].labels]
    for step in steps[1:]:
        named.append(match_labels(named[-1], step.labels))
    final = match_labels(classes, named[-1])
    label_of = dict(zip(named[-1].tolist(), final.tolist(), strict=True))
    others = np.setdiff1d(np.concatenate(named), named[-1]).tolist()
    label_of |= dict(zip(others, count(max(int(final.max()), int(classes.max())) + 1)))
    numbers: dict[int, int] = {}
    for place, (step, old) in enumerate(zip(steps, named, strict=True)):
        labels = np.array([label_of[label] for label in old.tolist()])
        present = np.unique(labels).tolist()
        kept = {label: numbers[label] for label in present if label in numbers}
        born, died = (len(present) - len(kept), len(numbers) - len(kept)) if place else (0, 0)
        free = free_numbers({*kept.values()})
        numbers = kept | {label: next(free) for label in present if label not in kept}
        yield replace(step, labels=labels, numbers=numbers, born=born, died=died)


def row_costs(
    results: Results,
    tasks: Mapping[str, Task],
    encoded: Encoded,
    row: int,
    reference: np.ndarray,
) -> list[RowCosts]:
    """What fitted methods weigh for one row, by panel; ``reference`` classes number clusters."""
    one = encoded.rows(slice(row, row + 1))
    found = []
    for name, task in tasks.items():
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
