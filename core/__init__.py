"""MAP-DP Studio's library: cluster mixed tables with missing cells, without the browser.

Importing this package is quick: each public name is loaded from its module when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .one_name import one_copy

_HOMES = {
    "MAPDP": "models.mapdp",
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
    "HardHDP": "models.hard_hdp",
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
    "load_model": "models.saved",
    "save_model": "models.saved",
    "tolerance_path": "models.tolerance",
    "ModelChoice": "models.choice.choose",
    "choose_model": "models.choice.choose",
    "Description": "public.description",
    "describe": "public.description",
    "Study": "public.study",
    "GroupNumber": "public.group_number",
    "how_many": "public.group_number",
    "GroupStability": "public.group_stability",
    "stability": "public.group_stability",
    "ThreeStep": "public.three_step",
    "three_step": "public.three_step",
    "Fit": "inference.fit",
    "Progress": "models.progress",
}

# Written out for type checkers.
__all__ = [
    "FAMILIES",
    "HDBSCAN",
    "MAPDP",
    "AffinityPropagation",
    "Agglomerative",
    "BayesianHierarchy",
    "Biclusters",
    "BisectingKMeans",
    "Block",
    "CollapsedGibbs",
    "ColumnSpec",
    "DPMeans",
    "Description",
    "DissimilarityAnalysis",
    "Fit",
    "GroupNumber",
    "GroupStability",
    "HardHDP",
    "KMeansBIC",
    "KernelDPMeans",
    "MAPViews",
    "MixtureEM",
    "ModelChoice",
    "ModelFileError",
    "PenalisedCut",
    "Progress",
    "ReadOptions",
    "Schema",
    "SchemaError",
    "SpectralClustering",
    "SpectralDPMeans",
    "Study",
    "TableError",
    "ThreeStep",
    "choose_model",
    "describe",
    "how_many",
    "infer_schema",
    "load_model",
    "read_table",
    "save_model",
    "stability",
    "three_step",
    "tolerance_path",
]

if TYPE_CHECKING:  # the same, for those who read types
    from .families import FAMILIES as FAMILIES
    from .inference.fit import Fit as Fit
    from .inference.model_file import ModelFileError as ModelFileError
    from .models.biclusters import Biclusters as Biclusters
    from .models.choice.choose import ModelChoice as ModelChoice
    from .models.choice.choose import choose_model as choose_model
    from .models.dpmeans import DPMeans as DPMeans
    from .models.em import MixtureEM as MixtureEM
    from .models.gibbs import CollapsedGibbs as CollapsedGibbs
    from .models.hard_hdp import HardHDP as HardHDP
    from .models.hierarchy.bayesian import BayesianHierarchy as BayesianHierarchy
    from .models.kmeans import KMeansBIC as KMeansBIC
    from .models.mapdp import MAPDP as MAPDP
    from .models.progress import Progress as Progress
    from .models.saved import load_model as load_model
    from .models.saved import save_model as save_model
    from .models.similarity.cut import PenalisedCut as PenalisedCut
    from .models.similarity.kernel_dpmeans import KernelDPMeans as KernelDPMeans
    from .models.similarity.spectral import SpectralDPMeans as SpectralDPMeans
    from .models.similarity.wrapped import HDBSCAN as HDBSCAN
    from .models.similarity.wrapped import AffinityPropagation as AffinityPropagation
    from .models.similarity.wrapped import Agglomerative as Agglomerative
    from .models.similarity.wrapped import BisectingKMeans as BisectingKMeans
    from .models.similarity.wrapped import DissimilarityAnalysis as DissimilarityAnalysis
    from .models.similarity.wrapped import SpectralClustering as SpectralClustering
    from .models.tolerance import tolerance_path as tolerance_path
    from .models.views.map_views import MAPViews as MAPViews
    from .public.description import Description as Description
    from .public.description import describe as describe
    from .public.group_number import GroupNumber as GroupNumber
    from .public.group_number import how_many as how_many
    from .public.group_stability import GroupStability as GroupStability
    from .public.group_stability import stability as stability
    from .public.study import Study as Study
    from .public.three_step import ThreeStep as ThreeStep
    from .public.three_step import three_step as three_step
    from .reading.tables import ReadOptions as ReadOptions
    from .reading.tables import TableError as TableError
    from .reading.tables import read_table as read_table
    from .schema.infer import infer_schema as infer_schema
    from .schema.schema import Block as Block
    from .schema.schema import ColumnSpec as ColumnSpec
    from .schema.schema import Schema as Schema
    from .schema.schema import SchemaError as SchemaError


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        try:
            value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        except ModuleNotFoundError as error:
            import_module(".extras", __name__).explain(error, f"{name} needs")
            raise
    else:  # a class that only its line among the methods names
        methods = import_module(".methods", __name__).METHODS if name[:1].isupper() else {}
        if name not in methods:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = methods[name].estimator
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])


one_copy(__name__)
