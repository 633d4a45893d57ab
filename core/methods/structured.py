"""Records of the methods that group otherwise than in one flat partition of the rows."""

from __future__ import annotations

from ..models.bayesian_hierarchy import BayesianHierarchy
from ..models.biclusters import Biclusters
from ..models.hard_hdp import HardHDP
from ..models.views import MAPViews
from ..wording import counted
from .record import Method, Option, one_two_five, reading

_OF_ROWS = reading(concentration="concentration", random_state="seed")


def _views_remark(model: MAPViews) -> str:
    n = len(model.views_)
    return f"the widest of {n} views that groups" if n > 1 else "one view of all columns"


def _views_explanation(model: MAPViews) -> str:
    widths = ", ".join(
        f"{len(view.columns_.encoded.names)} columns in {view.n_clusters_} groups"
        for view in model.views_
    )
    below = model.single_objective_ - model.objective_
    return f"The columns are divided into views: {widths}. E is {below:,.1f} nats below one view's."


def _shared_remark(model: HardHDP) -> str:
    return f"shared by {counted(len(model.group_names_), 'data set')}"


def _tree_explanation(model: BayesianHierarchy) -> str:
    return (
        "Rows merge bottom up, those first that are most probably one cluster; the log evidence is "
        f"at least {model.log_evidence_:,.1f} nats."
    )


VIEWS = Method(
    title="Views",
    glossary=("Views", "Several groupings of one table: columns that tell one story share a view."),
    estimator=MAPViews,
    **_OF_ROWS,
    options=(
        Option(
            "view_concentration",
            "Concentration of views",
            one_two_five(-2, 3),
            1.0,
            "Up: more views. How readily a column opens a view of its own.",
        ),
    ),
    remark=_views_remark,
    explanation=_views_explanation,
)

HARD_HDP = Method(
    title="Hard HDP",
    glossary=(
        "Hard HDP",
        "DP-means for several data sets: a cluster costs once, and once for each that uses it.",
    ),
    estimator=HardHDP,
    **reading(n_clusters_hint="n_clusters"),
    options=(
        Option(
            "local_penalty",
            "Local penalty",
            one_two_five(-2, 4),
            None,
            "What a cluster costs in every data set that uses it, in squared distance. "
            "Without one, it is half of farthest-first's for K in one data set.",
        ),
        Option(
            "global_penalty",
            "Global penalty",
            one_two_five(-2, 4),
            None,
            "What a cluster costs once, in squared distance. Without one, both together are "
            "farthest-first's for K.",
        ),
    ),
    remark=_shared_remark,
    explanation=lambda model: (
        f"A penalty that is not given is farthest-first's for "
        f"{counted(model.n_clusters_hint, 'cluster')}."
    ),
    shares_clusters=True,
    table="on plain numbers",
)

BAYESIAN_TREE = Method(
    title="Bayesian tree",
    glossary=(
        "Bayesian hierarchical clustering",
        "A tree of the rows: those merge first that are most probably one cluster.",
    ),
    estimator=BayesianHierarchy,
    **_OF_ROWS,
    remark=lambda model: "cut where a merge is less likely than not",
    explanation=_tree_explanation,
    heights=("less sure than the surest merge (log units)", True),
)

BICLUSTERING = Method(
    title="Biclustering",
    glossary=(
        "Biclustering",
        "Rows and columns in clusters at once, every block with one distribution.",
    ),
    estimator=Biclusters,
    **_OF_ROWS,
    remark=lambda model: f"and {model.column_labels_.max() + 1} clusters of columns",
    explanation=lambda model: (
        "Rows and columns are clustered at once; all cells of a block are alike."
    ),
)
