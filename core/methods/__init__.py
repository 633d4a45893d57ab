"""The methods: their records, and the registry of all of them."""

from typing import Any

from ..models.bayesian_hierarchy import BayesianHierarchy
from ..models.biclusters import Biclusters
from ..models.dpmeans import HardHDP
from ..models.similarity.graph import KernelDPMeans, PenalisedCut, SpectralDPMeans
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
from .five import DP_MEANS, E_M, GIBBS, K_MEANS, MAP_DP
from .record import Method, record_of


class Methods(dict[str, Method]):
    """Methods by their estimators' names, in the order of the panels; unknown names are refused."""

    def __missing__(self, name: str) -> Method:
        raise ValueError(f"'{name}' is no method: there are {', '.join(self)}")

    @property
    def first(self) -> dict[str, Method]:
        """The five that Compare shows at first."""
        return {name: method for name, method in self.items() if method.is_first}

    def readers(self, setting: str) -> str:
        """Titles of the methods that read a setting."""
        return ", ".join(method.title for method in self.values() if setting in method.reads)


def _note_of(model: Any) -> str:
    return str(model.result_.details.get("note", "K found"))


def _penalty(model: Any) -> str:
    return f"λ = {model.penalty_:,.3g}"


def _views(model: MAPViews) -> str:
    n = len(model.views_)
    return f"the widest of {n} views that groups" if n > 1 else "one view of all columns"


_RECORDS = (
    MAP_DP,
    DP_MEANS,
    K_MEANS,
    E_M,
    GIBBS,
    record_of(MAPViews, _views),
    record_of(HardHDP, lambda model: f"shared by {counted(len(model.group_names_), 'data set')}"),
    record_of(BayesianHierarchy, lambda model: "cut where a merge is less likely than not"),
    record_of(
        Biclusters, lambda model: f"and {model.column_labels_.max() + 1} clusters of columns"
    ),
    record_of(KernelDPMeans, _penalty),
    record_of(SpectralDPMeans, _penalty),
    record_of(PenalisedCut, _penalty),
    record_of(AffinityPropagation, _note_of),
    record_of(SpectralClustering, lambda model: "K given"),
    record_of(BisectingKMeans, lambda model: "K given"),
    record_of(HDBSCAN, _note_of),
    record_of(Agglomerative, lambda model: "K given"),
    record_of(DissimilarityAnalysis, lambda model: "K given"),
)
METHODS = Methods({method.name: method for method in _RECORDS})
#: The method under whose model all partitions are judged.
JUDGE = MAP_DP.name
