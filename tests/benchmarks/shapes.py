"""Moons and rings: how often the methods that follow a shape find the two groups by their own rule.

python -m tests.benchmarks.shapes [draws]

Their lambda is where the spectrum of the graph of ten nearest neighbours jumps most; nothing is
told. MAP-DP beside them.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, KernelDPMeans, PenalisedCut, SpectralDPMeans
from mapdp_studio.core.partitions.scores import ari, nmi
from mapdp_studio.demo_datasets import load_scenario


def one(n: int, share: float, seed: int) -> list[dict[str, object]]:
    """Every method on one draw."""
    frame, truth = load_scenario("shapes", n, seed, ring_share=share)
    models = {
        "spectral DP-means": SpectralDPMeans(random_state=0),
        "penalised cut": PenalisedCut(random_state=0),
        "ratio cut": PenalisedCut(cut="ratio", random_state=0),
        "kernel DP-means": KernelDPMeans(kernel="diffusion"),
        "MAP-DP": MAPDP(likelihood="gaussian", random_state=0),
    }
    rows = []
    for name, model in models.items():
        labels = model.fit(frame.to_numpy()).labels_
        rows.append(
            {
                "shape": "rings" if share else "moons",
                "N": n,
                "method": name,
                "ARI": ari(truth, labels),
                "NMI": nmi(truth, labels),
                "K": model.n_clusters_,
            }
        )
    return rows


def main() -> None:
    """Print medians, and in how many draws ARI is above .95."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    table = pd.DataFrame(
        row
        for n in (300, 2000)
        for share in (0.0, 1.0)
        for seed in range(draws)
        for row in one(n, share, seed)
    )
    groups = table.groupby(["shape", "N", "method"], sort=False)
    summary = groups[["ARI", "NMI", "K"]].median()
    summary[f"ARI > .95, of {draws}"] = groups["ARI"].agg(lambda values: np.sum(values > 0.95))
    print(summary.round(3).to_string())


if __name__ == "__main__":
    main()
