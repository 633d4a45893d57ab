"""What a column is taken for, and what that does to the groups.

    python -m tests.benchmarks.typing_tables [part]

Parts: limits (two-part columns against the exact values), counts (one population of over-dispersed
counts), zeros (costs with 70 % zeros, as suggested), codes (planted for "no answer", asked about),
cells (1,000 random columns as people write them), misfit (a column of another family, named first).
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from mapdp_studio.core import MAPDP, CollapsedGibbs, ColumnSpec, MixtureEM, Schema, infer_schema
from mapdp_studio.core.inference.misfit import misfits
from mapdp_studio.core.models.estimator import ClusterEstimator
from mapdp_studio.core.profiling.cards import profile_cards
from tests.planted_codes import CODES, is_asked, planted
from tests.written_columns import read_columns

SEEDS = 20
MAP = MAPDP(n_init=5, random_state=0)
#: Methods that share rows between groups.
SHARING = {
    "E-M": MixtureEM(n_components=2, random_state=0),
    "Gibbs": CollapsedGibbs(n_sweeps=200, random_state=0),
}


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


def _ari(frame: pd.DataFrame, schema, truth: np.ndarray, model: ClusterEstimator = MAP) -> float:
    return adjusted_rand_score(truth, model.fit(frame, schema).labels_)


def limits(seeds: int = SEEDS) -> pd.DataFrame:
    """Median ARI by share of cells below the limit, as suggested and by one click.

    Beside it that of "below the limit or not", which alone is a partition: where most cells are
    below, the optimum of the model is that one or a little better, and methods that share rows find
    more.
    """
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
                for method, model in SHARING.items():
                    shared = _ari(frame, schema, truth, model)
                    found.setdefault(f"{told}: suggested, {method}", []).append(shared)
                below = frame["lab"].str.startswith("<")
                found.setdefault(f"{told}: below or not", []).append(
                    adjusted_rand_score(truth, below)
                )
                found.setdefault(f"{told}: exact", []).append(
                    _ari(exact, infer_schema(exact), truth)
                )
        rows.append({"below": f"{share:.0%}", **{k: np.median(v) for k, v in found.items()}})
    return pd.DataFrame(rows).set_index("below")


def zeros(tables: int = SEEDS) -> pd.DataFrame:
    """Costs with 70 % zeros as suggested: the groups found, and what is said of the zeros.

    In one group 95 % cost nothing, in the other 45 %; the others cost 2 sd more in the logarithm.
    """
    rows = []
    for others in (0.0, 1.5, 3.0):
        found = []
        for seed in range(tables):
            random = np.random.default_rng(seed)
            group = random.integers(2, size=300)
            cost = np.exp(random.normal(5 + 2 * group, 1.0)).round(2)
            cost[random.random(300) < np.where(group, 0.45, 0.95)] = 0.0
            frame = pd.DataFrame({"cost of care": cost})
            frame["x"], frame["y"] = random.normal(others * group), random.normal(others * group)
            schema = infer_schema(frame)
            answers = [q.answers for q in schema.questions if q.about == "outcome"]
            schema = answers[0][-1](schema)  # a cost is asked about as an outcome: no, cluster
            model = MAPDP(n_init=5, random_state=0).fit(frame, schema)
            cards = profile_cards(model.columns_.encoded, model.labels_)
            said = any("zero in" in trait.here for card in cards for trait in card.traits)
            ari = adjusted_rand_score(group, model.labels_)
            found.append(
                (schema["cost of care"].special == ("zero",), model.n_clusters_, ari, said)
            )
        special, clusters, ari, said = map(np.array, zip(*found, strict=True))
        rows.append(
            {
                "others apart (sd)": others,
                "zeros apart": special.sum(),
                "median K": np.median(clusters),
                "median ARI": np.median(ari),
                "zeros on a card": said.sum(),
                "of": tables,
            }
        )
    return pd.DataFrame(rows)


def counts(tables: int = SEEDS) -> pd.DataFrame:
    """Tables of one population that stay one group, by the negative binomial's r."""
    rows = []
    for r in (1, 2, 4):
        for mean in (3.0, 8.0):
            ones, without, families = 0, 0, []
            for seed in range(tables):
                random = np.random.default_rng(1000 * r + seed)
                frame = pd.DataFrame(random.normal(size=(300, 3)), columns=["a", "b", "c"])
                frame["visits"] = random.negative_binomial(r, r / (r + mean), 300)
                schema = infer_schema(frame)
                families.append(schema["visits"].family)
                one = MAPDP(n_init=5, random_state=0).fit(frame, schema).n_clusters_ == 1
                ones += one
                aside = schema.with_column("visits", role="ignore")
                without += one or MAPDP(n_init=5, random_state=0).fit(frame, aside).n_clusters_ == 1
            usual = max(set(families), key=families.count)
            rows.append(
                {
                    "r": r,
                    "mean": mean,
                    "K = 1": ones,
                    "with or without the count": without,
                    "of": tables,
                    "family": usual,
                }
            )
    return pd.DataFrame(rows)


