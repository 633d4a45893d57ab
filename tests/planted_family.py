"""A likelihood that none of the library's is, planted where a test asks for it.

Model: x ~ Rayleigh(sigma), x above 0, whose density at 0 is 0. With lambda = 1 / (2 sigma^2), x^2
is exponential of rate lambda, so ln p = ln 2x + ln lambda - lambda x^2. Prior: lambda ~
Gamma(alpha, beta).
"""

import math
from dataclasses import dataclass

import numpy as np

from mapdp_studio.core.families.categorical import CountedPrior
from mapdp_studio.core.families.count_kernels import KERNELS
from mapdp_studio.core.families.family import MEASUREMENT, Support
from mapdp_studio.core.families.prior import Moments, Predictive, weighed

#: Mean of a Rayleigh of sigma 1.
MEAN = math.sqrt(math.pi / 2.0)


@dataclass(frozen=True)
class RayleighPrior(CountedPrior):
    """Gamma prior of the rate of x^2."""

    name = "rayleigh"
    label = "distance (Rayleigh)"
    help = "Distances from a target in the plane."
    kind = MEASUREMENT
    kernels = KERNELS  # of x^2; what is tested of it is E-M, which runs none
    support = Support("a distance", starts_at_zero=True, is_open=True)

    shape: float
    rate: float

    positive = pseudo = ("shape", "rate")
    is_rate = True

    @classmethod
    def default(cls, values, scale=1.0, weight=1.0):
        x, w = weighed(values, weight)
        return cls(1.0, float((w * np.square(x)).sum() / w.sum()))

    @staticmethod
    def moments(summary):
        return Moments.of_column(summary["mean"], (4.0 / math.pi - 1.0) * summary["mean"] ** 2)

    def rest(self, x):
        return np.log(2.0 * x)

    def cell_counts(self, x):
        counts = np.column_stack([np.ones(x.size), np.square(x)])
        return np.broadcast_to([0, 1], counts.shape), counts

    @staticmethod
    def described(parameters):
        return {"mean": MEAN * np.sqrt(0.5 / parameters[:, 0])}

    def predictive(self):
        mean = self.summary()["mean"]
        return Predictive(mean / MEAN, mean, (4.0 / math.pi - 1.0) * mean**2)

    def draw(self, size, random):
        return np.sqrt(random.exponential(1.0 / random.gamma(self.shape, 1.0 / self.rate, size)))
