"""How often t-tests reject: the naive one, and the one from groups found without the column.

    python -m tests.benchmarks.t_tests            # about 15 minutes on one core
    python -m tests.benchmarks.t_tests --null     # 400 null lines of mixed kinds
    python -m tests.benchmarks.t_tests --coverage # intervals of the pairs found without a column
    python -m tests.benchmarks.t_tests --speed    # the cohort's 215 columns

Nominal 5 %, the two largest groups. Tables without groups: log-normal columns that a normal model
splits. Tables with groups: three of them, columns that differ, and columns of noise. One column
that dominates four others. Each cell has at least 1,000 tests made of columns left out, but for
the last, where hardly one can be made. A null line is a column that is independent of all others:
beside real groups, and in tables that have none. An interval of a pair found without a column is
to hold the difference of the two sides' expectations, given the known classes of their rows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, process_time

import numpy as np
import pandas as pd

from mapdp_studio.core import MAPDP, Schema, infer_schema
from mapdp_studio.core.clinical.left_out import groups_without, sides
from mapdp_studio.core.clinical.t_tests import read_columns, t_table, t_tests
from mapdp_studio.core.schema.spec import ColumnSpec
from mapdp_studio.demo_datasets import load_parkinsonism

NOMINAL, ROWS, WANTED, MOST = 0.05, 150, 1_000, 1_500
#: Null lines that are tested in tables with real groups, and as many in tables without.
NULL_LINES = 200


def no_groups(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Log-normal columns (.7) without any groups."""
    columns = np.exp(0.7 * random.normal(size=(6, ROWS)))
    return {f"noise {j}": column for j, column in enumerate(columns)}


