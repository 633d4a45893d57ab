"""Panels: one partition each, ready to be drawn in a shared view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from ..methods import JUDGE, METHODS
from ..methods.record import Method
from ..models.estimator import ClusterEstimator
from ..partitions.naming import Groups
from ..partitions.scores import nmi
from ..wording import counted
from .comparison import FitError, Results, Task, Truth, matched
from .outlines import outlines
from .projection import View

#: A cluster with fewer rows than this share of the table, or than three, is drawn in grey.
TINY_SHARE, TINY_ROWS = 0.005, 3
#: Clusters beyond this many are grey, too: ten colours, each with eight symbols.
MOST_COLOURS = 80
#: Of more clusters than this, only so many, the largest, have a number and an ellipse.
MOST_MARKED = 8
#: So many of the nearest rows say whose place a middle is.
ABOUT = 10
#: Room that a cluster's number takes, as a share of the panel, and its least way to the edge: it is
#: larger in the low panels of a projector.
BADGE, EDGE = 0.1, 0.075


@dataclass(frozen=True)
class Panel:
    """One partition in a view."""

    title: str
    #: A few words under the title.
    remark: str
    #: int64, shape (n,). Colour of every shown row; -1 grey. None while there is no partition.
    labels: np.ndarray | None = None
    #: int64, shape (n,). Cluster of every shown row, 0 the largest.
    codes: np.ndarray | None = None
    #: What a row's cluster is called, by its place in ``codes``.
    names: tuple[str, ...] = ()
    #: (x, y, label): where a cluster's number stands.
    badges: tuple[tuple[float, float, int], ...] = ()
    #: Numbers of clusters by their label, where they are not one more than it.
    numbers: Mapping[int, int] = field(default_factory=dict)
    #: bool, shape (n,). Shown rows placed otherwise than in the reference; None for the reference.
    apart: np.ndarray | None = None
    #: Label, and a closed curve of float32, shape (C, 2).
    outlines: tuple[tuple[int, np.ndarray], ...] = ()
    #: float32, shape (C, 2). Closed curves of no cluster's colour, such as the cells of K-means.
    borders: tuple[np.ndarray, ...] = ()
    #: float32, shape (K, 2). Where the centres of K-means stand, and the ways to those that lie far
    #: outside, shape (A, 2, 2).
    centres: np.ndarray | None = None
    ways: np.ndarray | None = None
    #: Belongs to other settings, and is drawn faintly.
    is_stale: bool = False


def renumbered(panel: Panel, numbers: Mapping[int, int]) -> Panel:
    """A panel whose clusters have these numbers, by their label."""
    called = {f"cluster {label + 1}": f"cluster {number}" for label, number in numbers.items()}
    names = tuple(called.get(name, name) for name in panel.names)
    return replace(panel, names=names, numbers=numbers)


def truth_panel(view: View, truth: Truth) -> Panel:
    """The known classes; rows without one are grey."""
    colours = np.arange(len(truth.names))
    names = (*truth.names, "not known")
    panel = _given(view, f"Known: {truth.title}", truth.classes, names, colours)
    told = [f"{k} {name}" for k, name in enumerate(truth.names, 1) if name != f"cluster {k}"]
    return replace(panel, remark=", ".join(told)) if told else panel


def groups_panel(view: View, title: str, groups: Groups) -> Panel:
    """Groups as their user arranged them, under their names and in their colours."""
    return _given(view, title, groups.labels, groups.titles, np.array(groups.colours))


def labels_panel(view: View, title: str, labels: np.ndarray, colours: np.ndarray) -> Panel:
    """A partition of the rows, 0..K-1, under its clusters' colours, -1 for grey."""
    names = tuple(f"cluster {k + 1}" if k >= 0 else "no colour" for k in colours)
    return _given(view, title, labels, names, colours)


def _given(
    view: View, title: str, groups: np.ndarray, names: tuple[str, ...], colours: np.ndarray
) -> Panel:
    """A partition that is no algorithm's; -1 is grey."""
    codes = groups[view.rows]
    coloured = _is_coloured(groups) & (colours < MOST_COLOURS)
    labels = np.where(coloured, colours, -1)[codes]
    labels[codes < 0] = -1
    remark = counted(colours.size, "group")
    return Panel(title, remark, labels, codes, names, _badges(view, labels))


def algorithm_panels(
    view: View,
    results: Results,
    wanted: dict[str, Task],
    shown: dict[str, Task],
    truth: Truth | None,
) -> list[Panel]:
    """One panel for each method wanted.

    ``wanted`` are the tasks that belong to the settings, ``shown`` those to draw: another than the
    wanted one is stale. The truth gives the colours; without it, MAP-DP does.
    """
    return [method_panel(name, view, results, wanted, shown, truth) for name in wanted]


def method_panel(
    name: str,
    view: View,
    results: Results,
    wanted: dict[str, Task],
    shown: dict[str, Task],
    truth: Truth | None,
) -> Panel:
    """The panel of one method; arguments as in ``algorithm_panels``."""
    method, task = METHODS[name], shown.get(name)
    model = None if task is None else results.get(task)
    if model is None:
        return Panel(method.title, "still to come", is_stale=True)
    if isinstance(model, FitError):
        return Panel(method.title, "does not run on this table")
    judge = results.get(shown[JUDGE]) if JUDGE in shown else None
    # The model of other columns has no outlines in this view.
    has_place = task.columns == wanted[name].columns
    seen = view if has_place else replace(view, weights=None)
    if truth is not None:
        about, reference = truth.title, truth.classes
    elif name != JUDGE and isinstance(judge, ClusterEstimator):
        about, reference = ("labels", shown[JUDGE]), judge.labels_
    else:
        panel = _panel(seen, method, model, model.labels_, None)
        return replace(panel, is_stale=task != wanted[name])
    score = results.agreement(task, about, reference)["nmi"]
    labels = matched(reference, model.labels_)
    return replace(
        _panel(seen, method, model, labels, score),
        apart=_apart_from(reference, labels)[view.rows],
        is_stale=task != wanted[name],
    )


