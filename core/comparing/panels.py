"""Panels: one partition each, ready to be drawn in a shared view."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial import Voronoi

from ..engine.partition import Partition
from ..families import FAMILIES
from ..inference.clusters import describe_clusters
from ..methods import JUDGE, METHODS
from ..methods.record import Method, Summaries
from ..methods.steps import posterior_summaries
from ..models.centroids import CentroidEstimator
from ..models.estimator import ClusterEstimator
from ..partitions.naming import Groups
from ..partitions.scores import nmi
from ..wording import counted
from .comparison import FitError, Results, Task, Truth, matched
from .projection import View

#: A cluster with fewer rows than this share of the table, or than three, is drawn in grey.
TINY_SHARE, TINY_ROWS = 0.005, 3
#: Clusters beyond this many are grey, too: ten colours, each with eight symbols.
MOST_COLOURS = 80
#: Of more clusters than this, only so many, the largest, have a number and an ellipse.
MOST_MARKED = 8
#: So many of the nearest rows say whose place a middle is.
NEAREST = 10
#: A number's room as a share of the panel, and way to its edge: larger in a projector's low panels.
BADGE, EDGE = 0.1, 0.075
#: Squared radius of the disc that holds 95 % of a two-dimensional standard normal: -2 ln 0.05.
RADIUS = math.sqrt(-2.0 * math.log(0.05))
CORNERS = 72
#: The outer cells of K-means reach so many times as far as its centres lie apart.
FAR = 100.0


@dataclass(frozen=True)
class Panel:
    """One partition in a view."""

    title: str
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
    #: float32, (K, 2). Centres of K-means, and ways to those far outside, (A, 2, 2).
    centres: np.ndarray | None = None
    ways: np.ndarray | None = None
    is_stale: bool = False


def renumbered(panel: Panel, numbers: Mapping[int, int]) -> Panel:
    """A panel whose clusters have these numbers, by their label."""
    called = {f"cluster {label + 1}": f"cluster {number}" for label, number in numbers.items()}
    names = tuple(called.get(name, name) for name in panel.names)
    return replace(panel, names=names, numbers=numbers)


def truth_panel(view: View, truth: Truth, groups: Groups | None = None) -> Panel:
    """The known classes, in the colours of the groups that they match; unknown rows are grey."""
    labels = truth.classes if groups is None else matched(groups.labels, truth.classes)
    numbers = _clusters(truth.classes, labels)
    colours = numbers if groups is None else _colours(groups, numbers)
    panel = labels_panel(view, f"Known: {truth.title}", truth.classes, colours)
    known = zip(numbers.tolist(), truth.names, strict=True)
    said = [f"{k + 1} {name}" for k, name in known if name != f"cluster {k + 1}"]
    remark = ", ".join(said) or panel.remark
    panel = replace(panel, names=(*truth.names, "not known"), remark=remark)
    return panel if groups is None else replace(panel, numbers=_numbers(colours, numbers))


def groups_panel(view: View, title: str, groups: Groups) -> Panel:
    """Groups as their user arranged them, under their names, numbers and colours."""
    colours = np.array(groups.colours)
    panel = labels_panel(view, title, groups.labels, colours)
    return replace(panel, names=groups.titles, numbers=_numbers(colours, np.arange(colours.size)))


def method_panel(
    name: str,
    view: View,
    results: Results,
    wanted: Mapping[str, Task],
    shown: Mapping[str, Task],
    truth: Truth | None,
    groups: Groups | None = None,
) -> Panel:
    """The panel of one method; another task ``shown`` than the one ``wanted`` is stale.

    Colours are those of the ``groups`` made of MAP-DP's clusters, else of the known classes, else
    of MAP-DP's clusters.
    """
    method, task = METHODS[name], shown.get(name)
    model = None if task is None else results.get(task)
    if model is None:
        return Panel(method.title, "still to come", is_stale=True)
    if isinstance(model, FitError):
        return Panel(method.title, "does not run on this table")
    if task.columns != wanted[name].columns:  # the model of other columns has no outlines here
        view = replace(view, weights=None)
    judge = results.get(shown[JUDGE]) if JUDGE in shown else None
    about = reference = None
    if truth is not None:
        about, reference = truth.title, truth.classes
    elif name != JUDGE and groups is not None:
        about, reference = (shown[JUDGE], groups.parts), groups.labels
    elif name != JUDGE and isinstance(judge, ClusterEstimator):
        about, reference = shown[JUDGE], judge.labels_
    if name == JUDGE and groups is not None:
        panel = _of_groups(view, results, task, model, groups)
    else:
        panel = _of_model(view, method, model, reference, groups)
    if reference is not None:
        is_known, labels = reference >= 0, model.labels_
        if name == JUDGE and groups is not None:  # what is shown, not the clusters as fitted
            labels = groups.labels
            score = nmi(reference[is_known], labels[is_known])
        else:
            score = results.agreement(task, about, reference)["nmi"]
        apart = is_known & (matched(reference, labels) != reference)
        panel = replace(panel, title=f"{panel.title}, NMI {score:.2f}", apart=apart[view.rows])
    return replace(panel, is_stale=task != wanted[name])


def _of_groups(
    view: View, results: Results, task: Task, model: ClusterEstimator, groups: Groups
) -> Panel:
    """MAP-DP's clusters, put together to groups as on the other pages."""
    method, n_fitted = METHODS[JUDGE], model.n_clusters_
    title, remark = f"{method.title}, K = {n_fitted:,}", method.remark(model)
    if groups.n_groups != n_fitted:
        title = f"{method.title}, {counted(groups.n_groups, 'group')}"
        remark = f"{n_fitted:,} clusters as fitted"

    def summaries() -> Summaries:
        partition = Partition.at_rest(model.columns_, model.concentration, groups.labels)
        return posterior_summaries(describe_clusters(partition))

    panel = groups_panel(view, title, groups)
    marked = _marked(np.array(groups.colours))
    curves = results.latest("summaries of groups", (task, groups.parts), summaries)
    return replace(
        panel,
        remark=remark,
        badges=_badges(view, marked[panel.codes]),
        outlines=_outlines(view, curves, marked),
    )


