"""Several groupings of one table as the pages show them: each view with a fit of its own."""

from dataclasses import dataclass

import pandas as pd

from ..comparing.comparison import FitError, Results, Task, tasks
from ..inference.contributions import column_contributions
from ..methods import JUDGE
from ..methods.settings import Settings
from ..models.estimator import Callback
from ..models.mapdp import MAPDP
from ..models.progress import Stages
from ..models.views import MAPViews
from ..schema.schema import Schema
from ..wording import counted
from .cards import Card, profile_cards
from .profiles import LEAST_ROWS


@dataclass(frozen=True, eq=False)
class ShownView:
    """A view and MAP-DP's groups by its columns alone, as they open on the other pages."""

    #: With the columns of the other views set aside.
    schema: Schema
    task: Task
    model: MAPDP
    #: Log units by which the groups describe each column better than one group, the most first.
    contributions: pd.Series
    cards: tuple[Card, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, the one that drives its groups most first."""
        return tuple(self.contributions.index)

    @property
    def tells_groups(self) -> bool:
        """Whether more than one is no mere handful of rows."""
        return sum(card.size >= LEAST_ROWS for card in self.cards) > 1


@dataclass(frozen=True, eq=False)
class ViewsFound:
    """The views of one table, those that tell groups first, by their number of columns."""

    views: tuple[ShownView, ...]
    #: By how many log units the views lie below one partition by all columns.
    gain: float
    n_together: int

    @property
    def telling(self) -> tuple[ShownView, ...]:
        """The views that tell groups."""
        return tuple(view for view in self.views if view.tells_groups)

    @property
    def silent(self) -> tuple[str, ...]:
        """Columns that tell no groups."""
        return tuple(name for v in self.views if not v.tells_groups for name in v.columns)

    @property
    def sentence(self) -> str:
        """What was found."""
        n = len(self.telling)
        if n == 0:
            return "No column tells groups: there is one group of rows, whichever columns are seen."
        text = (
            "All columns that tell groups tell the same ones: there is one grouping"
            if n == 1
            else f"{counted(n, 'grouping').capitalize()} of the same rows, each told by other"
            " columns"
        )
        if self.silent:
            verb = "tells" if len(self.silent) == 1 else "tell"
            text += f"; {counted(len(self.silent), 'column')} {verb} none"
        return f"{text}."

    @property
    def against_one(self) -> str:
        """How that stands to one partition by all columns together."""
        together = f"{counted(self.n_together, 'cluster')} as fitted"
        if len(self.views) == 1:
            return ""
        if self.gain <= 0:
            return f"One partition by all columns ({together}) describes the table as well."
        return (
            f"One partition by all columns together has {together} and describes the table worse,"
            f" by {self.gain:,.0f} log units."
        )


def find_views(
    frame: pd.DataFrame,
    schema: Schema,
    settings: Settings,
    digest: str,
    callback: Callback,
) -> ViewsFound:
    """Divide the columns into views, and fit each of them as a table of its own."""
    model = MAPViews(
        settings.concentration,
        likelihood_power=settings.likelihood_power,
        random_state=settings.seed,
    )
    stages = Stages(callback, 2)
    model.fit(frame, schema, callback=stages.begin("dividing the columns into views"))
    tell = stages.begin("fitting each view as a table of its own")
    shown = [_shown(frame, view, settings, digest, tell) for view in model.views_]
    shown.sort(key=lambda view: not view.tells_groups)
    return ViewsFound(
        tuple(shown),
        model.single_objective_ - model.objective_,
        model.single_.n_clusters_,
    )


def _shown(
    frame: pd.DataFrame, view: MAPDP, settings: Settings, digest: str, callback: Callback
) -> ShownView:
    """The fit that the other pages make of a view; of one that tells no groups, its own."""
    schema = view.schema_
    task = tasks(digest, schema, settings, len(frame))[JUDGE]
    model = Results().fit(task, frame, schema, callback) if view.n_clusters_ > 1 else view
    if isinstance(model, FitError):
        raise ValueError(model.reason)
    nats = column_contributions(model.partition_)["nats"].sort_values(ascending=False)
    encoded = model.columns_.encoded
    return ShownView(schema, task, model, nats, profile_cards(encoded, model.labels_))
