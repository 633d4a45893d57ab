"""Where scripts exported before version 0.2 look for ``Naming``."""

from ..partitions.naming import Naming

__all__ = ["Naming"]