def _of_model(
    view: View,
    method: Method,
    model: ClusterEstimator,
    reference: np.ndarray | None,
    groups: Groups | None,
) -> Panel:
    reference = reference if groups is None else groups.labels
    numbers = _clusters(model.labels_, matched(reference, model.labels_))
    colours = numbers if groups is None else _colours(groups, numbers)
    title = f"{method.title}, K = {model.n_clusters_:,}"
    panel = labels_panel(view, title, model.labels_, colours)
    seen = np.full(colours.size, -1)
    seen[panel.codes] = panel.labels  # grey where a cluster is tiny
    shown = _marked(seen)
    return replace(
        panel,
        remark=", ".join(filter(None, [method.remark(model), method.table])),
        badges=_badges(view, shown[panel.codes]),
        outlines=_outlines(view, method.summaries(model), shown),
        numbers={} if groups is None else _numbers(colours, numbers),
    )


def labels_panel(view: View, title: str, labels: np.ndarray, colours: Sequence[int]) -> Panel:
    """A partition of the rows under its clusters' colours; -1 and what is too small are grey."""
    codes = labels[view.rows]
    known = labels[labels >= 0]
    is_large = np.bincount(known) >= max(TINY_ROWS, TINY_SHARE * known.size)
    seen = np.where(is_large & (np.asarray(colours) < MOST_COLOURS), colours, -1)
    shown = np.where(codes < 0, -1, seen[codes])
    names = tuple(f"cluster {k + 1}" if k >= 0 else "no colour" for k in seen)
    return Panel(title, counted(seen.size, "group"), shown, codes, names, _badges(view, shown))


def _clusters(labels: np.ndarray, named: np.ndarray) -> np.ndarray:
    """New name of every cluster, shape (K,), of rows that were renamed; unknown ones left out."""
    names = np.empty(int(labels.max()) + 1, dtype=np.int64)
    names[labels[labels >= 0]] = named[labels >= 0]
    return names


def _colours(groups: Groups, numbers: np.ndarray) -> np.ndarray:
    """Colours of clusters by the number of the group that they match, others those left free."""
    most = int(numbers.max(initial=0)) + groups.n_groups + 1
    free = [colour for colour in range(most) if colour not in groups.colours]
    return np.array([*groups.colours, *free])[numbers]


def _numbers(colours: np.ndarray, numbers: np.ndarray) -> dict[int, int]:
    return dict(zip(colours.tolist(), (numbers + 1).tolist(), strict=True))


def _marked(colours: np.ndarray) -> np.ndarray:
    """The same colours, but those of the largest clusters alone."""
    return np.where(np.arange(colours.size) < MOST_MARKED, colours, -1)


def _badges(view: View, labels: np.ndarray) -> tuple[tuple[float, float, int], ...]:
    """A number in or beside every coloured cluster, moved aside where two would overlap."""
    named = np.unique(labels[labels >= 0])
    if not named.size:
        return ()
    low = np.array([view.x.low, view.y.low])
    size = np.array([view.x.high, view.y.high]) - low
    places = low + size * _apart(_beside((view.points - low) / size, labels, named))
    return tuple(
        (float(x), float(y), label) for label, (x, y) in zip(named.tolist(), places, strict=True)
    )


