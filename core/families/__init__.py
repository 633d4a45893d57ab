"""The registry of likelihoods: what the interface lists, the engine runs and the tests walk.

To add a family: write its prior and its ``Family`` in a file, and name it in ``FAMILIES``.
"""

from __future__ import annotations

from .categorical import CATEGORICAL
from .events import EXPONENTIAL, GEOMETRIC, NEGATIVE_BINOMIAL, POISSON
from .family import Family, Kernels, Support
from .gaussian import GAUSSIAN
from .known_variance import KNOWN_VARIANCE, SPHERICAL
from .normal import NORMAL
from .prior import Prior
from .trials import BERNOULLI, BINOMIAL

#: By name, in the order of the menus.
FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        NORMAL,
        KNOWN_VARIANCE,
        EXPONENTIAL,
        BERNOULLI,
        BINOMIAL,
        CATEGORICAL,
        POISSON,
        GEOMETRIC,
        NEGATIVE_BINOMIAL,
        GAUSSIAN,
        SPHERICAL,
    )
}
# Every family's prior is a name of this package, such as ``NormalPrior``.
_PRIORS = {family.Prior.__name__: family.Prior for family in FAMILIES.values()}
globals().update(_PRIORS)

__all__ = ["FAMILIES", "Family", "Kernels", "Prior", "Support", *_PRIORS]
