"""The methods: one record a file, and the registry that everything which lists them reads."""

from __future__ import annotations

from .dpmeans import DP_MEANS
from .em import E_M
from .further import FURTHER
from .gibbs import GIBBS
from .kmeans import K_MEANS
from .mapdp import MAP_DP
from .record import Method


class Methods(dict[str, Method]):
    """The five by their estimators' names, in the order of the panels.

    Further ones are found by name, too; an unknown one is refused.
    """

    def __missing__(self, name: str) -> Method:
        if name not in FURTHER:
            raise ValueError(f"'{name}' is no method: there are {', '.join((*self, *FURTHER))}")
        return FURTHER[name]


METHODS = Methods({method.name: method for method in (MAP_DP, DP_MEANS, K_MEANS, E_M, GIBBS)})
#: The method under whose model all partitions are judged.
JUDGE = MAP_DP.name
