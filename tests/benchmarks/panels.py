"""The panels of the scenarios at default settings: E-M beside scikit-learn's, Gibbs' K in range.

    python -m tests.benchmarks.panels [100]

E-M's agreement with the known groups (NMI) beside that of ``GaussianMixture``, the best of ten
random starts; and of so many seeds, spread over the scenarios, how many give a Gibbs partition
whose K lies in the range printed under it.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from sklearn.mixture import GaussianMixture

from mapdp_studio.core.comparing.comparison import Results, known_truth, tasks
from mapdp_studio.core.methods.settings import Settings
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.demo_datasets import load_demo

SCENARIOS = ("5.1", "5.2", "5.3", "5.4", "5.5", "5.6")
WITHIN = 0.02


def main(n_seeds: int) -> None:
    print(f"{'':10}{'E-M':>7}{'sklearn':>9}{'':4}Gibbs' K in its range")
    kept = total = 0
    for place, key in enumerate(SCENARIOS):
        frame, schema, _ = load_demo(key)
        truth = known_truth(frame, schema).classes
        results, settings = Results(), Settings(n_clusters=len(np.unique(truth)))
        wanted = tasks(key, schema, settings, len(frame))
        model = results.fit(wanted["MixtureEM"], frame, schema)
        values = frame[list(schema.names("cluster"))].to_numpy()
        judge = GaussianMixture(
            settings.n_clusters, n_init=10, init_params="random_from_data", random_state=0
        ).fit(values)
        own, other = nmi(truth, model.labels_), nmi(truth, judge.predict(values))
        inside = []
        for seed in range(place, n_seeds, len(SCENARIOS)):
            seeded = tasks(key, schema, replace(settings, seed=seed), len(frame))
            results.fit(seeded["MAPDP"], frame, schema)
            gibbs = results.fit(seeded["CollapsedGibbs"], frame, schema)
            low, high = gibbs.likely_clusters()
            inside.append(low <= gibbs.n_clusters_ <= high)
        kept, total = kept + sum(inside), total + len(inside)
        mark = "" if own >= other - WITHIN else "  E-M below"
        print(
            f"{key:10}{own:7.3f}{other:9.3f}{'':4}{sum(inside)} of {len(inside)}{mark}", flush=True
        )
    print(f"{kept} of {total} seeds")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
