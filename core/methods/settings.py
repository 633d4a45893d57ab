"""Settings of the methods, and their bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from ..models.tolerance import LOWEST
from ..plain import from_fields

K_MAX = 20
# A page must answer in seconds: beyond so many cells, fewer starts and sweeps are asked for.
_CELLS_AT_ONCE = 200_000


def _setting(default: Any, low: float, high: float) -> Any:
    return field(default=default, metadata={"bounds": (low, high)})


@dataclass(frozen=True)
class Settings:
    """What a user chose; each method reads only its own part."""

    #: N_0, of MAP-DP and Gibbs.
    concentration: float = _setting(3.0, 1e-6, 1e6)
    #: Lambda of DP-means; None takes the farthest-first suggestion for ``n_clusters``.
    penalty: float | None = _setting(None, 1e-9, 1e12)
    #: K of E-M, and of K-means unless ``bic``.
    n_clusters: int = _setting(3, 1, K_MAX)
    bic: bool = _setting(True, False, True)
    #: Restarts; Gibbs runs as many sweeps for each.
    effort: int = _setting(1, 1, 10)
    seed: int = _setting(0, 0, 999_999)
    #: Zeta of the methods with a likelihood: below 1 it tolerates deviations from it.
    likelihood_power: float = _setting(1.0, LOWEST, 1.0)

    @property
    def tempering(self) -> dict[str, float]:
        """Power of the likelihood as an estimator's argument; empty for the default, 1."""
        return {} if self.likelihood_power == 1.0 else {"likelihood_power": self.likelihood_power}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Rebuild from plain values; a ValueError for a setting out of bounds."""
        if data.get("own"):
            raise ValueError("what it says to single methods are options that are gone")
        given = {name: value for name, value in data.items() if name not in _GONE}
        settings = from_fields(cls, given, "comparison")
        for setting in fields(cls):
            value, (low, high) = getattr(settings, setting.name), setting.metadata["bounds"]
            if value is not None and not low <= value <= high:
                raise ValueError(f"'{setting.name}' is {value!r}, outside {low:g} to {high:g}")
        return settings


#: Settings that files of earlier versions have and nothing reads.
_GONE = ("own", "penalty_hint")


def fewer(most: int, least: int, n_cells: int) -> int:
    """``most`` on a small table, down to ``least`` in proportion on a large one."""
    return int(np.clip(most * _CELLS_AT_ONCE // max(n_cells, 1), least, most))
