"""What a column is taken for, and what that does to the groups.

    python -m tests.benchmarks.typing_tables [part]

Parts: limits (two-part columns against the exact values), counts (one population of over-dispersed
counts), codes (planted values that mean something else), misfit.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from core import MAPDP, infer_schema

SEEDS = 20


def lab_table(
    seed: int, share: float, others: float, n: int = 300
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Two groups: a log-normal lab column 4 sd apart, and two normal columns ``others`` sd apart.

    Returns the table with the lab's lowest ``share`` of cells at its limit, the truth and the exact
    values of the lab.
    """
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    lab = np.exp(random.normal(4 * group, 1.0))
    limit = float(f"{np.quantile(lab, share):.3g}")
    cells = [f"{value:.4g}" if value >= limit else f"<{limit:g}" for value in lab]
    frame = pd.DataFrame({"lab": cells})
    if others:
        frame["x"], frame["y"] = random.normal(others * group), random.normal(others * group)
    return frame, group, lab


def _ari(frame: pd.DataFrame, schema, truth: np.ndarray) -> float:
    labels = MAPDP(n_init=5, random_state=0).fit(frame, schema).labels_
    return adjusted_rand_score(truth, labels)


def limits(seeds: int = SEEDS) -> pd.DataFrame:
    """Median ARI by share of cells below the limit, as suggested and by one click."""
    rows = []
    for share in (0.1, 0.3, 0.47, 0.7):
        found: dict[str, list[float]] = {}
        for seed in range(seeds):
            for others, told in ((1.5, "three columns"), (0.0, "lab alone")):
                frame, truth, lab = lab_table(seed, share, others)
                schema = infer_schema(frame)
                exact = frame.assign(lab=lab)
                ways = {"suggested": schema}
                question = next(q for q in schema.questions if q.about == "missing")
                for answer in question.answers[1:]:
                    ways[answer.text.split(" (")[0]] = answer(schema)
                for way, chosen in ways.items():
                    found.setdefault(f"{told}: {way}", []).append(_ari(frame, chosen, truth))
                found.setdefault(f"{told}: exact", []).append(
                    _ari(exact, infer_schema(exact), truth)
                )
        rows.append({"below": f"{share:.0%}", **{k: np.median(v) for k, v in found.items()}})
    return pd.DataFrame(rows).set_index("below")


def counts(tables: int = SEEDS) -> pd.DataFrame:
    """Tables of one population that stay one group, by the negative binomial's r."""
    rows = []
    for r in (1, 2, 4):
        for mean in (3.0, 8.0):
            ones, families = 0, []
            for seed in range(tables):
                random = np.random.default_rng(1000 * r + seed)
                frame = pd.DataFrame(random.normal(size=(300, 3)), columns=["a", "b", "c"])
                frame["visits"] = random.negative_binomial(r, r / (r + mean), 300)
                schema = infer_schema(frame)
                families.append(schema["visits"].family)
                ones += MAPDP(n_init=5, random_state=0).fit(frame, schema).n_clusters_ == 1
            usual = max(set(families), key=families.count)
            rows.append({"r": r, "mean": mean, "K = 1": ones, "of": tables, "family": usual})
    return pd.DataFrame(rows)


def main() -> None:
    """Print the tables asked for, or all."""
    parts = {"limits": limits, "counts": counts}
    for name in sys.argv[1:] or parts:
        print(f"\n{name}\n{parts[name]().round(2).to_string()}", flush=True)


if __name__ == "__main__":
    main()
