"""Figures as scikit-learn's displays: made from a fitted estimator, drawn by ``plot``.

plotly is imported when something is drawn; ``figure_`` is its figure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from ..inference.contributions import column_contributions
from ..inference.merge_path import MergePath, merge_path
from ..models.mapdp import MAPDP
from ..models.tolerance import TolerancePath, tolerance_path
from ..partitions.naming import Groups
from ..profiling.dendrogram import Dendrogram
from .clustered import groups_of, partition_of
from .description import Description, describe

if TYPE_CHECKING:
    import plotly.graph_objects as go


class Display:
    """Base of the displays."""

    figure_: go.Figure

    def plot(self) -> Self:
        """Draw it, as ``figure_``.

        Raises
        ------
        ImportError
            plotly is not installed.
        """
        self.figure_ = self._drawn()
        return self

    def _drawn(self) -> go.Figure:
        raise NotImplementedError

    def _repr_mimebundle_(self, **told: Any) -> dict[str, Any]:
        """What a notebook shows: the figure, drawn by its own copy of plotly."""
        return (self.figure_ or self.plot().figure_)._repr_mimebundle_(**told)


@dataclass
class ClustersDisplay(Display):
    """A card for each of the largest clusters, and what sets it apart."""

    description: Description
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Draw the clusters of any fitted estimator."""
        return cls(describe(estimator)).plot()

    def _drawn(self) -> go.Figure:
        return self.description.figure()


@dataclass
class ContributionsDisplay(Display):
    """How much each column drove the grouping, in nats; below 0 the clusters do not suit it."""

    #: As ``Description.contributions``.
    contributions: pd.DataFrame
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Draw the contributions to the clusters of any fitted estimator."""
        found = column_contributions(partition_of(estimator))
        return cls(found.sort_values("nats", ascending=False, kind="stable")).plot()

    def _drawn(self) -> go.Figure:
        from ..plots.profiles import bars_figure

        return bars_figure(self.contributions.index, self.contributions["nats"], "log units")


@dataclass
class ToleranceDisplay(Display):
    """K as the evidence counts less, the groups that stay shaded."""

    path: TolerancePath
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(cls, estimator: MAPDP) -> Self:
        """Draw the tolerance path of a fitted MAPDP."""
        return cls(tolerance_path(estimator)).plot()

    def _drawn(self) -> go.Figure:
        from ..plots.tolerance import tolerance_figure

        path = self.path
        return tolerance_figure(path, float(path.powers[path.proposed or 0]))


@dataclass
class MergePathDisplay(Display):
    """The clusters merged down to one, with what every merge costs on E."""

    path: MergePath
    groups: Groups
    figure_: Any = field(default=None, init=False, repr=False)

    @classmethod
    def from_estimator(cls, estimator: Any) -> Self:
        """Draw the merges of the clusters of any fitted estimator."""
        return cls(merge_path(partition_of(estimator)), groups_of(estimator)).plot()

    def _drawn(self) -> go.Figure:
        from ..plots.trees import dendrogram_figure

        groups = self.groups
        tree = Dendrogram.of(self.path)
        return dendrogram_figure(tree, groups.titles, groups.colours, groups.n_groups)
