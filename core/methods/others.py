"""Records of the methods beyond the five."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..models.bayesian_hierarchy import BayesianHierarchy
from ..models.biclusters import Biclusters
from ..models.hard_hdp import HardHDP
from ..models.similarity.cut import PenalisedCut
from ..models.similarity.graph import MOST_ROWS, SpectralDPMeans
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


def one_two_five(low: int, high: int, sign: float = 1.0) -> tuple[float, ...]:
    """1, 2 and 5 times every power of ten from ``low`` to below ``high``, rising."""
    found = [float(f"{sign * step:g}e{power}") for power in range(low, high) for step in (1, 2, 5)]
    return tuple(sorted(found))


_OF_ROWS = {"concentration": "concentration", "random_state": "seed"}
_SEED, _K = {"random_state": "seed"}, {"n_clusters": "n_clusters"}
_NUMBERS = {"table": "on plain numbers"}
_PAIRS = {"table": "by how alike any two rows are"}
_ALL_PAIRS = _PAIRS | {"most_rows": MOST_ROWS}
_PENALTIES = one_two_five(-2, 4)
_NEIGHBOURS = (5, 7, 10, 15, 20, 30, 50)
_SIZES = (2, 3, *_NEIGHBOURS, 100, 200)
_LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)
_MEASURE = Option(
    "measure",
    "Rows compared by",
    ("encoding", "gower"),
    "encoding",
    "The table's plain numbers, or Gower's dissimilarity, which leaves missing cells out.",
)
_HEIGHT = Option("height", "Cut height", (), None, "Merges above it are undone.")


def _method(
    title: str,
    sentence: str,
    estimator: type,
    read: dict[str, str],
    remark: Callable[[Any], str],
    *options: Option,
    name: str = "",
    **record: Any,
) -> Method:
    """Record whose arguments are settings unchanged: ``read`` maps argument to setting."""

    def arguments(chosen: Settings, n_cells: int) -> dict[str, Any]:
        return {argument: getattr(chosen, setting) for argument, setting in read.items()}

    about = {"arguments": arguments, "reads": tuple(read.values()), "options": options}
    glossary = name or title, sentence
    return Method(title, glossary, estimator, remark, lambda model: sentence, **about | record)


def _k_given(model: Any) -> str:
    return "K given"


def _noted(model: Any) -> str:
    return str(model.result_.details.get("note", "K found"))


def _penalty(model: Any) -> str:
    return f"λ = {model.penalty_:,.3g}"


def _cut(model: Any) -> str:
    return "K given" if model.height is None else f"cut at height {model.height:,.3g}"


def _views(model: MAPViews) -> str:
    n = len(model.views_)
    return f"the widest of {n} views that groups" if n > 1 else "one view of all columns"


OTHERS = (
    _method(
        "Views",
        "Several groupings of one table: columns that tell one story share a view.",
        MAPViews,
        _OF_ROWS,
        _views,
        Option(
            "view_concentration",
            "Concentration of views",
            one_two_five(-2, 3),
            1.0,
            "Up: more views.",
        ),
    ),
    _method(
        "Hard HDP",
        "DP-means for several data sets: a cluster costs once, and once for each that uses it.",
        HardHDP,
        {"n_clusters_hint": "n_clusters"},
        lambda model: f"shared by {counted(len(model.group_names_), 'data set')}",
        Option(
            "local_penalty",
            "Local penalty",
            _PENALTIES,
            None,
            "A cluster's price in every data set that uses it.",
        ),
        Option("global_penalty", "Global penalty", _PENALTIES, None, "A cluster's price, once."),
        shares_clusters=True,
        **_NUMBERS,
    ),
    _method(
        "Bayesian tree",
        "A tree of the rows: those merge first that are most probably one cluster.",
        BayesianHierarchy,
        _OF_ROWS,
        lambda model: "cut where a merge is less likely than not",
        name="Bayesian hierarchical clustering",
        heights=("less sure than the surest merge (log units)", True),
        most_rows=MOST_ROWS,
    ),
    _method(
        "Biclustering",
        "Rows and columns in clusters at once, every block with one distribution.",
        Biclusters,
        _OF_ROWS,
        lambda model: f"and {model.column_labels_.max() + 1} clusters of columns",
    ),
    _method(
        "Kernel DP",
        "DP-means in the space of a kernel: clusters need not be round.",
        KernelDPMeans,
        {},
        _penalty,
        Option(
            "kernel",
            "Kernel",
            ("diffusion", "rbf", "gower", "linear"),
            "diffusion",
            "A walk along the graph of nearest neighbours, a Gaussian as wide as the median "
            "distance, 1 less Gower's dissimilarity, or inner products (DP-means itself).",
        ),
        Option(
            "penalty",
            "λ",
            one_two_five(-3, 3),
            None,
            "A cluster's price, in the kernel's squared distance.",
        ),
        name="Kernel DP-means",
        arguments=lambda settings, n_cells: {"kernel": "diffusion"},
        **_ALL_PAIRS,
    ),
    _method(
        "Spectral DP",
        "As many clusters as a graph of similar rows has eigenvalues above λ.",
        SpectralDPMeans,
        _SEED,
        _penalty,
        Option("penalty", "λ", _LEVELS, None, "Eigenvectors whose eigenvalue is above it count."),
        name="Spectral DP-means",
        **_PAIRS,
    ),
    _method(
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
            "A part's price, below 0 as one part cuts nothing.",
        ),
        Option(
            "cut",
            "Cut",
            ("normalized", "ratio"),
            "normalized",
            "By the degree of a part's rows, or by their number.",
        ),
        **_PAIRS,
    ),
    _method(
        "Affinity",
        "Rows elect exemplars by messages; similarity decides how many.",
        AffinityPropagation,
        _SEED,
        _noted,
        Option(
            "preference", "Preference", one_two_five(-1, 5, -1.0), None, "Lower: fewer clusters."
        ),
        _MEASURE,
        name="Affinity propagation",
        **_ALL_PAIRS,
    ),
    _method(
        "Spectral",
        "K clusters from the eigenvectors of a graph of nearest neighbours.",
        SpectralClustering,
        _K | _SEED,
        _k_given,
        Option("n_neighbors", "Neighbours", _NEIGHBOURS, 10, "Rows that every row is joined with."),
        name="Spectral clustering",
        **_ALL_PAIRS,
    ),
    _method(
        "Bisecting",
        "The widest cluster is divided by 2-means until there are K.",
        BisectingKMeans,
        _K | _SEED,
        _k_given,
        name="Bisecting K-means",
        **_NUMBERS,
    ),
    _method(
        "HDBSCAN",
        "Dense regions of any shape; the rows between them, the noise, are the last group.",
        HDBSCAN,
        {},
        _noted,
        Option(
            "min_cluster_size",
            "Fewest rows of a cluster",
            _SIZES,
            5,
            "Up: fewer clusters; smaller dense regions are noise.",
        ),
        _MEASURE,
        **_ALL_PAIRS,
    ),
    _method(
        "Linkage",
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
        name="Agglomerative clustering",
        heights=("distance of what is merged", False),
        **_ALL_PAIRS,
    ),
    _method(
        "Dissimilarity",
        "From all rows down, a splinter leaves the widest group; the tree is cut.",
        DissimilarityAnalysis,
        _K,
        _cut,
        _HEIGHT,
        name="Dissimilarity analysis",
        heights=("diameter of the group", False),
        **_ALL_PAIRS,
    ),
)
