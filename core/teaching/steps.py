"""A method's run step by step, as it is drawn: clusters keep their numbers, ellipses are curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..comparing.panels import outlines
from ..comparing.projection import View
from ..methods import METHODS
from ..methods.settings import Settings
from ..methods.steps import MOST_ROWS, Ground, Procedure, Step, shown
from ..partitions.labels import free_numbers
from ..partitions.scores import match_labels, nmi
from ..schema.encoded import Encoded

#: NMI by which one run has to be nearer to the truth than the other.
NEARER = 0.02


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
    most_rows: int = MOST_ROWS,
) -> Walk:
    """Run one of ``procedures()`` on a sample of two numeric columns; keep what it goes through.

    ``view`` is of all rows, in the columns' units; ``classes``, every row's true group, serve the
    start from the truth and the clusters' numbers.
    """
    procedure, random = procedures()[name], np.random.default_rng(settings.seed)
    n = len(encoded.values)
    size = min(n, procedure.most_rows, most_rows)
    rows = np.sort(random.choice(n, size, replace=False)) if size < n else np.arange(n)
    sample = encoded.rows(rows)
    seen = replace(view, points=view.points[rows], rows=rows)
    ground = Ground(sample, classes[rows], settings, prior_scale, random)
    steps = list(procedure.steps(ground))
    kept = steps if procedure.is_whole else [steps[place] for place in shown(len(steps))]
    kept = [replace(step, curves=tuple(outlines(seen, list(step.summaries)))) for step in kept]
    notes = [
        f"{size:,} of the {n:,} rows take part." if size < n else "",
        f"{len(kept)} of {len(steps)} steps are shown." if len(kept) < len(steps) else "",
    ]
    named = tuple(_numbered(_named(kept, classes[rows])))
    note = " ".join(filter(None, notes))
    return Walk(procedure.title, procedure.measure, seen, named, note)


def scores(run: Walk, classes: np.ndarray | None) -> list[float]:
    """NMI with the table's ``classes`` after each step; without them, the number of groups."""
    if classes is None:
        return [float(step.n_clusters) for step in run.steps]
    return [nmi(classes[run.view.rows], step.labels) for step in run.steps]


def verdict(
    runs: Sequence[Walk], reached: Sequence[Sequence[float]], has_truth: bool
) -> tuple[str, str]:
    """What is to be predicted of two runs, by their ``scores``, and what comes true."""
    left, right = (one[-1] for one in reached)
    same, margin = ("Equally near", NEARER) if has_truth else ("As many", 0.5)
    question = f"Which ends {'nearer to the true groups' if has_truth else 'with more groups'}?"
    sides = f"Left: {runs[0].title}", f"Right: {runs[1].title}"
    said = same if abs(left - right) < margin else sides[right > left]
    ends = [f"NMI {end:.2f}" if has_truth else f"K = {end:.0f}" for end in (left, right)]
    return question, f"{said} ({' against '.join(ends)})."


def _named(steps: list[Step], classes: np.ndarray) -> list[Step]:
    """Label the clusters so that each keeps its label, in the end that of the true groups."""
    named = [steps[0].labels]
    for step in steps[1:]:
        named.append(match_labels(named[-1], step.labels))
    final = named[-1]
    wanted = match_labels(classes, final)
    numbers = dict(zip(final.tolist(), wanted.tolist(), strict=True))
    fresh = max(*numbers.values(), int(classes.max()))
    for name in np.unique(np.concatenate(named)).tolist():
        if name not in numbers:
            fresh += 1
            numbers[name] = fresh
    rename = np.array([numbers.get(name, -1) for name in range(max(numbers) + 1)])
    before, finished = None, []
    for step, labels in zip(steps, named, strict=True):
        now = set(labels.tolist())
        born, died = (0, 0) if before is None else (len(now - before), len(before - now))
        finished.append(replace(step, labels=rename[labels], born=born, died=died))
        before = now
    return finished


def _numbered(steps: list[Step]) -> Iterator[Step]:
    """Number the clusters as they come: a new one takes the least number that is free."""
    numbers: dict[int, int] = {}
    for step in steps:
        there = np.unique(step.labels).tolist()
        numbers = {label: numbers[label] for label in there if label in numbers}
        free = free_numbers({*numbers.values()})
        for label in there:
            if label not in numbers:
                numbers[label] = next(free)
        yield replace(step, numbers=numbers)
