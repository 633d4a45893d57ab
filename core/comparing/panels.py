"""Panels: one partition each, ready to be drawn in a shared view."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.spatial import Voronoi

from ..engine.partition import Partition
from ..families import FAMILIES
from ..inference.clusters import describe_clusters
from ..methods import JUDGE, METHODS
from ..methods.record import Summaries
from ..methods.steps import posterior_summaries
from ..models.estimator import Callback, ClusterEstimator
from ..models.kmeans import CentroidEstimator
from ..partitions.naming import Groups
from ..partitions.scores import nmi
from ..schema.schema import Schema
from ..wording import counted
from .comparison import FitError, Results, Task, Truth, matched, numbering
from .projection import View

#: A cluster with fewer rows than this share of the table, or than three, is drawn in grey.
TINY_SHARE, TINY_ROWS = 0.005, 3
#: Clusters beyond this many are grey, too: ten colours, each with eight symbols.
MOST_COLOURS = 80
#: Of more clusters than this, only so many, the largest, have a number and an ellipse.
MOST_MARKED = 8
#: Size of a number and its distance to the edge, as shares of a panel as low as a projector's.
BADGE, EDGE = 0.1, 0.075
#: Squared radius of the disc that holds 95 % of a two-dimensional standard normal: -2 ln 0.05.
RADIUS = math.sqrt(-2.0 * math.log(0.05))
CORNERS = 72
#: The outer cells of K-means reach so many times as far as its centres lie apart.
FAR = 100.0
#: A table of more cells is long, worth a first look at so many rows before all are fitted.
LONG, SAMPLE = 150_000, 1_000
#: Perturbations in vain after which the first look of all ends: a second earlier on 1,000 rows.
LOOK_PATIENCE = 15


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
    #: Numbers of clusters by their label.
    numbers: Mapping[int, int] = field(default_factory=dict)
    #: bool, shape (n,). Shown rows placed otherwise than in the reference; None for the reference.
    apart: np.ndarray | None = None
    #: Label, and a closed curve of float32, shape (C, 2).
    outlines: tuple[tuple[int, np.ndarray], ...] = ()
    #: float32, shape (C, 2). Closed curves of no cluster's colour, such as the cells of K-means.
    borders: tuple[np.ndarray, ...] = ()
    #: float32, (K, 2). Centres of K-means, and arrows to those far outside, (A, 2, 2).
    centres: np.ndarray | None = None
    arrows: np.ndarray | None = None
    is_stale: bool = False
    #: Where it shows other rows than the figure that it is a part of.
    view: View | None = None


def truth_panel(view: View, truth: Truth, groups: Groups | None = None) -> Panel:
    """The known classes, in the colours of the groups that they match; unknown rows are grey."""
    reference = None if groups is None else groups.labels
    colours, numbers = matching(truth.classes, reference, groups)
    panel = labels_panel(view, f"Known: {truth.title}", truth.classes, colours, numbers)
    pairs = zip((numbers[colour] for colour in colours.tolist()), truth.names, strict=True)
    text = [f"{number}: {name}" for number, name in pairs if name != f"cluster {number}"]
    names, remark = (*truth.names, "not known"), ", ".join(text) or panel.remark
    return replace(panel, names=names, remark=remark)


def groups_panel(view: View, title: str, groups: Groups) -> Panel:
    """Groups as their user arranged them, under their names, numbers and colours."""
    numbers = {colour: k + 1 for k, colour in enumerate(groups.colours)}
    panel = labels_panel(view, title, groups.labels, np.array(groups.colours), numbers)
    return replace(panel, names=groups.titles)


def method_panel(
    name: str,
    view: View,
    results: Results,
    tasks: Mapping[str, Task],
    shown: Mapping[str, Task],
    truth: Truth | None,
    groups: Groups | None = None,
) -> Panel:
    """The panel of one method, in the colours of the groups, of the known classes or MAP-DP's."""
    method, task = METHODS[name], shown.get(name)
    model, judge = results.get(task), results.get(shown.get(JUDGE))
    if model is None:
        return Panel(method.title, "still to come", is_stale=True)
    if isinstance(model, FitError):
        return Panel(method.title, "does not run on this table")
    if task.columns != tasks[name].columns:  # the model of other columns has no outlines here
        view = replace(view, weights=None)
    reference = None
    if truth is not None:
        reference = truth.classes
    elif name != JUDGE and isinstance(judge, ClusterEstimator):
        reference = judge.labels_ if groups is None else groups.labels
    labels, title = model.labels_, f"{method.title}, K = {model.n_clusters_:,}"
    if name == JUDGE and groups is not None:
        labels, remark = groups.labels, method.remark(model)
        if groups.n_groups != model.n_clusters_:
            title = f"{method.title}, {counted(groups.n_groups, 'group')}"
            remark = f"{model.n_clusters_:,} clusters as fitted"
        panel = groups_panel(view, title, groups)
        key = task, groups.parts
        summaries = results.cached("summaries of groups", key, lambda: _posteriors(model, labels))
    else:
        remark = ", ".join(filter(None, [method.remark(model), method.table]))
        given = reference if groups is None else groups.labels
        colours, numbers = matching(labels, given, groups)
        if groups is None and truth is not None:
            numbers = numbering(colours, len(truth.names))
        panel = labels_panel(view, title, labels, colours, numbers)
        summaries = method.summaries(model)
    if reference is not None:
        labelled = reference >= 0
        title = f"{title}, NMI {nmi(reference[labelled], labels[labelled]):.2f}"
        apart = (labelled & (matched(reference, labels) != reference))[view.rows]
        panel = replace(panel, title=title, apart=apart)
    marked = np.full(labels.max() + 1, -1)
    marked[panel.codes] = panel.labels
    marked[MOST_MARKED:] = -1
    return replace(
        panel,
        remark=remark,
        badges=_badges(view, marked[panel.codes]),
        outlines=_outlines(view, summaries, marked),
        is_stale=task != tasks[name],
    )


