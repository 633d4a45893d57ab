"""The registry of likelihoods: what the interface lists and the tests walk.

To add a family: write ``core/families/<name>.py`` (its prior and its kernels), register it here,
and give it its branches in ``core/product.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .binomial import BinomialPrior
from .categorical import BernoulliPrior, CategoricalPrior
from .exponential import ExponentialPrior
from .gaussian import GaussianPrior
from .gaussian_known_covariance import GaussianKnownCovariancePrior
from .geometric import GeometricPrior
from .normal import NormalPrior
from .normal_known_variance import NormalKnownVariancePrior
from .poisson import PoissonPrior
from .prior import Prior, observed
from .spherical import SphericalPrior


@dataclass(frozen=True)
class Family:
    """One likelihood.

    Parameters
    ----------
    name : str
        Key in ``FAMILIES``.
    label, help : str
        What the interface calls it, and one line on when to choose it.
    Prior : type
        Its prior, a frozen dataclass.
    is_block : bool
        Whether it models several columns jointly.
    is_real : bool
        Real-valued data, which the engine centres and scales for its own arithmetic.
    prior_options : tuple of str
        Options of a column that ``Prior.default`` wants, such as ``"trials"``.
    support : "real", "not negative", "whole" or "0 or 1"
        The values it can take; whole numbers count from 0.
    """

    name: str
    label: str
    help: str
    Prior: type[Prior]
    is_block: bool = False
    is_real: bool = False
    prior_options: tuple[str, ...] = ()
    support: str = "real"

    def misfits(self, values: np.ndarray) -> np.ndarray:
        """Which values are there but impossible under this likelihood, of the same shape."""
        wrong = np.isinf(values)
        if self.support != "real":
            wrong |= values < 0
        if self.support in ("whole", "0 or 1"):
            wrong |= (np.floor(values) != values) & ~np.isnan(values)
        if self.support == "0 or 1":
            wrong |= values > 1
        return wrong

    def default_prior(self, values: np.ndarray, scale: float, **options: Any) -> Prior:
        """Weak empirical-Bayes prior of a column (n,) or block (n, D) from its values.

        ``scale`` is the prior scale s, the width of a cluster relative to the whole column; only
        the real-valued families use it.
        """
        wanted = {name: options[name] for name in self.prior_options if name in options}
        return self.Prior.default(values, scale, **wanted)

    def options_of(self, values: np.ndarray) -> Mapping[str, Any]:
        """Options of a column that comes as bare numbers, without a schema."""
        if "trials" in self.prior_options:
            return {"trials": max(int(observed(values).max(initial=1.0)), 1)}
        if "levels" in self.prior_options:
            smallest = 2 if self.name == "bernoulli" else 1
            return {
                "levels": tuple(range(max(int(observed(values).max(initial=0.0)) + 1, smallest)))
            }
        return {}


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "normal",
            "measurement (normal)",
            "Real values, each cluster with its own mean and spread; take logs if skewed.",
            NormalPrior,
            is_real=True,
        ),
        Family(
            "normal_known_variance",
            "measurement, known spread",
            "Real values whose spread within a cluster is known beforehand.",
            NormalKnownVariancePrior,
            is_real=True,
        ),
        Family(
            "exponential",
            "waiting time (exponential)",
            "Non-negative times or amounts, many small and few large.",
            ExponentialPrior,
            support="not negative",
        ),
        Family(
            "bernoulli",
            "yes/no",
            "Two values.",
            BernoulliPrior,
            prior_options=("levels",),
            support="0 or 1",
        ),
        Family(
            "binomial",
            "rating (binomial)",
            "An ordered scale from 0 to a fixed top, or successes out of that many trials.",
            BinomialPrior,
            prior_options=("trials",),
            support="whole",
        ),
        Family(
            "categorical",
            "category",
            "Names without an order, or a rating whose spread no binomial fits.",
            CategoricalPrior,
            prior_options=("levels",),
            support="whole",
        ),
        Family(
            "poisson",
            "count (Poisson)",
            "Events counted from 0 without an upper end, spread about as wide as the mean.",
            PoissonPrior,
            support="whole",
        ),
        Family(
            "geometric",
            "count, long tail (geometric)",
            "Counts from 0 with many zeros and a long tail.",
            GeometricPrior,
            support="whole",
        ),
        Family(
            "gaussian",
            "block of measurements (full covariance)",
            "Several real columns that vary together, each cluster an ellipse of its own.",
            GaussianPrior,
            is_block=True,
            is_real=True,
        ),
        Family(
            "gaussian_known_covariance",
            "block, known covariance",
            "Several real columns whose covariance within a cluster is known beforehand.",
            GaussianKnownCovariancePrior,
            is_block=True,
            is_real=True,
        ),
        Family(
            "spherical",
            "block, known equal spread (spherical)",
            "Several real columns in one unit with one known spread: the model nearest K-means.",
            SphericalPrior,
            is_block=True,
            is_real=True,
        ),
    )
}

__all__ = [
    "FAMILIES",
    "BernoulliPrior",
    "BinomialPrior",
    "CategoricalPrior",
    "ExponentialPrior",
    "Family",
    "GaussianKnownCovariancePrior",
    "GaussianPrior",
    "GeometricPrior",
    "NormalKnownVariancePrior",
    "NormalPrior",
    "PoissonPrior",
    "Prior",
    "SphericalPrior",
]