def codes(tables: int = 400) -> pd.DataFrame:
    """Tables with one code planted that ask about it, and tables without that ask about any."""
    rows = []
    for seed in range(tables):
        code = CODES[seed % len(CODES)]
        with_it, without = planted(seed, code), planted(seed)
        asked = [q for q in infer_schema(without.frame).questions if q.about == "missing"]
        rows.append({"code": str(code), "asked": is_asked(with_it), "false": bool(asked)})
    found = pd.DataFrame(rows).groupby("code").agg(["sum", "size"])[["asked", "false"]]
    found.columns = ["asked", "planted", "false", "without"]
    first = pd.DataFrame(rows[:50])
    sums = {"asked": first["asked"].sum(), "false": first["false"].sum()}
    every = found.sum().rename("all")
    fifty = pd.Series(sums | {"planted": 50, "without": 50}, name="first 50")
    return pd.concat([found, every.to_frame().T, fifty.to_frame().T])


def cells(tables: int = 200) -> pd.DataFrame:
    """Five random columns a table, as people write them: read as said, kept and exported."""
    columns = [column for seed in range(tables) for column in read_columns(seed)]
    rows = pd.DataFrame([(c.kind, 1, c.right, c.kept) for c in columns])
    rows.columns = ["kind", "columns", "read as said", "kept"]
    found = rows.groupby("kind").sum()
    return pd.concat([found, found.sum().to_frame("all").T])


FITTING = {
    "normal": lambda g, r: r.normal(3.0 * g, 1.0),
    "poisson": lambda g, r: r.poisson(np.where(g, 8, 2)),
    "geometric": lambda g, r: r.geometric(np.where(g, 0.15, 0.5)) - 1,
    "exponential": lambda g, r: r.exponential(np.where(g, 5.0, 1.0)),
    "binomial": lambda g, r: r.binomial(6, np.where(g, 0.75, 0.3)),
}
PLANTED = {
    "normal": lambda g, r: np.exp(r.normal(1.0 * g, 0.8)),
    "poisson": lambda g, r: r.negative_binomial(1.2, 1.2 / (1.2 + np.where(g, 8, 3))),
    "geometric": lambda g, r: r.poisson(np.where(g, 10, 4)),
    "exponential": lambda g, r: np.exp(r.normal(np.where(g, 3.0, 2.0), 0.3)),
    "binomial": lambda g, r: np.where(r.random(g.size) < np.where(g, 0.7, 0.35), 6, 0),
}


def misfit_table(seed: int, planted: str | None, n: int = 400) -> tuple[pd.DataFrame, Schema]:
    """Two groups in a column of each kind, one of them drawn from another family."""
    random = np.random.default_rng(seed)
    group = random.integers(2, size=n)
    makers = FITTING if planted is None else FITTING | {planted: PLANTED[planted]}
    frame = pd.DataFrame({name: make(group, random) * 1.0 for name, make in makers.items()})
    specs = [ColumnSpec(name, name) for name in frame if name != "binomial"]
    return frame, Schema([*specs, ColumnSpec("binomial", "binomial", trials=6)])


def misfit(tables: int = 50) -> pd.DataFrame:
    """Tables in which the misfit column is named first, and in which nothing is named."""
    rows = []
    for seed in range(tables):
        kind = list(PLANTED)[seed % len(PLANTED)]
        named = []
        for misfitting in (kind, None):
            frame, schema = misfit_table(seed, misfitting)
            model = MAPDP(n_init=3, random_state=0).fit(frame, schema)
            named.append([m.column for m in misfits(model.partition_, model.schema_)])
        first = named[0][:1] == [kind]
        rows.append({"planted": kind, "named first": first, "fitting, none named": not named[1]})
    found = pd.DataFrame(rows).groupby("planted").sum()
    return pd.concat([found, found.sum().to_frame("all").T])


def main() -> None:
    """Print the tables asked for, or all."""
    parts = {
        "limits": limits,
        "counts": counts,
        "zeros": zeros,
        "codes": codes,
        "cells": cells,
        "misfit": misfit,
    }
    for name in sys.argv[1:] or parts:
        print(f"\n{name}\n{parts[name]().round(2).to_string()}", flush=True)


if __name__ == "__main__":
    main()
