"""The registry of likelihoods: what the interface lists, the engine runs and the tests walk.

To add a family: write its file, which ends with a ``FAMILY``, and name the file here.
"""

from __future__ import annotations

from importlib import import_module

from .family import Family, Kernels, Support
from .prior import Prior

#: Files of this room that hold one likelihood each, in the order of the menus.
_FILES = (
    "normal",
    "normal_known_variance",
    "exponential",
    "bernoulli",
    "binomial",
    "categorical",
    "poisson",
    "geometric",
    "negative_binomial",
    "gaussian",
    "spherical",
)

FAMILIES: dict[str, Family] = {name: import_module(f"{__name__}.{name}").FAMILY for name in _FILES}
# Every family's prior is a name of this package, such as ``NormalPrior``.
_PRIORS = {family.Prior.__name__: family.Prior for family in FAMILIES.values()}
globals().update(_PRIORS)

__all__ = ["FAMILIES", "Family", "Kernels", "Prior", "Support", *_PRIORS]
