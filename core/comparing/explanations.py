"""What each algorithm ran on and how it came to its answer, in plain words."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..models.priors import EMPIRICAL_SCALE
from .ratings import better_as_categories


def remark(algorithm: str, model: Any) -> str:
    """A few words for the panel: how K came about, and on what."""
    if algorithm == "MAPDP":
        scaled = model.result_.details["scale_objectives"]
        return f"prior scale {100 * model.prior_scale_:g} % chosen by E" if scaled else "K found"
    if algorithm == "DPMeans":
        return f"λ = {model.penalty_:,.3g}, on plain numbers"
    if algorithm == "KMeansBIC":
        chosen = "given" if model.k_min == model.k_max else "by BIC"
        if model.k_min < model.k_max == model.n_clusters_:
            chosen = "at BIC's limit"
        return f"K {chosen}, on plain numbers"
    if algorithm == "MixtureEM":
        return "K given"
    low, high = _likely_clusters(model)
    return f"K {low:,} in 95 % of draws" if low == high else f"K {low:,} to {high:,} likely"


def explanation(algorithm: str, model: Any) -> str:
    """What an algorithm ran on and how it came to its answer, in a sentence or two."""
    if algorithm == "MAPDP":
        scales = sorted(model.result_.details["scale_objectives"])
        if not scales:
            said = "Finds K. No column is a measurement, so no prior scale had to be chosen."
        else:
            listed = ", ".join(f"{100 * scale:g}" for scale in scales)
            said = (
                f"Finds K. Prior scale {100 * model.prior_scale_:g} % chosen by E: the lowest of "
                f"{listed} %. Missing cells are left out."
            )
        misfit = better_as_categories(model.result_)
        return said if misfit is None else f"{said} {misfit.sentence}"
    if algorithm == "DPMeans":
        return model.encoding_.sentence
    if algorithm == "KMeansBIC":
        if model.k_min < model.k_max == model.n_clusters_:
            return f"BIC still rises at the largest K tried. {model.encoding_.sentence}"
        return model.encoding_.sentence
    if algorithm == "MixtureEM":
        return (
            f"Told K = {model.n_components:,}. Same likelihood for each column as MAP-DP, prior "
            f"scale {100 * EMPIRICAL_SCALE:g} %. Missing cells are left out."
        )
    low, high = _likely_clusters(model)
    return (
        f"Draws under MAP-DP's prior; shown is the lowest E of {model.n_clusters_trace_.size:,} "
        f"sweeps. After the burn-in K is {low:,}{'' if low == high else f' to {high:,}'} in 95 % "
        "of the draws."
    )


def _likely_clusters(model: Any) -> tuple[int, int]:
    """Range of K in 95 % of the draws after the burn-in."""
    chances = model.n_clusters_posterior()
    below = np.cumsum(list(chances.values()))
    values = list(chances)
    low, high = np.searchsorted(below, (0.025, 0.975 - 1e-9))
    return values[low], values[min(high, len(values) - 1)]
