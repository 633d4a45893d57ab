"""Views on tables with three independent groupings, on noise, on the cohort and on the animals.

python -m tests.benchmarks.views [number of tables] [first seed] [all]

"all" adds noise alone, lace, the cohort and the animals. Rules are settled on other seeds than 0
to 19.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, MAPViews, infer_schema
from mapdp_studio.core.models.views.view import log_restaurant
from mapdp_studio.core.partitions.scores import ari
from mapdp_studio.core.schema.encoded import Encoded
from mapdp_studio.demo_datasets import load_parkinsonism
from tests.several_groupings import three_groupings

TRUTH, GAIN = "E above the truth's", "E below one view's"
ANIMALS = Path(__file__).parents[3] / "shared" / "raw-tables" / "animals.csv"


def objective_of_truth(
    model: MAPViews, encoded: Encoded, of_column: np.ndarray, truths: list[np.ndarray]
) -> float:
    """E of the true division of the columns, each grouping searched on from its true rows."""
    fits = model._fits(encoded, lambda: None)
    total = -log_restaurant(np.bincount(of_column), model.view_concentration)
    for g in range(of_column.max() + 1):
        units = np.flatnonzero(of_column == g).tolist()
        known = truths[g] if g < len(truths) else np.zeros(len(encoded.values), dtype=np.int64)
        starts = [fits.fit(units, scale, known, 3) for scale in (0.25, 0.5, 1.0)]
        total += min(fits.rescaled(view).objective for view in starts)
    return total


def planted(seeds: range) -> pd.DataFrame:
    """One row a table: how the columns and each grouping are found, by views and by one fit."""
    rows = []
    for seed in seeds:
        encoded, of_column, truths = three_groupings(seed)
        began = time.process_time()
        model = MAPViews(random_state=0).fit_encoded(encoded)
        seconds = time.process_time() - began
        single = MAPDP(random_state=0).fit_encoded(encoded)
        noise = set(model.view_of_column_[of_column == 3])
        noise -= set(model.view_of_column_[of_column < 3])
        found = {
            f"grouping {g + 1}": max(ari(truth, view.labels_) for view in model.views_)
            for g, truth in enumerate(truths)
        }
        one = {f"one fit {g + 1}": ari(truth, single.labels_) for g, truth in enumerate(truths)}
        rows.append(
            {
                "columns": ari(of_column, model.view_of_column_),
                **found,
                **one,
                "one fit K": single.n_clusters_,
                "noise views above K = 1": sum(model.views_[v].n_clusters_ > 1 for v in noise),
                TRUTH: model.objective_ - objective_of_truth(model, encoded, of_column, truths),
                GAIN: model.single_objective_ - model.objective_,
                "CPU s": seconds,
            }
        )
    return pd.DataFrame(rows, index=seeds)


def noise_alone(seeds: range) -> int:
    """In how many tables of 26 columns of noise a view of more than one group is found."""
    models = (
        MAPViews(random_state=0).fit_encoded(three_groupings(seed, widths=(), n_noise=26)[0])
        for seed in seeds
    )
    return sum(any(view.n_clusters_ > 1 for view in model.views_) for model in models)


def beside_lace(seeds: range) -> pd.DataFrame | None:
    """The same tables by lace (cross-categorization by MCMC), where it is installed."""
    try:
        import lace
    except ImportError:
        return None
    rows = []
    for seed in seeds:
        encoded, of_column, truths = three_groupings(seed)
        frame = pd.DataFrame(encoded.values, columns=encoded.names)
        frame.index = [f"row {i}" for i in range(len(frame))]
        for unit in encoded.units:
            if unit.family in ("bernoulli", "categorical"):
                levels = np.array([str(level) for level in unit.options["levels"]], dtype=object)
                codes = frame[unit.name]
                text = np.where(codes.isna(), None, levels[codes.fillna(0).astype(int)])
                frame[unit.name] = text
        began = time.perf_counter()
        engine = lace.Engine.from_df(frame, n_states=4, rng_seed=seed)
        engine.update(500)
        seconds = time.perf_counter() - began
        best = int(np.argmax(engine.diagnostics("score").to_numpy()[-1]))
        of_lace = np.array(engine.column_assignment(best))
        views = [np.array(view) for view in engine.row_assignments(best)]
        rows.append(
            {
                "columns": ari(of_column, of_lace),
                **{
                    f"grouping {g + 1}": max(ari(truth, view) for view in views)
                    for g, truth in enumerate(truths)
                },
                "seconds": seconds,
            }
        )
    return pd.DataFrame(rows)


def cohort() -> pd.DataFrame:
    """The views of the simulated cohort, beside its groups."""
    frame, schema, truth = load_parkinsonism()
    began = time.perf_counter()
    model = MAPViews(random_state=0).fit(frame, schema)
    seconds = time.perf_counter() - began
    return pd.DataFrame(
        {
            "columns": len(view.columns_.encoded.names),
            "K": view.n_clusters_,
            "ARI": ari(truth, view.labels_),
            "first columns": ", ".join(view.columns_.encoded.names[:3]),
            "seconds": seconds,
        }
        for view in model.views_
    )


def animals() -> pd.DataFrame:
    """The views of 50 animals by 85 yes/no features."""
    frame = pd.read_csv(ANIMALS)
    model = MAPViews(random_state=0).fit(frame, infer_schema(frame))
    names = frame.iloc[:, 0].to_numpy()
    return pd.DataFrame(
        {
            "columns": ", ".join(view.columns_.encoded.names[:8]),
            "n": len(view.columns_.encoded.names),
            "groups": " | ".join(
                ", ".join(map(str, names[view.labels_ == k][:6])) for k in range(view.n_clusters_)
            ),
        }
        for view in model.views_
    )


if __name__ == "__main__":
    pd.set_option("display.width", 220, "display.max_columns", 30, "display.max_colwidth", 200)
    n, first = (int(text) for text in (sys.argv[1:] + ["20", "0"][len(sys.argv) - 1 :])[:2])
    table = planted(range(first, first + n))
    print(table.round(2).to_string())
    print(
        f"columns' ARI >= .9 in {np.sum(table['columns'] >= 0.9)} of {n}, 1 in "
        f"{np.sum(table['columns'] == 1.0)}; no noise view above one group in "
        f"{np.sum(table['noise views above K = 1'] == 0)}; E above one view's in "
        f"{np.sum(table[GAIN] < 0.0)}"
    )
    print(table.median().round(3).to_string())
    if sys.argv[3:]:
        seeds = range(first, first + n)
        print(f"noise alone: more than one group in {noise_alone(seeds)} of {n} tables")
        peer = beside_lace(seeds)
        print("lace is not installed" if peer is None else peer.median().round(3).to_string())
        print(cohort().round(2).to_string())
        if ANIMALS.exists():
            print(animals().to_string())
