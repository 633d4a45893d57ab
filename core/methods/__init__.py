"""The methods: their records, and the registry of all of them."""

from __future__ import annotations

from .centroids import DP_MEANS, K_MEANS
from .mixtures import E_M, GIBBS, MAP_DP
from .others import OTHERS
from .record import Method


class Methods(dict[str, Method]):
    """Methods by their estimators' names, in the order of the panels; unknown names are refused."""

    def __missing__(self, name: str) -> Method:
        raise ValueError(f"'{name}' is no method: there are {', '.join(self)}")

    @property
    def first(self) -> dict[str, Method]:
        """The five that Compare shows at first."""
        return {name: method for name, method in self.items() if method.is_first}

    def readers(self, setting: str) -> str:
        """Titles of the methods that read a setting."""
        return ", ".join(method.title for method in self.values() if setting in method.reads)


_RECORDS = (MAP_DP, DP_MEANS, K_MEANS, E_M, GIBBS, *OTHERS)
METHODS = Methods({method.name: method for method in _RECORDS})
#: The method under whose model all partitions are judged.
JUDGE = MAP_DP.name