def _apart_from(reference: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Rows whose group, renamed after the reference's, is not theirs there."""
    return (reference >= 0) & (labels != reference)


def titled_panel(
    view: View, method: Method, model: ClusterEstimator, truth: Truth, title: str
) -> Panel:
    """One fit in the colours of the known classes, under a title of its own."""
    score = nmi(truth.classes, model.labels_)
    panel = _panel(view, method, model, matched(truth.classes, model.labels_), score)
    return replace(panel, title=panel.title.replace(method.title, title, 1))


def _panel(
    view: View, method: Method, model: ClusterEstimator, named: np.ndarray, score: float | None
) -> Panel:
    colour = np.full(model.n_clusters_, -1)
    coloured = _is_coloured(model.labels_)
    colour[model.labels_] = named
    colour = np.where(coloured & (colour < MOST_COLOURS), colour, -1)
    codes = model.labels_[view.rows]
    labels = colour[codes]
    marked = np.where(np.arange(colour.size) < MOST_MARKED, colour, -1)  # 0 is the largest
    names = tuple(f"cluster {k + 1}" if k >= 0 else "no cluster with a colour" for k in colour)
    agreement = "" if score is None else f", NMI {score:.2f}"
    return Panel(
        title=f"{method.title}, K = {model.n_clusters_:,}{agreement}",
        remark=", ".join(filter(None, [method.remark(model), method.table])),
        labels=labels,
        codes=codes,
        names=names,
        badges=_badges(view, marked[codes]),
        outlines=_outlines(view, method, model, marked),
    )


def _is_coloured(labels: np.ndarray) -> np.ndarray:
    """Whether each cluster is large enough for a colour of its own."""
    known = labels[labels >= 0]
    return np.bincount(known) >= max(TINY_ROWS, TINY_SHARE * known.size)


def _badges(view: View, labels: np.ndarray) -> tuple[tuple[float, float, int], ...]:
    """A number in the middle of every coloured cluster, or beside one that it would hide.

    It is moved aside where two would overlap.
    """
    named = np.unique(labels[labels >= 0])
    if not named.size:
        return ()
    low = np.array([view.x.low, view.y.low])
    size = np.array([view.x.high, view.y.high]) - low
    places = _apart(_beside((view.points - low) / size, labels, named))
    return tuple(
        (float(x), float(y), label)
        for label, (x, y) in zip(named.tolist(), low + places * size, strict=True)
    )


def _middle(points: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Middle of a cluster's rows; where others lie about that, its row that is nearest to it."""
    middle = points[own].mean(axis=0)
    distances = np.linalg.norm(points - middle, axis=1)
    about = np.argpartition(distances, min(ABOUT, len(points) - 1))[:ABOUT]
    if own[about].any():
        return middle
    return points[np.where(own, distances, np.inf).argmin()]


def _beside(points: np.ndarray, labels: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Where the numbers of clusters stand, (K, 2): in the middle, or beside one that is small.

    Away from the nearest other one, lest it hides that; but not where others' rows are nearer.
    """
    members = [labels == k for k in named]
    places = np.array([_middle(points, own) for own in members])
    spreads = np.array([np.linalg.norm(points[own].std(axis=0)) for own in members])
    steps = places[:, None] - places[None]
    distances = np.linalg.norm(steps, axis=2)
    np.fill_diagonal(distances, np.inf)
    nearest = distances.argmin(axis=1)
    away = steps[np.arange(named.size), nearest] / np.maximum(distances.min(axis=1), 1e-9)[:, None]
    beside = places + (BADGE / 2 + 1.5 * spreads)[:, None] * away
    beside = beside.clip(EDGE, 1.0 - EDGE)
    for k in np.flatnonzero(spreads < BADGE / 2):
        row = np.linalg.norm(points - beside[k], axis=1).argmin()
        if members[k][row]:
            places[k] = beside[k]
    return places


def _apart(places: np.ndarray) -> np.ndarray:
    """Push points of the unit square apart until none are closer than a badge is wide."""
    random = np.random.default_rng(0)
    for _ in range(60):
        # Points that coincide, as two that were pushed into one corner do, have no way to part.
        places = places + 1e-6 * random.standard_normal(places.shape)
        steps = places[:, None] - places[None]
        distances = np.linalg.norm(steps, axis=2)
        np.fill_diagonal(distances, np.inf)
        overlap = np.maximum(BADGE - distances, 0.0)
        if not overlap.any():
            break
        places = places + 0.5 * (steps * (overlap / distances)[..., None]).sum(axis=1)
        places = places.clip(EDGE, 1.0 - EDGE)
    return places


def _outlines(
    view: View, method: Method, model: ClusterEstimator, colour: np.ndarray
) -> tuple[tuple[int, np.ndarray], ...]:
    """95 % ellipses, where the model describes its clusters by a likelihood of every column."""
    summaries = [] if view.weights is None else method.summaries(model)
    kept = [k for k in range(len(summaries)) if k < colour.size and colour[k] >= 0]
    curves = outlines(view, [summaries[k] for k in kept])
    return tuple((int(colour[k]), curve) for k, curve in zip(kept, curves, strict=True))
