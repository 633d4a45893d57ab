"""The registry of likelihoods; to add one, write its ``Prior`` in a file and name it here."""

from importlib import import_module

from .family import KINDS, Kernels, Support
from .prior import Prior

_FILES = ("gaussian", "known_variance", "counts", "categorical")
_FOUND = [
    found
    for file in _FILES
    for found in vars(import_module(f".{file}", __name__)).values()
    if isinstance(found, type) and issubclass(found, Prior) and hasattr(found, "name")
]

FAMILIES: dict[str, type[Prior]] = {
    family.name: family
    for family in sorted(_FOUND, key=lambda f: (f.is_block, KINDS.index(f.kind)))
}
# Each is a name of this package, such as ``NormalPrior``.
_PRIORS = {family.__name__: family for family in FAMILIES.values()}
globals().update(_PRIORS)

__all__ = ["FAMILIES", "Kernels", "Prior", "Support", *_PRIORS]
