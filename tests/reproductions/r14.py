"""R14 section 4.1 and Appendix A.4: MAP-DP and Gibbs on draws of a Chinese-restaurant mixture.

The data come from the very model that is fitted, its prior and N_0 known, so nothing but the
inference is compared.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score

from mapdp_studio.core.engine.packed import PackedTable
from mapdp_studio.core.engine.partition import Partition
from mapdp_studio.core.families import NormalPrior
from mapdp_studio.core.inference.clusters import RowScores
from mapdp_studio.core.models.gibbs import CollapsedGibbs
from mapdp_studio.core.models.mapdp import MAPDP
from mapdp_studio.core.partitions.scores import nmi
from mapdp_studio.core.schema.encoded import Encoded

CONCENTRATION = 3.0
#: Of each of the two columns.
PRIOR = NormalPrior(mean=1.0, mean_count=0.1, shape=1.0, rate=10.0)
N_COLUMNS = 2

PLAIN, REFINED = "MAP-DP, published", "MAP-DP"
GIBBS, GIBBS_BEST = "Gibbs, mean of draws", "Gibbs, draw of lowest E"
TRUTH = "true partition"

#: Mean over 100 draws, of R14 Tables 1, 4 and 5, (measure, method).
PUBLISHED = pd.DataFrame(
    {
        "nmi": (0.67, 0.71),
        "nmi_max": (0.64, 0.64),
        "ami": (0.62, 0.62),
        "difference": (-0.91, -6.94),
        "iterations": (2020.0, 13.3),
        "seconds": (7300.0, 28.0),
        "held_out_nmi": (0.72, 0.71),
        "held_out_nmi_max": (0.68, 0.64),
        "held_out_ami": (0.67, 0.62),
        "held_out_nll": (7.17, 7.20),
    },
    (GIBBS, PLAIN),
).T
#: Everything measured; the last two are not in R14.
MEASURES = (*PUBLISHED.index, "objective", "n_clusters")


#: Rows of one Chinese-restaurant mixture, (2 N, 2), and the truth; the second half is held out.
MixtureDraw = tuple[np.ndarray, np.ndarray]


def draw_mixture(random: np.random.Generator, n: int) -> MixtureDraw:
    """Draw 2 n rows one after the other from the mixture."""
    truth = np.zeros(2 * n, dtype=np.int64)
    for i in range(2 * n):
        weights = np.append(np.bincount(truth[:i]), CONCENTRATION)
        truth[i] = random.choice(weights.size, p=weights / weights.sum())
    size = (truth.max() + 1, N_COLUMNS)
    precision = random.gamma(PRIOR.shape, 1.0 / PRIOR.rate, size)
    mean = random.normal(PRIOR.mean, 1.0 / np.sqrt(PRIOR.mean_count * precision))
    return random.normal(mean[truth], 1.0 / np.sqrt(precision[truth])), truth


def crp_experiment(
    n_draws: int = 100, n: int = 600, *, n_sweeps: int = 2000, n_kept: int = 25, seed: int = 0
) -> pd.DataFrame:
    """Run MAP-DP, published and refined, and Gibbs on draws of the mixture; R14 has 100.

    All start from one cluster as in R14, but for the refined MAP-DP, whose search has its own
    starts. R14 ran Gibbs until a diagnostic was content, about 2,000 sweeps; here their number is
    fixed and the second half counts: ``n_kept`` draws, evenly spaced, are what means are taken
    over.
    """
    runs = []
    for draw, random in enumerate(np.random.default_rng(seed).spawn(n_draws)):
        mixture = draw_mixture(random, n)
        for method, result in _fits(mixture, n_sweeps, n_kept, random).items():
            means = {name: float(np.mean([one[name] for one in result])) for name in MEASURES}
            runs.append({"draw": draw, "method": method, **means})
    return pd.DataFrame(runs)


def _fits(
    mixture: MixtureDraw, n_sweeps: int, n_kept: int, random: np.random.Generator
) -> dict[str, list[dict[str, Any]]]:
    """Measures of the partitions that each method gives: one, or some draws of Gibbs."""
    values, truth = (half[: len(half) // 2] for half in mixture)
    prior = [PRIOR] * N_COLUMNS
    common = {"concentration": CONCENTRATION, "prior": prior, "random_state": random}
    one_cluster = np.zeros(len(values), dtype=np.int64)
    models = {
        PLAIN: MAPDP(refine=False, shuffle=False, **common),
        REFINED: MAPDP(**common),
        GIBBS: CollapsedGibbs(n_sweeps=n_sweeps, n_kept=n_kept, init=one_cluster, **common),
    }
    result = {}
    for method, model in models.items():
        model.fit(values)
        effort = {"iterations": model.n_iter_, "seconds": model.result_.seconds}
        result[method] = [_measures(mixture, model.labels_, **effort)]
    draws = model.chains_[0].draws
    effort["iterations"] = n_sweeps
    result[GIBBS_BEST] = result[GIBBS]
    result[GIBBS] = [_measures(mixture, labels, **effort) for labels in draws]
    result[TRUTH] = [_measures(mixture, truth, iterations=np.nan, seconds=np.nan)]
    return result


def _measures(mixture: MixtureDraw, labels: np.ndarray, **effort: float) -> dict[str, Any]:
    """All measures of one partition of the rows."""
    (values, held_out), (truth, held_out_truth) = (np.split(half, 2) for half in mixture)
    packed = PackedTable.pack(Encoded.from_array(values, "normal"), [PRIOR] * N_COLUMNS)
    partition = Partition(packed, CONCENTRATION, labels)
    joint = RowScores.of(partition).log_joint(Encoded.from_array(held_out, "normal"))
    n_clusters = partition.n_clusters
    return {
        "n_clusters": n_clusters,
        "difference": n_clusters - np.unique(truth).size,
        "objective": partition.objective(),
        **effort,
        **_agreement(truth, labels),
        **_agreement(held_out_truth, joint.argmax(axis=1), "held_out_"),
        "held_out_nll": -float(np.logaddexp.reduce(joint, axis=1).mean()),
    }


def _agreement(truth: np.ndarray, labels: np.ndarray, prefix: str = "") -> dict[str, float]:
    """NMI over the mean and over the larger of the two entropies, and AMI over the larger one.

    The larger one is the normaliser of Vinh et al. (2010), whom R14 follows.
    """
    by_larger = {"average_method": "max"}
    return {
        f"{prefix}nmi": nmi(truth, labels),
        f"{prefix}nmi_max": float(normalized_mutual_info_score(truth, labels, **by_larger)),
        f"{prefix}ami": float(adjusted_mutual_info_score(truth, labels, **by_larger)),
    }
