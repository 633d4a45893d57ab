"""M12 Table 25.1 in spirit: purity of Bayesian hierarchical clustering beside three linkages.

Its data are not public but for what can be drawn alike: four clusters in the plane, and small
images of digits, as 64 yes/no columns.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mapdp_studio.core.models.bayesian_hierarchy import BayesianHierarchy
from mapdp_studio.core.models.similarity.wrapped import Agglomerative
from mapdp_studio.core.partitions.scores import contingency
from mapdp_studio.core.schema.encoded import Encoded

LINKAGES = ("single", "complete", "average")
BHC = "BHC"
SYNTHETIC, DIGITS = "Synthetic", "Digits"
#: By measure what the table prints, (data set, method), of the data that can be drawn alike.
PUBLISHED = {
    "purity": pd.DataFrame(
        [(0.599, 0.634, 0.668, 0.828), (0.224, 0.299, 0.342, 0.393)],
        (SYNTHETIC, DIGITS),
        (*LINKAGES, BHC),
    )
}
N_ROWS, N_CLUSTERS = 200, 4
#: Standard deviation of the clusters' centres; within a cluster it is 1.
APART = 3.0


def synthetic(random: np.random.Generator) -> tuple[Encoded, np.ndarray]:
    """Four clusters of random centre, widths and size in the plane, 200 rows."""
    truth = random.choice(N_CLUSTERS, N_ROWS, p=random.dirichlet(np.full(N_CLUSTERS, 4.0)))
    centers = random.normal(0.0, APART, (N_CLUSTERS, 2))
    widths = random.gamma(4.0, 0.25, (N_CLUSTERS, 2))
    values = centers[truth] + widths[truth] * random.normal(size=(N_ROWS, 2))
    return Encoded.from_array(values, "normal"), truth


def images(
    pixels: np.ndarray, digits: np.ndarray, random: np.random.Generator
) -> tuple[Encoded, np.ndarray]:
    """Two hundred images, every pixel dark or not; those that never change are left out."""
    rows = random.permutation(len(pixels))[:N_ROWS]
    dark = (pixels[rows] > pixels.max() / 2.0).astype(float)
    varying = dark.min(axis=0) < dark.max(axis=0)
    return Encoded.from_array(dark[:, varying], "bernoulli"), digits[rows]


def table_25_1(n_draws: int = 10, seed: int = 0) -> pd.DataFrame:
    """Cut every tree at the true number of classes.

    The book does not say how many draws its deviations are over.
    """
    from sklearn.datasets import load_digits  # takes a second to import

    digits, runs = load_digits(return_X_y=True), []
    for draw, random in enumerate(np.random.default_rng(seed).spawn(n_draws)):
        tables: Mapping[str, tuple[Encoded, np.ndarray]] = {
            SYNTHETIC: synthetic(random),
            DIGITS: images(*digits, random),
        }
        for data, (encoded, truth) in tables.items():
            k = np.unique(truth).size
            for method in (*LINKAGES, BHC):
                is_bhc = method == BHC
                model = BayesianHierarchy(random_state=0) if is_bhc else Agglomerative(k, method)
                labels = model.fit_encoded(encoded).labels_at(k)
                purity = contingency(truth, labels).max(axis=0).sum() / labels.size
                runs.append({"draw": draw, "data": data, "method": method, "purity": purity})
    return pd.DataFrame(runs)
