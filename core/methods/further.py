"""Records of the methods that Compare offers beside the five: trees, kernels, cuts, wrapped ones.

None of them is saved, stepped through or asked about one row: they have a panel, a sentence, their
limit and what they alone are told. N_0 of the five is theirs, and K that of a method that has to
be told.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..models.biclusters import Biclusters
from ..models.estimator import ClusterEstimator
from ..models.hierarchy.bayesian import BayesianHierarchy
from ..models.several_tables.grouped import GroupedEstimator
from ..models.several_tables.hard_hdp import HardHDP
from ..models.several_tables.map_hdp import MAPHDP
from ..models.similarity.cut import PenalisedCut
from ..models.similarity.kernel_dpmeans import KernelDPMeans
from ..models.similarity.limits import MOST_ROWS
from ..models.similarity.spectral import SpectralDPMeans
from ..models.similarity.wrapped import (
    HDBSCAN,
    AffinityPropagation,
    Agglomerative,
    BisectingKMeans,
    DissimilarityAnalysis,
    SpectralClustering,
)
from ..models.views.map_views import MAPViews
from ..wording import counted
from .own_options import OWN
from .record import Method
from .settings import Settings

Arguments = Callable[[Settings, int], dict[str, Any]]

_NUMBERS = "on plain numbers"
_PAIRS = "by how alike any two rows are"


def _told_k(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {"n_clusters": settings.n_clusters}


def _seeded(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {"random_state": settings.seed}


def _told_k_and_seeded(settings: Settings, n_cells: int) -> dict[str, Any]:
    return _told_k(settings, n_cells) | _seeded(settings, n_cells)


def _nothing_told(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {}


def _of_rows(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {"concentration": settings.concentration, "random_state": settings.seed}


def _k_given(model: Any) -> str:
    return "K given"


def _noted(model: Any) -> str:
    return str(model.result_.details.get("note", "K found"))


def _shared_remark(model: GroupedEstimator) -> str:
    return f"shared by {counted(len(model.group_names_), 'data set')}"


def _said(sentence: str) -> Callable[[Any], str]:
    return lambda model: sentence


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


def _tree_remark(model: BayesianHierarchy) -> str:
    return "cut where a merge is less likely than not"


def _tree_explanation(model: BayesianHierarchy) -> str:
    return (
        "Rows merge bottom up, those first that are most probably one cluster; the log evidence is "
        f"at least {model.log_evidence_:,.1f} nats."
    )


def _penalty_remark(model: Any) -> str:
    return f"λ = {model.penalty_:,.3g}"


def _diffusing(settings: Settings, n_cells: int) -> dict[str, Any]:
    return {"kernel": "diffusion"}


#: What rows are compared by, by the kernel's name.
_KERNELS = {
    "diffusion": "a walk along the graph of nearest neighbours",
    "rbf": "a Gaussian as wide as the median distance",
    "gower": "1 less Gower's dissimilarity",
    "linear": "inner products",
}


def _kernel_explanation(model: KernelDPMeans) -> str:
    hint = model.n_clusters_hint_
    rule = "" if hint is None else f", λ by farthest-first for {counted(hint, 'cluster')}"
    return f"DP-means in the space of {_KERNELS[model.kernel]}{rule}."


def _linkage_explanation(model: Agglomerative) -> str:
    where = f"at height {model.height:,.3g}" if model.height is not None else "where K are left"
    of = "plain numbers" if model.measure == "encoding" else "Gower's dissimilarity"
    return f"The tree of {model.linkage} linkage on {of}, cut {where}."


def _cut_remark(model: Any) -> str:
    return "K given" if model.height is None else f"cut at height {model.height:,.3g}"


def _method(
    title: str,
    words: str,
    estimator: type[ClusterEstimator],
    arguments: Arguments,
    reads: tuple[str, ...],
    quick: dict[str, Any],
    remark: Callable[[Any], str],
    explanation: Callable[[Any], str],
    full_name: str = "",
    **more: Any,
) -> Method:
    return Method(
        title=title,
        glossary=(full_name or title, words),
        estimator=estimator,
        arguments=arguments,
        reads=reads,
        quick=quick,
        remark=remark,
        explanation=explanation,
        options=OWN.get(estimator.__name__, ()),
        **more,
    )


_PAIRWISE = {"table": _PAIRS, "most_rows": MOST_ROWS}

_RECORDS = (
    _method(
        "Views",
        "Several groupings of one table: columns that tell one story share a view.",
        MAPViews,
        _of_rows,
        ("concentration", "seed"),
        {"prior": "empirical", "patience": 0, "random_state": 0},
        _views_remark,
        _views_explanation,
    ),
    _method(
        "MAP-HDP",
        "Several data sets, each in clusters of its own that are shared between them.",
        MAPHDP,
        _of_rows,
        ("concentration", "seed"),
        {"prior": "empirical", "patience": 0, "random_state": 0},
        _shared_remark,
        _said("Each data set opens clusters with N₀; all share them under the exact model."),
        shares_clusters=True,
    ),
    _method(
        "Hard HDP",
        "DP-means for several data sets: a cluster costs once, and once for each that uses it.",
        HardHDP,
        _nothing_told,
        (),
        {"local_penalty": 9.0, "global_penalty": 9.0},
        _shared_remark,
        _said("Both penalties are those whose partition is most probable under MAP-HDP's model."),
        shares_clusters=True,
        table=_NUMBERS,
    ),
    _method(
        "Bayesian tree",
        "A tree of the rows: those merge first that are most probably one cluster.",
        BayesianHierarchy,
        _of_rows,
        ("concentration", "seed"),
        {"prior": "empirical", "random_state": 0},
        _tree_remark,
        _tree_explanation,
        full_name="Bayesian hierarchical clustering",
    ),
    _method(
        "Biclustering",
        "Rows and columns in clusters at once, every block with one distribution.",
        Biclusters,
        _of_rows,
        ("concentration", "seed"),
        {"likelihood": "normal", "prior": "empirical", "patience": 0, "random_state": 0},
        lambda model: f"and {model.column_labels_.max() + 1} clusters of columns",
        _said("Rows and columns are clustered at once; all cells of a block are alike."),
    ),
    _method(
        "Kernel DP",
        "DP-means in the space of a kernel: clusters need not be round.",
        KernelDPMeans,
        _diffusing,
        (),
        {"n_clusters_hint": 2, "kernel": "rbf"},
        _penalty_remark,
        _kernel_explanation,
        full_name="Kernel DP-means",
        **_PAIRWISE,
    ),
    _method(
        "Spectral DP",
        "As many clusters as a graph of similar rows has eigenvalues above λ.",
        SpectralDPMeans,
        _seeded,
        ("seed",),
        {"random_state": 0},
        _penalty_remark,
        _said("The eigenvectors of the graph of nearest neighbours before its largest jump."),
        full_name="Spectral DP-means",
        table=_PAIRS,
    ),
    _method(
        "Penalised cut",
        "A graph of similar rows cut into as many parts as their price allows.",
        PenalisedCut,
        _seeded,
        ("seed",),
        {"random_state": 0},
        _penalty_remark,
        _said("The normalised cut of the graph of nearest neighbours, plus λ for every part."),
        table=_PAIRS,
    ),
    _method(
        "Affinity",
        "Rows elect exemplars by messages; similarity decides how many.",
        AffinityPropagation,
        _seeded,
        ("seed",),
        {"random_state": 0},
        _noted,
        _said("Every row is as good an exemplar as the median similarity of two rows."),
        full_name="Affinity propagation",
        **_PAIRWISE,
    ),
    _method(
        "Spectral",
        "K clusters from the eigenvectors of a graph of nearest neighbours.",
        SpectralClustering,
        _told_k_and_seeded,
        ("n_clusters", "seed"),
        {"n_clusters": 2, "random_state": 0},
        _k_given,
        _said("The graph of the 10 nearest neighbours, divided by its eigenvectors."),
        full_name="Spectral clustering",
        **_PAIRWISE,
    ),
    _method(
        "Bisecting",
        "The widest cluster is divided by 2-means until there are K.",
        BisectingKMeans,
        _told_k_and_seeded,
        ("n_clusters", "seed"),
        {"n_clusters": 2, "random_state": 0},
        _k_given,
        _said("From all rows down, the widest cluster is divided in two."),
        table=_NUMBERS,
        full_name="Bisecting K-means",
    ),
    _method(
        "HDBSCAN",
        "Dense regions of any shape; rows between them are noise.",
        HDBSCAN,
        _nothing_told,
        (),
        {},
        _noted,
        _said("Regions of at least five rows that stay dense; noise is one group, the last."),
        **_PAIRWISE,
    ),
    _method(
        "Linkage",
        "The two nearest clusters merge until one is left; the tree is cut.",
        Agglomerative,
        _told_k,
        ("n_clusters",),
        {"n_clusters": 2},
        _cut_remark,
        _linkage_explanation,
        full_name="Agglomerative clustering",
        **_PAIRWISE,
    ),
    _method(
        "Dissimilarity",
        "From all rows down, a splinter leaves the widest group; the tree is cut.",
        DissimilarityAnalysis,
        _told_k,
        ("n_clusters",),
        {"n_clusters": 2},
        _cut_remark,
        _said("By Gower's dissimilarity: the row least like its group founds a splinter."),
        full_name="Dissimilarity analysis",
        **_PAIRWISE,
    ),
)

#: By their estimators' names; Compare shows the five of ``METHODS`` unless others are chosen.
FURTHER: dict[str, Method] = {method.name: method for method in _RECORDS}