def labels_panel(
    view: View,
    title: str,
    labels: np.ndarray,
    colours: np.ndarray,
    numbers: Mapping[int, int] | None = None,
) -> Panel:
    """A partition of the rows under its clusters' colours; -1 and what is too small are grey."""
    numbers = numbers or {colour: colour + 1 for colour in np.asarray(colours).tolist()}
    codes, labelled = labels[view.rows], labels[labels >= 0]
    is_large = np.bincount(labelled) >= max(TINY_ROWS, TINY_SHARE * labelled.size)
    seen = np.where(is_large & (np.asarray(colours) < MOST_COLOURS), colours, -1)
    shown = np.where(codes < 0, -1, seen[codes])
    names = tuple(f"cluster {numbers[k]}" if k >= 0 else "no colour" for k in seen.tolist())
    remark = counted(seen.size, "group")
    return Panel(title, remark, shown, codes, names, _badges(view, shown), numbers)


def matching(
    labels: np.ndarray, reference: np.ndarray | None, groups: Groups | None
) -> tuple[np.ndarray, dict[int, int]]:
    """Colour of each cluster, shape (K,), and numbers by colour: those of what it matches."""
    valid = labels >= 0
    place = np.arange(int(labels.max()) + 1)  # of a cluster without rows: its own
    place[labels[valid]] = matched(None if reference is None else reference[valid], labels[valid])
    taken = () if groups is None else groups.colours
    free = (colour for colour in range(place.max() + len(taken) + 1) if colour not in taken)
    colours = np.array([*taken, *free])[place]
    return colours, dict(zip(colours.tolist(), (place + 1).tolist(), strict=True))


def _posteriors(model: Any, labels: np.ndarray) -> Summaries:
    """Posterior summaries of merged clusters under MAP-DP's model."""
    partition = Partition.of_labels(model.columns_, model.concentration, labels)
    return posterior_summaries(describe_clusters(partition))


def _badges(view: View, labels: np.ndarray) -> tuple[tuple[float, float, int], ...]:
    """A number on every coloured cluster, or beside a small one, moved where two would overlap."""
    named = np.unique(labels[labels >= 0]).tolist()
    low = np.array([view.x.low, view.y.low])
    size = np.array([view.x.high, view.y.high]) - low
    points, places, spreads = (view.points - low) / size, np.empty((len(named), 2)), []
    for k, label in enumerate(named):
        own = points[labels == label]
        middle = np.linalg.norm(own - own.mean(axis=0), axis=1).argmin()
        places[k] = own[middle]
        spreads.append(float(np.linalg.norm(own.std(axis=0))))
    steps, distances = _differences(places)
    for k, spread in enumerate(spreads):
        if spread >= BADGE / 2 or len(named) < 2:
            continue
        nearest = distances[k].argmin()
        direction = steps[k, nearest] / max(distances[k, nearest], 1e-9)
        moved = (places[k] + (BADGE / 2 + 1.5 * spread) * direction).clip(EDGE, 1.0 - EDGE)
        if labels[np.linalg.norm(points - moved, axis=1).argmin()] == named[k]:  # hides no other
            places[k] = moved
    random = np.random.default_rng(0)
    for _ in range(60):
        # Points that coincide, as two pushed into one corner do, have no direction to move in.
        places = places + 1e-6 * random.standard_normal(places.shape)
        steps, distances = _differences(places)
        overlap = np.maximum(BADGE - distances, 0.0)
        if not overlap.any():
            break
        places = places + 0.5 * (steps * (overlap / distances)[..., None]).sum(axis=1)
        places = places.clip(EDGE, 1.0 - EDGE)
    places = (low + size * places).tolist()
    return tuple((*place, label) for place, label in zip(places, named, strict=True))


