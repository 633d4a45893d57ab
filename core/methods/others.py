"""Records of the methods beyond the five."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..models.bayesian_hierarchy import BayesianHierarchy
from ..models.biclusters import Biclusters
from ..models.hard_hdp import HardHDP
from ..models.similarity.cut import PenalisedCut
from ..models.similarity.distances import MOST_ROWS
from ..models.similarity.graph import SpectralDPMeans
from ..models.similarity.kernel_dpmeans import KernelDPMeans
from ..models.similarity.wrapped import (
    HDBSCAN,
    AffinityPropagation,
    Agglomerative,
    BisectingKMeans,
    DissimilarityAnalysis,
    SpectralClustering,
)
from ..models.views import MAPViews
from ..wording import counted
from .record import Method, Option
from .settings import Settings

_OF_ROWS = {"concentration": "concentration", "random_state": "seed"}
_SEED, _K = {"random_state": "seed"}, {"n_clusters": "n_clusters"}
_PAIRS = {"table": "by how alike any two rows are"}
_MEASURE = Option(
    "measure",
    "Rows compared by",
    ("encoding", "gower"),
    "encoding",
    "The table's plain numbers, or Gower's dissimilarity, which leaves missing cells out.",
)
_HEIGHT = Option(
    "height",
    "Cut height",
    (),
    None,
    "Merges above it are undone. Without one, the tree is cut where K clusters are left.",
)
_KERNELS = {
    "diffusion": "a walk along the graph of nearest neighbours",
    "rbf": "a Gaussian as wide as the median distance",
    "gower": "1 less Gower's dissimilarity",
    "linear": "inner products",
}


def one_two_five(low: int, high: int, sign: float = 1.0) -> tuple[float, ...]:
    """1, 2 and 5 times every power of ten from ``low`` to below ``high``, rising."""
    found = [float(f"{sign * step:g}e{power}") for power in range(low, high) for step in (1, 2, 5)]
    return tuple(sorted(found))


def _method(
    title: str,
    name: str,
    sentence: str,
    estimator: type,
    read: dict[str, str],
    remark: Callable[[Any], str],
    *options: Option,
    more: Callable[[Any], str] = lambda model: "",
    **record: Any,
) -> Method:
    """Record whose arguments are settings unchanged: ``read`` maps argument to setting.

    Its explanation is the glossary's sentence and ``more(model)``.
    """

    def arguments(chosen: Settings, n_cells: int) -> dict[str, Any]:
        return {argument: getattr(chosen, setting) for argument, setting in read.items()}

    return Method(
        title,
        (name, sentence),
        estimator,
        remark,
        lambda model: f"{sentence} {more(model)}".strip(),
        options=options,
        **{"arguments": arguments, "reads": tuple(read.values())} | record,
    )


def _k_given(model: Any) -> str:
    return "K given"


def _noted(model: Any) -> str:
    return str(model.result_.details.get("note", "K found"))


def _penalty(model: Any) -> str:
    return f"λ = {model.penalty_:,.3g}"


def _cut(model: Any) -> str:
    return "K given" if model.height is None else f"cut at height {model.height:,.3g}"


def _view_widths(model: MAPViews) -> str:
    widths = ", ".join(
        f"{len(view.columns_.encoded.names)} columns in {view.n_clusters_} groups"
        for view in model.views_
    )
    below = model.single_objective_ - model.objective_
    return f"Here: {widths}. E is {below:,.1f} nats below one view's."


def _linkage(model: Agglomerative) -> str:
    of = "plain numbers" if model.measure == "encoding" else "Gower's dissimilarity"
    return f"Here by {model.linkage} linkage on {of}."


OTHERS = (
    _method(
        "Views",
        "Views",
        "Several groupings of one table: columns that tell one story share a view.",
        MAPViews,
        _OF_ROWS,
        lambda model: (
            f"the widest of {len(model.views_)} views that groups"
            if len(model.views_) > 1
            else "one view of all columns"
        ),
        Option(
            "view_concentration",
            "Concentration of views",
            one_two_five(-2, 3),
            1.0,
            "Up: more views. How readily a column opens a view of its own.",
        ),
        more=_view_widths,
    ),
    _method(
        "Hard HDP",
        "Hard HDP",
        "DP-means for several data sets: a cluster costs once, and once for each that uses it.",
        HardHDP,
        {"n_clusters_hint": "n_clusters"},
        lambda model: f"shared by {counted(len(model.group_names_), 'data set')}",
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
        shares_clusters=True,
        table="on plain numbers",
    ),
    _method(
        "Bayesian tree",
        "Bayesian hierarchical clustering",
        "A tree of the rows: those merge first that are most probably one cluster.",
        BayesianHierarchy,
        _OF_ROWS,
        lambda model: "cut where a merge is less likely than not",
        more=lambda model: f"The log evidence is at least {model.log_evidence_:,.1f} nats.",
        heights=("less sure than the surest merge (log units)", True),
    ),
    _method(
        "Biclustering",
        "Biclustering",
        "Rows and columns in clusters at once, every block with one distribution.",
        Biclusters,
        _OF_ROWS,
        lambda model: f"and {model.column_labels_.max() + 1} clusters of columns",
    ),
    _method(
        "Kernel DP",
        "Kernel DP-means",
        "DP-means in the space of a kernel: clusters need not be round.",
        KernelDPMeans,
        {},
        _penalty,
        Option(
            "kernel",
            "Kernel",
            tuple(_KERNELS),
            "diffusion",
            "A walk along the graph of nearest neighbours, a Gaussian as wide as the median "
            "distance, 1 less Gower's dissimilarity, or inner products (DP-means itself).",
        ),
        Option(
            "penalty",
            "λ",
            one_two_five(-3, 3),
            None,
            "What a cluster costs, in the kernel's squared distance. Without one, the "
            "farthest-first λ for as many groups as the spectrum speaks for.",
        ),
        arguments=lambda settings, n_cells: {"kernel": "diffusion"},
        more=lambda model: f"Here it is {_KERNELS[model.kernel]}.",
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
    _method(
        "Spectral DP",
        "Spectral DP-means",
        "As many clusters as a graph of similar rows has eigenvalues above λ.",
        SpectralDPMeans,
        _SEED,
        _penalty,
        Option(
            "penalty",
            "λ",
            (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999),
            None,
            "Eigenvectors whose eigenvalue is above it count. Without one, half way into the "
            "largest jump of the spectrum.",
        ),
        **_PAIRS,
    ),
    _method(
        "Penalised cut",
        "Penalised cut",
        "A graph of similar rows cut into as many parts as their price allows.",
        PenalisedCut,
        _SEED,
        _penalty,
        Option(
            "penalty",
            "λ",
            one_two_five(-4, 0, -1.0),
            None,
            "What a part costs, below 0 as one part cuts nothing. Without one, from the "
            "largest jump of the spectrum.",
        ),
        Option(
            "cut",
            "Cut",
            ("normalized", "ratio"),
            "normalized",
            "What leaves a part is divided by the degree of its rows, or by their number.",
        ),
        **_PAIRS,
    ),
    _method(
        "Affinity",
        "Affinity propagation",
        "Rows elect exemplars by messages; similarity decides how many.",
        AffinityPropagation,
        _SEED,
        _noted,
        Option(
            "preference",
            "Preference",
            one_two_five(-1, 5, -1.0),
            None,
            "Lower: fewer clusters. Minus the squared distance at which a row is as good an "
            "exemplar as another; without one, the median.",
        ),
        _MEASURE,
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
    _method(
        "Spectral",
        "Spectral clustering",
        "K clusters from the eigenvectors of a graph of nearest neighbours.",
        SpectralClustering,
        _K | _SEED,
        _k_given,
        Option(
            "n_neighbors",
            "Neighbours",
            (5, 7, 10, 15, 20, 30, 50),
            10,
            "Rows that every row is joined with.",
        ),
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
    _method(
        "Bisecting",
        "Bisecting K-means",
        "The widest cluster is divided by 2-means until there are K.",
        BisectingKMeans,
        _K | _SEED,
        _k_given,
        table="on plain numbers",
    ),
    _method(
        "HDBSCAN",
        "HDBSCAN",
        "Dense regions of any shape; rows between them are noise.",
        HDBSCAN,
        {},
        _noted,
        Option(
            "min_cluster_size",
            "Fewest rows of a cluster",
            (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200),
            5,
            "Up: fewer clusters; smaller dense regions are noise.",
        ),
        _MEASURE,
        more=lambda model: "The noise is one group, the last.",
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
    _method(
        "Linkage",
        "Agglomerative clustering",
        "The two nearest clusters merge until one is left; the tree is cut.",
        Agglomerative,
        _K,
        _cut,
        Option(
            "linkage",
            "Linkage",
            ("average", "single", "complete", "ward"),
            "average",
            "The distance of two clusters: the mean of their rows', the least, the largest, "
            "or by how much the squared error grows.",
        ),
        _MEASURE,
        _HEIGHT,
        more=_linkage,
        heights=("distance of what is merged", False),
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
    _method(
        "Dissimilarity",
        "Dissimilarity analysis",
        "From all rows down, a splinter leaves the widest group; the tree is cut.",
        DissimilarityAnalysis,
        _K,
        _cut,
        _HEIGHT,
        heights=("diameter of the group", False),
        most_rows=MOST_ROWS,
        **_PAIRS,
    ),
)
