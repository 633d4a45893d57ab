"""How the number of clusters depends on one setting, all others as they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..methods.five import DP_MEANS, K_MEANS, MAP_DP
from ..methods.settings import Settings
from ..models.progress import Progress, Stages
from ..partitions.scores import nmi
from ..schema.encoded import Encoded
from ..schema.schema import Schema
from ..wording import in_digits

CONCENTRATION, PENALTY, CLUSTERS = "concentration", "penalty", "n_clusters"
METHODS_OF = {CONCENTRATION: MAP_DP, PENALTY: DP_MEANS, CLUSTERS: K_MEANS}
#: A strip of penalties reaches so many times as far to either side of the suggested one.
PENALTY_REACH, N_PENALTIES = 20.0, 81


@dataclass(frozen=True, eq=False)
class Strip:
    """A field of ``Settings``, and what came out at each of its rising values, shape (V,)."""

    setting: str
    values: np.ndarray
    n_clusters: np.ndarray
    #: With the known classes.
    nmi: np.ndarray | None = None
    #: Of K-means; K is then the one tried.
    bic: np.ndarray | None = None

    def in_words(self, true_k: int | None) -> str:
        """What the strip shows, measured."""
        if self.bic is not None:
            best = int(self.values[np.nanargmax(self.bic)])
            true = "" if true_k is None else f" The true K is {true_k}."
            return f"BIC of K-means is highest at K = {best}.{true}"
        low, high = (in_digits(value) for value in self.values[[0, -1]])
        text = f"K is {self.n_clusters[0]:,} at {low} and {self.n_clusters[-1]:,} at {high}"
        return f"{text}." if true_k is None else f"{text}; the true K is {true_k}."


def unvaried(settings: Settings) -> Settings:
    """Settings with what strips vary held fixed: moving those sliders needs no new strip."""
    held = {"concentration": 1.0, "penalty": 1.0, "n_clusters": 1, "bic": False}
    return replace(settings, **held)


def penalties(suggested: float) -> np.ndarray:
    """Values of lambda about the suggested one, evenly spaced in their logarithm."""
    return suggested * np.geomspace(1.0 / PENALTY_REACH, PENALTY_REACH, N_PENALTIES)


def measure_strip(
    setting: str,
    values: Sequence[float],
    encoded: Encoded,
    schema: Schema,
    settings: Settings,
    classes: np.ndarray | None = None,
    callback: Callable[[Progress], None] | None = None,
    most: float = np.inf,
) -> Strip:
    """Fit at rising values, up to more clusters than ``most``."""
    method, is_bic, rows = METHODS_OF[setting], setting == CLUSTERS, []
    stages, labelled = Stages(callback, len(values)), None if classes is None else classes >= 0
    for value in np.asarray(values).tolist():
        changed = replace(settings, bic=False, **{setting: value})
        model = method.estimator(**method.arguments(changed, encoded.values.size))
        model.fit_encoded(encoded, stages.begin(f"{setting} {value:,.4g}"), schema=schema)
        score = None if labelled is None else nmi(classes[labelled], model.labels_[labelled])
        bic = model.bic_.get(value, np.nan) if is_bic else None
        rows.append((value, value if is_bic else model.n_clusters_, score, bic))
        if model.n_clusters_ > most:
            break
    tried, counts, scores, bics = map(np.array, zip(*rows, strict=True))
    scores, bics = None if labelled is None else scores, bics if is_bic else None
    return Strip(setting, tried.astype(float), counts, scores, bics)
