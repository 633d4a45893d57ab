"""Are the groups, and their number, better than what a user would pick instead?

    python -m tests.benchmarks.labelled [table ...]

Tables with known classes, which nobody is told: those of ../shared/labelled and, with the papers'
data sets, of ../shared/data. MAP-DP under the suggested schema, under the model chosen by E
(`choose_model`), and as many of its groups as come back (`how_many`) stand beside a GaussianMixture
(K 1 to 20, three kinds of covariance, ten starts each, by BIC), K-means by silhouette, and HDBSCAN.
The peers see the same cells as numbers: holes filled by median and mode, numbers scaled, categories
one column a level. K counts clusters of five rows and of 1 %. At the end the mean difference to the
mixture, with a 95 % interval over tables. About 25 minutes.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_mutual_info_score, silhouette_score
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from mapdp_studio.core import MAPDP, Schema, choose_model, how_many, infer_schema, read_table
from tests.benchmarks.papers import DATA, FILES

LABELLED = DATA.parent / "labelled"
K_MAX, STARTS = 20, 10
#: The mixture that the others are compared with, the method that is to be above it, and its groups
#: put together to as many as the app shows first, chance aside.
MIXTURE, CHOSEN, SHOWN = "GaussianMixture", "chosen by E", "shown first"
#: Tables simulated from the model itself say nothing of real ones.
SIMULATED = "clean"


def tables() -> Iterator[tuple[str, pd.DataFrame, str]]:
    """Name, table and the column with its classes."""
    for path in sorted(LABELLED.glob("*.csv")):
        frame = read_table(path)
        if "CLASS" in frame:
            yield path.stem, frame, "CLASS"
    more = {"penguins": ("penguins/penguins.csv", "species")}
    for name, (file, label) in (FILES | more).items():
        if (DATA / file).exists():
            yield name.lower(), read_table(DATA / file), label


def as_numbers(frame: pd.DataFrame, schema: Schema) -> np.ndarray:
    """The cells that the groups are made from, as the peers see them; (N, M)."""
    parts = []
    for name in schema.names("cluster"):
        spec, column = schema[name], frame[name]
        observed = column.astype(object).where(~column.astype(str).isin([*spec.missing_codes]))
        if spec.family in ("categorical", "bernoulli"):
            filled = observed.fillna(observed.mode()[0]).astype(str)
            parts.append(pd.get_dummies(filled, drop_first=filled.nunique() <= 2).to_numpy(float))
        else:
            numbers = pd.to_numeric(observed, errors="coerce")
            if numbers.notna().sum() < 5:  # words in an order
                numbers = observed.astype(str).map({str(s): i for i, s in enumerate(spec.levels)})
            filled = numbers.fillna(numbers.median()).to_numpy(float)[:, None]
            parts.append(StandardScaler().fit_transform(filled))
    return np.hstack(parts)


def mixture(values: np.ndarray) -> np.ndarray:
    """Labels of the GaussianMixture of lowest BIC."""
    best, lowest = None, np.inf
    for kind in ("full", "diag", "spherical"):
        for k in range(1, min(K_MAX, len(values) // 2) + 1):
            model = GaussianMixture(
                k, covariance_type=kind, n_init=STARTS, reg_covar=1e-4, random_state=0
            )
            bic = model.fit(values).bic(values)
            if bic < lowest:
                best, lowest = model, bic
    return best.predict(values)


def kmeans(values: np.ndarray) -> np.ndarray:
    """Labels of the K-means of highest silhouette."""
    runs = (
        KMeans(k, n_init=STARTS, random_state=0).fit_predict(values) for k in range(2, K_MAX + 1)
    )
    return max(runs, key=lambda labels: silhouette_score(values, labels))


def counted(labels: np.ndarray) -> int:
    """Clusters of five rows and of 1 %."""
    sizes = np.bincount(labels[labels >= 0], minlength=1)
    return max(int((sizes >= max(5, 0.01 * labels.size)).sum()), 1)


def measured(name: str, frame: pd.DataFrame, label: str) -> Iterator[dict[str, object]]:
    schema = infer_schema(frame, label=label)
    truth, values = pd.factorize(frame[label].astype(str))[0], as_numbers(frame, schema)
    methods: dict[str, Callable[[], np.ndarray]] = {  # labels, below 0 for rows in no cluster
        "as suggested": lambda: MAPDP(random_state=0).fit(frame, schema).labels_,
        CHOSEN: lambda: choose_model(frame, schema).model.labels_,
        SHOWN: lambda: how_many(choose_model(frame, schema).model).labels,
        MIXTURE: lambda: mixture(values),
        "K-means": lambda: kmeans(values),
        "HDBSCAN": lambda: HDBSCAN(copy=True).fit_predict(values),
    }
    for method, run in methods.items():
        began = time.process_time()
        labels = run()
        yield {
            "table": name,
            "N": len(frame),
            "classes": int(truth.max()) + 1,
            "method": method,
            "K": counted(labels),
            "AMI": adjusted_mutual_info_score(truth, labels),
            "CPU s": time.process_time() - began,
        }


def above_the_mixture(real: pd.DataFrame, method: str) -> str:
    """By how much a method's AMI is above the mixture's, with an interval over tables."""
    by_method = real.pivot(index="table", columns="method", values="AMI")
    gain = (by_method[method] - by_method[MIXTURE]).to_numpy()
    draws = np.random.default_rng(0).choice(gain, (10_000, gain.size)).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return (
        f"{method} above {MIXTURE}: {gain.mean():+.3f} ({low:+.3f} to {high:+.3f}), higher on "
        f"{(gain > 0).sum()} of {gain.size} tables"
    )


def main(names: list[str]) -> None:
    """Measure, and print every table as it is done."""
    warnings.simplefilter("ignore")  # of peers that do not converge
    found = []
    for name, frame, label in tables():
        if not names or name in names:
            found.append(pd.DataFrame(measured(name, frame, label)))
            print(found[-1].round(3).to_string(index=False), flush=True)
    real = pd.concat(found)
    real = real[~real["table"].str.startswith(SIMULATED)]
    # By method over the real tables: mean AMI, and how near K is to the classes.
    ratio = real["K"] / real["classes"]
    lines = real.assign(ratio=ratio, near=ratio.between(1 / 1.5, 1.5)).groupby("method")
    means = {"mean AMI": lines["AMI"].mean(), "K within 1.5": lines["near"].mean()}
    more = {"median K / classes": lines["ratio"].median(), "CPU s": lines["CPU s"].sum()}
    print(pd.DataFrame(means | more).round(3).to_string())
    print(*(above_the_mixture(real, method) for method in (CHOSEN, SHOWN)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
