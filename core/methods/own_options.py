"""What the methods beside the five are told alone, by their estimators' names."""

from __future__ import annotations

from .options import Option


def _steps(low: int, high: int, sign: float = 1.0) -> tuple[float, ...]:
    """1, 2 and 5 in every power of ten, rising."""
    found = [float(f"{sign * step:g}e{power}") for power in range(low, high) for step in (1, 2, 5)]
    return tuple(sorted(found))


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

OWN: dict[str, tuple[Option, ...]] = {
    "MAPViews": (
        Option(
            "view_concentration",
            "Concentration of views",
            _steps(-2, 3),
            1.0,
            "Up: more views. How readily a column opens a view of its own.",
        ),
    ),
    "MAPHDP": (
        Option(
            "global_concentration",
            "Global concentration",
            _steps(-2, 3),
            3.0,
            "Up: more clusters that only one data set has.",
        ),
    ),
    "HardHDP": (
        Option(
            "local_penalty",
            "Local penalty",
            _steps(-2, 4),
            None,
            "What a cluster costs in every data set that uses it, in squared distance. "
            "Without one, the most probable partition chooses.",
        ),
        Option(
            "global_penalty",
            "Global penalty",
            _steps(-2, 4),
            None,
            "What a cluster costs once, in squared distance. Without one, the most probable "
            "partition chooses.",
        ),
    ),
    "KernelDPMeans": (
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
            _steps(-3, 3),
            None,
            "What a cluster costs, in the kernel's squared distance. Without one, the "
            "farthest-first λ for as many groups as the spectrum speaks for.",
        ),
    ),
    "SpectralDPMeans": (
        Option(
            "penalty",
            "λ",
            _THRESHOLDS,
            None,
            "Eigenvectors whose eigenvalue is above it count. Without one, half way into the "
            "largest jump of the spectrum.",
        ),
    ),
    "PenalisedCut": (
        Option(
            "penalty",
            "λ",
            _steps(-4, 0, -1.0),
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
    "AffinityPropagation": (
        Option(
            "preference",
            "Preference",
            _steps(-1, 5, -1.0),
            None,
            "Lower: fewer clusters. Minus the squared distance at which a row is as good an "
            "exemplar as another; without one, the median.",
        ),
        _MEASURE,
    ),
    "SpectralClustering": (
        Option(
            "n_neighbors",
            "Neighbours",
            (5, 7, 10, 15, 20, 30, 50),
            10,
            "Rows that every row is joined with.",
        ),
    ),
    "HDBSCAN": (
        Option(
            "min_cluster_size",
            "Fewest rows of a cluster",
            (2, 3, 5, 7, 10, 15, 20, 30, 50, 100, 200),
            5,
            "Up: fewer clusters; smaller dense regions are noise.",
        ),
        _MEASURE,
    ),
    "Agglomerative": (
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
    "DissimilarityAnalysis": (_HEIGHT,),
}
