"""Records of the methods that go by how alike rows are, scikit-learn's and scipy's among them."""

from __future__ import annotations

from typing import Any

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
from ..wording import counted
from .record import Method, Option, one_two_five, reading

_SEEDED, _TOLD_K = reading(random_state="seed"), reading(n_clusters="n_clusters")
_TOLD_K_AND_SEEDED = reading(n_clusters="n_clusters", random_state="seed")
_PAIRS = "by how alike any two rows are"
_PAIRWISE = {"table": _PAIRS, "most_rows": MOST_ROWS}
_THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)
_HEIGHT = Option(
    "height",
    "Cut height",
    (),
    None,
    "Merges above it are undone. Without one, the tree is cut where K clusters are left.",
)
_MEASURE = Option(
    "measure",
    "Rows compared by",
    ("encoding", "gower"),
    "encoding",
    "The table's plain numbers, or Gower's dissimilarity, which leaves missing cells out.",
)
#: What rows are compared by, by the kernel's name.
_KERNELS = {
    "diffusion": "a walk along the graph of nearest neighbours",
    "rbf": "a Gaussian as wide as the median distance",
    "gower": "1 less Gower's dissimilarity",
    "linear": "inner products",
}


def _noted(model: Any) -> str:
    return str(model.result_.details.get("note", "K found"))


def _penalty_remark(model: Any) -> str:
    return f"λ = {model.penalty_:,.3g}"


def _cut_remark(model: Any) -> str:
    return "K given" if model.height is None else f"cut at height {model.height:,.3g}"


def _kernel_explanation(model: KernelDPMeans) -> str:
    hint = model.n_clusters_hint_
    rule = "" if hint is None else f", λ by farthest-first for {counted(hint, 'cluster')}"
    return f"DP-means in the space of {_KERNELS[model.kernel]}{rule}."


def _affinity_explanation(model: AffinityPropagation) -> str:
    as_good = model.preference is None and "the median similarity of two rows"
    return f"Every row is as good an exemplar as {as_good or f'{model.preference:,.3g}'}."


def _linkage_explanation(model: Agglomerative) -> str:
    where = f"at height {model.height:,.3g}" if model.height is not None else "where K are left"
    of = "plain numbers" if model.measure == "encoding" else "Gower's dissimilarity"
    return f"The tree of {model.linkage} linkage on {of}, cut {where}."


KERNEL_DP = Method(
    title="Kernel DP",
    glossary=(
        "Kernel DP-means",
        "DP-means in the space of a kernel: clusters need not be round.",
    ),
    estimator=KernelDPMeans,
    arguments=lambda settings, n_cells: {"kernel": "diffusion"},
    options=(
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
    ),
    remark=_penalty_remark,
    explanation=_kernel_explanation,
    **_PAIRWISE,
)

SPECTRAL_DP = Method(
    title="Spectral DP",
    glossary=(
        "Spectral DP-means",
        "As many clusters as a graph of similar rows has eigenvalues above λ.",
    ),
    estimator=SpectralDPMeans,
    **_SEEDED,
    options=(
        Option(
            "penalty",
            "λ",
            _THRESHOLDS,
            None,
            "Eigenvectors whose eigenvalue is above it count. Without one, half way into the "
            "largest jump of the spectrum.",
        ),
    ),
    remark=_penalty_remark,
    explanation=lambda model: (
        "The eigenvectors of the graph of nearest neighbours whose eigenvalues are above λ."
    ),
    table=_PAIRS,
)

PENALISED_CUT = Method(
    title="Penalised cut",
    glossary=(
        "Penalised cut",
        "A graph of similar rows cut into as many parts as their price allows.",
    ),
    estimator=PenalisedCut,
    **_SEEDED,
    options=(
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
    ),
    remark=_penalty_remark,
    explanation=lambda model: (
        f"The {'ratio' if model.cut == 'ratio' else 'normalised'} cut of the graph of nearest "
        "neighbours, plus λ for every part."
    ),
    table=_PAIRS,
)

AFFINITY = Method(
    title="Affinity",
    glossary=(
        "Affinity propagation",
        "Rows elect exemplars by messages; similarity decides how many.",
    ),
    estimator=AffinityPropagation,
    **_SEEDED,
    options=(
        Option(
            "preference",
            "Preference",
            one_two_five(-1, 5, -1.0),
            None,
            "Lower: fewer clusters. Minus the squared distance at which a row is as good an "
            "exemplar as another; without one, the median.",
        ),
        _MEASURE,
    ),
    remark=_noted,
    explanation=_affinity_explanation,
    **_PAIRWISE,
)

SPECTRAL = Method(
    title="Spectral",
    glossary=(
        "Spectral clustering",
        "K clusters from the eigenvectors of a graph of nearest neighbours.",
    ),
    estimator=SpectralClustering,
    **_TOLD_K_AND_SEEDED,
    options=(
        Option(
            "n_neighbors",
            "Neighbours",
            (5, 7, 10, 15, 20, 30, 50),
            10,
            "Rows that every row is joined with.",
        ),
    ),
    remark=lambda model: "K given",
    explanation=lambda model: (
        f"The graph of the {model.n_neighbors} nearest neighbours, divided by its eigenvectors."
    ),
    **_PAIRWISE,
)

BISECTING = Method(
    title="Bisecting",
    glossary=(
        "Bisecting K-means",
        "The widest cluster is divided by 2-means until there are K.",
    ),
    estimator=BisectingKMeans,
    **_TOLD_K_AND_SEEDED,
    remark=lambda model: "K given",
    explanation=lambda model: "From all rows down, the widest cluster is divided in two.",
    table="on plain numbers",
)

DENSITY = Method(
    title="HDBSCAN",
    glossary=("HDBSCAN", "Dense regions of any shape; rows between them are noise."),
    estimator=HDBSCAN,
    options=(
        Option(
            "min_cluster_size",
            "Fewest rows of a cluster",
            (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200),
            5,
            "Up: fewer clusters; smaller dense regions are noise.",
        ),
        _MEASURE,
    ),
    remark=_noted,
    explanation=lambda model: (
        f"Regions of at least {model.min_cluster_size} rows that stay dense; noise is one group, "
        "the last."
    ),
    **_PAIRWISE,
)

LINKAGE = Method(
    title="Linkage",
    glossary=(
        "Agglomerative clustering",
        "The two nearest clusters merge until one is left; the tree is cut.",
    ),
    estimator=Agglomerative,
    **_TOLD_K,
    options=(
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
    ),
    remark=_cut_remark,
    explanation=_linkage_explanation,
    heights=("distance of what is merged", False),
    **_PAIRWISE,
)

DISSIMILARITY = Method(
    title="Dissimilarity",
    glossary=(
        "Dissimilarity analysis",
        "From all rows down, a splinter leaves the widest group; the tree is cut.",
    ),
    estimator=DissimilarityAnalysis,
    **_TOLD_K,
    options=(_HEIGHT,),
    remark=_cut_remark,
    explanation=lambda model: (
        "By Gower's dissimilarity: the row least like its group founds a splinter."
    ),
    heights=("diameter of the group", False),
    **_PAIRWISE,
)
