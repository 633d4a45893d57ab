"""How the number of clusters depends on what an algorithm is told: strips over one setting.

Every value of the setting is one fit with all other settings as they are, so a strip agrees with
the panel beside it wherever both look.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from ..methods.record import Method
from ..methods.settings import K_MAX, Settings
from ..models.estimator import ClusterEstimator
from ..models.kmeans import KMeansBIC
from ..models.progress import Progress, Stages
from ..partitions.scores import nmi
from ..schema.encoded import Encoded
from ..schema.schema import Schema

CONCENTRATION, PENALTY, CLUSTERS = "concentration", "penalty", "n_clusters"
#: A strip of penalties reaches so many times as far to either side of the suggested one.
PENALTY_REACH, N_PENALTIES = 20.0, 81
#: Starts of K-means for each K of the BIC strip.
BIC_STARTS = 10


@dataclass(frozen=True)
class Strip:
    """One setting, and what came out at each of its values."""

    #: "concentration", "penalty" or "n_clusters". A field of ``Settings``.
    setting: str
    #: float64, shape (V,). Rising; a strip in the making has only the first ones.
    values: np.ndarray
    #: int64, shape (V,). Clusters found; for ``"n_clusters"`` the K that was tried.
    n_clusters: np.ndarray
    #: float64, shape (V,). With the known classes.
    nmi: np.ndarray | None = None
    #: float64, shape (V,). Of K-means: BIC of the partition that is kept, and the highest of any
    #: start, by which R16 chooses K.
    bic: np.ndarray | None = None
    highest_bic: np.ndarray | None = None

    def plateau(self, k: int) -> tuple[float, float] | None:
        """Lowest and highest value of the longest unbroken run that gives k clusters."""
        right = np.flatnonzero(self.n_clusters == k)
        if not right.size:
            return None
        runs = np.split(right, np.flatnonzero(np.diff(right) > 1) + 1)
        longest = max(runs, key=len)
        return float(self.values[longest[0]]), float(self.values[longest[-1]])

    def as_frame(self) -> pd.DataFrame:
        """One row a value, for a table."""
        columns = {"value": self.values, "K": self.n_clusters, "NMI": self.nmi, "BIC": self.bic}
        columns["highest BIC of any start"] = self.highest_bic
        return pd.DataFrame({name: c for name, c in columns.items() if c is not None})


def setting_strip(
    method: Method,
    setting: str,
    encoded: Encoded,
    schema: Schema,
    settings: Settings,
    values: Sequence[float],
    classes: np.ndarray | None = None,
    callback: Callable[[Progress], None] | None = None,
    share: Callable[[Strip], None] | None = None,
) -> Strip:
    """K of a method against one of its settings, a field of ``Settings``, at rising values.

    The schema is that of the encoded table, ``classes`` the known ones, -1 where there is none.
    What the callback raises ends the work; ``share`` is given what there is so far, after every
    value.
    """

    def fitted(value: float) -> tuple[ClusterEstimator, int]:
        told = replace(settings, **{setting: float(value)})
        model = method.estimator(**method.arguments(told, encoded.values.size))
        model.fit_encoded(encoded, stages.begin(f"{setting} {value:,.4g}"), schema=schema)
        return model, model.n_clusters_

    stages = Stages(callback, len(values))
    return _strip(setting, values, fitted, classes, stages, share)


def bic_strip(
    encoded: Encoded,
    schema: Schema,
    settings: Settings,
    classes: np.ndarray | None = None,
    callback: Callable[[Progress], None] | None = None,
    share: Callable[[Strip], None] | None = None,
) -> Strip:
    """BIC of K-means against K; arguments as in ``setting_strip``."""

    def fitted(k: int) -> tuple[ClusterEstimator, int, float, float]:
        model = KMeansBIC(k, k, BIC_STARTS, random_state=settings.seed)
        model.fit_encoded(encoded, stages.begin(f"K = {k}"), schema=schema)
        highest = dict(zip(model.bic_, model.result_.details["bic"]["highest"], strict=True))
        return model, k, model.bic_.get(k, np.nan), highest.get(k, np.nan)

    stages, values = Stages(callback, K_MAX), range(1, min(K_MAX, len(encoded.values)) + 1)
    return _strip(CLUSTERS, values, fitted, classes, stages, share)


def penalties(suggested: float) -> np.ndarray:
    """Values of lambda about the suggested one, evenly spaced in their logarithm."""
    return suggested * np.geomspace(1.0 / PENALTY_REACH, PENALTY_REACH, N_PENALTIES)


def _strip(
    setting: str,
    values: Sequence[float],
    fitted: Callable[[float], tuple[Any, ...]],
    classes: np.ndarray | None,
    stages: Stages,
    share: Callable[[Strip], None] | None,
) -> Strip:
    """Fit at every value; ``fitted`` gives the model, K, and for K-means the two BIC."""
    lines, known = [], slice(None) if classes is None else classes >= 0
    for value in values:
        model, *found = fitted(value)
        stages.end()
        agreement = np.nan if classes is None else nmi(classes[known], model.labels_[known])
        lines.append((value, agreement, *found))
        at, agreements, counts, *bics = (np.array(column) for column in zip(*lines, strict=True))
        agreements = None if classes is None else agreements
        strip = Strip(setting, at.astype(float), counts.astype(np.int64), agreements, *bics)
        if share is not None:
            share(strip)
    return strip