def _differences(places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Differences of every two places, (K, K, 2), and distances, infinite on the diagonal."""
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
    drawn = [k for k in range(min(len(summaries), colours.size)) if colours[k] >= 0]
    curves = outlines(view, [summaries[k] for k in drawn])
    return tuple((int(colours[k]), curve) for k, curve in zip(drawn, curves, strict=True))


def outlines(view: View, clusters: Sequence[Mapping[str, Mapping[str, Any]]]) -> list[np.ndarray]:
    """95 % ellipse, float32 of shape (73, 2), of each cluster's posterior summaries by unit."""
    angles = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    circle, curves = RADIUS * np.column_stack([np.cos(angles), np.sin(angles)]), []
    for cluster in clusters:
        weights = np.column_stack([axis for axis, _ in view.weights])
        middle = np.array([constant for _, constant in view.weights])
        covariance, at = np.zeros((2, 2)), 0
        for unit in view.units:
            mean, spread = FAMILIES[unit.family].moments(cluster[unit.name])
            part = weights[at : at + len(mean)]
            middle += mean @ part
            covariance += part.T @ spread @ part
            at += len(mean)
        values, vectors = np.linalg.eigh(covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        curves.append((middle + circle @ root.T).astype(np.float32))
    return curves


def cells(model: CentroidEstimator) -> list[np.ndarray]:
    """Closed curves round what is nearest to each centre of K-means in a plane of two columns."""
    # Near in the model's coordinates: a border need not cross the line between two at 90 degrees.
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
    """Centres, (K, 2), where they are or at the edge; the arrows of the latter, (A, 2, 2)."""
    centres = model.cluster_centers_ * model.encoding_.scale + model.encoding_.center
    if view.edge is None:
        return centres.astype(np.float32), np.empty((0, 2, 2), dtype=np.float32)
    return view.edge.place(centres)


def is_long(n_rows: int, n_columns: int) -> bool:
    """Whether a table is worth a first look before all its rows are fitted."""
    return n_rows * n_columns > LONG and n_rows > 2 * SAMPLE


@dataclass(frozen=True, eq=False)
class FirstLook:
    """Some of the rows that a view shows, and the methods' fits on them."""

    #: Of the view, shape (n,): which of its points.
    places: np.ndarray
    #: The same rows as a table, with the schema as the whole table completes it.
    frame: pd.DataFrame
    schema: Schema
    truth: Truth | None
    results: Results = field(default_factory=Results)

    @classmethod
    def of(
        cls, frame: pd.DataFrame, schema: Schema, view: View, truth: Truth | None = None
    ) -> Self:
        """Take evenly spaced rows among those that a view shows."""
        shown = view.rows.size
        places = np.unique(np.linspace(0, shown - 1, min(shown, SAMPLE)).astype(np.int64))
        rows = view.rows[places]
        sampled = None if truth is None else replace(truth, classes=truth.classes[rows])
        return cls(places, frame.iloc[rows], schema, sampled)

    def fit_quickly(self, task: Task, callback: Callback | None = None) -> None:
        """Fit MAP-DP to the sample, with less patience than to all rows."""
        quick = replace(task, arguments=(*task.arguments, ("patience", LOOK_PATIENCE)))
        self.results.keep(task, self.results.fit(quick, self.frame, self.schema, callback))

    def panel(self, name: str, view: View, tasks: Mapping[str, Task]) -> Panel | None:
        """The sample's answer in a view of all rows, marked so; None where there is none."""
        if not isinstance(self.results.get(tasks[name]), ClusterEstimator):
            return None
        shown = self.places
        own = replace(view, points=view.points[shown], rows=view.rows[shown], arrows=None)
        # The sample's fits number its rows.
        small = replace(own, rows=np.arange(shown.size))
        panel = method_panel(name, small, self.results, tasks, tasks, self.truth)
        return replace(panel, remark=f"first look: {shown.size:,} rows", view=own)
