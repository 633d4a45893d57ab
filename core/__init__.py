"""MAP-DP Studio's library: cluster mixed tables with missing cells, without the browser.

Importing this package is quick: each public name is loaded from its module when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .one_name import one_copy

_HOMES = {
    "MAPDP": "models.mapdp",
    "MAPDPParts": "parts.mapdp_parts",
    "MAPViews": "models.views.map_views",
    "BayesianHierarchy": "models.hierarchy.bayesian",
    "KernelDPMeans": "models.similarity.kernel_dpmeans",
    "SpectralDPMeans": "models.similarity.spectral",
    "PenalisedCut": "models.similarity.cut",
    "AffinityPropagation": "models.similarity.wrapped",
    "SpectralClustering": "models.similarity.wrapped",
    "BisectingKMeans": "models.similarity.wrapped",
    "HDBSCAN": "models.similarity.wrapped",
    "Agglomerative": "models.similarity.wrapped",
    "DissimilarityAnalysis": "models.similarity.wrapped",
    "Biclusters": "models.biclusters",
    "HardHDP": "models.several_tables.hard_hdp",
    "MAPHDP": "models.several_tables.map_hdp",
    "CollapsedGibbs": "models.gibbs",
    "DPMeans": "models.dpmeans",
    "KMeansBIC": "models.kmeans",
    "MixtureEM": "models.em",
    "Schema": "schema.schema",
    "SchemaError": "schema.schema",
    "ColumnSpec": "schema.schema",
    "Block": "schema.schema",
    "infer_schema": "schema.infer",
    "read_table": "reading.tables",
    "ReadOptions": "reading.tables",
    "TableError": "reading.tables",
    "FAMILIES": "families",
    "ModelFileError": "inference.model_file",
    "load_model": "inference.model_file",
    "save_model": "inference.model_file",
    "tolerance_path": "models.tolerance",
    "Tuning": "models.tuning",
    "tune": "models.tuning",
    "Fit": "inference.fit",
    "Progress": "models.progress",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


one_copy(__name__)