def _middle(points: np.ndarray, own: np.ndarray) -> np.ndarray:
    middle = points[own].mean(axis=0)
    distances = np.linalg.norm(points - middle, axis=1)
    nearest = np.argpartition(distances, min(NEAREST, len(points) - 1))[:NEAREST]
    if own[nearest].any():
        return middle
    return points[np.where(own, distances, np.inf).argmin()]


def _beside(points: np.ndarray, labels: np.ndarray, named: np.ndarray) -> np.ndarray:
    """Where numbers of clusters stand, (K, 2): in the middle, or beside small ones, hiding none."""
    members = [labels == k for k in named]
    places = np.array([_middle(points, own) for own in members])
    spreads = np.array([np.linalg.norm(points[own].std(axis=0)) for own in members])
    steps, distances = _distances(places)
    nearest = distances.argmin(axis=1)
    away = steps[np.arange(named.size), nearest] / np.maximum(distances.min(axis=1), 1e-9)[:, None]
    beside = places + (BADGE / 2 + 1.5 * spreads)[:, None] * away
    beside = beside.clip(EDGE, 1.0 - EDGE)
    for k in np.flatnonzero(spreads < BADGE / 2):
        if members[k][np.linalg.norm(points - beside[k], axis=1).argmin()]:
            places[k] = beside[k]
    return places


def _apart(places: np.ndarray) -> np.ndarray:
    """Push points of the unit square apart until none are closer than a badge is wide."""
    random = np.random.default_rng(0)
    for _ in range(60):
        # Points that coincide, as two that were pushed into one corner do, have no way to part.
        places = places + 1e-6 * random.standard_normal(places.shape)
        steps, distances = _distances(places)
        overlap = np.maximum(BADGE - distances, 0.0)
        if not overlap.any():
            break
        places = places + 0.5 * (steps * (overlap / distances)[..., None]).sum(axis=1)
        places = places.clip(EDGE, 1.0 - EDGE)
    return places


def _distances(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    steps = places[:, None] - places[None]
    distances = np.linalg.norm(steps, axis=2)
    np.fill_diagonal(distances, np.inf)
    return steps, distances


def _outlines(
    view: View, summaries: Summaries, colours: np.ndarray
) -> tuple[tuple[int, np.ndarray], ...]:
    """95 % ellipses of coloured clusters, where a model describes every column of theirs."""
    if view.weights is None:
        return ()
    kept = [k for k in range(len(summaries)) if k < colours.size and colours[k] >= 0]
    curves = outlines(view, [summaries[k] for k in kept])
    return tuple((int(colours[k]), curve) for k, curve in zip(kept, curves, strict=True))


def outlines(view: View, clusters: Sequence[Mapping[str, Mapping[str, Any]]]) -> list[np.ndarray]:
    """Outline, float32 of shape (73, 2), of each cluster's 95 % ellipse in a view with weights.

    Of a normal with the features' mean and covariance at the posterior's point estimate, carried
    into the plane. A cluster is the posteriors' summaries by unit.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)])
    if not clusters:
        return []
    weights, curves = np.column_stack([axis for axis, _ in view.weights]), []
    for cluster in clusters:
        middle = np.array([constant for _, constant in view.weights])
        covariance, at = np.zeros((2, 2)), 0
        for unit in view.units:
            mean, spread = FAMILIES[unit.family].Prior.moments(cluster[unit.name])
            part = weights[at : at + len(mean)]
            middle += mean @ part
            covariance += part.T @ spread @ part
            at += len(mean)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        curves.append((middle + circle @ root.T).astype(np.float32))
    return curves


def cells(model: CentroidEstimator) -> list[np.ndarray]:
    """What is nearest to each centre of K-means in a plane of two numeric columns, in their units.

    Closed convex curves, float32 of shape (C, 2). Nearness is in the coordinates that the model ran
    on, so a border need not be at a right angle to the line between two centres.
    """
    centres, encoding = np.unique(model.cluster_centers_, axis=0), model.encoding_
    reach = FAR * (np.ptp(centres, axis=0).max() or 1.0)
    outer = centres.mean(axis=0) + reach * np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
    plane, found = Voronoi(np.concatenate([centres, outer])), []
    for centre, region in zip(centres, plane.point_region, strict=False):
        corners = plane.vertices[plane.regions[region]]
        corners = corners[np.arctan2(*(corners - centre).T[::-1]).argsort()]
        corners = np.concatenate([corners, corners[:1]]) * encoding.scale + encoding.center
        found.append(corners.astype(np.float32))
    return found


def centres_in_view(model: CentroidEstimator, view: View) -> tuple[np.ndarray, np.ndarray]:
    """Centres, (K, 2), where they are or at the edge; the ways of the latter, (A, 2, 2)."""
    centres = model.cluster_centers_ * model.encoding_.scale + model.encoding_.center
    if view.edge is None:
        return centres.astype(np.float32), np.empty((0, 2, 2), dtype=np.float32)
    return view.edge.place(centres)
