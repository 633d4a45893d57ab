"""What the lessons of the Teach page say of twenty draws.

    python -m tests.benchmarks.lessons          # about 2 minutes on one core

5.1: K-means with K = 3 and 100 starts, NMI with the truth. 5.1, 5.4 and 5.5: how many discs BIC
chooses, and how many by R16's rule.
Wines: K of MAP-DP.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from mapdp_studio.core import MAPDP, KMeansBIC
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.teaching.lessons import BEGINNING
from mapdp_studio.demo_datasets import load_scenario_table, load_taught

SEEDS = range(20)


def cut_again(seeds: Iterable[int], n_starts: int) -> list[float]:
    """NMI that K-means reaches on 5.1, told K = 3, in every draw."""
    return [nmi(truth, model.labels_) for truth, model in _k_means("5.1", seeds, 3, 3, n_starts)]


def discs(key: str, seeds: Iterable[int]) -> list[tuple[int, int]]:
    """K that BIC chooses for K-means, and that of the highest BIC of any start, in every draw."""
    fitted = (model for _, model in _k_means(key, seeds, 1, 20, 10))
    return [(model.n_clusters_, _by_r16(**model.result_.details["bic"])) for model in fitted]


def _by_r16(n_clusters: np.ndarray, highest: np.ndarray, **other: np.ndarray) -> int:
    return int(n_clusters[np.nanargmax(highest)])


def wines(seed: int) -> MAPDP:
    """MAP-DP on the wines, as the page runs it from a seed."""
    frame, schema, _ = load_taught("wine")
    return MAPDP(3.0, n_init=1, random_state=seed).fit(frame, schema)


def _k_means(key: str, seeds: Iterable[int], *told: int) -> Iterator[tuple[np.ndarray, KMeansBIC]]:
    """The true groups of every draw, and K-means told this."""
    for seed in seeds:
        frame, schema, label = load_scenario_table(key, BEGINNING["rows"], seed)
        yield frame[label].to_numpy(), KMeansBIC(*told, random_state=seed).fit(frame, schema)


def main() -> None:
    """Print all."""
    reached = np.array(cut_again(SEEDS, 100))
    print("5.1, K-means, 100 starts: NMI", np.sort(reached).round(3))
    print(f"  below 0.62 in {(reached < 0.62).sum()} of {reached.size}")
    for key in ("5.1", "5.4", "5.5"):
        found, by_r16 = zip(*discs(key, SEEDS), strict=True)
        print(f"{key}, discs by BIC:", sorted(found), "by R16's rule:", sorted(by_r16))
    print("wines, K of MAP-DP:", sorted(wines(seed).n_clusters_ for seed in SEEDS))


if __name__ == "__main__":
    main()
