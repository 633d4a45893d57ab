"""KJ12's experiment on 50 data sets that share 15 Gaussians: hard and exact HDP beside others.

python -m tests.benchmarks.several_tables [number of draws]

NMI is per data set, averaged; penalties are chosen without the classes. K-means is told K. The
medians over the draws stand beside what KJ12 section 6.3 prints of its one draw.
"""

from __future__ import annotations

import sys

import pandas as pd

from core.reproductions import kj12_hdp

if __name__ == "__main__":
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    runs = kj12_hdp.hdp_runs(n)
    pd.set_option("display.width", 200, "display.max_columns", 30)
    by_draw = runs.pivot(index="draw", columns="method", values="nmi")[list(kj12_hdp.METHODS)]
    print(by_draw.round(3).to_string())
    medians = runs.groupby("method", sort=False)[["nmi", "n_global", "n_local", "seconds"]].median()
    medians["published NMI"] = pd.Series(kj12_hdp.PUBLISHED["nmi"][kj12_hdp.DATA])
    print(medians.round(3).to_string())