def three_groups(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Three groups on six columns that differ between them, and six of noise."""
    group = random.choice(3, ROWS, p=[0.45, 0.35, 0.2])
    shifts = random.normal(0.0, 1.6, (6, 3))
    differing = random.normal(size=(6, ROWS)) + shifts[:, group]
    table = {f"differing {j}": column for j, column in enumerate(differing)}
    noise = random.normal(size=(6, ROWS))
    return table | {f"noise {j}": column for j, column in enumerate(noise)}


def one_dominates(random: np.random.Generator) -> dict[str, np.ndarray]:
    """A column in two halves far apart, and four of noise."""
    table = {f"noise {j}": column for j, column in enumerate(random.normal(size=(4, ROWS)))}
    return {"dominating": random.normal(size=ROWS) + 12.0 * (random.random(ROWS) < 0.5)} | table


def noise(n: int, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Columns of five kinds, each independent of everything."""
    return {
        "noise normal": random.normal(size=n),
        "noise skewed": random.gamma(1.5, 2.0, n),
        "noise rating": random.binomial(6, 0.4, n),
        "noise yes/no": random.binomial(1, 0.3, n),
        "noise count": random.negative_binomial(2, 0.4, n),
    }


def noise_beside_groups(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Two or three groups of unlike sizes on six columns of three kinds, and columns of noise."""
    n, k = int(random.choice([120, 250])), int(random.choice([2, 3]))
    group = random.choice(k, n, p=[0.7, 0.3] if k == 2 else [0.5, 0.3, 0.2])
    at = (group[:, None] + np.arange(6)) % k  # each column has another order of the groups
    table = {f"differing {j}": 2.0 * at[:, j] + random.normal(size=n) for j in range(3)}
    table["differing rating"] = random.binomial(8, 0.15 + 0.35 * at[:, 3])
    table["differing count"] = random.poisson(1.0 + 4.0 * at[:, 4])
    table["differing spread"] = (1.0 + 2.0 * at[:, 5]) * random.normal(size=n)
    return table | noise(n, random)


def noise_alone(random: np.random.Generator) -> dict[str, np.ndarray]:
    """Nothing but independent columns; heavy tails and skewness that make groups all the same."""
    n = int(random.choice([120, 250]))
    tails = {f"noise tails {j}": random.standard_t(2.0, n) for j in range(3)}
    piled = {f"noise piled {j}": random.gamma(0.6, 2.0, n) for j in range(2)}
    return tails | piled | noise(n, random)


def known_classes(
    random: np.random.Generator,
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Columns of five kinds that follow three classes, each in its own order, and their means."""
    n = int(random.choice([90, 180, 300]))
    group = random.choice(3, n, p=[0.5, 0.3, 0.2])
    at = (group[:, None] + np.arange(9)) % 3
    means = {f"normal {j}": 2.5 * at[:, j] for j in range(4)}
    table = {name: mean + random.normal(size=n) for name, mean in means.items()}
    means["skewed"] = 6.0 * (1.0 + at[:, 4])
    table["skewed"] = random.gamma(3.0, means["skewed"] / 3.0)
    means["rating"] = 8 * (0.15 + 0.3 * at[:, 5])
    table["rating"] = random.binomial(8, means["rating"] / 8)
    means["count"] = 1.0 + 5.0 * at[:, 6]
    table["count"] = random.poisson(means["count"])
    means["yes/no"] = 0.1 + 0.35 * at[:, 7]
    table["yes/no"] = random.binomial(1, means["yes/no"])
    means["the same"] = np.zeros(n)
    table["the same"] = random.normal(size=n)
    return table, means


def held(seed: int) -> Iterator[tuple[str, bool]]:
    """Of every column of a table of known classes, whether the interval holds the difference."""
    table, means = known_classes(np.random.default_rng([17, seed]))
    frame = pd.DataFrame(table)
    schema = as_suggested(frame)
    model = MAPDP(random_state=0).fit(frame, schema)
    if model.n_clusters_ < 2:
        return
    made, pair = schema.names("cluster"), (0, 1)
    columns = read_columns(frame, schema, made)
    found = {
        n: labels for names, labels in groups_without(model, model.columns_.encoded) for n in names
    }
    lines = t_table(columns, model.labels_, pair, False, made, found)
    for name, line in lines[lines["low_left_out"].notna()].iterrows():
        a, b = sides(found[name], pair)
        truth = means[name][a].mean() - means[name][b].mean()
        yield name.rstrip("0123 "), bool(line["low_left_out"] <= truth <= line["high_left_out"])


def coverage(wanted: int = WANTED) -> None:
    """Print how often the intervals hold what they are of, by kind of column."""
    known: dict[str, list[bool]] = {}
    for seed in range(2 * wanted):
        for kind, holds in held(seed):
            known.setdefault(kind, []).append(holds)
        if known and min(map(len, known.values())) >= wanted:
            break
    for kind, holds in known.items():
        print(f"{kind:9} {np.mean(holds):.3f} of {len(holds):,}", flush=True)


def as_suggested(table: pd.DataFrame) -> Schema:
    """Families that the page suggests; measurements as they are, so that they misfit at times."""
    schema = infer_schema(table)
    for name in table:
        if schema[name].family == "normal":
            schema = schema.with_column(name, transform=None)
    return schema


def all_normal(table: pd.DataFrame) -> Schema:
    """Every column a measurement."""
    return Schema([ColumnSpec(name, "normal") for name in table])


def p_values(draw, kind: str, schema_of) -> Iterator[tuple[float, float]]:
    """The two p-values of every column of a kind, table after table."""
    for seed in range(MOST):
        table = pd.DataFrame(draw(np.random.default_rng([15, seed])))
        schema = schema_of(table)
        model = MAPDP(random_state=0).fit(table, schema)
        if model.n_clusters_ > 1:
            found = t_tests(model, table, schema)
            found = found[found.index.str.startswith(kind)]
            yield from zip(found["p"], found["p_left_out"], strict=True)


def measure(draw, kind: str, schema_of=all_normal, wanted: int = WANTED) -> None:
    """Print one line: rejections of both tests, and the share that could not be tested."""
    naive, left_out = [], []
    for p, other in p_values(draw, kind, schema_of):
        naive.append(p)
        left_out.append(other)
        if np.isfinite(left_out).sum() >= wanted or len(naive) >= 4 * wanted:
            break
    naive, left_out = np.array(naive), np.array(left_out)
    made = np.isfinite(left_out)
    share = (left_out[made] < NOMINAL).mean() if made.any() else np.nan
    where = (naive[made] < NOMINAL).mean() if made.any() else np.nan
    print(
        f"{draw.__name__:19} {kind:11} naive {np.mean(naive < NOMINAL):.3f} of {naive.size:5,}   "
        f"where testable {where:.3f}   left out {share:.3f} of {made.sum():5,}   "
        f"not testable {np.mean(~made):.2f}",
        flush=True,
    )


def speed() -> None:
    """Print how long the cohort's columns take, when the first is there, and how soon it stops."""
    frame, schema, _ = load_parkinsonism(0)
    model = MAPDP(3.0, random_state=0).fit(frame, schema)
    encoded = model.columns_.encoded
    with ThreadPoolExecutor(2) as executor:
        began, busy, first = perf_counter(), process_time(), None
        for _ in groups_without(model, encoded, executor=executor):
            first = first or perf_counter() - began
        print(
            f"{len(encoded.units)} columns in {perf_counter() - began:.0f} s (target 150), "
            f"{process_time() - busy:.0f} s of CPU time"
        )
        print(f"first line after {first:.1f} s (target 5)")
        asked: list[float] = []

        def stop(progress) -> None:
            if progress.done >= 4:
                asked.append(asked[0] if asked else perf_counter())
                raise KeyboardInterrupt

        try:
            list(groups_without(model, encoded, stop, executor))
        except KeyboardInterrupt:
            print(f"stopped {perf_counter() - asked[0]:.2f} s after it was asked to (target 0.5)")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--null", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    asked = parser.parse_args()
    if asked.speed:
        speed()
    elif asked.coverage:
        coverage()
    elif asked.null:
        measure(noise_beside_groups, "noise", as_suggested, NULL_LINES)
        measure(noise_alone, "noise", as_suggested, NULL_LINES)
    else:
        measure(no_groups, "noise")
        measure(three_groups, "noise")
        measure(three_groups, "differing")
        measure(one_dominates, "dominating")
